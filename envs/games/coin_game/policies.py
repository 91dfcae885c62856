"""Simple policies of a collector: the next step as a function of where everybody and everything is.

Players play them (`econzoo.baselines.coin_game`), and `econzoo.envs.games.coin_game.planning` says exactly what they
are worth. Where several steps are as good, each is as likely as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from econzoo.envs.games.coin_game.rules import DOWN, LEFT, RIGHT, UP, Params, View, moved

STEPS = (UP, DOWN, LEFT, RIGHT)

KINDS = ("up", "down", "left", "right")
"""What the steps are called."""

PLACES = ("own", "other", "own_coin", "other_coin")
"""Of whose rows and columns a view tells."""


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


Policy = Callable[[Sight], tuple[int, ...]]
"""From what is seen to the steps that are equally likely."""


def sight_of(view: View) -> Sight:
    """What a policy looks at, from the view of a seat."""
    return sighted(partial(getattr, view))


def sighted(read: Callable[[str], Any]) -> Sight:
    """What a policy looks at.

    Args:
        read: From the name of a field of `View` to what it holds.
    """
    size = read("size")
    return Sight(size, *[int(read(f"{place}_row") * size + read(f"{place}_column")) for place in PLACES])


def distance(size: int, start: int, end: int) -> int:
    """Steps from one cell to another on a board without edges."""
    down, right = abs(start // size - end // size), abs(start % size - end % size)
    return min(down, size - down) + min(right, size - right)


def after(sight: Sight, kind: int) -> int:
    """The cell to which a step leads."""
    return moved(Params(sight.size, 1, True), sight.own, kind)


def least(sight: Sight, cost: Callable[[int], tuple[int, ...]]) -> tuple[int, ...]:
    """The steps to the cells that cost least."""
    costs = [cost(after(sight, kind)) for kind in STEPS]
    return tuple([kind for kind in STEPS if costs[kind] == min(costs)])


def random(sight: Sight) -> tuple[int, ...]:
    """Any step."""
    return STEPS


def greedy(sight: Sight) -> tuple[int, ...]:
    """Towards the nearest coin of any colour."""
    coins = (sight.own_coin, sight.other_coin)
    return least(sight, lambda cell: (min([distance(sight.size, cell, coin) for coin in coins]),))


def cooperative(sight: Sight) -> tuple[int, ...]:
    """Towards the own coin, and not onto the other's, unless both lie there."""

    def cost(cell: int) -> tuple[int, ...]:
        takes = cell == sight.other_coin != sight.own_coin
        return int(takes), distance(sight.size, cell, sight.own_coin)

    return least(sight, cost)


def considerate(sight: Sight) -> tuple[int, ...]:
    """Towards the own coin, and never onto the other's."""

    def cost(cell: int) -> tuple[int, ...]:
        return int(cell == sight.other_coin), distance(sight.size, cell, sight.own_coin)

    return least(sight, cost)


def spiteful(sight: Sight) -> tuple[int, ...]:
    """Towards the other's coin."""
    return least(sight, lambda cell: (distance(sight.size, cell, sight.other_coin),))


POLICIES: dict[str, Policy] = {
    "random": random,
    "greedy": greedy,
    "cooperative": cooperative,
    "considerate": considerate,
    "spiteful": spiteful,
}
