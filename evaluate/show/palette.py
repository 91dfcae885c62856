"""Colours, markers and dashes of the series of figures, consistent for a player within a report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

INK, LINE, GREY, PAPER = "#1d2430", "#d5dae2", "#5b6675", "#ffffff"

SERIES = (
    *("#2a6fdb", "#d1603d", "#13a6a0", "#3f1778", "#dda000"),
    *("#670326", "#b88eff", "#7a4902", "#05606f", "#0300d0"),
)
"""Colours that are distinguishable with red-green colour blindness.

On pages, all colours become style-sheet variables, so that they follow dark mode.
"""

MARKERS = "osD^vPXh"
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))


class SeriesStyle(NamedTuple):
    """Style of a series."""

    color: str
    marker: str
    dashes: str | tuple[float, tuple[float, ...]]


def series_style(at: int) -> SeriesStyle:
    """Style of the series at an index; the first ``len(SERIES) * len(DASHES)`` are distinct."""
    # Markers and dashes shift by one with each round of colours, so that a repeated colour has others.
    turn = at // len(SERIES) + at
    return SeriesStyle(SERIES[at % len(SERIES)], MARKERS[turn % len(MARKERS)], DASHES[turn % len(DASHES)])


def series_styles(names: Iterable[str]) -> dict[str, SeriesStyle]:
    """Style by name, in order; pass all names of a report at once."""
    return {name: series_style(at) for at, name in enumerate(dict.fromkeys(names))}


def contrast_color(color: str) -> str:
    """Black or white, whichever contrasts more with a colour."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    bright = sum(weight * part**2.2 for weight, part in zip((0.21, 0.72, 0.07), parts, strict=True))
    # At this relative luminance black and white have the same contrast by WCAG: (1.05 / x) = (x / 0.05), x = L + 0.05.
    return PAPER if bright < 0.18 else "#000000"
