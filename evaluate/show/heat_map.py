"""Heat maps of rows against columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from econzoo.evaluate.show.figure_labels import extent, wrap_labels
from econzoo.evaluate.show.figures import WIDTH, axes, colour_bar, format_tick
from econzoo.evaluate.show.numbers import NOISE
from econzoo.evaluate.show.palette import PAPER, SERIES

SEQUENTIAL_PALETTE = LinearSegmentedColormap.from_list("upwards", [PAPER, SERIES[0]])
DIVERGING_PALETTE = LinearSegmentedColormap.from_list("around", [SERIES[1], PAPER, SERIES[0]])
"""Sequential and diverging palettes."""

MAX_NAMES_WITH_DETAILS, MAX_NAMES_WITH_NUMBERS = 13, 20
"""Maximum numbers of names for which cells show details, and numbers."""

LEADING, SLANT = 1.25, 0.6
"""Line spacing of labels (in font sizes), and the width of a slanted label (in cell widths)."""


class CellSizes(NamedTuple):
    """Width and height of a cell in inches, and font sizes of names and of numbers in points."""

    width: float
    height: float
    name: float
    number: float


def _cell_sizes(names: int) -> CellSizes:
    """Sizes of a heat map by its number of names."""
    if names <= MAX_NAMES_WITH_DETAILS:
        return CellSizes(0.62, 0.44, 9.5, 8.5)
    return CellSizes(0.4, 0.4, 8.0, 5.5) if names <= MAX_NAMES_WITH_NUMBERS else CellSizes(0.2, 0.2, 6.0, 5.5)


def min_max_scale(values: np.ndarray) -> Normalize:
    """Scale from the minimum to the maximum of the finite values; equal values are white."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    return Normalize(low, high if high - low > NOISE * max(1.0, abs(low), abs(high)) else low + 1.0)


def symmetric_scale(values: np.ndarray) -> Normalize:
    """Scale symmetric about 0."""
    most = float(np.nanmax(np.abs(values), initial=0.0))
    return Normalize(-most, most) if most > NOISE else Normalize(-1.0, 1.0)


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: np.ndarray,
    texts: Sequence[Sequence[tuple[str, str]]],
    palette: Colormap,
    scale: Normalize,
    label: str,
    axis_labels: tuple[str, str] = ("", "against"),
    format_value: Callable[[float], str] = format_tick,
) -> Figure:
    """Draw a heat map.

    Args:
        values: Values, shape (rows, columns); NaN leaves a cell empty.
        texts: Number and detail by cell; large maps omit the details, or both.
    """
    most = max(len(rows), len(columns))
    look = _cell_sizes(most)
    figure, ax = _empty_axes(rows, columns, look)
    image = ax.imshow(values, cmap=palette, norm=scale, aspect="auto", interpolation="nearest")
    ax.set_ylabel(axis_labels[0])
    ax.set_xlabel(axis_labels[1])
    for (i, j), value in np.ndenumerate(values):
        number, detail = texts[i][j]
        if number and most <= MAX_NAMES_WITH_NUMBERS:
            _write_cell(
                ax, i, j, number, detail if most <= MAX_NAMES_WITH_DETAILS else "", float(scale(value)), look.number
            )
    # Equal values have no scale: the colour bar names the one value.
    ticks = [scale.vmin] if np.unique(scale(values[np.isfinite(values)])).size == 1 else None
    colour_bar(figure, ax, image, label, format=lambda value, _: format_value(value), ticks=ticks)
    return figure


def _empty_axes(rows: Sequence[str], columns: Sequence[str], look: CellSizes) -> tuple[Figure, Axes]:
    """Create axes with row and column names."""
    beside, below = (wrap_labels(names, size=look.name) for names in (rows, columns))
    (left, high), (deep, lines) = extent(beside, look.name), extent(below, look.name)
    line = LEADING * look.name / 72
    # Slanted names of several lines would overlap, so these stand upright, which widens the columns.
    upright = lines * line > SLANT * look.width
    width, height = max(look.width, lines * line * upright), max(look.height, high * line)
    room = (1.0 if upright else 0.75) * deep
    figure, ax = axes(0.9 + room + height * max(len(rows), 3), max(WIDTH * 0.8, 1.5 + left + width * len(columns)))
    slanted: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    ax.grid(visible=False)
    ax.set_xticks(range(len(columns)), below, **({"rotation": 90} if upright else slanted))
    ax.set_yticks(range(len(rows)), beside)
    ax.tick_params(length=0, labelsize=look.name)
    for side in ax.spines.values():
        side.set_visible(False)
    return figure, ax


def _write_cell(ax: Axes, row: int, column: int, number: str, detail: str, depth: float, size: float) -> None:
    """Write the number of a cell and its detail below."""
    color = PAPER if depth > 0.85 else "#000000"
    ax.text(column, row - (0.12 if detail else 0.0), number, ha="center", va="center", fontsize=size, color=color)
    if detail:
        ax.text(column, row + 0.26, detail, ha="center", va="center", fontsize=6, color=color)
