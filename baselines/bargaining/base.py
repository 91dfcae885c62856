"""What all scripted strategies of bargaining share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

from econzoo.baselines.offers.demands import Amount, round_to_cents
from econzoo.baselines.offers.haggler import Haggler
from econzoo.baselines.strategy import ObservationDict
from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import Move
from econzoo.envs.core.contract.scripts import MoveFunction, Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.bargaining import ACTIONS
from econzoo.envs.games.bargaining.rules import ACCEPT, OFFER, REJECT, View
from econzoo.envs.games.bargaining.solution import TOLERANCE


def money(v: View) -> float:
    """The stake."""
    return v.money


@lru_cache(maxsize=256)
def mover(asks: Amount, takes: Amount, exact: bool) -> MoveFunction:
    """How a strategy moves.

    An offer leaves itself the ask, in cents, within the money: rounded down, it leaves the other at least as much, so
    that one who was indifferent still accepts. An offer is accepted if it reaches the threshold; a billionth of the
    money is forgiven as rounding.
    """

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        if v.proposing:
            asked = asks(v, v.money, x, past)
            named = asked if exact else round_to_cents(asked, v.money, False)
            return Move(OFFER, (min(max(named, 0.0), v.money),))
        taken = v.offered >= takes(v, v.money, x, past) - TOLERANCE * v.money
        return Move(ACCEPT if taken else REJECT, (0.0,))

    return move


class BargainingPlayer(Haggler):
    """A strategy that is a function of what its seat has observed, and of nothing else.

    A subclass says what it asks for (`asks`), how little it accepts (`takes`), and in which words it offers (`lines`,
    with the fields ``own`` and ``other``, in dollars).
    """

    View, stake, mover, actions = View, staticmethod(money), staticmethod(mover), ACTIONS
    lines: ClassVar[tuple[str, ...]] = ("I propose ${own} for me and ${other} for you.",)

    def say(self, seen: ObservationDict, amount: Any) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        return self.line(seen, amount).format(own=dollars(amount), other=dollars(seen["money"] - amount))
