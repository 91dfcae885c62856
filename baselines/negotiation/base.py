"""What all scripted strategies of negotiation share.

They think in gains, that is in dollars won over the own value, so that they play both seats alike.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

from econzoo.baselines.offers.demands import Amount, last_round, round_to_cents
from econzoo.baselines.offers.haggler import Haggler
from econzoo.baselines.strategy import ObservationDict
from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.core.contract.scripts import MoveFunction, Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.negotiation import ACTIONS
from econzoo.envs.games.negotiation.rules import ACCEPT, OFFER, OPT_OUT, REJECT, SELLER, TOLERANCE, View, price_range

ASSUMED_SURPLUS = 0.4
"""What a strategy that does not know the other's value takes a trade to be worth to both together, in parts of the
scale: GLEE's markets with a zone of agreement have 0.2 to 0.7, 0.38 on average."""


def gain_at(v: View, price: float) -> float:
    """Dollars over its own value that a price wins the seat."""
    return price - v.own_value if v.seat == SELLER else v.own_value - price


def price_for_gain(v: View, gain: float) -> float:
    """The price that wins the seat this many dollars over its own value."""
    return v.own_value + gain if v.seat == SELLER else v.own_value - gain


def surplus(v: View) -> float:
    """Dollars that a trade is worth to both together, as far as the seat knows; else `ASSUMED_SURPLUS`."""
    if v.other_value == UNKNOWN:
        return ASSUMED_SURPLUS * v.money
    return max(gain_at(v, v.other_value), 0.0)


def highest_price(v: View) -> float:
    """The highest price that may be posted."""
    return price_range(v.money, v.bound, v.other_value != UNKNOWN, v.own_value, v.other_value)[1]


@lru_cache(maxsize=256)
def mover(asks: Amount, takes: Amount, exact: bool) -> MoveFunction:
    """How a strategy moves.

    It names the price that wins what it asks for, in cents in favour of the one who answers, and at least 0 (nobody
    asks to be paid for taking the good) and at most `highest_price`. An exact strategy asks for a price, as a gain
    would lose its last digits. It accepts a price that wins enough; a billionth is forgiven as rounding. It opts out
    only where that costs it nothing: on a price that it does not accept, in a round that it knows to be the last, or if
    it knows that no price can win both anything.
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
    """A strategy that is a function of what its seat has observed, and of nothing else.

    A subclass says how much it asks for (`asks`), how little it accepts (`takes`), and in which words it posts a price
    (`lines`, with the fields ``price`` and ``value``, its own value, in dollars).
    """

    View, stake, mover, actions = View, staticmethod(surplus), staticmethod(mover), ACTIONS
    lines: ClassVar[tuple[str, ...]] = ("My price is ${price}.",)

    def say(self, seen: ObservationDict, amount: Any) -> str:
        """The words of a price."""
        return self.line(seen, amount).format(price=dollars(amount), value=dollars(seen["own_value"]))
