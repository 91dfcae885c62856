"""What all scripted strategies of bargaining share."""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.haggling import Haggler
from econzoo.baselines.strategy import Seen
from econzoo.envs.core.amounts import ROUND_FLOOR, dollars
from econzoo.envs.games.bargaining.solution import TOLERANCE


class BargainingPlayer(Haggler):
    """A strategy that is a function of what its seat has observed, and of nothing else.

    A subclass says what it asks for (`ask`), how little it accepts (`threshold`), and in which words it offers
    (`lines`, with the fields ``own`` and ``other``, in dollars).
    """

    lines: ClassVar[tuple[str, ...]] = ("I propose ${own} for me and ${other} for you.",)

    def move(self, seen: Seen) -> dict[str, Any]:
        """An offer or an answer, without words."""
        if "offer" in seen["legal_actions"]:
            return {"kind": "offer", "gain": self.gain(seen)}
        return {"kind": "accept" if self.accepts(seen) else "reject"}

    def stake(self, seen: Seen) -> float:
        """The money."""
        return float(seen["money"])

    def gain(self, seen: Seen) -> float:
        """Dollars that its offer of this round leaves itself: the ask, as it is `named`, and within the money.

        Rounded down, the ask leaves the other at least as much, so that one who was indifferent still accepts.
        """
        return min(max(self.named(self.ask(seen), seen["money"], ROUND_FLOOR), 0.0), seen["money"])

    def accepts(self, seen: Seen) -> bool:
        """Whether the waiting offer reaches the threshold; a billionth of the money is forgiven as rounding."""
        return seen["offered"] >= self.threshold(seen) - TOLERANCE * seen["money"]

    def say(self, seen: Seen, amount: float) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        return self.line(seen, amount).format(own=dollars(amount), other=dollars(seen["money"] - amount))
