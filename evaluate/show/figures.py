"""Figures of summaries and training logs, as matplotlib figures and as SVG that fits into a page.

Every function returns a `matplotlib.figure.Figure`: save it with ``figure.savefig("name.pdf")``. The figures are
small, so that their text is readable on a phone; on a laptop they are scaled up.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Callable, Sequence
from functools import partial, wraps
from html import escape
from typing import TYPE_CHECKING, Any, ParamSpec

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from econzoo.envs.core.record.spec import labels
from econzoo.evaluate.analyses.learning_curve import Curve
from econzoo.evaluate.show.figure_labels import SIZE, extent, legend, wrapped_all
from econzoo.evaluate.show.palette import GREY, INK, LINE, SERIES, Look, look, looks
from econzoo.evaluate.stats.intervals import Interval

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.groups import Group
    from econzoo.evaluate.analyses.summary.summary import Summary

P = ParamSpec("P")

WIDTH = 5.2
NARROW, BROAD = 69, 123
"""Pixels that an inch of a figure has on a page, at least and at most, so that its letters can be read."""

STYLE: Any = {
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": SIZE,
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
    "text.parse_math": False,
}


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Makes a function draw in the style of all figures, whatever the user's own settings are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with rc_context(STYLE):
            return draw(*args, **kwargs)

    return drawn


def axes(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """An empty figure of so many inches with one pair of axes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def mean_with_band(ax: Axes, found: Sequence[Interval], look: Look, label: str) -> None:
    """Means from 1 on, with their intervals as a band."""
    steps = range(1, len(found) + 1)
    band(ax, steps, [(one.low, one.high) for one in found], look)
    ax.plot(steps, [one.mean for one in found], color=look.color, linestyle=look.dashes, linewidth=1.4, label=label)


def band(ax: Axes, places: Sequence[float], ends: Sequence[tuple[float, float]], look: Look, **options: Any) -> None:
    """Intervals as a band."""
    low, high = zip(*ends, strict=True) if ends else ((), ())
    ax.fill_between(places, low, high, color=look.color, alpha=0.15, linewidth=0, **options)


def whole_numbers(ax: Axes) -> None:
    """Lets the horizontal axis count."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def percents(axis: Axis) -> None:
    """Writes parts of 1 on an axis as percentages."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=None))


def plain(value: float, _: Any = None) -> str:
    """A number beside an axis: no power of ten stands elsewhere, and nothing of how floats are rounded."""
    return f"{value:,.10g}"


def colour_bar(figure: Figure, ax: Axes, drawn: Any, label: str, **options: Any) -> None:
    """Puts the scale of something that is drawn in colours beside its axes.

    Args:
        figure: Holds the axes.
        ax: Where it is drawn.
        drawn: What is drawn.
        label: What the colours mean.
        options: Of `matplotlib.figure.Figure.colorbar`.
    """
    bar = figure.colorbar(drawn, ax=ax, pad=0.02, **{"format": plain, **options})
    bar.set_label(label, fontsize=8.5)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)  # type: ignore[operator]


