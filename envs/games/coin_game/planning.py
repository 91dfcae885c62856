"""Exact expected points in the Coin Game, by dynamic programming over positions.

On a board without edges only relative cells matter, so a position is three cells relative to player A: those of B, the
red coin and the blue coin. With n cells there are n^3 positions, and 16 pairs of steps in each. Rewards depend only on
the position right after the steps; coins that are taken then respawn uniformly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from econzoo.envs.games.coin_game.policies import STEPS, Observation, Policy, flagged_steps
from econzoo.envs.games.coin_game.rules import THEFT_COST, Params, move_cell

MOST_WORK = 2_000_000
"""Maximum of positions squared times rounds: up to 2,743 rounds on boards of 3 x 3, 128 on those of 5 x 5."""

HORIZON = 20
"""Maximum lookahead of `efficient_steps` and `best_response_steps` in rounds; later rounds hardly matter."""


class Board(NamedTuple):
    """Transitions and rewards on boards of one size. Positions are numbered as (B, red, blue).

    Attributes:
        next_position: Position after the steps of A and B, before coins respawn; int, shape (positions, 4, 4).
        points: Rewards of A and B in a position after steps; float, shape (2, positions).
        red: Whether the red coin is taken; bool, shape (cells, cells, cells).
        swapped_position: Each position relative to B; int, shape (positions,).
    """

    cells: int
    next_position: np.ndarray
    points: np.ndarray
    red: np.ndarray
    blue: np.ndarray
    swapped_position: np.ndarray


def is_tractable(size: int, rounds: int) -> bool:
    """Whether values can be computed for this size and number of rounds."""
    return size**6 * rounds <= MOST_WORK


@lru_cache(maxsize=8)
def board(size: int) -> Board:
    """Compute the board of a size; cached."""
    places, minus = np.arange(size * size), _relative_cells(size)
    b, red, blue = np.meshgrid(places, places, places, indexing="ij")
    a_red, a_blue, b_red, b_blue = red == 0, blue == 0, red == b, blue == b
    # Cells are relative to A, which is therefore on cell 0.
    points = [a_red * 1.0 + a_blue - THEFT_COST * b_red, b_red * 1.0 + b_blue - THEFT_COST * a_blue]
    after = _next_positions(size, b, red, blue)
    swapped = _position_numbers(minus[0, b], minus[blue, b], minus[red, b])
    rewards = np.array([one.ravel() for one in points])
    return Board(size * size, after, rewards, a_red | b_red, a_blue | b_blue, swapped)


def _relative_cells(size: int) -> np.ndarray:
    """Matrix of the cell x relative to the cell y, at [x, y]."""
    rows, columns = np.divmod(np.arange(size * size), size)
    return (rows[:, None] - rows) % size * size + (columns[:, None] - columns) % size


def _position_numbers(b: np.ndarray, red: np.ndarray, blue: np.ndarray) -> np.ndarray:
    """Numbers of positions from arrays of cells."""
    cells = len(b)
    return ((b * cells + red) * cells + blue).ravel()


def _next_positions(size: int, b: np.ndarray, red: np.ndarray, blue: np.ndarray) -> np.ndarray:
    """Compute `Board.next_position`."""
    minus = _relative_cells(size)
    steps = [move_cell(Params(size, 1, True), 0, kind) for kind in STEPS]
    after = np.empty((b.size, 4, 4), np.int64)
    for mine, step in enumerate(steps):
        relative = minus[:, step]  # relative to A everything else moves the other way
        for theirs, other in enumerate(steps):
            cells = relative[minus[b, minus[0, other]]], relative[red], relative[blue]
            after[:, mine, theirs] = _position_numbers(*cells)
    return after


def respawn_values(one: Board, values: np.ndarray) -> np.ndarray:
    """Expected values of positions after steps, before the coins that were taken respawn.

    Args:
        values: Values of positions with all coins on the board; shape (positions,).
    """
    v = values.reshape((one.cells,) * 3)
    # A coin that was taken respawns uniformly: the mean over its cells, whatever its old one.
    v = np.where(one.red, v.mean(axis=1, keepdims=True), v)
    return np.where(one.blue, v.mean(axis=2, keepdims=True), v).ravel()


def position_number(sight: Observation) -> int:
    """Number of the position relative to the observing player."""
    size, row, column = sight.size, sight.own // sight.size, sight.own % sight.size
    number = 0
    for cell in (sight.other, sight.own_coin, sight.other_coin):
        number = number * size**2 + (cell // size - row) % size * size + (cell % size - column) % size
    return number


@lru_cache(maxsize=32)
def policy_table(size: int, policy: Policy) -> np.ndarray:
    """Step probabilities of a policy in every position relative to its player; shape (positions, 4)."""
    cells = size * size
    out = np.zeros((cells**3, 4))
    for number in range(cells**3):
        sight = Observation(size, 0, number // cells**2, number // cells % cells, number % cells)
        steps = flagged_steps(policy(sight))
        out[number, list(steps)] = 1.0 / len(steps)
    return out


def seat_table(size: int, policy: Policy, seat: int) -> np.ndarray:
    """Step probabilities of a seat's policy by positions relative to A; shape (positions, 4)."""
    steps = policy_table(size, policy)
    return steps if seat == 0 else steps[board(size).swapped_position]


