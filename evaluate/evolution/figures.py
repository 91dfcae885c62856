"""Figures of payoffs, fixation probabilities and populations over time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize, TwoSlopeNorm
from matplotlib.figure import Figure

from econzoo.evaluate.escapes import short
from econzoo.evaluate.evolution.simplex import line_figure, simplex_figure
from econzoo.evaluate.evolution.study import Study
from econzoo.evaluate.figure_files import Drawn
from econzoo.evaluate.figures import INK, SERIES, WIDTH, axes, colour_bar, styled

PAPER = "#ffffff"
SHOWN = 7
"""Types with a curve of their own; the others are drawn together."""

ERRORS, NUMBERS = 10, 20
"""Types up to which the cells of a heat map hold errors, and numbers."""


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


def _look(types: int) -> Look:
    """How large a heat map of so many types is."""
    if types <= ERRORS:
        return Look(0.62, 0.44, 9.5, 8.5)
    return Look(0.4, 0.4, 8.0, 5.5) if types <= NUMBERS else Look(0.2, 0.2, 6.0, 5.5)


def drawn(found: Study) -> list[Drawn]:
    """All figures of a study."""
    out = [Drawn("payoffs", "Payoffs", PAYOFFS, payoff_figure(found))]
    if len(found.matrix) == 3:
        out.append(Drawn("simplex", "Replicator dynamics on the simplex", SIMPLEX, simplex_figure(found)))
    if len(found.matrix) == 2:
        out.append(Drawn("line", "Replicator dynamics on the line", "Arrows: where shares move.", line_figure(found)))
    times = found.orbit.times, found.orbit.shares
    curve = curves_figure(found, *times, "time (in 1 / payoff per round)")
    out.append(Drawn("replicator", "Shares over time: replicator equation", REPLICATOR, curve))
    steps = np.arange(len(found.ecosystem))
    curve = curves_figure(found, steps, found.ecosystem, "generation")
    out.append(Drawn("ecosystem", "Shares over generations: Axelrod's ecosystem", ECOSYSTEM, curve))
    curve = curves_figure(found, found.moran.steps, found.moran.mean, "births and deaths", found.moran.one)
    out.append(Drawn("moran", "Shares over time: Moran process", MORAN, curve))
    out.append(Drawn("fixation", "Fixation of one mutant", FIXATION, fixation_figure(found)))
    return out


PAYOFFS = "Payoff of the row type against the column type, per round of the base game, with its standard error."
SIMPLEX = (
    "Every point is a population; at a corner it is of one type. Grey arrows: direction; colour: speed; thin lines: "
    "orbits from a grid of starts; blue: the orbit from the chosen start."
)
REPLICATOR = "From the chosen start, until the shares settle or as long as was asked."
ECOSYSTEM = "From a generation to the next a share grows by its fitness over the mean fitness."
MORAN = "Thick: mean over all simulated populations. Thin: the first of them."
FIXATION = (
    "Probability that one individual of the row type takes over a population of the column type, times the number of "
    "individuals: above 1 (blue) selection favours the mutant, below 1 (red) it hinders it."
)


@styled
def payoff_figure(found: Study) -> Figure:
    """Heat map of the payoffs with their errors."""
    mean, error = found.matrix.mean, found.matrix.error
    palette = LinearSegmentedColormap.from_list("payoffs", [PAPER, SERIES[0]])
    scale = Normalize(mean.min(), mean.max() if np.ptp(mean) else mean.min() + 1.0)
    texts = [[_cell(mean[i, j], error[i, j], len(mean)) for j in range(len(mean))] for i in range(len(mean))]
    return _heat(found.matrix.types, mean, texts, palette, scale, "payoff per round")


def _cell(mean: float, error: float, types: int) -> tuple[str, str]:
    if types > NUMBERS:
        return "", ""
    small = f"± {error:.2g}" if types <= ERRORS and error > 0 else ""
    return f"{mean:.{2 if abs(mean) < 100 else 0}f}", small


@styled
def fixation_figure(found: Study) -> Figure:
    """Heat map of N times the fixation probabilities, on a logarithmic scale around 1."""
    times = found.fixation * found.settings.population
    logs = np.log10(np.maximum(times, 1e-3))
    palette = LinearSegmentedColormap.from_list("fixation", [SERIES[1], PAPER, SERIES[0]])
    most = max(float(np.abs(logs).max()), 0.1)
    texts = [[_ratio(times[i, j], i == j, len(logs)) for j in range(len(logs))] for i in range(len(logs))]
    scale = TwoSlopeNorm(0.0, -most, most)
    return _heat(found.matrix.types, logs, texts, palette, scale, "log10 (N x probability)", "resident")


def _ratio(value: float, own: bool, types: int) -> tuple[str, str]:
    if own or types > NUMBERS:
        return "", ""
    return (f"{value:.3g}" if value >= 0.001 else "0" if value == 0 else "<.001"), ""


def _heat(
    types: tuple[str, ...],
    values: np.ndarray,
    texts: list[list[tuple[str, str]]],
    palette: Colormap,
    scale: Normalize,
    label: str,
    columns: str = "against",
) -> Figure:
    look = _look(len(types))
    figure, ax = _empty_heat(types, look)
    image = ax.imshow(values, cmap=palette, norm=scale, aspect="auto", interpolation="nearest")
    ax.set_xlabel(columns)
    for (i, j), value in np.ndenumerate(values):
        _written(ax, i, j, texts[i][j], float(scale(value)), look.number)
    colour_bar(figure, ax, image, label)
    return figure


def _empty_heat(types: tuple[str, ...], look: Look) -> tuple[Figure, Axes]:
    """A square with the types on two of its sides."""
    names = [short(name) for name in types]
    room = 0.075 * max(map(len, names))
    width = max(WIDTH * 0.8, 1.3 + room + look.width * len(types))
    figure, ax = axes(0.7 + 0.75 * room + look.height * len(types), width)
    ax.grid(visible=False)
    ax.set_xticks(range(len(types)), names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(types)), names)
    ax.tick_params(length=0, labelsize=look.name)
    for side in ax.spines.values():
        side.set_visible(False)
    return figure, ax


def _written(ax: Axes, row: int, column: int, text: tuple[str, str], depth: float, size: float) -> None:
    """The number of a cell, with its error below."""
    if not text[0]:
        return
    color = PAPER if depth > 0.85 else "#000000"
    lift = 0.12 if text[1] else 0.0
    ax.text(column, row - lift, text[0], ha="center", va="center", fontsize=size, color=color)
    if text[1]:
        ax.text(column, row + 0.26, text[1], ha="center", va="center", fontsize=6, color=color)


@styled
def curves_figure(
    found: Study, times: np.ndarray, shares: np.ndarray, label: str, thin: np.ndarray | None = None
) -> Figure:
    """Shares over time, a curve for each of the most frequent types.

    Args:
        found: Names and number of types.
        times: Shape (m,).
        shares: Shape (m, n).
        label: Of the time.
        thin: Shares of one population among many, shape (m, n).
    """
    figure, ax = axes(2.9)
    order = np.argsort(-shares.max(axis=0), kind="stable")
    alone, together = (order[:SHOWN], order[SHOWN:]) if len(order) > SHOWN + 1 else (order, order[:0])
    for place, at in enumerate(sorted(alone.tolist())):
        color = SERIES[place % len(SERIES)]
        ax.plot(times, shares[:, at], color=color, linewidth=1.7, label=short(found.matrix.types[at]))
        if thin is not None:
            ax.plot(times, thin[:, at], color=color, linewidth=0.6, alpha=0.7)
    if len(together):
        rest = shares[:, together].sum(axis=1)
        ax.plot(times, rest, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), label=f"{len(together)} others")
    ax.set_xlim(times[0], times[-1] if times[-1] > times[0] else times[0] + 1)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(label)
    ax.set_ylabel("share")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0, fontsize=8.5)
    return figure
