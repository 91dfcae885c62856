"""Figures of payoffs, fixation, populations over time, and the replicator equation of two or three types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb
from matplotlib.figure import Figure as Drawing
from matplotlib.tri import Triangulation

from econzoo.evaluate.analyses.evolution.basins import grid_starts
from econzoo.evaluate.analyses.evolution.replicator import orbit, velocity
from econzoo.evaluate.analyses.evolution.rest_points import CENTRE, SADDLE, STABLE, UNDECIDED, UNSTABLE
from econzoo.evaluate.analyses.evolution.study import Study
from econzoo.evaluate.show import DIVERGING_PALETTE, GREY, INK, LINE, SEQUENTIAL_PALETTE, SERIES, WIDTH, Figure, Part
from econzoo.evaluate.show import apply_style, axes, colour_bar, format_range, format_tick, heat_map, legend
from econzoo.evaluate.show import min_max_scale, series_style, set_percent_ticks, wrap_label

MAX_CURVES = 9
"""Maximum number of types with a curve of their own; the others are summed."""


def figures(found: Study) -> dict[str, Part]:
    """Return all figures of a study by key."""
    orbit, steps, moran = found.orbit, np.arange(len(found.ecosystem)), found.moran
    replicator = curves_figure(found, orbit.times, orbit.shares, "time (in 1 / payoff per round)")
    ecosystem = curves_figure(found, steps, found.ecosystem, "generation")
    shares = curves_figure(found, moran.steps, moran.mean, "births and deaths", moran.first_run)
    parts = [
        Figure("payoffs", "", PAYOFFS, payoff_figure(found), "Payoffs"),
        Figure("fixation", "Fixation of one mutant", FIXATION, fixation_figure(found)),
        Figure("replicator", "Shares over time", REPLICATOR, replicator),
        Figure("ecosystem", "Axelrod's ecosystem", ECOSYSTEM, ecosystem),
        Figure("moran", "Moran process", MORAN, shares),
    ]
    if len(found.matrix) == 3:
        parts.append(Figure("simplex", "Replicator dynamics on the simplex", SIMPLEX, simplex_figure(found)))
    if len(found.matrix) == 2:
        note = "Arrows: direction of change."
        parts.append(Figure("line", "Replicator dynamics on the line", note, line_figure(found)))
    return {one.key: one for one in parts}


PAYOFFS = "Payoff of the row type against the column type, per round of the base game, with 95% interval."
SIMPLEX = (
    "Every point is a population; corners are of one type. Grey arrows: direction; colour: speed; thin lines: "
    "orbits from a grid of starts; blue: the orbit from the initial shares."
)
REPLICATOR = "The replicator equation from the initial shares, until they settle or for the requested time."
ECOSYSTEM = "Each generation multiplies shares by fitness over mean fitness."
MORAN = "Thick: mean over all simulated populations. Thin: the first one."
FIXATION = (
    "Fixation probability of one mutant of the row type in a population of the column type, times population size: "
    "selection favours the mutant above 1 (blue) and opposes it below 1 (red)."
)


@apply_style
def payoff_figure(found: Study) -> Drawing:
    """Plot a heat map of payoffs with intervals."""
    mean, (low, high) = found.matrix.mean, found.matrix.interval
    texts = [[_cell(mean[i, j], low[i, j], high[i, j]) for j in range(len(mean))] for i in range(len(mean))]
    return heat_map(
        found.matrix.types, found.matrix.types, mean, texts, SEQUENTIAL_PALETTE, min_max_scale(mean), "payoff per round"
    )


def _cell(mean: float, low: float, high: float) -> tuple[str, str]:
    digits = 2 if max(map(abs, (mean, low, high))) < 100 else 0
    return f"{mean:.{digits}f}", "" if np.isnan(low) else format_range(f"{low:.{digits}f}", f"{high:.{digits}f}")


@apply_style
def fixation_figure(found: Study) -> Drawing:
    """Plot a heat map of N times the fixation probabilities, on a logarithmic scale around 1."""
    times = found.fixation * found.options.population
    # 0 has no logarithm; the labels do not tell smaller values apart either (`_ratio`).
    logs = np.log10(np.maximum(times, 1e-3))
    most = max(float(np.abs(logs).max()), 0.1)
    texts = [[("" if i == j else _ratio(times[i, j]), "") for j in range(len(logs))] for i in range(len(logs))]
    types, scale = found.matrix.types, Normalize(-most, most)
    return heat_map(
        types, types, logs, texts, DIVERGING_PALETTE, scale, "log10 (N x probability)", ("mutant", "resident")
    )


def _ratio(value: float) -> str:
    return f"{value:.3g}" if value >= 0.001 else "0" if value == 0 else "<.001"


@apply_style
def curves_figure(
    found: Study, times: np.ndarray, shares: np.ndarray, label: str, thin: np.ndarray | None = None
) -> Drawing:
    """Plot shares over time, with one curve for each of the most frequent types.

    Args:
        times: Shape (m,).
        shares: Shape (m, n).
        thin: Shares of a single population, shape (m, n).
    """
    figure, ax = axes(2.9)
    order = np.argsort(-shares.max(axis=0), kind="stable")
    # A sum of a single type would need as much room as its own curve.
    alone, together = (order[:MAX_CURVES], order[MAX_CURVES:]) if len(order) > MAX_CURVES + 1 else (order, order[:0])
    for at in sorted(alone.tolist()):
        style, name = series_style(at), found.matrix.types[at]
        ax.plot(times, shares[:, at], color=style.color, linestyle=style.dashes, linewidth=1.7, label=name)
        if thin is not None:
            ax.plot(times, thin[:, at], color=style.color, linewidth=0.6, alpha=0.7)
    if len(together):
        rest = shares[:, together].sum(axis=1)
        ax.plot(times, rest, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)), label=f"{len(together)} others")
    ax.set_xlim(times[0], times[-1] if times[-1] > times[0] else times[0] + 1)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(label)
    ax.set_ylabel("share")
    set_percent_ticks(ax.yaxis)
    ax.xaxis.set_major_formatter(format_tick)
    legend(figure)
    return figure


# Phase portraits of the replicator equation: a triangle for three types, a line for two


CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
"""Corners of the triangle, where only one type is present."""

MARKERS: dict[str, dict[str, Any]] = {
    STABLE: {"marker": "o", "markerfacecolor": INK},
    SADDLE: {"marker": "o", "markerfacecolor": INK, "fillstyle": "left", "markerfacecoloralt": LINE},
    UNSTABLE: {"marker": "o", "markerfacecolor": LINE},
    CENTRE: {"marker": "D", "markerfacecolor": LINE},
    UNDECIDED: {"marker": "s", "markerfacecolor": GREY},
}
"""Kind of rest point to its marker."""

COLOUR_STEPS, ARROW_STEPS, ORBIT_STEPS = 48, 13, 5
"""Grid steps per side of colours, arrows and starts of orbits."""


def project(shares: np.ndarray) -> np.ndarray:
    """Map shares of three types, shape (..., 3), to points of the plane, shape (..., 2)."""
    return np.asarray(shares @ CORNERS)


@apply_style
def simplex_figure(found: Study) -> Drawing:
    """Plot the simplex of three types: speed (colour), direction (arrows), orbits, rest points by kind."""
    figure, ax = axes(4.6, 5.6)
    _colours(figure, ax, found.matrix.mean)
    _arrows(ax, found.matrix.mean)
    for start in grid_starts(3, ORBIT_STEPS):
        _draw_orbit(ax, project(orbit(found.matrix.mean, start).shares))
    own = project(found.orbit.shares)
    _draw_orbit(ax, own, SERIES[0], 1.8)
    ax.plot(*own[0], "o", color=SERIES[0], markersize=4, label="start")
    ax.plot(*np.vstack([CORNERS, CORNERS[:1]]).T, color=INK, linewidth=1.0)
    _rest_points(ax, found)
    _names(ax, found.matrix.types)
    ax.set_aspect("equal")
    ax.axis("off")
    legend(figure, 8.5)
    return figure


def _colours(figure: Drawing, ax: Axes, payoffs: np.ndarray) -> None:
    """Colours by speed in the plane."""
    shares = _mesh(COLOUR_STEPS)
    speed = np.linalg.norm(project(velocity(payoffs, shares)), axis=1)
    if speed.max() <= 0:
        return
    color = to_rgb(SERIES[4])
    palette = LinearSegmentedColormap.from_list("speed", [(*color, 0.0), (*color, 0.75)])
    x, y = project(shares).T
    contours = ax.tricontourf(Triangulation(x, y), speed, levels=12, cmap=palette, vmin=0.0)
    colour_bar(figure, ax, contours, "speed", shrink=0.6, aspect=24)


def _mesh(steps: int) -> np.ndarray:
    """All shares that are multiples of 1 / steps, shape (m, 3)."""
    picks = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    return np.array(picks) / steps


def _arrows(ax: Axes, payoffs: np.ndarray) -> None:
    """Arrows of unit length."""
    shares = grid_starts(3, ARROW_STEPS)
    directions = project(velocity(payoffs, shares))
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    directions = np.divide(directions, length, out=np.zeros_like(directions), where=length > 1e-12)
    x, y = project(shares).T
    moving = length[:, 0] > 1e-12
    style: dict[str, Any] = {"pivot": "middle", "scale": 30, "width": 0.0028, "headwidth": 4.5, "alpha": 0.75}
    ax.quiver(x[moving], y[moving], directions[moving, 0], directions[moving, 1], color=GREY, **style)


def _draw_orbit(ax: Axes, points: np.ndarray, color: str = INK, width: float = 0.7) -> None:
    """An orbit with an arrow head halfway."""
    ax.plot(*points.T, color=color, linewidth=width, solid_capstyle="round")
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    if length[-1] < 0.02:
        return
    at = max(1, int(np.searchsorted(length, 0.5 * min(length[-1], 0.6))))
    step = points[at] - points[at - 1]
    tip = points[at] + 1e-3 * step / max(float(np.linalg.norm(step)), 1e-12)
    ax.annotate(
        "",
        xy=(tip[0], tip[1]),
        xytext=(points[at][0], points[at][1]),
        arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": width, "shrinkA": 0, "shrinkB": 0},
    )


def _rest_points(ax: Axes, found: Study) -> None:
    label: str | None = "line of rest points"
    for one in found.rest_points.continua:
        if one.ends:
            ax.plot(*project(np.array(one.ends)).T, color=SERIES[3], linewidth=3.6, label=label, zorder=3)
            label = None
    _mark_rest_points(ax, found, project)


def _mark_rest_points(ax: Axes, found: Study, place: Callable[[np.ndarray], np.ndarray]) -> None:
    """Mark the rest points; the first one of a kind has the legend entry."""
    labelled: set[str] = set()
    for at, point in enumerate(found.rest_points.points):
        kind = found.kind(at)
        _mark(ax, place(point.shares), kind, kind if kind not in labelled else None)
        labelled.add(kind)


def _mark(ax: Axes, place: np.ndarray, kind: str, label: str | None) -> None:
    look: dict[str, Any] = {
        "markersize": 8.5,
        "markeredgecolor": INK,
        "linestyle": "none",
        "zorder": 5,
        **MARKERS[kind],
    }
    ax.plot([place[0]], [place[1]], label=label, clip_on=False, **look)


def _names(ax: Axes, types: tuple[str, ...]) -> None:
    places = ((-0.01, -0.05, "center", "top"), (1.01, -0.05, "center", "top"), (0.5, 0.915, "center", "bottom"))
    for name, (x, y, ha, va) in zip(types, places, strict=True):
        ax.text(x, y, wrap_label(name), ha=ha, va=va)


@apply_style
def line_figure(found: Study) -> Drawing:
    """Plot the rate of change of the first of two types by its share, with rest points."""
    figure, ax = axes(2.9)
    share = np.linspace(0.0, 1.0, 201)
    rate = velocity(found.matrix.mean, np.column_stack([share, 1.0 - share]))[:, 0]
    top = float(np.abs(rate).max()) or 1.0
    ax.axhline(0.0, color=INK, linewidth=0.8)
    ax.plot(share, rate, color=SERIES[0], linewidth=1.6)
    for at in np.linspace(0.0, 1.0, 14)[1:-1]:
        _direction(ax, float(at), float(np.interp(at, share, rate)), top)
    _mark_rest_points(ax, found, lambda shares: np.array([shares[0], 0.0]))
    if found.rest_points.continua:
        ax.plot([0.0, 1.0], [0.0, 0.0], color=SERIES[3], linewidth=3.6, label="line of rest points")
    first, second = found.matrix.types
    ax.set_xlabel(wrap_label(f"share of {first} (the rest is {second})", WIDTH - 1.2))
    set_percent_ticks(ax.xaxis)
    ax.set_ylabel("change of the share")
    ax.set_ylim(-1.15 * top, 1.15 * top)
    legend(figure)
    return figure


def _direction(ax: Axes, at: float, rate: float, top: float) -> None:
    if abs(rate) < 1e-9 * top:
        return
    marker = ">" if rate > 0 else "<"
    ax.plot([at], [0.0], marker, color=GREY, markersize=5, markeredgecolor=LINE)
