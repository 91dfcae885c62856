"""Heat maps: a square of numbers, rows against columns of the same names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from econzoo.evaluate.escapes import shortened
from econzoo.evaluate.figures import SERIES, WIDTH, axes, colour_bar

PAPER = "#ffffff"
UPWARDS = LinearSegmentedColormap.from_list("upwards", [PAPER, SERIES[0]])
AROUND = LinearSegmentedColormap.from_list("around", [SERIES[1], PAPER, SERIES[0]])
"""Palettes of numbers that begin somewhere, and of numbers on two sides of something."""

DETAILS, NUMBERS = 10, 20
"""Names up to which cells hold details, and numbers."""


class Look(NamedTuple):
    """Sizes of a heat map.

    Attributes:
        width: Of a cell, in inches.
        height: Of a cell, in inches.
        name: Of the letters of names, in points.
        number: Of the letters in cells, in points.
    """

    width: float
    height: float
    name: float
    number: float


def _look(names: int) -> Look:
    """How large a heat map of so many names is."""
    if names <= DETAILS:
        return Look(0.62, 0.44, 9.5, 8.5)
    return Look(0.4, 0.4, 8.0, 5.5) if names <= NUMBERS else Look(0.2, 0.2, 6.0, 5.5)


def spread(values: np.ndarray) -> Normalize:
    """From the smallest to the largest of the values that are known."""
    known = values[np.isfinite(values)]
    return Normalize(known.min(), known.max() if np.ptp(known) else known.min() + 1.0)


def heat_map(
    names: Sequence[str],
    values: np.ndarray,
    texts: Sequence[Sequence[tuple[str, str]]],
    palette: Colormap,
    scale: Normalize,
    label: str,
    columns: str = "against",
) -> Figure:
    """A square of coloured cells.

    Args:
        names: Of rows and columns.
        values: Shape (names, names); NaN leaves a cell empty.
        texts: Number and detail of each cell; of many names only the number is written, or nothing.
        palette: Of the colours.
        scale: From values to the palette.
        label: What the values are.
        columns: What the columns are.
    """
    look = _look(len(names))
    figure, ax = _empty(names, look)
    image = ax.imshow(values, cmap=palette, norm=scale, aspect="auto", interpolation="nearest")
    ax.set_xlabel(columns)
    for (i, j), value in np.ndenumerate(values):
        number, detail = texts[i][j]
        if number and len(names) <= NUMBERS:
            _written(ax, i, j, number, detail if len(names) <= DETAILS else "", float(scale(value)), look.number)
    colour_bar(figure, ax, image, label)
    return figure


def _empty(names: Sequence[str], look: Look) -> tuple[Figure, Axes]:
    """A square with the names on two of its sides."""
    shown = [*shortened(names).values()]
    room = 0.075 * max(map(len, shown))
    width = max(WIDTH * 0.8, 1.3 + room + look.width * len(shown))
    figure, ax = axes(0.7 + 0.75 * room + look.height * len(shown), width)
    ax.grid(visible=False)
    ax.set_xticks(range(len(shown)), shown, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(shown)), shown)
    ax.tick_params(length=0, labelsize=look.name)
    for side in ax.spines.values():
        side.set_visible(False)
    return figure, ax


def _written(ax: Axes, row: int, column: int, number: str, detail: str, depth: float, size: float) -> None:
    """The number of a cell, with its detail below."""
    color = PAPER if depth > 0.85 else "#000000"
    ax.text(column, row - (0.12 if detail else 0.0), number, ha="center", va="center", fontsize=size, color=color)
    if detail:
        ax.text(column, row + 0.26, detail, ha="center", va="center", fontsize=6, color=color)
