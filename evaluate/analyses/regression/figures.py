"""Figures: heat maps of player pairs, and effects with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from econzoo.envs.core.record import distinct_short_forms
from econzoo.evaluate.analyses.regression.observations import format_column, format_role
from econzoo.evaluate.analyses.regression.pairs import Cell, Heat
from econzoo.evaluate.analyses.regression.regression import POINT
from econzoo.evaluate.show import DIVERGING_PALETTE, INK, LINE, SERIES, apply_style, extent, heat_map, symmetric_scale
from econzoo.evaluate.show import write_number

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.study import FamilyStudy, FeatureEffects

MAX_LINES = 90
"""Maximum lines of a figure that fits on a page."""

MAX_LEVEL_LENGTH = 60
"""Maximum characters of a tick label."""

POINTS = 100
"""Percentage points per unit of an effect."""


@apply_style
def heat_figure(heat: Heat, roles: Sequence[str] = ("first seat", "second seat")) -> Figure:
    """Plot a heat map of player pairs: deviation from the mean of all pairs in percentage points, and matches."""
    cells = [[heat.cells.get((row, column)) for column in heat.columns] for row in heat.rows]
    values = np.array([[math.nan if cell is None else POINTS * cell.effect for cell in row] for row in cells])
    texts = [[_cell_texts(cell) for cell in row] for row in cells]
    label = f"{format_column(heat.metric)}: points from the mean"
    sides = format_role(roles[0]), format_role(roles[1])
    return heat_map(heat.rows, heat.columns, values, texts, DIVERGING_PALETTE, symmetric_scale(values), label, sides)


def _cell_texts(cell: Cell | None) -> tuple[str, str]:
    return ("", "") if cell is None else (write_number(POINT, cell.effect), f"n={cell.n:,}")


def effects_figure(family: FamilyStudy, players: bool) -> Figure | None:
    """Plot effects on all metrics side by side, with clustered (thick) and classical (thin) intervals.

    Returns:
        The figure; None without effects, or with more than `MAX_LINES`.
    """
    found = family.groups(players)
    labels = [label for group in found for label in _lines(group)]
    return _panels(family, found, labels) if labels and len(labels) <= MAX_LINES else None


@apply_style
def _panels(family: FamilyStudy, found: list[FeatureEffects], labels: list[str]) -> Figure:
    """Plot one panel per metric with shared lines."""
    metrics = [fit.metric for fit in family.fits]
    label_width = 0.3 + extent(labels, 8)[0]
    figure = Figure(figsize=(label_width + 1.5 * len(metrics), 0.8 + 0.19 * len(labels)), layout="constrained")
    panels = figure.subplots(1, len(metrics), sharey=True, squeeze=False)[0]
    for metric, ax in zip(metrics, panels, strict=True):
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_title(format_column(metric), fontsize=9)
        _whiskers(ax, found, metric)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
    panels[0].set_yticks(range(len(labels)), labels, fontsize=8)
    panels[0].set_ylim(len(labels) - 0.5, -0.5)
    for tick, label in zip(panels[0].get_yticklabels(), labels, strict=True):
        tick.set_fontweight("normal" if label.startswith("  ") else "bold")
    figure.supxlabel("difference to the baseline (percentage points)", fontsize=9)
    return figure


def _lines(group: FeatureEffects) -> list[str]:
    """Heading and levels of a feature."""
    known = distinct_short_forms([group.baseline, *group.rows], MAX_LEVEL_LENGTH)
    heading = f"{format_column(group.parameter)} (baseline {known[group.baseline]})"
    return [heading, *("  " + known[value] for value in group.rows)]


def _whiskers(ax: Axes, found: list[FeatureEffects], metric: str) -> None:
    # Heights are the lines of `_lines`: a heading, then the levels.
    height = 0
    for group in found:
        ax.axhline(height - 0.5, color=LINE, linewidth=0.6)
        for row in group.rows.values():
            height += 1
            if metric not in row:
                continue
            effect = row[metric]
            ax.hlines(height, POINTS * effect.ci_low, POINTS * effect.ci_high, color=SERIES[0], linewidth=0.9)
            ends = POINTS * effect.ci_low_clustered, POINTS * effect.ci_high_clustered
            ax.hlines(height, *ends, color=SERIES[0], linewidth=2.6, alpha=0.5)
            ax.plot(POINTS * effect.effect, height, "o", color=SERIES[0], markersize=3)
        height += 1
