"""Figures of the measures of programs: curves over meta-rounds, in the style of all figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from matplotlib.figure import Figure

from econzoo.evaluate.analyses.programs.estimates import ALL, Mean
from econzoo.evaluate.show.figure_labels import legend
from econzoo.evaluate.show.figures import axes, band, percents, styled, whole_numbers
from econzoo.evaluate.show.numbers import known
from econzoo.evaluate.show.palette import looks

LABEL = 30
"""Characters of a line beside an axis."""


def curves(rows: Sequence[Mean], game: str, measure: str) -> dict[str, list[Mean]]:
    """Player to its values by meta-round; players without any are left out, and all together where there are two."""
    found: dict[str, list[Mean]] = {}
    for row in rows:
        drawn = row.round and row.player != ALL and row.opponent == ALL and not math.isnan(row.value)
        if drawn and (row.game, row.measure) == (game, measure):
            found.setdefault(row.player, []).append(row)
    return found


@styled
def round_figure(series: dict[str, list[Mean]], title: str, share: bool, players: Sequence[str] = ()) -> Figure:
    """A measure over meta-rounds: a line for each player with its 95% interval as a band.

    Args:
        series: See `curves`.
        title: Of the measure.
        share: Whether it lies in [0, 1] and is drawn so.
        players: Of the whole page, so that each looks the same on all of its figures.
    """
    figure, ax = axes(2.9)
    seen = looks([*players, *series])
    for player, rows in series.items():
        rounds, shown = [row.round for row in rows], seen[player]
        band(ax, rounds, [(known(row.low, row.value), known(row.high, row.value)) for row in rows], shown)
        drawn: dict[str, Any] = {"color": shown.color, "marker": shown.marker, "linestyle": shown.dashes}
        ax.plot(rounds, [row.value for row in rows], markersize=4.5, label=player, **drawn)
    if share:
        ax.set_ylim(-0.03, 1.03)
        percents(ax.yaxis)
    elif ax.get_ylim()[0] < 0 <= min(row.value for rows in series.values() for row in rows):
        ax.set_ylim(bottom=0.0)
    ax.set_xlabel("meta-round")
    ax.set_ylabel(fill(title, LABEL))
    whole_numbers(ax)
    legend(figure)
    return figure
