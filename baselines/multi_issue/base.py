"""Base of the scripted strategies of multi-issue bargaining, as functions that compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines import ObservationDict
from econzoo.baselines.offers import Amount, Haggler, last_round
from econzoo.envs.core.contract import ZERO_UNIFORMS, Move, MoveFunction, Numbers, StrategyMemory, UniformPair, draft
from econzoo.envs.core.contract import put, to_tuple
from econzoo.envs.games.multi_issue import ACTIONS
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, View, remaining_items, total_value
from econzoo.envs.games.multi_issue.text import describe_items

TOLERANCE = 1e-9

ItemValues: TypeAlias = tuple[float, ...]
"""Value of one item of each kind."""

ValueEstimate: TypeAlias = Callable[[View, StrategyMemory], ItemValues]
"""Returns the opponent's estimated item values from view and memory."""


def stake(v: View) -> float:
    """Return the seat's value of all items."""
    return total_value(v.own_values, v.items)


def knows_values(v: View) -> bool:
    """Whether the seat knows the opponent's values."""
    return v.other_values[0] >= 0


def known_or_equal_values(v: View, past: StrategyMemory) -> ItemValues:
    """Return known values, else equal ones."""
    values = draft(v.own_items)
    for k in range(len(v.items)):
        values = put(values, k, v.other_values[k] * 1.0 if knows_values(v) else 1.0)
    return to_tuple(values)


def no_items(v: View) -> tuple[float, ...]:
    """Return a division without items."""
    none = draft(v.own_items)
    for k in range(len(v.items)):
        none = put(none, k, 0.0)
    return to_tuple(none)


def next_division(items: tuple[int, ...], kept: tuple[float, ...]) -> tuple[float, ...]:
    """Return the next division in order; after the last, the first."""
    division = draft(kept)
    for k in range(len(items) - 1, -1, -1):
        if kept[k] < items[k]:
            return to_tuple(put(division, k, kept[k] + 1.0))
        division = put(division, k, 0.0)
    return to_tuple(division)


def cheapest_items(v: View, wanted: float, guess: ItemValues) -> tuple[float, ...]:
    """Return the items worth at least `wanted` to the seat with the least estimated value to the opponent."""
    size = 1
    for count in v.items:
        size *= count + 1
    kept = no_items(v)
    best, lost, won, items = kept, math.inf, 0.0, 0.0
    for _ in range(size):
        own = total_value(v.own_values, kept)
        if own >= wanted:
            theirs, held = total_value(guess, kept), 0.0
            for number in kept:
                held += number
            # Among equally cheap divisions the one worth most, then the one of fewest items.
            if theirs < lost or (theirs == lost and (own > won or (own == won and held < items))):
                best, lost, won, items = kept, theirs, own, held
        kept = next_division(v.items, kept)
    return best


@lru_cache(maxsize=64)
def mover(asks: Amount, takes: Amount, estimated_values: ValueEstimate) -> MoveFunction:
    """Return the move function of a strategy: it accepts its demand, or in the last turn its threshold."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        total, last = stake(v), last_round(v)
        least = takes(v, total, x, past) if last else asks(v, total, x, past)
        if v.by == 1 - v.seat and total_value(v.own_values, v.own_items) >= least - TOLERANCE:
            return Move(ACCEPT, no_items(v))
        if last:
            return Move(LEAVE, no_items(v))
        # No division is worth more than all items, whatever is demanded.
        return Move(OFFER, cheapest_items(v, min(least, total) - TOLERANCE, estimated_values(v, past)))

    return move


class Divider(Haggler):
    """Base of strategies with a demand in points (`asks`) and a threshold in the last turn (`takes`).

    It accepts an offer worth its own demand, as in Faratin, Sierra and Jennings (1998). Among divisions worth its
    demand it offers the best for the opponent by `estimated_values`.
    """

    View, stake, estimated_values = View, staticmethod(stake), staticmethod(known_or_equal_values)

    @property
    def moves(self) -> MoveFunction:
        """Move function."""
        return mover(type(self).asks, type(self).takes, type(self).estimated_values)

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """Return an offer or a response, without a message."""
        kind, keep = self.moves(self.view(seen), self.numbers, self.past(seen), ZERO_UNIFORMS)
        return {"kind": ACTIONS.names[kind], **({"keep": list(map(int, keep))} if kind == OFFER else {})}

    def say(self, seen: ObservationDict, keep: Any) -> str:
        """Return the message of an offer, which names its two sides and no private information."""
        return self.line(seen, keep).format(
            own=describe_items(keep), other=describe_items(remaining_items(seen["items"], keep))
        )
