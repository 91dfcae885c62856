"""Figures of summaries and training logs.

Every function returns a `matplotlib.figure.Figure`; save it with ``figure.savefig("name.pdf")``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from econzoo.envs.core.record import labels
from econzoo.evaluate.analyses import Curve, Group
from econzoo.evaluate.show import INK, SeriesStyle, apply_style, axes, band, extent, format_tick, legend, series_style
from econzoo.evaluate.show import series_styles, whisker, wrap_labels
from econzoo.evaluate.stats import Interval

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.summary.summary import Summary


@apply_style
def equilibrium_figure(summary: Summary) -> Figure:
    """Plot each player's share of the equilibrium payoff, by seat."""
    players = summary.players[::-1]  # drawn from below
    roles = list(dict.fromkeys(role for _, role in summary.seats))
    names = wrap_labels(players)
    figure, ax = axes(0.9 + max(0.42, 0.17 * extent(names)[1]) * len(players))
    ax.axvline(100, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    offsets = [0.0] if len(roles) < 2 else [0.22, *(-0.22 * (i + 1) / (len(roles) - 1) for i in range(len(roles) - 1))]
    for at, role in enumerate(roles):
        seated = {place: player for place, player in enumerate(players) if (player, role) in summary.seats}
        found = [summary.seats[player, role]["share"] for player in seated.values()]
        heights = [place + offsets[at] for place in seated]
        _whiskers(ax, found, heights, series_style(at), f"as {summary.facts.role_with_part(role)}")
    ax.set_yticks(range(len(players)), names)
    ax.set_xlabel("share of the equilibrium payoff (%; dashed: 100%)")
    ax.grid(visible=False, axis="y")
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
    legend(figure)
    return figure


def _whiskers(ax: Axes, found: Sequence[Interval], heights: Sequence[float], shown: SeriesStyle, label: str) -> None:
    """Plot points with their intervals, in percent."""
    low, high = 100 * np.array([whisker(one) for one in found]).reshape(-1, 2).T
    ax.hlines(heights, low, high, color=shown.color, linewidth=1.6)
    ax.plot([100 * one.mean for one in found], heights, shown.marker, color=shown.color, markersize=4.5, label=label)


@apply_style
def pareto_figure(summary: Summary, group: Group | None = None) -> Figure:
    """Plot efficiency against fairness by player, with the Pareto frontier unless matches are missing.

    Args:
        group: Players to plot; None: the first group of the summary.
    """
    group = group or summary.groups[0]
    figure, ax = axes(3.4)
    points = {player: (found["efficiency"], found["fairness"]) for player, found in group.overall.items()}
    best = frontier({player: (one.mean, other.mean) for player, (one, other) in points.items()})
    if not group.has_cases:
        ax.step(*([points[p][at].mean for p in best] for at in (0, 1)), where="pre", color=INK, lw=0.8)
    for player, shown in series_styles(summary.players).items():
        if player in points:
            _cross(ax, *points[player], shown, player)
    ax.set_xlabel("efficiency")
    ax.set_ylabel("fairness")
    ax.margins(0.08)
    legend(figure)
    return figure


def _cross(ax: Axes, one: Interval, other: Interval, shown: SeriesStyle, label: str) -> None:
    """Plot a point with its intervals in both directions."""
    ax.plot([*whisker(one)], [other.mean] * 2, color=shown.color, linewidth=1.2)
    ax.plot([one.mean] * 2, [*whisker(other)], color=shown.color, linewidth=1.2)
    ax.plot(one.mean, other.mean, shown.marker, color=shown.color, markersize=6, label=label)


def frontier(points: dict[str, tuple[float, float]]) -> list[str]:
    """Return names of the Pareto-optimal points, ordered by the first coordinate."""
    known = {name: point for name, point in points.items() if not any(map(math.isnan, point))}
    best = [
        name
        for name, (x, y) in known.items()
        if not any(a >= x and b >= y and (a, b) != (x, y) for a, b in known.values())
    ]
    return sorted(best, key=lambda name: (known[name][0], -known[name][1]))


@apply_style
def learning_figure(curve: Curve, names: Sequence[str] = ()) -> Figure:
    """Plot a learning curve: one line per series, with its interval as a band.

    Args:
        names: Series of other figures of the report, so that styles agree.
    """
    figure, ax = axes(2.9)
    label_of = labels(curve.series)
    styles = series_styles([*names, *label_of.values()])
    for name, points in curve.series.items():
        steps, shown = [point.step for point in points], styles[label_of[name]]
        band(ax, steps, [(point.low, point.high) for point in points], shown)
        means = [point.mean for point in points]
        ax.plot(steps, means, color=shown.color, linestyle=shown.dashes, linewidth=1.6, label=label_of[name])
    ax.set_xlabel(curve.x)
    ax.set_ylabel(curve.y)
    ax.xaxis.set_major_formatter(_thousands)
    legend(figure)
    return figure


def _thousands(value: float, _: Any) -> str:
    return f"{format_tick(value / 1000)}k" if abs(value) >= 1000 else format_tick(value)
