"""What scripted strategies of multi-issue bargaining share: how they divide the items, as functions that compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines.offers.demands import Amount, last_round
from econzoo.baselines.offers.haggler import Haggler
from econzoo.baselines.strategy import ObservationDict
from econzoo.envs.core.contract.game import Move, draft, put, to_tuple
from econzoo.envs.core.contract.scripts import ZERO_UNIFORMS, MoveFunction, Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.multi_issue import ACTIONS
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, View, remaining_items, total_value
from econzoo.envs.games.multi_issue.text import describe_items

TOLERANCE = 1e-9

ItemValues: TypeAlias = tuple[float, ...]
"""What one item of each kind is worth."""

ValueEstimate: TypeAlias = Callable[[View, StrategyMemory], ItemValues]
"""What the other's items are worth to it, from the view and what is remembered."""


def stake(v: View) -> float:
    """Points that all items are worth to a seat."""
    return total_value(v.own_values, v.items)


def knows_values(v: View) -> bool:
    """Whether the seat knows what the other's values are."""
    return v.other_values[0] >= 0


def known_or_equal_values(v: View, past: StrategyMemory) -> ItemValues:
    """What it knows, else the same for an item of each kind."""
    values = draft(v.own_items)
    for k in range(len(v.items)):
        values = put(values, k, v.other_values[k] * 1.0 if knows_values(v) else 1.0)
    return to_tuple(values)


def no_items(v: View) -> tuple[float, ...]:
    """No items of any kind."""
    none = draft(v.own_items)
    for k in range(len(v.items)):
        none = put(none, k, 0.0)
    return to_tuple(none)


def next_division(items: tuple[int, ...], kept: tuple[float, ...]) -> tuple[float, ...]:
    """The next of all divisions, in their order; after the last one the first."""
    after = draft(kept)
    for k in range(len(items) - 1, -1, -1):
        if kept[k] < items[k]:
            return to_tuple(put(after, k, kept[k] + 1.0))
        after = put(after, k, 0.0)
    return to_tuple(after)


def cheapest_items(v: View, wanted: float, guess: ItemValues) -> tuple[float, ...]:
    """The items that are worth so much to the seat, and of these the least valuable to the other, as it thinks."""
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
            if theirs < lost or (theirs == lost and (own > won or (own == won and held < items))):
                best, lost, won, items = kept, theirs, own, held
        kept = next_division(v.items, kept)
    return best


@lru_cache(maxsize=64)
def mover(asks: Amount, takes: Amount, estimated_values: ValueEstimate) -> MoveFunction:
    """How a strategy moves: it accepts what is worth its ask, in the last turn what is worth what it takes there."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        total, last = stake(v), last_round(v)
        least = takes(v, total, x, past) if last else asks(v, total, x, past)
        if v.by == 1 - v.seat and total_value(v.own_values, v.own_items) >= least - TOLERANCE:
            return Move(ACCEPT, no_items(v))
        if last:
            return Move(LEAVE, no_items(v))
        return Move(OFFER, cheapest_items(v, min(least, total) - TOLERANCE, estimated_values(v, past)))

    return move


class Divider(Haggler):
    """A strategy that says how many points it wants (`asks`) and how few it takes in the last turn (`takes`).

    It accepts an offer that is worth what it would ask for in its own, as in Faratin, Sierra and Jennings (1998). Of
    the divisions worth as much to itself it offers the one that it thinks is best for the other (`estimated_values`).
    """

    View, stake, estimated_values = View, staticmethod(stake), staticmethod(known_or_equal_values)

    @property
    def moves(self) -> MoveFunction:
        """How it moves."""
        return mover(type(self).asks, type(self).takes, type(self).estimated_values)

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """An offer or an answer, without words."""
        kind, keep = self.moves(self.view(seen), self.numbers, self.past(seen), ZERO_UNIFORMS)
        return {"kind": ACTIONS.names[kind], **({"keep": list(map(int, keep))} if kind == OFFER else {})}

    def say(self, seen: ObservationDict, keep: Any) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        return self.line(seen, keep).format(
            own=describe_items(keep), other=describe_items(remaining_items(seen["items"], keep))
        )
