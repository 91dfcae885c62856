"""Simple policies of a collector: the next step as a function of where everybody and everything is.

Players play them (`econzoo.baselines.coin_game`), and `econzoo.envs.games.coin_game.planning` says exactly what they
are worth. Where several steps are as good, each is as likely as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, TypeAlias

from econzoo.envs.games.coin_game.rules import DOWN, LEFT, RIGHT, UP, Params, View, moved

STEPS = (UP, DOWN, LEFT, RIGHT)

KINDS = ("up", "down", "left", "right")
"""What the steps are called."""

PLACES = ("own", "other", "own_coin", "other_coin")
"""Of whose rows and columns a view tells."""

FAR = 2
"""Sides of the board: farther away than any cell."""


class Sight(NamedTuple):
    """What a policy looks at. Cells are numbered row by row.

    Attributes:
        size: Rows and columns of the board.
        own: Cell of the player.
        other: Cell of the other player.
        own_coin: Cell of the coin of the own colour.
        other_coin: Cell of the coin of the other's colour.
    """

    size: int
    own: int
    other: int
    own_coin: int
    other_coin: int


Flags: TypeAlias = tuple[bool, bool, bool, bool]
"""One for each of the `STEPS`."""

Policy: TypeAlias = Callable[[Sight], Flags]
"""From what is seen to the steps that are equally likely."""

Cost: TypeAlias = Callable[[Sight, int], int]
"""From what is seen and a cell beside it to what a step there costs."""


def sight_of(v: View) -> Sight:
    """What a policy looks at, from the view of a seat."""
    return Sight(
        v.size,
        int(v.own_row * v.size + v.own_column),
        int(v.other_row * v.size + v.other_column),
        int(v.own_coin_row * v.size + v.own_coin_column),
        int(v.other_coin_row * v.size + v.other_coin_column),
    )


def distance(size: int, start: int, end: int) -> int:
    """Steps from one cell to another on a board without edges."""
    down, right = abs(start // size - end // size), abs(start % size - end % size)
    return min(down, size - down) + min(right, size - right)


def after(sight: Sight, kind: int) -> int:
    """The cell to which a step leads."""
    return moved(Params(sight.size, 1, True), sight.own, kind)


def least(cost: Cost) -> Policy:
    """The policy whose steps are those that cost least."""

    @wraps(cost)
    def policy(sight: Sight) -> Flags:
        up, down = cost(sight, after(sight, UP)), cost(sight, after(sight, DOWN))
        left, right = cost(sight, after(sight, LEFT)), cost(sight, after(sight, RIGHT))
        lowest = min(up, down, left, right)
        return up == lowest, down == lowest, left == lowest, right == lowest

    return policy


def flagged(flags: Flags) -> tuple[int, ...]:
    """The steps that are flagged."""
    return tuple([kind for kind in STEPS if flags[kind]])


@least
def random(sight: Sight, cell: int) -> int:
    """Any step."""
    return 0


@least
def greedy(sight: Sight, cell: int) -> int:
    """Towards the nearest coin of any colour."""
    return min(distance(sight.size, cell, sight.own_coin), distance(sight.size, cell, sight.other_coin))


@least
def cooperative(sight: Sight, cell: int) -> int:
    """Towards the own coin, and not onto the other's, unless both lie there."""
    takes = cell == sight.other_coin and sight.other_coin != sight.own_coin
    return distance(sight.size, cell, sight.own_coin) + (FAR * sight.size if takes else 0)


@least
def considerate(sight: Sight, cell: int) -> int:
    """Towards the own coin, and never onto the other's."""
    return distance(sight.size, cell, sight.own_coin) + (FAR * sight.size if cell == sight.other_coin else 0)


@least
def spiteful(sight: Sight, cell: int) -> int:
    """Towards the other's coin."""
    return distance(sight.size, cell, sight.other_coin)


POLICIES: dict[str, Policy] = {
    "random": random,
    "greedy": greedy,
    "cooperative": cooperative,
    "considerate": considerate,
    "spiteful": spiteful,
}
