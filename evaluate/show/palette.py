"""How the series of figures look: colours, markers and dashes, the same for one player on every figure of a report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

INK, LINE, GREY, PAPER = "#1d2430", "#d5dae2", "#5b6675", "#ffffff"

SERIES = (
    *("#2a6fdb", "#d1603d", "#13a6a0", "#3f1778", "#dda000"),
    *("#670326", "#b88eff", "#7a4902", "#05606f", "#0300d0"),
)
"""Colours that most people tell apart who see no red or no green.

In a page all colours become variables of its style sheet, so that they follow a dark mode.
"""

MARKERS = "osD^vPXh"
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))


class SeriesStyle(NamedTuple):
    """How a series looks.

    Attributes:
        color: As matplotlib takes it.
        marker: Of its points.
        dashes: Of its line.
    """

    color: str
    marker: str
    dashes: str | tuple[float, tuple[float, ...]]


def series_style(at: int) -> SeriesStyle:
    """How the series of a place looks; as many as there are colours times dashes differ."""
    turn = at // len(SERIES) + at
    return SeriesStyle(SERIES[at % len(SERIES)], MARKERS[turn % len(MARKERS)], DASHES[turn % len(DASHES)])


def series_styles(names: Iterable[str]) -> dict[str, SeriesStyle]:
    """How each name looks, by its place: to be made of all names of a report, in one order."""
    return {name: series_style(at) for at, name in enumerate(dict.fromkeys(names))}


def contrast_color(color: str) -> str:
    """Black or white, whichever has more contrast with a colour."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    bright = sum(weight * part**2.2 for weight, part in zip((0.21, 0.72, 0.07), parts, strict=True))
    return PAPER if bright < 0.18 else "#000000"
