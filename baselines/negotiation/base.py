"""What all scripted strategies of negotiation share."""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.haggling import Haggler, last_round
from econzoo.baselines.strategy import Seen
from econzoo.envs.core.amounts import ROUND_CEILING, ROUND_FLOOR, dollars
from econzoo.envs.games.negotiation.rules import SELLER, TOLERANCE

ASSUMED_SURPLUS = 0.4
"""What a strategy that does not know the other's value takes a trade to be worth to both together, in parts of the
scale: GLEE's markets with a zone of agreement have 0.2 to 0.7, 0.38 on average."""


class NegotiationPlayer(Haggler):
    """A strategy that is a function of what its seat has observed, and of nothing else.

    A subclass thinks in gains, that is in dollars won over the own value, so that it plays both seats alike: how much
    it asks for (`ask`), how little it accepts (`threshold`), and in which words it posts a price (`lines`, with the
    fields ``price`` and ``value``, its own value, in dollars).

    It opts out only where that costs it nothing: on a price that it does not accept, in a round that it knows to be the
    last, or if it knows that no price can win both anything.
    """

    lines: ClassVar[tuple[str, ...]] = ("My price is ${price}.",)

    def move(self, seen: Seen) -> dict[str, Any]:
        """A price or an answer, without words."""
        if "offer" in seen["legal_actions"]:
            return {"kind": "offer", "price": self.price(seen)}
        if self.accepts(seen):
            return {"kind": "accept"}
        leaves = "opt_out" in seen["legal_actions"] and (last_round(seen) or surplus(seen) == 0.0)
        return {"kind": "opt_out" if leaves else "reject"}

    def stake(self, seen: Seen) -> float:
        """The surplus, as far as the seat knows it."""
        return surplus(seen)

    def price(self, seen: Seen) -> float:
        """The price that it wants, as it is `named`; nobody asks to be paid for taking the good."""
        favourable = ROUND_FLOOR if seen["seat"] == SELLER else ROUND_CEILING
        return max(self.named(self.wanted(seen), seen["money"], favourable), 0.0)

    def wanted(self, seen: Seen) -> float:
        """The price at which it wins what it asks for."""
        return price_winning(seen, self.ask(seen))

    def accepts(self, seen: Seen) -> bool:
        """Whether the waiting price wins enough; a billionth is forgiven as rounding."""
        slack = TOLERANCE * max(seen["money"], seen["own_value"], seen["other_value"] or 0.0)
        return gain_at(seen, seen["offered"]) >= self.threshold(seen) - slack

    def say(self, seen: Seen, amount: float) -> str:
        """The words of a price."""
        return self.line(seen, amount).format(price=dollars(amount), value=dollars(seen["own_value"]))


def gain_at(seen: Seen, price: float) -> float:
    """Dollars over its own value that a price wins the seat."""
    return price - seen["own_value"] if seen["seat"] == SELLER else seen["own_value"] - price


def price_winning(seen: Seen, gain: float) -> float:
    """The price that wins the seat this many dollars over its own value."""
    return float(seen["own_value"] + (gain if seen["seat"] == SELLER else -gain))


def surplus(seen: Seen) -> float:
    """Dollars that a trade is worth to both together, as far as the seat knows; else `ASSUMED_SURPLUS`."""
    if seen["other_value"] is None:
        return ASSUMED_SURPLUS * seen["money"]
    return max(gain_at(seen, seen["other_value"]), 0.0)
