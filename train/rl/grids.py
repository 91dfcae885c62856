"""Which amounts a policy chooses from: it holds one list of moves, which several fine amounts would burst."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from math import ceil, floor
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import Bounds, Game
from econzoo.envs.core.faces.grid_range import FULL_RANGE, FractionRange
from econzoo.envs.core.faces.numeric_moves import GRID, MAX_LISTED_MOVES, Slots
from econzoo.envs.core.registry import game as find_game

COARSER_GRIDS = tuple(grid for grid in range(GRID, 1, -1) if (GRID - 1) % (grid - 1) == 0)
"""Grids of which every amount is one of the usual grid: 101, 51, 26, 21, 11, 6, 5, 3, 2."""

MAX_QUICK_COMBINATIONS = 1000
"""Combinations that a training gets unless told otherwise: with 2,601 it takes five times as long as with 441."""

USUAL_GRID_TEXT = f"{GRID}, or fewer where moves have several"

SETTINGS_DRAWN = 1000
"""Settings that are drawn to see what a distribution has."""

RANGE_PARTS = 100
"""Parts of the usual amounts to which a part is rounded, outwards."""


def default_grid(game: str, params: Any, symbols: int = 0) -> tuple[int, str]:
    """The grid for a training that names none, and why it is not `GRID` if it is not.

    Args:
        game: Name.
        params: Of the rules, in some setting of the training.
        symbols: How many there are in the place of words.
    """
    if (largest := largest_grid(game, params, GRID, symbols)) == GRID:
        return GRID, ""
    quick = largest_grid(game, params, GRID, symbols, MAX_QUICK_COMBINATIONS)
    chosen = next((grid for grid in COARSER_GRIDS if grid <= (quick if quick > 1 else largest)), 2)
    told = f"with that one, a move of {game} has more than {MAX_LISTED_MOVES:,} combinations"
    return chosen, f"grid {chosen} in the place of {GRID}: {told}; --grid takes 2 to {largest}"


def check_grid(game: str, params: Any, grid: int, symbols: int = 0) -> None:
    """Raises `ValueError`, with the largest grid that there is, if no list has all moves on this one."""
    if grid > (largest := largest_grid(game, params, grid, symbols)):
        told = f"a move of {game} would have more than {MAX_LISTED_MOVES:,} combinations of its numbers"
        known = f"2 to {largest}" if largest > 1 else "none"
        raise ValueError(f"grid={grid} is not allowed: {told}, which no policy takes; allowed: {known}")


def largest_grid(game: str, params: Any, upper: int, symbols: int = 0, combinations: int = MAX_LISTED_MOVES) -> int:
    """The largest grid, up to this one, on which no kind of move has more combinations; 1 if there is none."""
    found = find_game(game)
    actions, seats = found.actions_of(params).with_symbols(symbols), found.seats(params)

    def too_fine(grid: int) -> bool:
        return Slots(actions, grid, seats).exceeds_size(combinations)

    return 1 + bisect_left(range(2, upper + 1), True, key=too_fine)


def default_range(game: str, settings: Any) -> FractionRange | None:
    """The part of the usual amounts for a training that names none: where nobody loses in some setting of it.

    Args:
        game: Name.
        settings: Of the training, as `econzoo.baselines.single_agent.parse_settings` gives them.

    Returns:
        None, all of them, if the theory of the game knows no zone of agreement, or no setting has one.
    """
    found = find_game(game)
    zone = getattr(found.solution, "zone", None)
    if zone is None:
        return None
    rng = np.random.default_rng(0)
    markets = [settings(rng) for _ in range(SETTINGS_DRAWN)] if callable(settings) else [settings or {}]
    ends = [end for market in markets for end in _zone_bounds(found, zone, found.params(**market)[1])]
    low, high = (floor(min(ends)) / RANGE_PARTS, ceil(max(ends)) / RANGE_PARTS) if ends else FULL_RANGE
    return (low, high) if low < high and (low, high) != FULL_RANGE else None


def _zone_bounds(game: Game, zone: Callable[[Any], Bounds | None], params: Any) -> list[float]:
    """The ends of the zone of agreement in `RANGE_PARTS` parts of what the grid is laid over; none without a zone."""
    rules = game.rules
    ((least, most),) = game.grid(params) or (rules.span or rules.bounds)(params, rules.initial(params), 0)
    ends = (min(max(end, least), most) for end in zone(params) or ())
    return [round((end - least) / (most - least) * RANGE_PARTS, 6) for end in ends]
