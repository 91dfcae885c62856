"""Simple policies of the Coin Game: the next step as a function of the position.

`econzoo.baselines.coin_game` has them as players, and `econzoo.envs.games.coin_game.planning` computes their exact
values. Ties are broken uniformly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, TypeAlias

from econzoo.envs.games.coin_game.rules import DOWN, LEFT, RIGHT, UP, Params, View, move_cell

STEPS = (UP, DOWN, LEFT, RIGHT)

STEP_NAMES = ("up", "down", "left", "right")

VIEW_OBJECTS = ("own", "other", "own_coin", "other_coin")
"""Prefixes of the row and column fields of views."""

FAR_SIDES = 2
"""Cost of a forbidden step in sides of the board, larger than any distance."""


class Observation(NamedTuple):
    """Input of a policy. Cells are numbered row by row."""

    size: int
    own: int
    other: int
    own_coin: int
    other_coin: int


Flags: TypeAlias = tuple[bool, bool, bool, bool]
"""One flag per step of `STEPS`."""

Policy: TypeAlias = Callable[[Observation], Flags]
"""Function from an observation to the set of steps, which are equally likely."""

Cost: TypeAlias = Callable[[Observation, int], int]
"""Function from an observation and a neighbouring cell to the cost of a step there."""


def observation_of(v: View) -> Observation:
    """Convert a seat's view to the input of a policy."""
    return Observation(
        v.size,
        int(v.own_row * v.size + v.own_column),
        int(v.other_row * v.size + v.other_column),
        int(v.own_coin_row * v.size + v.own_coin_column),
        int(v.other_coin_row * v.size + v.other_coin_column),
    )


def distance(size: int, start: int, end: int) -> int:
    """Number of steps between two cells on a board without edges."""
    down, right = abs(start // size - end // size), abs(start % size - end % size)
    return min(down, size - down) + min(right, size - right)


def next_cell(sight: Observation, kind: int) -> int:
    return move_cell(Params(sight.size, 1, True), sight.own, kind)


def least_cost_policy(cost: Cost) -> Policy:
    """Make the policy that takes the steps of least cost."""

    @wraps(cost)
    def policy(sight: Observation) -> Flags:
        up, down = cost(sight, next_cell(sight, UP)), cost(sight, next_cell(sight, DOWN))
        left, right = cost(sight, next_cell(sight, LEFT)), cost(sight, next_cell(sight, RIGHT))
        lowest = min(up, down, left, right)
        return up == lowest, down == lowest, left == lowest, right == lowest

    return policy


def flagged_steps(flags: Flags) -> tuple[int, ...]:
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
    """Towards the own coin, never onto the other's alone."""
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
