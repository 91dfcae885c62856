"""Simple policies of a collector: the next step as a function of where everybody and everything is.

Players play them (`econzoo.baselines.coin_game`), and `econzoo.envs.games.coin_game.planning` says exactly what they
are worth. Where several steps are as good, each is as likely as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, TypeAlias

from econzoo.envs.games.coin_game.rules import DOWN, LEFT, RIGHT, UP, Params, View, move_cell

STEPS = (UP, DOWN, LEFT, RIGHT)

STEP_NAMES = ("up", "down", "left", "right")
"""What the steps are called."""

VIEW_OBJECTS = ("own", "other", "own_coin", "other_coin")
"""Of whose rows and columns a view tells."""

FAR_SIDES = 2
"""Sides of the board: farther away than any cell."""


class Observation(NamedTuple):
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

Policy: TypeAlias = Callable[[Observation], Flags]
"""From what is seen to the steps that are equally likely."""

Cost: TypeAlias = Callable[[Observation, int], int]
"""From what is seen and a cell beside it to what a step there costs."""


def observation_of(v: View) -> Observation:
    """What a policy looks at, from the view of a seat."""
    return Observation(
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


def next_cell(sight: Observation, kind: int) -> int:
    """The cell to which a step leads."""
    return move_cell(Params(sight.size, 1, True), sight.own, kind)


def least_cost_policy(cost: Cost) -> Policy:
    """The policy whose steps are those that cost least."""

    @wraps(cost)
    def policy(sight: Observation) -> Flags:
        up, down = cost(sight, next_cell(sight, UP)), cost(sight, next_cell(sight, DOWN))
        left, right = cost(sight, next_cell(sight, LEFT)), cost(sight, next_cell(sight, RIGHT))
        lowest = min(up, down, left, right)
        return up == lowest, down == lowest, left == lowest, right == lowest

    return policy


def flagged_steps(flags: Flags) -> tuple[int, ...]:
    """The steps that are flagged."""
    return tuple([kind for kind in STEPS if flags[kind]])


@least_cost_policy
def random_policy(sight: Observation, cell: int) -> int:
    """Any step."""
    return 0


@least_cost_policy
def greedy_policy(sight: Observation, cell: int) -> int:
    """Towards the nearest coin of any colour."""
    return min(distance(sight.size, cell, sight.own_coin), distance(sight.size, cell, sight.other_coin))


@least_cost_policy
def cooperative_policy(sight: Observation, cell: int) -> int:
    """Towards the own coin, and not onto the other's, unless both lie there."""
    takes = cell == sight.other_coin and sight.other_coin != sight.own_coin
    return distance(sight.size, cell, sight.own_coin) + (FAR_SIDES * sight.size if takes else 0)


@least_cost_policy
def considerate_policy(sight: Observation, cell: int) -> int:
    """Towards the own coin, and never onto the other's."""
    return distance(sight.size, cell, sight.own_coin) + (FAR_SIDES * sight.size if cell == sight.other_coin else 0)


@least_cost_policy
def spiteful_policy(sight: Observation, cell: int) -> int:
    """Towards the other's coin."""
    return distance(sight.size, cell, sight.other_coin)


POLICIES: dict[str, Policy] = {
    "random": random_policy,
    "greedy": greedy_policy,
    "cooperative": cooperative_policy,
    "considerate": considerate_policy,
    "spiteful": spiteful_policy,
}
