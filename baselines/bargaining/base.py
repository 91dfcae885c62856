"""What all scripted strategies of bargaining share."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.parameters import real
from econzoo.envs.core.prompts import dollars
from econzoo.envs.core.values import short
from econzoo.envs.games.bargaining.best_response import Memory
from econzoo.envs.games.bargaining.solution import TOLERANCE

Seen = dict[str, Any]
"""A structured observation: the fields of `rules.View`, with None for what the seat does not know, and ``history``."""


class BargainingPlayer(Player):
    """A strategy that is a function of what its seat has observed, and of nothing else.

    It keeps nothing between moves: asked twice in the same position it answers twice the same. A subclass says
    what it asks for (`ask`), how little it accepts (`threshold`), and in which words it offers (`lines`).

    Attributes:
        memory: What `ask` and `threshold` look at: ``"round"`` if only at the round and at the waiting offer,
            ``"history"`` if earlier asks matter too. The search for best responses relies on it.
        lines: Words of its offers with the fields ``own`` and ``other`` (dollars); the first goes with its first
            offer, the others take turns after that.
    """

    memory: ClassVar[Memory] = "round"
    lines: ClassVar[tuple[str, ...]] = ("I propose ${own} for me and ${other} for you.",)

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.messages = False

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Notes whether words may be sent; there is nothing else to remember."""
        self.messages = info.messages

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """An offer, with words where they are allowed, or an answer."""
        if "offer" not in observation["legal_actions"]:
            return {"kind": "accept" if self.accepts(observation) else "reject"}
        gain = self.gain(observation)
        if self.messages:
            return {"kind": "offer", "gain": gain, "message": self.say(observation, gain)}
        return {"kind": "offer", "gain": gain}

    def gain(self, seen: Seen) -> float:
        """Dollars that its offer of this round leaves itself: the ask, to twelve digits and within the money.

        The digits keep noise such as 7250.000000000001 out of offers. What they take away is far less than the
        billionth of the money that `accepts` forgives, so an ask that leaves the other indifferent stays acceptable.
        """
        return min(max(float(f"{self.ask(seen):.12g}"), 0.0), seen["money"])

    def ask(self, seen: Seen) -> float:
        """Dollars that it asks for itself in this round."""
        raise NotImplementedError

    def threshold(self, seen: Seen) -> float:
        """The fewest dollars that it accepts in this round."""
        raise NotImplementedError

    def accepts(self, seen: Seen) -> bool:
        """Whether the waiting offer reaches the threshold; a billionth of the money is forgiven as rounding."""
        return seen["offered"] >= self.threshold(seen) - TOLERANCE * seen["money"]

    def line(self, seen: Seen, ask: float) -> str:
        """Which of its lines goes with an offer."""
        offers_before = (seen["round"] - 1) // 2
        turn = 1 + (offers_before - 1) % (len(self.lines) - 1) if offers_before and len(self.lines) > 1 else 0
        return self.lines[turn]

    def say(self, seen: Seen, ask: float) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        return self.line(seen, ask).format(own=spoken(ask), other=spoken(seen["money"] - ask))


def spoken(amount: float) -> str:
    """Dollars as one says them: to the cent, and exactly where cents would not do."""
    return dollars(round(amount, 2)) if amount >= 1.0 else dollars(amount)


def last_round(seen: Seen) -> bool:
    """Whether the seat knows that no round follows."""
    return seen["horizon"] is not None and seen["round"] >= seen["horizon"]


def argument(
    spec: str, name: str, value: Any, low: float, high: float, *, open_low: bool = False, open_high: bool = False
) -> float:
    """An argument of a spec as a number between two bounds, which are allowed themselves unless open.

    Raises:
        ValueError: It is not; the message names the spec, the argument and what is allowed.
    """
    allowed = f"a number with {low:g} {'<' if open_low else '<='} {name} {'<' if open_high else '<='} {high:g}"
    try:
        number = real(value, low, high, above=open_low)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or (open_high and number == high):
        raise ValueError(f"player {spec[:80]!r}: {name}={short(value)} is not allowed; allowed: {allowed}")
    return number
