"""Base of the scripted strategies of bargaining."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

from econzoo.baselines import ObservationDict
from econzoo.baselines.offers import Amount, Haggler, round_to_cents
from econzoo.envs.core import dollars
from econzoo.envs.core.contract import Move, MoveFunction, Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.bargaining import ACTIONS
from econzoo.envs.games.bargaining.rules import ACCEPT, OFFER, REJECT, TOLERANCE, View


def money(v: View) -> float:
    """Return the stake."""
    return v.money


# Compiled loops are found again by their functions, so that equal strategies must share one.
@lru_cache(maxsize=256)
def mover(asks: Amount, takes: Amount, exact: bool) -> MoveFunction:
    """Return the move function of a strategy.

    An offer keeps the ask, rounded down to cents so that an indifferent opponent still accepts. An offer is accepted
    if it reaches the threshold up to a rounding error of a billionth of the money.
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
    """A strategy that depends only on what its seat has observed.

    A subclass defines its demand (`asks`), its acceptance threshold (`takes`), and its messages (`lines`, with the
    fields ``own`` and ``other``, in dollars).
    """

    View, stake, mover, actions = View, staticmethod(money), staticmethod(mover), ACTIONS
    lines: ClassVar[tuple[str, ...]] = ("I propose ${own} for me and ${other} for you.",)

    def say(self, seen: ObservationDict, amount: Any) -> str:
        """Return the message of an offer, which names its two sides and no private information."""
        return self.line(seen, amount).format(own=dollars(amount), other=dollars(seen["money"] - amount))
