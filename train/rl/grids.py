"""Choice of a policy's grid of amounts; with several amounts per move a fine grid has too many combinations."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from math import ceil, floor
from typing import Any

import numpy as np

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Bounds, Game
from econzoo.envs.core.faces import FULL_RANGE, GRID, MAX_LISTED_MOVES, FractionRange, Slots

COARSER_GRIDS = tuple(grid for grid in range(GRID, 1, -1) if (GRID - 1) % (grid - 1) == 0)
"""Grids whose amounts are all on the usual grid: 101, 51, 26, 21, 11, 6, 5, 3, 2."""

MAX_QUICK_COMBINATIONS = 1000
"""Maximum combinations of the default grid: training with 2,601 takes five times as long as with 441."""

USUAL_GRID_TEXT = f"{GRID}, or fewer if moves have several amounts"

SETTINGS_DRAWN = 1000
"""Settings drawn to sample a distribution."""

RANGE_PARTS = 100
"""Resolution of a range, as parts of the usual range; ranges are rounded outwards."""


def default_grid(game: str, params: Any, symbols: int = 0) -> tuple[int, str]:
    """Return the default grid of a training, and why it is not `GRID` if it is not.

    Args:
        symbols: Number of symbols for messages; 0: none.
    """
    if (largest := largest_grid(game, params, GRID, symbols)) == GRID:
        return GRID, ""
    quick = largest_grid(game, params, GRID, symbols, MAX_QUICK_COMBINATIONS)
    chosen = next((grid for grid in COARSER_GRIDS if grid <= (quick if quick > 1 else largest)), 2)
    reason = f"with the usual one, a move of {game} has more than {MAX_LISTED_MOVES:,} combinations"
    return chosen, f"grid {chosen} instead of {GRID}: {reason}; --grid takes 2 to {largest}"


def check_grid(game: str, params: Any, grid: int, symbols: int = 0) -> None:
    """Raise `ValueError`, naming the largest possible grid, if this one has too many combinations."""
    if grid > (largest := largest_grid(game, params, grid, symbols)):
        reason = f"a move of {game} would have more than {MAX_LISTED_MOVES:,} combinations of amounts"
        expected = f"2 to {largest}" if largest > 1 else "another game"
        raise ValueError(f"invalid grid={grid}: {reason}; expected {expected}")


def largest_grid(game: str, params: Any, upper: int, symbols: int = 0, combinations: int = MAX_LISTED_MOVES) -> int:
    """Return the largest grid up to `upper` on which no kind of move has too many combinations; 1 if there is none."""
    found = find_game(game)
    actions, seats = found.actions_of(params).with_symbols(symbols), found.seats(params)

    def too_fine(grid: int) -> bool:
        return Slots(actions, grid, seats).exceeds_size(combinations)

    return 1 + bisect_left(range(2, upper + 1), True, key=too_fine)


def default_range(game: str, settings: Any) -> FractionRange | None:
    """Return the default range of amounts: the union of the zones of agreement of the training settings.

    Returns:
        None, the full range, if the game's theory has no zone of agreement, or no setting has one.
    """
    found = find_game(game)
    zone = getattr(found.solution, "zone", None)
    if zone is None:
        return None
    rng = np.random.default_rng(0)
    chosen = [settings(rng) for _ in range(SETTINGS_DRAWN)] if callable(settings) else [settings or {}]
    ends = [end for setting in chosen for end in _zone_bounds(found, zone, found.params(**setting)[1])]
    low, high = (floor(min(ends)) / RANGE_PARTS, ceil(max(ends)) / RANGE_PARTS) if ends else FULL_RANGE
    return (low, high) if low < high and (low, high) != FULL_RANGE else None


def _zone_bounds(game: Game, zone: Callable[[Any], Bounds | None], params: Any) -> list[float]:
    """Return the ends of the zone of agreement in units of 1 / `RANGE_PARTS` of the grid; none without a zone."""
    rules = game.rules
    ((least, most),) = game.grid(params) or (rules.span or rules.bounds)(params, rules.initial(params), 0)
    ends = (min(max(end, least), most) for end in zone(params) or ())
    # Rounding noise would otherwise widen the range by a whole part, as its ends are rounded outwards.
    return [round((end - least) / (most - least) * RANGE_PARTS, 6) for end in ends]
