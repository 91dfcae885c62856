"""Which amounts a policy chooses from: it holds one list of moves, which several fine amounts would burst."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from math import ceil, floor
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import Bounds, Game
from econzoo.envs.core.faces.grid_range import WHOLE, Part
from econzoo.envs.core.faces.numeric_moves import GRID, MOST, Slots
from econzoo.envs.core.registry import game as find_game

COARSER = tuple(grid for grid in range(GRID, 1, -1) if (GRID - 1) % (grid - 1) == 0)
"""Grids of which every amount is one of the usual grid: 101, 51, 26, 21, 11, 6, 5, 3, 2."""

QUICK = 1000
"""Combinations that a training gets unless told otherwise: with 2,601 it takes five times as long as with 441."""

USUAL = f"{GRID}, or fewer where moves have several"

DRAWN = 1000
"""Settings that are drawn to see what a distribution has."""

FINE = 100
"""Parts of the usual amounts to which a part is rounded, outwards."""


def usual_grid(game: str, params: Any, symbols: int = 0) -> tuple[int, str]:
    """The grid for a training that names none, and why it is not `GRID` if it is not.

    Args:
        game: Name.
        params: Of the rules, in some setting of the training.
        symbols: How many there are in the place of words.
    """
    if (largest := largest_grid(game, params, GRID, symbols)) == GRID:
        return GRID, ""
    quick = largest_grid(game, params, GRID, symbols, QUICK)
    chosen = next((grid for grid in COARSER if grid <= (quick if quick > 1 else largest)), 2)
    told = f"grid {chosen} in the place of {GRID}: with that one, a move of {game} has more than {MOST:,} combinations"
    return chosen, f"{told}; --grid takes 2 to {largest}"


def check_grid(game: str, params: Any, grid: int, symbols: int = 0) -> None:
    """Raises `ValueError`, with the largest grid that there is, if no list has all moves on this one."""
    if grid > (largest := largest_grid(game, params, grid, symbols)):
        told = f"a move of {game} would have more than {MOST:,} combinations of its numbers, which no policy takes"
        raise ValueError(f"grid={grid} is not allowed: {told}; allowed: {f'2 to {largest}' if largest > 1 else 'none'}")


def largest_grid(game: str, params: Any, most: int, symbols: int = 0, combinations: int = MOST) -> int:
    """The largest grid, up to this one, on which no kind of move has more combinations; 1 if there is none."""
    found = find_game(game)
    actions, seats = found.actions_of(params).speaking(symbols), found.seats(params)

    def too_fine(grid: int) -> bool:
        return Slots(actions, grid, seats).exceed(combinations)

    return 1 + bisect_left(range(2, most + 1), True, key=too_fine)


def usual_range(game: str, settings: Any) -> Part | None:
    """The part of the usual amounts for a training that names none: where nobody loses in some setting of it.

    Args:
        game: Name.
        settings: Of the training, as `econzoo.baselines.single_agent.distribution` gives them.

    Returns:
        None, all of them, if the theory of the game knows no zone of agreement, or no setting has one.
    """
    found = find_game(game)
    zone = getattr(found.solution, "zone", None)
    if zone is None:
        return None
    rng = np.random.default_rng(0)
    markets = [settings(rng) for _ in range(DRAWN)] if callable(settings) else [settings or {}]
    ends = [end for market in markets for end in _part(found, zone, found.params(**market)[1])]
    low, high = (floor(min(ends)) / FINE, ceil(max(ends)) / FINE) if ends else WHOLE
    return (low, high) if low < high and (low, high) != WHOLE else None


def _part(game: Game, zone: Callable[[Any], Bounds | None], params: Any) -> list[float]:
    """The ends of the zone of agreement in `FINE` parts of what the grid is laid over; nothing if there is none."""
    rules = game.rules
    ((least, most),) = game.grid(params) or (rules.span or rules.bounds)(params, rules.initial(params), 0)
    ends = (min(max(end, least), most) for end in zone(params) or ())
    return [round((end - least) / (most - least) * FINE, 6) for end in ends]
