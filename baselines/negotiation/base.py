"""Base of the scripted strategies of negotiation.

They compute in gains, dollars over the seat's own value, so that both seats play alike.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

from econzoo.baselines import ObservationDict
from econzoo.baselines.offers import Amount, Haggler, last_round, round_to_cents
from econzoo.envs.core import dollars
from econzoo.envs.core.contract import UNKNOWN, Move, MoveFunction, Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.negotiation import ACTIONS
from econzoo.envs.games.negotiation.rules import ACCEPT, OFFER, OPT_OUT, REJECT, SELLER, TOLERANCE, View, price_range

ASSUMED_SURPLUS = 0.4
"""Assumed surplus as a fraction of the scale if the opponent's value is unknown: GLEE's settings with a zone of
agreement have 0.2 to 0.7, 0.38 on average."""


def gain_at(v: View, price: float) -> float:
    """Return the seat's gain at a price, in dollars."""
    return price - v.own_value if v.seat == SELLER else v.own_value - price


def price_for_gain(v: View, gain: float) -> float:
    """Return the price at which the seat gains this many dollars."""
    return v.own_value + gain if v.seat == SELLER else v.own_value - gain


def surplus(v: View) -> float:
    """Return the surplus of a trade in dollars, or `ASSUMED_SURPLUS` of the scale if unknown."""
    if v.other_value == UNKNOWN:
        return ASSUMED_SURPLUS * v.money
    return max(gain_at(v, v.other_value), 0.0)


def highest_price(v: View) -> float:
    """Return the highest legal price."""
    return price_range(v.money, v.bound, v.other_value != UNKNOWN, v.own_value, v.other_value)[1]


# Compiled loops are found again by their functions, so that equal strategies must share one.
@lru_cache(maxsize=256)
def mover(asks: Amount, takes: Amount, exact: bool) -> MoveFunction:
    """Return the move function of a strategy.

    It posts the price at which it gains its demand, rounded to cents in the responder's favour, from 0 to
    `highest_price`. The demand of an exact strategy is a price, since a gain would lose digits. It accepts a price at
    its threshold up to a rounding error of a billionth. It opts out of a rejected price in a known last round, or if it
    knows that there is no surplus.
    """

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        stake = surplus(v)
        if v.proposing:
            wanted = asks(v, stake, x, past)
            price = wanted if exact else round_to_cents(price_for_gain(v, wanted), v.money, v.seat != SELLER)
            return Move(OFFER, (min(max(price, 0.0), highest_price(v)),))
        slack = TOLERANCE * max(v.money, v.own_value, v.other_value, 0.0)
        if gain_at(v, v.offered) >= takes(v, stake, x, past) - slack:
            return Move(ACCEPT, (0.0,))
        leaves = v.outside_option == 1 and (last_round(v) or stake == 0.0)
        return Move(OPT_OUT if leaves else REJECT, (0.0,))

    return move


class NegotiationPlayer(Haggler):
    """A strategy that depends only on what its seat has observed.

    A subclass defines its demand (`asks`), its acceptance threshold (`takes`), and its messages (`lines`, with the
    fields ``price`` and ``value``, its own value, in dollars).
    """

    View, stake, mover, actions = View, staticmethod(surplus), staticmethod(mover), ACTIONS
    lines: ClassVar[tuple[str, ...]] = ("My price is ${price}.",)

    def say(self, seen: ObservationDict, amount: Any) -> str:
        """Return the message with a price."""
        return self.line(seen, amount).format(price=dollars(amount), value=dollars(seen["own_value"]))
