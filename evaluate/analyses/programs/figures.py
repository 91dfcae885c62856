"""Figures of programs: heat maps of actor by opponent, curves over meta-rounds, and judged strategies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure as Drawing
from matplotlib.transforms import blended_transform_factory

from econzoo.evaluate.analyses.programs.estimates import ALL_PLAYERS, Cell, Mean
from econzoo.evaluate.analyses.programs.rows import MEASURES
from econzoo.evaluate.analyses.programs.tables import COLUMNS, keys_with_values, pairs_of
from econzoo.evaluate.show import SEQUENTIAL_PALETTE, SHARE, Figure, apply_style, axes, band, contrast_color
from econzoo.evaluate.show import format_percent, format_tick, heat_map, legend, min_max_scale, series_style
from econzoo.evaluate.show import series_styles, set_integer_ticks, set_percent_ticks, whisker, wrap_labels
from econzoo.evaluate.show import write_interval, write_value

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.labels import Categories
    from econzoo.evaluate.analyses.programs.measures import ProgramMeasures
    from econzoo.evaluate.analyses.programs.strategies import StrategyJudgements

TITLES = {measure.key: measure.title for measure in MEASURES}

ROUND_MEASURES = (
    "cooperation",
    "own_coins",
    "after_cc",
    "access_paper",
    "access_extended",
    "cyclomatic",
    "effort",
    "tree_opponent",
    "exploitability",
)
"""Measures with a figure over meta-rounds."""

MAP_MEASURES = ("payoff", *ROUND_MEASURES, "token_opponent")

MIN_LABELLED_SHARE = 0.08
"""Minimum share with a label in its bar."""

MAX_LABEL_LENGTH = 30
"""Maximum characters per line of an axis label."""


def heat_maps(found: ProgramMeasures, game: str) -> list[Figure]:
    """Return heat maps of actor by opponent; empty if every player has a single opponent."""
    if not found.has_several_opponents(game):
        return []
    players = [player for player in found.players(game) if player != ALL_PLAYERS]
    return [
        Figure(f"{key}_by_opponent_{game}", TITLES[key], "", _map(found, game, key, players), game, small=True)
        for key in keys_with_values(found.means, MAP_MEASURES, game)
    ]


@apply_style
def _map(found: ProgramMeasures, game: str, key: str, players: Sequence[str]) -> Drawing:
    column = COLUMNS[key]
    places = [[Cell(game, actor, other) for other in players] for actor in players]
    cells = [[found.cells[cell][key].interval if cell in found.cells else None for cell in row] for row in places]
    values = np.array([[math.nan if one is None else one.mean for one in row] for row in cells])
    texts = [
        [
            ("", "") if one is None or math.isnan(one.mean) else (write_value(column, one), write_interval(column, one))
            for one in row
        ]
        for row in cells
    ]
    format_value = format_percent if column.kind == SHARE else format_tick
    scale = min_max_scale(values)
    return heat_map(players, players, values, texts, SEQUENTIAL_PALETTE, scale, column.title, format_value=format_value)


def round_figures(found: ProgramMeasures, game: str) -> list[Figure]:
    """Return curves over meta-rounds of measures with values in at least two."""
    drawings = []
    for key in ROUND_MEASURES:
        series = curves(found.means, game, key)
        if max(map(len, series.values()), default=0) > 1:
            share = COLUMNS[key].kind == SHARE or key.startswith("tree")  # similarities are from 0 to 1 too
            drawing = round_figure(series, TITLES[key], share, found.players(game))
            drawings.append(
                Figure(f"{key}_by_round_{game}", TITLES[key], "", drawing, f"over meta-rounds in {game}", True)
            )
    return drawings


def curves(rows: Sequence[Mean], game: str, measure: str) -> dict[str, list[Mean]]:
    """Return the means by meta-round of each player that has any."""
    found: dict[str, list[Mean]] = {}
    for row in rows:
        by_round = row.round and row.player != ALL_PLAYERS and row.opponent == ALL_PLAYERS and not math.isnan(row.value)
        if by_round and (row.game, row.measure) == (game, measure):
            found.setdefault(row.player, []).append(row)
    return found


@apply_style
def round_figure(series: dict[str, list[Mean]], title: str, share: bool, players: Sequence[str] = ()) -> Drawing:
    """Draw a measure over meta-rounds: one line per player, with 95% intervals as bands.

    Args:
        share: Whether to use an axis from 0 to 1.
    """
    figure, ax = axes(2.9)
    seen = series_styles([*players, *series])
    for player, rows in series.items():
        rounds, shown = [row.round for row in rows], seen[player]
        band(ax, rounds, [whisker(row.interval) for row in rows], shown)
        style: dict[str, Any] = {"color": shown.color, "marker": shown.marker, "linestyle": shown.dashes}
        ax.plot(rounds, [row.value for row in rows], markersize=4.5, label=player, **style)
    if share:
        ax.set_ylim(-0.03, 1.03)
        set_percent_ticks(ax.yaxis)
    elif ax.get_ylim()[0] < 0 <= min(row.value for rows in series.values() for row in rows):
        # Only the margin of the axis or a band is below 0, where no mean is.
        ax.set_ylim(bottom=0.0)
    ax.set_xlabel("meta-round")
    ax.set_ylabel(fill(title, MAX_LABEL_LENGTH))
    set_integer_ticks(ax)
    legend(figure)
    return figure


# Judged strategies


def strategy_figures(judged: StrategyJudgements) -> Iterator[Figure]:
    """Yield the shares of categories by actor and opponent, for each game and judge."""
    note = "Shares of labelled programs, round 1 excluded; right margin: number of programs."
    for at, (game, judge) in enumerate(judged.places):
        bars = [one for one in pairs_of(judged, game, judge) if not math.isnan(one[1][judged.rubric.keys[0]].value)]
        if bars:
            heading = f"Actor by opponent in {game}, judged by {judge}"
            yield Figure(f"strategies_{at}", heading, note, chart(bars, judged.rubric))


@apply_style
def chart(bars: Sequence[tuple[Cell, dict[str, Mean]]], rubric: Categories) -> Drawing:
    """Draw a stacked bar of the shares of categories for each actor and opponent."""
    heights = _heights([cell.player for cell, _ in bars])
    figure, ax = axes(1.2 + 0.27 * heights[-1], 6.2)
    left, margin = [0.0] * len(bars), blended_transform_factory(figure.transFigure, ax.transData)
    for place, one in enumerate(rubric.categories):
        widths = [found[one.key].value for _, found in bars]
        hue = series_style(place).color
        ax.barh(heights, widths, left=left, height=0.78, color=hue, label=one.name)
        for height, start, width in zip(heights, left, widths, strict=True):
            if width >= MIN_LABELLED_SHARE:
                middle, ink = start + width / 2, contrast_color(hue)
                ax.text(middle, height, format_percent(width), ha="center", va="center", fontsize=7.5, color=ink)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    for place, (height, (cell, found)) in enumerate(zip(heights, bars, strict=True)):
        ax.text(1.01, height, f"{found[rubric.keys[0]].n:,}", va="center", fontsize=7.5)
        # Names of actors start at the left edge of the figure, over the labels of the axis, and need no room beside it.
        if not place or cell.player != bars[place - 1][0].player:
            ax.text(0.01, height - 0.5, cell.player, va="bottom", fontweight="bold", transform=margin, in_layout=False)
    ax.set_yticks(heights, wrap_labels((f"against {cell.opponent}" for cell, _ in bars), 2.6, 8), fontsize=8)
    ax.set_xlim(0, 1)
    set_percent_ticks(ax.xaxis)
    ax.set_ylim(heights[-1] + 0.6, heights[0] - 1.5)
    ax.grid(visible=False)
    legend(figure, 8)
    return figure


def _heights(players: Sequence[str]) -> list[float]:
    """Return bar positions from the top, grouped by actor with room for its name."""
    heights, at = [], 0.0
    for place, player in enumerate(players):
        at += 1.0 if place and player == players[place - 1] else 2.0
        heights.append(at)
    return heights
