"""Range of the numeric face's grid, as a fraction of the usual range of an amount.

A fraction rather than dollars, so that one policy fits settings of every scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract import CustomDomain, OrNone, Real, TupleOf

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema, Bounds, Legal

FractionRange = tuple[float, float]
"""(low, high): 0 is the lower end of the usual range, 1 the upper."""

GridRange = FractionRange | Mapping[str, FractionRange] | None
"""Range for all amounts, or by field (default `FULL_RANGE`); None: `FULL_RANGE`."""

FULL_RANGE: FractionRange = (0.0, 1.0)

_TWO_FRACTIONS = TupleOf(2, Real(0.0, 1.0))


def _parse_range(value: Any) -> FractionRange:
    low, high = _TWO_FRACTIONS(tuple(map(float, value.split(","))) if isinstance(value, str) else value)
    if low >= high:
        raise ValueError
    return low, high


FRACTION_RANGE = CustomDomain(
    _parse_range, "two numbers LOW,HIGH with 0 <= LOW < HIGH <= 1 (fractions of the usual range)"
)
FRACTION_RANGE_OR_NONE = OrNone(FRACTION_RANGE)


class Ranges:
    """Grid ranges of all numbers of all kinds of move.

    Args:
        grid_range: See `GridRange`.

    Attributes:
        is_full: Whether all grids cover the full usual range.
    """

    def __init__(self, grid_range: GridRange, actions: ActionSchema) -> None:
        by_name = grid_range if isinstance(grid_range, Mapping) else dict.fromkeys(actions.slot_names, grid_range)
        self.parts: list[FractionRange] = [tuple(by_name.get(name) or FULL_RANGE) for name in actions.slot_names]
        self.is_full = all(part == FULL_RANGE for part in self.parts)
        self._parts = np.array(self.parts).reshape(-1, 2)

    def legal(self, legal: Legal) -> Legal:
        """Return `legal` with restricted grids."""
        both = zip(legal.grid_bounds, self.parts, strict=True)
        return legal._replace(grid=tuple([_bounds_of_range(pair, part) for pair, part in both]))

    def grids(self, grids: np.ndarray) -> np.ndarray:
        """Restrict the grids of many games, float64 of shape (games, numbers, 2), bit-identically."""
        # A weighted mean, which is exact at 0 and 1, in the same operations as for one move; the clip undoes rounding.
        low, high = grids[..., :1], grids[..., 1:]
        return grids if self.is_full else np.clip(low * (1 - self._parts) + high * self._parts, low, high)


def _bounds_of_range(pair: Bounds, part: FractionRange) -> Bounds:
    low, high = pair
    first, last = (min(max(low * (1 - place) + high * place, low), high) for place in part)
    return first, last


class RangedMoves:
    """Encoding of moves (`econzoo.envs.core.faces.numeric_moves`) with restricted grids."""

    def __init__(self, moves: Any, ranges: Ranges) -> None:
        self._moves, self._ranges = moves, ranges

    def mask(self, legal: Legal) -> np.ndarray:
        """See `econzoo.envs.core.faces.numeric_moves.ListedMoves.mask`."""
        mask: np.ndarray = self._moves.mask(self._ranges.legal(legal))
        return mask

    def decode(self, action: Any, legal: Legal) -> Any:
        """See `econzoo.envs.core.faces.numeric_moves.ListedMoves.decode`."""
        return self._moves.decode(action, self._ranges.legal(legal))

    def encode(self, action: Any, legal: Legal) -> Any:
        """See `econzoo.envs.core.faces.numeric_moves.ListedMoves.encode`."""
        return self._moves.encode(action, self._ranges.legal(legal))
