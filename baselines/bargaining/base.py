"""What all scripted strategies of bargaining share."""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.haggling import Haggler, rounded, spoken
from econzoo.baselines.strategy import Seen
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

    def gain(self, seen: Seen) -> float:
        """Dollars that its offer of this round leaves itself: the ask, to twelve digits and within the money.

        The digits keep noise such as 7250.000000000001 out of offers. What they take away is far less than the
        billionth of the money that `accepts` forgives, so an ask that leaves the other indifferent stays acceptable.
        """
        return min(max(rounded(self.ask(seen)), 0.0), seen["money"])

    def accepts(self, seen: Seen) -> bool:
        """Whether the waiting offer reaches the threshold; a billionth of the money is forgiven as rounding."""
        return seen["offered"] >= self.threshold(seen) - TOLERANCE * seen["money"]

    def say(self, seen: Seen, amount: float) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        return self.line(seen, amount).format(own=spoken(amount), other=spoken(seen["money"] - amount))
