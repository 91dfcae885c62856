"""Common style of figures, and conversion to inline SVG.

Figures are small, so that their text is readable on a phone; larger screens scale them up.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from html import escape
from typing import Any, ParamSpec

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from econzoo.evaluate.show.figure_labels import FONT_SIZE, legend
from econzoo.evaluate.show.numbers import replace_nan
from econzoo.evaluate.show.palette import GREY, INK, LINE, SERIES, SeriesStyle
from econzoo.evaluate.stats import Interval

P = ParamSpec("P")

WIDTH = 5.2
MIN_PIXELS_PER_INCH, MAX_PIXELS_PER_INCH = 69, 123
"""Range of the scale of a figure on a page, in pixels per inch, so that its text is readable."""

STYLE: Any = {
    "svg.fonttype": "none",  # selectable text
    "pdf.fonttype": 42,  # TrueType; many publishers refuse the default, Type 3
    "font.family": "sans-serif",
    "font.size": FONT_SIZE,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": LINE,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "text.parse_math": False,  # names may contain a dollar sign
}


def apply_style(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Decorate a plotting function to use the common style instead of the user's settings."""

    @wraps(draw)
    def draw_figure(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with rc_context(STYLE):
            return draw(*args, **kwargs)

    return draw_figure


def axes(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """Create an empty figure (sizes in inches) with one pair of axes."""
    # Without pyplot, which keeps every figure in memory until it is closed.
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def whisker(found: Interval) -> tuple[float, float]:
    """Ends of an interval; the estimate itself if undefined."""
    return replace_nan(found.low, found.mean), replace_nan(found.high, found.mean)


def mean_with_band(ax: Axes, found: Sequence[Interval], look: SeriesStyle, label: str) -> None:
    """Plot means at 1, 2, ... with intervals as a band."""
    steps = range(1, len(found) + 1)
    band(ax, steps, [(one.low, one.high) for one in found], look)
    ax.plot(steps, [one.mean for one in found], color=look.color, linestyle=look.dashes, linewidth=1.4, label=label)


def band(
    ax: Axes, places: Sequence[float], ends: Sequence[tuple[float, float]], look: SeriesStyle, **options: Any
) -> None:
    low, high = zip(*ends, strict=True) if ends else ((), ())
    ax.fill_between(places, low, high, color=look.color, alpha=0.15, linewidth=0, **options)


@apply_style
def reliability_curves(
    curves: Mapping[str, Sequence[tuple[float, Interval]]],
    look_of: Mapping[str, SeriesStyle],
    x_label: str,
    y_label: str,
) -> Figure:
    """Plot reliability diagrams; perfect calibration is the diagonal.

    Args:
        curves: Curves by name: for each bin, the mean predicted probability and the observed frequency.
        x_label: Label of the predicted probability.
    """
    figure, ax = axes(3.9)
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    for name, curve in curves.items():
        x, y, look = [mean for mean, _ in curve], [share.mean for _, share in curve], look_of[name]
        low, high = np.array([whisker(share) for _, share in curve]).reshape(-1, 2).T
        ax.vlines(x, low, high, color=look.color, linewidth=1.2)
        ax.plot(x, y, color=look.color, linestyle=look.dashes, linewidth=0.9, alpha=0.6)
        ax.plot(x, y, look.marker, color=look.color, markersize=4.5, label=name)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    set_percent_ticks(ax.xaxis)
    set_percent_ticks(ax.yaxis)
    legend(figure)
    return figure


def set_integer_ticks(ax: Axes) -> None:
    """Use integer ticks on the horizontal axis."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def set_percent_ticks(axis: Axis) -> None:
    """Format fractions on an axis as percentages."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=None))


def format_tick(value: float, _: Any = None) -> str:
    """Format a tick without a separate exponent or rounding noise."""
    return f"{value:,.10g}"


def colour_bar(figure: Figure, ax: Axes, mappable: Any, label: str, **options: Any) -> None:
    bar = figure.colorbar(mappable, ax=ax, pad=0.02, **{"format": format_tick, **options})
    bar.set_label(label, fontsize=8.5)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)  # type: ignore[operator]


def _prefix_ids(svg: str, title: str) -> str:
    """Prefix all ids of an SVG, which must be unique within a page (matplotlib counts from 1)."""
    prefix = "f" + hashlib.sha256((title + svg).encode()).hexdigest()[:10]
    marked = partial(re.sub, r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-")
    # Within tags only, so that a label that looks like an id stays as it is.
    return re.sub(r"<[^<>]+>", lambda tag: marked(tag[0]), svg)


def to_svg(figure: Figure, title: str) -> str:
    """Convert a figure to an inline SVG element with selectable text, the page's colours and no external resources."""
    out = io.StringIO()
    # A fixed salt and no date, so that the same figure gives the same text.
    with rc_context({**STYLE, "svg.hashsalt": title}):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = out.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # Inline in HTML, the namespaces are known.
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    names = {INK: "ink", LINE: "line", GREY: "soft", **{hue: f"c{i}" for i, hue in enumerate(SERIES)}}
    for hue, name in names.items():
        svg = svg.replace(hue, f"var(--{name})")
    svg = _prefix_ids(svg, title)
    inches = figure.get_figwidth()
    shown = f"min-width:{MIN_PIXELS_PER_INCH * inches:.0f}px;max-width:{MAX_PIXELS_PER_INCH * inches:.0f}px"
    opening = f'<svg role="img" aria-label="{escape(title)}" style="{shown}" '
    # Without a fixed size the figure follows the width of the page, within the limits above.
    return re.sub(r'(width|height)="[\d.]+pt" ', "", svg.replace("<svg ", opening, 1), count=2)