@styled
def equilibrium_figure(summary: Summary) -> Figure:
    """Share of the equilibrium payoff that each player captured, over all and in each seat."""
    players = summary.players[::-1]
    roles = list(dict.fromkeys(role for _, role in summary.seats))
    names = wrapped_all(players)
    figure, ax = axes(0.9 + max(0.42, 0.17 * extent(names)[1]) * len(players))
    ax.axvline(100, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    offsets = [0.0] if len(roles) < 2 else [0.22, *(-0.22 * (i + 1) / (len(roles) - 1) for i in range(len(roles) - 1))]
    for at, role in enumerate(roles):
        took = {place: player for place, player in enumerate(players) if (player, role) in summary.seats}
        found = [summary.seats[player, role]["share"] for player in took.values()]
        heights = [place + offsets[at] for place in took]
        _whiskers(ax, found, heights, look(at), f"as {summary.facts.called(role)}")
    ax.set_yticks(range(len(players)), names)
    ax.set_xlabel("percent of the equilibrium payoff (dashed: all of it)")
    ax.grid(visible=False, axis="y")
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
    legend(figure)
    return figure


def _whiskers(ax: Axes, found: Sequence[Interval], heights: Sequence[float], shown: Look, label: str) -> None:
    """Points with their intervals, as percentages, one above the other."""
    ends = [_ends(one) for one in found]
    ax.hlines(
        heights, [100 * low for low, _ in ends], [100 * high for _, high in ends], color=shown.color, linewidth=1.6
    )
    ax.plot([100 * one.mean for one in found], heights, shown.marker, color=shown.color, markersize=4.5, label=label)


def _ends(found: Interval) -> tuple[float, float]:
    return (found.mean, found.mean) if math.isnan(found.low) else (found.low, found.high)


@styled
def pareto_figure(summary: Summary, group: Group | None = None) -> Figure:
    """Efficiency against fairness of each player's matches; the line joins those that no other beats in both.

    Args:
        summary: Of the records.
        group: Whom to draw; None: the first of the summary's groups.
    """
    group = group or summary.groups[0]
    figure, ax = axes(3.4)
    points = {player: (found["efficiency"], found["fairness"]) for player, found in group.overall.items()}
    best = frontier({player: (one.mean, other.mean) for player, (one, other) in points.items()})
    ax.step(*zip(*[(points[p][0].mean, points[p][1].mean) for p in best], strict=True), where="pre", color=INK, lw=0.8)
    for player, shown in looks(summary.players).items():
        if player in points:
            _cross(ax, *points[player], shown, player)
    ax.set_xlabel("efficiency")
    ax.set_ylabel("fairness")
    ax.margins(0.08)
    legend(figure)
    return figure


def _cross(ax: Axes, one: Interval, other: Interval, shown: Look, label: str) -> None:
    """A point with its intervals in both directions."""
    ax.plot([*_ends(one)], [other.mean] * 2, color=shown.color, linewidth=1.2)
    ax.plot([one.mean] * 2, [*_ends(other)], color=shown.color, linewidth=1.2)
    ax.plot(one.mean, other.mean, shown.marker, color=shown.color, markersize=6, label=label)


def frontier(points: dict[str, tuple[float, float]]) -> list[str]:
    """Names of the points that no other beats in both, from the smallest first coordinate to the largest."""
    known = {name: point for name, point in points.items() if not any(map(math.isnan, point))}
    best = [
        name
        for name, (x, y) in known.items()
        if not any(a >= x and b >= y and (a, b) != (x, y) for a, b in known.values())
    ]
    return sorted(best, key=lambda name: (known[name][0], -known[name][1]))


@styled
def learning_figure(curve: Curve, names: Sequence[str] = ()) -> Figure:
    """A learning curve: one line for each series, with its interval as a band.

    Args:
        curve: Of a training run.
        names: That have their looks on other figures of the same report.
    """
    figure, ax = axes(2.9)
    told = labels(curve.series)
    seen = looks([*names, *told.values()])
    for name, points in curve.series.items():
        steps, shown = [point.step for point in points], seen[told[name]]
        band(ax, steps, [(point.low, point.high) for point in points], shown)
        means = [point.mean for point in points]
        ax.plot(steps, means, color=shown.color, linestyle=shown.dashes, linewidth=1.6, label=told[name])
    ax.set_xlabel(curve.x)
    ax.set_ylabel(curve.y)
    ax.xaxis.set_major_formatter(_thousands)
    legend(figure)
    return figure


def _thousands(value: float, _: Any) -> str:
    return f"{plain(value / 1000)}k" if abs(value) >= 1000 else plain(value)


def _own_ids(svg: str, title: str) -> str:
    """The same SVG with a prefix before every id: in a page ids must not occur twice, and matplotlib counts from 1."""
    prefix = "f" + hashlib.sha256((title + svg).encode()).hexdigest()[:10]
    marked = partial(re.sub, r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-")
    return re.sub(r"<[^<>]+>", lambda tag: marked(tag[0]), svg)


def to_svg(figure: Figure, title: str) -> str:
    """The figure as an SVG element for a page: readable text, colours of the page, nothing loaded from elsewhere.

    Args:
        figure: The figure.
        title: What it shows, for those who cannot see it.
    """
    out = io.StringIO()
    with rc_context({**STYLE, "svg.hashsalt": title}):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = out.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    names = {INK: "ink", LINE: "line", GREY: "soft", **{hue: f"c{i}" for i, hue in enumerate(SERIES)}}
    for hue, name in names.items():
        svg = svg.replace(hue, f"var(--{name})")
    svg = _own_ids(svg, title)
    shown = f"min-width:{NARROW * figure.get_figwidth():.0f}px;max-width:{BROAD * figure.get_figwidth():.0f}px"
    opening = f'<svg role="img" aria-label="{escape(title)}" style="{shown}" '
    return re.sub(r'(width|height)="[\d.]+pt" ', "", svg.replace("<svg ", opening, 1), count=2)
