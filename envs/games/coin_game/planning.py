"""Exact expected points in the Coin Game, by dynamic programming over where everybody and everything is.

On a board without edges only differences of places count, so a position is three cells as seen from player A: where B,
the red coin and the blue coin are. With n cells there are n^3 positions, and 16 pairs of steps in each. What a pair of
steps brings depends on nothing but the position right after it; coins that are taken then come back anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from econzoo.envs.games.coin_game.policies import STEPS, Observation, Policy, flagged_steps
from econzoo.envs.games.coin_game.rules import THEFT_COST, Params, move_cell

MOST_WORK = 2_000_000
"""Positions times rounds up to which values are worked out: boards of 3 x 3 to 2,743 rounds, of 5 x 5 to 128."""

HORIZON = 20
"""Rounds that `efficient_steps` and `best_response_steps` look ahead, at most: what comes later hardly changes any."""


class Board(NamedTuple):
    """What dynamic programming needs to know about boards of one size. Positions are numbered as (B, red, blue).

    Attributes:
        cells: On the board.
        next_position: Position right after the steps of A and B, before coins come back; int, shape (positions, 4, 4).
        points: Of A and B in a position right after steps; float, shape (2, positions).
        red: Whether somebody stands on the red coin; bool, shape (cells, cells, cells).
        blue: Whether somebody stands on the blue coin; likewise.
        swapped_position: Each position as B sees it, as if B were A; int, shape (positions,).
    """

    cells: int
    next_position: np.ndarray
    points: np.ndarray
    red: np.ndarray
    blue: np.ndarray
    swapped_position: np.ndarray


def is_tractable(size: int, rounds: int) -> bool:
    """Whether values are worked out for so many rounds on such a board."""
    return size**6 * rounds <= MOST_WORK


@lru_cache(maxsize=8)
def board(size: int) -> Board:
    """The board of a size."""
    places, minus = np.arange(size * size), _relative_cells(size)
    b, red, blue = np.meshgrid(places, places, places, indexing="ij")
    a_red, a_blue, b_red, b_blue = red == 0, blue == 0, red == b, blue == b
    points = [a_red * 1.0 + a_blue - THEFT_COST * b_red, b_red * 1.0 + b_blue - THEFT_COST * a_blue]
    after = _next_positions(size, b, red, blue)
    turned = _position_numbers(minus[0, b], minus[blue, b], minus[red, b])
    told = np.array([one.ravel() for one in points])
    return Board(size * size, after, told, a_red | b_red, a_blue | b_blue, turned)


def _relative_cells(size: int) -> np.ndarray:
    """At [x, y] the cell x as seen from the cell y."""
    rows, columns = np.divmod(np.arange(size * size), size)
    return (rows[:, None] - rows) % size * size + (columns[:, None] - columns) % size


def _position_numbers(b: np.ndarray, red: np.ndarray, blue: np.ndarray) -> np.ndarray:
    """Numbers of positions, from cells at all places of a cube of positions."""
    cells = len(b)
    return ((b * cells + red) * cells + blue).ravel()


def _next_positions(size: int, b: np.ndarray, red: np.ndarray, blue: np.ndarray) -> np.ndarray:
    """See `Board.after`."""
    minus = _relative_cells(size)
    steps = [move_cell(Params(size, 1, True), 0, kind) for kind in STEPS]
    after = np.empty((b.size, 4, 4), np.int64)
    for mine, step in enumerate(steps):
        seen = minus[:, step]  # everything else moves the other way, as A sees it
        for theirs, other in enumerate(steps):
            after[:, mine, theirs] = _position_numbers(seen[minus[b, minus[0, other]]], seen[red], seen[blue])
    return after


def respawn_values(one: Board, values: np.ndarray) -> np.ndarray:
    """What a position right after steps is worth, before the coins that were taken come back.

    Args:
        one: The board.
        values: Of positions with all coins on the board; shape (positions,).
    """
    v = values.reshape((one.cells,) * 3)
    v = np.where(one.red, v.mean(axis=1, keepdims=True), v)
    return np.where(one.blue, v.mean(axis=2, keepdims=True), v).ravel()


def position_number(sight: Observation) -> int:
    """The number of a position as the player who looks sees it, as if it were A."""
    size, row, column = sight.size, sight.own // sight.size, sight.own % sight.size
    number = 0
    for cell in (sight.other, sight.own_coin, sight.other_coin):
        number = number * size**2 + (cell // size - row) % size * size + (cell % size - column) % size
    return number


@lru_cache(maxsize=32)
def policy_table(size: int, policy: Policy) -> np.ndarray:
    """Probabilities of the four steps of a player in every position, as it sees it; shape (positions, 4)."""
    cells = size * size
    out = np.zeros((cells**3, 4))
    for number in range(cells**3):
        seen = Observation(size, 0, number // cells**2, number // cells % cells, number % cells)
        steps = flagged_steps(policy(seen))
        out[number, list(steps)] = 1.0 / len(steps)
    return out


def seat_table(size: int, policy: Policy, seat: int) -> np.ndarray:
    """The same by the positions as A sees them, for a policy that sits in a seat."""
    steps = policy_table(size, policy)
    return steps if seat == 0 else steps[board(size).swapped_position]


def step_pair_values(one: Board, values: np.ndarray) -> np.ndarray:
    """What each pair of steps is worth, if `values` follow; shape (positions, 4, 4)."""
    return values[one.next_position]


def policy_values(size: int, policies: Sequence[Policy], rounds: int) -> np.ndarray:
    """Expected points of both seats from every position, if each plays its policy.

    Args:
        size: Of the board.
        policies: Of seat 0 and of seat 1.
        rounds: Rounds to go, >= 0.

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
    """The most that both seats together can expect, with so many rounds to go and with fewer.

    Returns:
        Shape (rounds + 1, positions); the row says how many rounds are to go.
    """
    one = board(size)
    out = np.zeros((rounds + 1, one.points.shape[1]))
    for left in range(rounds):
        following = one.points.sum(axis=0) + respawn_values(one, out[left])
        out[left + 1] = step_pair_values(one, following).max(axis=(1, 2))
    return out


