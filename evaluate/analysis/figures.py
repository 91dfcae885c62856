"""Figures of the analysis: heat maps of pairs and effects with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from econzoo.evaluate.analysis.pairs import Heat
from econzoo.evaluate.analysis.tables import POINTS, Group, parts, points
from econzoo.evaluate.escapes import short, shortened
from econzoo.evaluate.figures import INK, LINE, SERIES, WIDTH, axes, styled

if TYPE_CHECKING:
    from econzoo.evaluate.analysis.study import FamilyStudy, Study

LOW, HIGH = SERIES[1], SERIES[0]
"""Ends of the diverging palette: below and above the mean."""

PAPER = "#ffffff"
MOST = 90
"""Lines of a figure that still fits on a page."""

DOTS_PER_INCH = 180


@styled
def heat_figure(heat: Heat) -> Figure:
    """Pairs of players: the effect against the mean of all pairs in percentage points, with the number of matches."""
    values = np.array([[_effect(heat, row, column) for column in heat.columns] for row in heat.rows])
    most = float(np.nanmax(np.abs(values))) or 1.0
    figure, ax = axes(1.7 + 0.44 * len(heat.rows), max(WIDTH, 2.2 + 0.62 * len(heat.columns)))
    palette = LinearSegmentedColormap.from_list("diverging", [LOW, PAPER, HIGH])
    image = ax.imshow(values, cmap=palette, vmin=-most, vmax=most, aspect="auto")
    ax.grid(visible=False)
    ax.set_xticks(range(len(heat.columns)), [*shortened(heat.columns, 18).values()], rotation=40, ha="right")
    ax.set_yticks(range(len(heat.rows)), [*shortened(heat.rows, 18).values()])
    for place, row in enumerate(heat.rows):
        _labels(ax, heat, row, place, most)
    ax.set_title(f"{heat.family}: {heat.metric.replace('_', ' ')}, difference from the mean in points", fontsize=9.5)
    ax.set_xlabel("second seat")
    ax.set_ylabel("first seat")
    figure.colorbar(image, ax=ax, pad=0.02)
    return figure


def _effect(heat: Heat, row: str, column: str) -> float:
    cell = heat.cells.get((row, column))
    return math.nan if cell is None else POINTS * cell.effect


def _labels(ax: Axes, heat: Heat, row: str, place: int, most: float) -> None:
    """What stands in the cells of a row."""
    for at, column in enumerate(heat.columns):
        cell = heat.cells.get((row, column))
        if cell is None:
            ax.text(at, place, "never met", ha="center", va="center", fontsize=6, color=INK)
            continue
        color = PAPER if abs(POINTS * cell.effect) > 0.75 * most else INK
        ax.text(at, place - 0.12, points(cell.effect), ha="center", va="center", fontsize=8, color=color)
        ax.text(at, place + 0.26, f"n={cell.n:,}", ha="center", va="center", fontsize=5.5, color=color)


def effects_figure(family: FamilyStudy, part: str) -> Figure | None:
    """Effects on all metrics side by side: thick the cluster-robust interval, thin the classical one.

    Args:
        family: The family.
        part: ``"parameters"`` or ``"players"``.

    Returns:
        The figure; None if there is no effect to draw, or more than fit on a page.
    """
    found = parts(family)[part]
    labels = [label for group in found for label in _lines(group)]
    return _panels(family, found, labels) if labels and len(labels) <= MOST else None


@styled
def _panels(family: FamilyStudy, found: list[Group], labels: list[str]) -> Figure:
    """One panel for each metric, with the same lines."""
    metrics = [fit.metric for fit in family.fits]
    beside = 2.4 + 0.06 * max(0, max(map(len, labels)) - 40)
    figure = Figure(figsize=(beside + 1.5 * len(metrics), 0.8 + 0.19 * len(labels)), layout="constrained")
    panels = figure.subplots(1, len(metrics), sharey=True, squeeze=False)[0]
    for metric, ax in zip(metrics, panels, strict=True):
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_title(metric.replace("_", " "), fontsize=9)
        _whiskers(ax, found, metric)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
    panels[0].set_yticks(range(len(labels)), labels, fontsize=8)
    panels[0].set_ylim(len(labels) - 0.5, -0.5)
    for tick, label in zip(panels[0].get_yticklabels(), labels, strict=True):
        tick.set_fontweight("normal" if label.startswith("  ") else "bold")
    figure.supxlabel("percentage points against the baseline", fontsize=9)
    return figure


def _lines(group: Group) -> list[str]:
    """Heading and levels of a feature."""
    known = [group.baseline, *group.rows]
    longest = max(map(len, known)) + 1
    length = next(n for n in (34, 60, longest) if n == longest or len({short(one, n) for one in known}) == len(known))
    heading = f"{group.parameter.replace('_', ' ')} (baseline {short(group.baseline, max(22, length - 20))})"
    return [heading, *("  " + short(value, length) for value in group.rows)]


def _whiskers(ax: Axes, found: list[Group], metric: str) -> None:
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


def all_figures(study: Study) -> dict[str, Figure]:
    """All figures, by the names of their files."""
    made = {
        f"{heat.family}_{heat.metric}_pairs": heat_figure(heat) for family in study.families for heat in family.heats
    }
    for family in study.families:
        drawn = {part: effects_figure(family, part) for part in ("parameters", "players")}
        made |= {f"{family.name}_{part}": figure for part, figure in drawn.items() if figure is not None}
    return made
