"""Figures of payoffs, fixation probabilities and populations over time."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure as Drawing

from econzoo.evaluate.analyses.evolution.simplex import line_figure, simplex_figure
from econzoo.evaluate.analyses.evolution.study import Study
from econzoo.evaluate.show.figure_labels import legend
from econzoo.evaluate.show.figures import axes, percents, plain, styled
from econzoo.evaluate.show.heat_map import AROUND, UPWARDS, heat_map, spread
from econzoo.evaluate.show.palette import GREY, look
from econzoo.evaluate.show.parts import Figure, Part

SHOWN = 9
"""Types with a curve of their own; the others are drawn together."""


def figures(found: Study) -> dict[str, Part]:
    """All figures of a study, by their keys."""
    orbit, steps, moran = found.orbit, np.arange(len(found.ecosystem)), found.moran
    replicator = curves_figure(found, orbit.times, orbit.shares, "time (in 1 / payoff per round)")
    ecosystem = curves_figure(found, steps, found.ecosystem, "generation")
    shares = curves_figure(found, moran.steps, moran.mean, "births and deaths", moran.one)
    made = [
        Figure("payoffs", "", PAYOFFS, payoff_figure(found), "Payoffs"),
        Figure("fixation", "Fixation of one mutant", FIXATION, fixation_figure(found)),
        Figure("replicator", "Shares over time", REPLICATOR, replicator),
        Figure("ecosystem", "Axelrod's ecosystem", ECOSYSTEM, ecosystem),
        Figure("moran", "Moran process", MORAN, shares),
    ]
    if len(found.matrix) == 3:
        made.append(Figure("simplex", "Replicator dynamics on the simplex", SIMPLEX, simplex_figure(found)))
    if len(found.matrix) == 2:
        made.append(Figure("line", "Replicator dynamics on the line", "Arrows: where shares move.", line_figure(found)))
    return {one.key: one for one in made}


PAYOFFS = "Payoff of the row type against the column type, per round of the base game, with its 95% interval."
SIMPLEX = (
    "Every point is a population; at a corner it is of one type. Grey arrows: direction; colour: speed; thin lines: "
    "orbits from a grid of starts; blue: the orbit from the chosen start."
)
REPLICATOR = "The replicator equation from the chosen start, until the shares settle or as long as was asked."
ECOSYSTEM = "From a generation to the next a share grows by its fitness over the mean fitness."
MORAN = "Thick: mean over all simulated populations. Thin: the first of them."
FIXATION = (
    "Probability that one individual of the row type takes over a population of the column type, times the number of "
    "individuals: above 1 (blue) selection favours the mutant, below 1 (red) it hinders it."
)


@styled
def payoff_figure(found: Study) -> Drawing:
    """Heat map of the payoffs with their intervals."""
    mean, (low, high) = found.matrix.mean, found.matrix.interval
    texts = [[_cell(mean[i, j], low[i, j], high[i, j]) for j in range(len(mean))] for i in range(len(mean))]
    return heat_map(found.matrix.types, found.matrix.types, mean, texts, UPWARDS, spread(mean), "payoff per round")


def _cell(mean: float, low: float, high: float) -> tuple[str, str]:
    between = " to " if low < 0 else "\u2013"
    digits = 2 if max(map(abs, (mean, low, high))) < 100 else 0
    return f"{mean:.{digits}f}", "" if np.isnan(low) else f"{low:.{digits}f}{between}{high:.{digits}f}"


@styled
def fixation_figure(found: Study) -> Drawing:
    """Heat map of N times the fixation probabilities, on a logarithmic scale around 1."""
    times = found.fixation * found.settings.population
    logs = np.log10(np.maximum(times, 1e-3))
    most = max(float(np.abs(logs).max()), 0.1)
    texts = [[("" if i == j else _ratio(times[i, j]), "") for j in range(len(logs))] for i in range(len(logs))]
    types, scale = found.matrix.types, Normalize(-most, most)
    return heat_map(types, types, logs, texts, AROUND, scale, "log10 (N x probability)", ("mutant", "resident"))


def _ratio(value: float) -> str:
    return f"{value:.3g}" if value >= 0.001 else "0" if value == 0 else "<.001"


@styled
def curves_figure(
    found: Study, times: np.ndarray, shares: np.ndarray, label: str, thin: np.ndarray | None = None
) -> Drawing:
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
    for at in sorted(alone.tolist()):
        shown, name = look(at), found.matrix.types[at]
        ax.plot(times, shares[:, at], color=shown.color, linestyle=shown.dashes, linewidth=1.7, label=name)
        if thin is not None:
            ax.plot(times, thin[:, at], color=shown.color, linewidth=0.6, alpha=0.7)
    if len(together):
        rest = shares[:, together].sum(axis=1)
        ax.plot(times, rest, color=GREY, linewidth=1.2, linestyle=(0, (4, 3)), label=f"{len(together)} others")
    ax.set_xlim(times[0], times[-1] if times[-1] > times[0] else times[0] + 1)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(label)
    ax.set_ylabel("share")
    percents(ax.yaxis)
    ax.xaxis.set_major_formatter(plain)
    legend(figure)
    return figure