@lru_cache(maxsize=2 * HORIZON)
def _joint_continuation(size: int, later: int) -> np.ndarray:
    """What positions right after steps are worth to both together, with so many rounds to come; shape (positions,)."""
    one = board(size)
    return one.points.sum(axis=0) + respawn_values(one, joint_values(size, HORIZON)[later])


@lru_cache(maxsize=8)
def best_response_values(size: int, rounds: int, policy: Policy) -> np.ndarray:
    """The most that a player can expect against a policy, with so many rounds to go and with fewer.

    Returns:
        Shape (rounds + 1, positions), with positions as the player sees them.
    """
    one, other = board(size), seat_table(size, policy, 1)
    out = np.zeros((rounds + 1, one.points.shape[1]))
    for left in range(rounds):
        following = one.points[0] + respawn_values(one, out[left])
        out[left + 1] = np.einsum("pab,pb->pa", step_pair_values(one, following), other).max(axis=1)
    return out


@lru_cache(maxsize=2 * HORIZON)
def _response_continuation(size: int, later: int, policy: Policy) -> np.ndarray:
    """The same to a player against a policy."""
    one = board(size)
    return one.points[0] + respawn_values(one, best_response_values(size, HORIZON, policy)[later])


def efficient_steps(sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
    """The step of a seat in the pair that is best for both together; of several pairs the first, for both seats.

    Args:
        sight: What the seat sees.
        rounds: Rounds to go, this one included, >= 1.
        seat: 0 or 1.
    """
    one, own = board(sight.size), position_number(sight)
    following = _joint_continuation(sight.size, min(rounds, HORIZON) - 1)
    here = own if seat == 0 else int(one.swapped_position[own])
    pair = int(np.round(following[one.next_position[here]], 9).argmax())
    return ((pair // 4, pair % 4)[seat],)


def best_response_steps(sight: Observation, rounds: int, policy: Policy) -> tuple[int, ...]:
    """The steps that are best for a player against a policy.

    Args:
        sight: What the player sees.
        rounds: Rounds to go, this one included, >= 1.
        policy: Of the other player.
    """
    one, here = board(sight.size), position_number(sight)
    following = _response_continuation(sight.size, min(rounds, HORIZON) - 1, policy)
    values = following[one.next_position[here]] @ seat_table(sight.size, policy, 1)[here]
    return tuple([kind for kind in STEPS if values[kind] > values.max() - 1e-9])
