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
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from econzoo.evaluate.curves import Curve
from econzoo.evaluate.escapes import shortened
from econzoo.evaluate.intervals import Interval

if TYPE_CHECKING:
    from econzoo.evaluate.groups import Group
    from econzoo.evaluate.summary import Summary

P = ParamSpec("P")

INK, LINE = "#1d2430", "#d5dae2"
SERIES = ("#2a6fdb", "#d1603d", "#2f9e6e", "#8a5cc7", "#b8860b", "#c2417c", "#3d8ca6", "#6b7280")
"""Colours; in a page they become variables of its style sheet, so that they follow a dark mode."""

MARKERS = "osD^vPXh"
WIDTH = 5.2
STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.5,
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


def color(at: int) -> str:
    """The colour of a series by its place."""
    return SERIES[at % len(SERIES)]


def marker(at: int) -> str:
    """The marker of a series by its place; with the colour it tells more series apart than there are of either."""
    return MARKERS[(at // len(SERIES) + at) % len(MARKERS)]


def mean_with_band(ax: Axes, found: Sequence[Interval], hue: str, label: str) -> None:
    """Means from 1 on, with their intervals as a band."""
    steps = range(1, len(found) + 1)
    ax.plot(steps, [one.mean for one in found], color=hue, linewidth=1.4, label=label)
    ax.fill_between(steps, [one.low for one in found], [one.high for one in found], color=hue, alpha=0.14, linewidth=0)


def whole_numbers(ax: Axes) -> None:
    """Lets the horizontal axis count."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def colour_bar(figure: Figure, ax: Axes, drawn: Any, label: str, **options: Any) -> None:
    """Puts the scale of something that is drawn in colours beside its axes.

    Args:
        figure: Holds the axes.
        ax: Where it is drawn.
        drawn: What is drawn.
        label: What the colours mean.
        options: Of `matplotlib.figure.Figure.colorbar`.
    """
    bar = figure.colorbar(drawn, ax=ax, pad=0.02, **options)
    bar.set_label(label, fontsize=8.5)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)  # type: ignore[operator]


@styled
def equilibrium_figure(summary: Summary) -> Figure:
    """Share of the equilibrium payoff that each player captured, over all and in each seat."""
    players = summary.players[::-1]
    roles = list(dict.fromkeys(role for _, role in summary.seats))
    figure, ax = axes(0.9 + 0.42 * len(players))
    ax.axvline(100, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    offsets = [0.0] if len(roles) < 2 else [0.22, *(-0.22 * (i + 1) / (len(roles) - 1) for i in range(len(roles) - 1))]
    for at, role in enumerate(roles):
        took = {place: player for place, player in enumerate(players) if (player, role) in summary.seats}
        found = [summary.seats[player, role]["share"] for player in took.values()]
        heights = [place + offsets[at] for place in took]
        _whiskers(ax, found, heights, color(at), MARKERS[at % len(MARKERS)], f"as {summary.facts.called(role)}")
    ax.set_yticks(range(len(players)), [*shortened(players).values()])
    ax.set_xlabel("percent of the equilibrium payoff (dashed: all of it)")
    ax.grid(visible=False, axis="y")
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(roles))
    return figure


def _whiskers(ax: Axes, found: Sequence[Interval], heights: Sequence[float], hue: str, shape: str, label: str) -> None:
    """Points with their intervals, as percentages, one above the other."""
    ends = [_ends(one) for one in found]
    ax.hlines(heights, [100 * low for low, _ in ends], [100 * high for _, high in ends], color=hue, linewidth=1.6)
    ax.plot([100 * one.mean for one in found], heights, shape, color=hue, markersize=4.5, label=label)


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
    names = shortened(group.players)
    figure, ax = axes(3.4)
    points = {player: (found["efficiency"], found["fairness"]) for player, found in group.overall.items()}
    best = frontier({player: (one.mean, other.mean) for player, (one, other) in points.items()})
    ax.step(*zip(*[(points[p][0].mean, points[p][1].mean) for p in best], strict=True), where="pre", color=INK, lw=0.8)
    for at, player in enumerate(group.players):
        one, other = points[player]
        (left, right), (low, high) = _ends(one), _ends(other)
        ax.plot([left, right], [other.mean] * 2, color=color(at), linewidth=1.2)
        ax.plot([one.mean] * 2, [low, high], color=color(at), linewidth=1.2)
        ax.plot(one.mean, other.mean, marker(at), color=color(at), markersize=6, label=names[player])
    ax.set_xlabel("efficiency")
    ax.set_ylabel("fairness")
    ax.margins(0.08)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    return figure


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
def learning_figure(curve: Curve) -> Figure:
    """A learning curve: one line for each series, with its interval as a band."""
    figure, ax = axes(2.9)
    names = shortened(curve.series)
    for at, (name, points) in enumerate(curve.series.items()):
        steps, low, high = ([getattr(point, name) for point in points] for name in ("step", "low", "high"))
        ax.plot(steps, [point.mean for point in points], color=color(at), linewidth=1.6, label=names[name])
        ax.fill_between(steps, low, high, color=color(at), alpha=0.16, linewidth=0)
    ax.set_xlabel(curve.x)
    ax.set_ylabel(curve.y)
    ax.xaxis.set_major_formatter(_thousands)
    if list(curve.series) != [""]:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(3, len(curve.series)))
    return figure


def _thousands(value: float, _: Any) -> str:
    return f"{value / 1000:g}k" if abs(value) >= 1000 else f"{value:g}"


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
    names = {INK: "ink", LINE: "line", **{hue: f"c{i}" for i, hue in enumerate(SERIES)}}
    for hue, name in names.items():
        svg = svg.replace(hue, f"var(--{name})")
    svg = _own_ids(svg, title)
    opening = f'<svg role="img" aria-label="{escape(title)}" '
    return re.sub(r'(width|height)="[\d.]+pt" ', "", svg.replace("<svg ", opening, 1), count=2)
