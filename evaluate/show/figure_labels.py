"""Wrapped labels and legends of figures, never cut at an edge."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any
from unicodedata import east_asian_width

from matplotlib.figure import Figure

from econzoo.envs.core.contract import clean

FONT_SIZE = 9.5
"""Default font size in points."""

LABEL_WIDTH = 1.8
"""Default width of a label, in inches."""

MARKER_WIDTH, ROW_HEIGHT = 0.55, 0.17
"""Legend geometry in inches: marker with padding, and line height."""


def width_of(text: str, size: float = FONT_SIZE) -> float:
    """Estimate the width of a line of text in inches, from above."""
    # Files keep text as text, so that its width depends on the reader's font; too wide an estimate cuts nothing.
    return sum(map(_width_in_ems, text)) * size / 72


def _width_in_ems(one: str) -> float:
    if east_asian_width(one) in "WF" or one in "MWmw@%…":
        return 1.0
    if one in "iljtfrI.,:;|!'()[]{}/ -":
        return 0.41
    return 0.72 if one.isupper() else 0.64


def wrap_label(label: str, inches: float = LABEL_WIDTH, size: float = FONT_SIZE) -> str:
    """Wrap a label to a width, after separators if possible."""
    lines = [""]
    for part in re.findall(r"[^\s/?&,_:;=.-]*[\s/?&,_:;=.-]+|[^\s/?&,_:;=.-]+", clean(label)):
        # A part that is wider than a line is wrapped letter by letter.
        for piece in [part] if width_of(part.rstrip(), size) <= inches else part:
            if lines[-1] and width_of((lines[-1] + piece).rstrip(), size) > inches:
                lines.append("")
            lines[-1] += piece
    return "\n".join(line.strip() for line in lines)


def wrap_labels(labels: Iterable[str], inches: float = LABEL_WIDTH, size: float = FONT_SIZE) -> list[str]:
    return [wrap_label(label, inches, size) for label in labels]


def extent(labels: Iterable[str], size: float = FONT_SIZE) -> tuple[float, int]:
    """Width of the widest line in inches, and the maximum number of lines of a label."""
    lines = [label.split("\n") for label in labels]
    widest = max((width_of(line, size) for label in lines for line in label), default=0.0)
    return widest, max(map(len, lines), default=0)


def legend(figure: Figure, size: float = FONT_SIZE) -> None:
    """Add a legend below the figure, in as many columns as fit, and extend the figure's height for it."""
    found: dict[str, Any] = {}
    for ax in figure.axes:
        handles, names = ax.get_legend_handles_labels()
        found = {**found, **{name: one for name, one in zip(names, handles, strict=True) if name not in found}}
    if not found:
        return
    names = wrap_labels(found, figure.get_figwidth() - 2 * MARKER_WIDTH, size)
    widest, lines = extent(names, size)
    columns = max(1, min(len(names), int(figure.get_figwidth() / (widest + MARKER_WIDTH))))
    figure.set_figheight(
        figure.get_figheight() + 0.1 + ROW_HEIGHT * lines * math.ceil(len(names) / columns) * size / FONT_SIZE
    )
    figure.legend(found.values(), names, loc="outside lower center", ncols=columns, fontsize=size)
