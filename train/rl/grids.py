"""How many amounts a policy chooses from: it holds one list of moves, which several fine amounts would burst."""

from __future__ import annotations

from bisect import bisect_left
from math import prod
from typing import Any

from econzoo.envs.core.faces.numeric_moves import GRID, MOST, Slots
from econzoo.envs.core.registry import game as find_game

COARSER = tuple(grid for grid in range(GRID, 1, -1) if (GRID - 1) % (grid - 1) == 0)
"""Grids of which every amount is one of the usual grid: 101, 51, 26, 21, 11, 6, 5, 3, 2."""

QUICK = 1000
"""Combinations that a training gets unless told otherwise: with 2,601 it takes five times as long as with 441."""

USUAL = f"{GRID}, or fewer where moves have several"


def usual_grid(game: str, params: Any) -> tuple[int, str]:
    """The grid for a training that names none, and why it is not `GRID` if it is not.

    Args:
        game: Name.
        params: Of the rules, in some setting of the training.
    """
    if (largest := largest_grid(game, params, GRID)) == GRID:
        return GRID, ""
    quick = largest_grid(game, params, GRID, QUICK)
    chosen = next((grid for grid in COARSER if grid <= (quick if quick > 1 else largest)), 2)
    told = f"grid {chosen} in the place of {GRID}: with that one, a move of {game} has more than {MOST:,} combinations"
    return chosen, f"{told}; --grid takes 2 to {largest}"


def check_grid(game: str, params: Any, grid: int) -> None:
    """Raises `ValueError`, with the largest grid that there is, if no list has all moves on this one."""
    if grid > (largest := largest_grid(game, params, grid)):
        told = f"a move of {game} would have more than {MOST:,} combinations of its numbers, which no policy takes"
        raise ValueError(f"grid={grid} is not allowed: {told}; allowed: {f'2 to {largest}' if largest > 1 else 'none'}")


def largest_grid(game: str, params: Any, most: int, combinations: int = MOST) -> int:
    """The largest grid, up to this one, on which no kind of move has more combinations; 1 if there is none."""
    found = find_game(game)
    actions, seats = found.actions_of(params), found.seats(params)

    def too_fine(grid: int) -> bool:
        shapes = Slots(actions, grid, seats).shapes
        return any(len(shape) > 1 and prod(shape) > combinations for shape in shapes)

    return 1 + bisect_left(range(2, most + 1), True, key=too_fine)