def step_pair_values(one: Board, values: np.ndarray) -> np.ndarray:
    """Value of each pair of steps, given the values after it; shape (positions, 4, 4)."""
    return values[one.next_position]


def policy_values(size: int, policies: Sequence[Policy], rounds: int) -> np.ndarray:
    """Expected points of both seats from every position under a pair of policies.

    Args:
        policies: Policies of seat 0 and seat 1.
        rounds: Remaining rounds, >= 0.

    Returns:
        Shape (2, positions).
    """
    one = board(size)
    first, second = [seat_table(size, policy, seat) for seat, policy in enumerate(policies)]
    values = np.zeros_like(one.points)
    for _ in range(rounds):
        following = one.points + [respawn_values(one, own) for own in values]
        values = np.array([np.einsum("pab,pa,pb->p", step_pair_values(one, own), first, second) for own in following])
    return values


@lru_cache(maxsize=8)
def joint_values(size: int, rounds: int) -> np.ndarray:
    """Maximum expected sum of both seats' points, for up to this many remaining rounds.

    Returns:
        Shape (rounds + 1, positions), by the number of remaining rounds.
    """
    one = board(size)
    out = np.zeros((rounds + 1, one.points.shape[1]))
    for left in range(rounds):
        following = one.points.sum(axis=0) + respawn_values(one, out[left])
        out[left + 1] = step_pair_values(one, following).max(axis=(1, 2))
    return out


# All numbers of later rounds, on two boards.
@lru_cache(maxsize=2 * HORIZON)
def _joint_continuation(size: int, later: int) -> np.ndarray:
    """Joint values of positions after steps, with this many later rounds; shape (positions,)."""
    one = board(size)
    return one.points.sum(axis=0) + respawn_values(one, joint_values(size, HORIZON)[later])


@lru_cache(maxsize=8)
def best_response_values(size: int, rounds: int, policy: Policy) -> np.ndarray:
    """Best-response values against a policy, for up to this many remaining rounds.

    Returns:
        Shape (rounds + 1, positions), with positions relative to the player.
    """
    one, other = board(size), seat_table(size, policy, 1)
    out = np.zeros((rounds + 1, one.points.shape[1]))
    for left in range(rounds):
        following = one.points[0] + respawn_values(one, out[left])
        out[left + 1] = np.einsum("pab,pb->pa", step_pair_values(one, following), other).max(axis=1)
    return out


# All numbers of later rounds, against two policies.
@lru_cache(maxsize=2 * HORIZON)
def _response_continuation(size: int, later: int, policy: Policy) -> np.ndarray:
    """Best-response values of positions after steps, with this many later rounds; shape (positions,)."""
    one = board(size)
    return one.points[0] + respawn_values(one, best_response_values(size, HORIZON, policy)[later])


def efficient_steps(sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
    """Step of a seat in the pair with the highest joint value; ties go to the first pair, for both seats.

    Args:
        rounds: Remaining rounds, this one included, >= 1.
    """
    one, own = board(sight.size), position_number(sight)
    following = _joint_continuation(sight.size, min(rounds, HORIZON) - 1)
    here = own if seat == 0 else int(one.swapped_position[own])
    # Rounded, so that values which differ only by rounding are ties; these go to the first pair.
    pair = int(np.round(following[one.next_position[here]], 9).argmax())
    return ((pair // 4, pair % 4)[seat],)


def best_response_steps(sight: Observation, rounds: int, policy: Policy) -> tuple[int, ...]:
    """Best-response steps of a player against a policy.

    Args:
        rounds: Remaining rounds, this one included, >= 1.
    """
    one, here = board(sight.size), position_number(sight)
    following = _response_continuation(sight.size, min(rounds, HORIZON) - 1, policy)
    values = following[one.next_position[here]] @ seat_table(sight.size, policy, 1)[here]
    # The tolerance makes ties of values that differ only by rounding.
    return tuple([kind for kind in STEPS if values[kind] > values.max() - 1e-9])
