"""What scripted strategies of multi-issue bargaining share: how they divide the items, as functions that compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines.offers.demands import Amount, last_round
from econzoo.baselines.offers.haggler import Haggler
from econzoo.baselines.strategy import Seen
from econzoo.envs.core.contract.game import Move, draft, final, put
from econzoo.envs.core.contract.scripts import NO_LUCK, Luck, Mover, Numbers, Past
from econzoo.envs.games.multi_issue import ACTIONS
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, View, rest, worth
from econzoo.envs.games.multi_issue.text import listed

TOLERANCE = 1e-9

Worths: TypeAlias = tuple[float, ...]
"""What one item of each kind is worth."""

Guess: TypeAlias = Callable[[View, Past], Worths]
"""What the other's items are worth to it, from the view and what is remembered."""


def stake(v: View) -> float:
    """Points that all items are worth to a seat."""
    return worth(v.own_values, v.items)


def knows(v: View) -> bool:
    """Whether the seat knows what the other's values are."""
    return v.other_values[0] >= 0


def known_or_same(v: View, past: Past) -> Worths:
    """What it knows, else the same for an item of each kind."""
    values = draft(v.own_items)
    for k in range(len(v.items)):
        values = put(values, k, v.other_values[k] * 1.0 if knows(v) else 1.0)
    return final(values)


def nothing(v: View) -> tuple[float, ...]:
    """No items of any kind."""
    none = draft(v.own_items)
    for k in range(len(v.items)):
        none = put(none, k, 0.0)
    return final(none)


def following(items: tuple[int, ...], kept: tuple[float, ...]) -> tuple[float, ...]:
    """The next of all divisions, in their order; after the last one the first."""
    after = draft(kept)
    for k in range(len(items) - 1, -1, -1):
        if kept[k] < items[k]:
            return final(put(after, k, kept[k] + 1.0))
        after = put(after, k, 0.0)
    return final(after)


def cheapest(v: View, wanted: float, guess: Worths) -> tuple[float, ...]:
    """The items that are worth so much to the seat, and of these the least valuable to the other, as it thinks."""
    size = 1
    for count in v.items:
        size *= count + 1
    kept = nothing(v)
    best, lost, won, items = kept, math.inf, 0.0, 0.0
    for _ in range(size):
        own = worth(v.own_values, kept)
        if own >= wanted:
            theirs, held = worth(guess, kept), 0.0
            for number in kept:
                held += number
            if theirs < lost or (theirs == lost and (own > won or (own == won and held < items))):
                best, lost, won, items = kept, theirs, own, held
        kept = following(v.items, kept)
    return best


@lru_cache(maxsize=64)
def mover(asks: Amount, takes: Amount, guesses: Guess) -> Mover:
    """How a strategy moves: it accepts what is worth its ask, in the last turn what is worth what it takes there."""

    def move(v: View, x: Numbers, past: Past, u: Luck) -> Move:
        total, last = stake(v), last_round(v)
        least = takes(v, total, x, past) if last else asks(v, total, x, past)
        if v.by == 1 - v.seat and worth(v.own_values, v.own_items) >= least - TOLERANCE:
            return Move(ACCEPT, nothing(v))
        if last:
            return Move(LEAVE, nothing(v))
        return Move(OFFER, cheapest(v, min(least, total) - TOLERANCE, guesses(v, past)))

    return move


class Divider(Haggler):
    """A strategy that says how many points it wants (`asks`) and how few it takes in the last turn (`takes`).

    It accepts an offer that is worth what it would ask for in its own, as in Faratin, Sierra and Jennings (1998). Of
    the divisions worth as much to itself it offers the one that it thinks is best for the other (`guesses`).
    """

    View, stake, guesses = View, staticmethod(stake), staticmethod(known_or_same)

    @property
    def moves(self) -> Mover:
        """How it moves."""
        return mover(type(self).asks, type(self).takes, type(self).guesses)

    def move(self, seen: Seen) -> dict[str, Any]:
        """An offer or an answer, without words."""
        kind, keep = self.moves(self.view(seen), self.numbers, self.past(seen), NO_LUCK)
        return {"kind": ACTIONS.names[kind], **({"keep": list(map(int, keep))} if kind == OFFER else {})}

    def say(self, seen: Seen, keep: Any) -> str:
        """The words of an offer: they name its two sides and nothing that the other may not know."""
        return self.line(seen, keep).format(own=listed(keep), other=listed(rest(seen["items"], keep)))
