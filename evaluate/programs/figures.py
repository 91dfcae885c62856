"""Figures of the measures of programs: curves over meta-rounds, in the style of all figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import fill

from matplotlib.figure import Figure

from econzoo.evaluate.escapes import short
from econzoo.evaluate.figures import axes, color, marker, styled, whole_numbers
from econzoo.evaluate.formats import known
from econzoo.evaluate.programs.estimates import ALL, Mean

LABEL = 30
"""Characters of a line beside an axis."""

LEGEND = 44
"""Characters of a line of the legend."""


def curves(rows: Sequence[Mean], game: str, measure: str) -> dict[str, list[Mean]]:
    """Player to its values by meta-round; players without any are left out, and all together where there are two."""
    found: dict[str, list[Mean]] = {}
    for row in rows:
        drawn = row.round and row.player != ALL and row.opponent == ALL and not math.isnan(row.value)
        if drawn and (row.game, row.measure) == (game, measure):
            found.setdefault(row.player, []).append(row)
    return found


@styled
def round_figure(series: dict[str, list[Mean]], title: str, share: bool) -> Figure:
    """A measure over meta-rounds: a line for each player with its 95% interval as a band.

    Args:
        series: See `curves`.
        title: Of the measure.
        share: Whether it lies in [0, 1] and is drawn so.
    """
    figure, ax = axes(2.9)
    for at, (player, rows) in enumerate(series.items()):
        rounds = [row.round for row in rows]
        low, high = ([known(getattr(row, end), row.value) for row in rows] for end in ("low", "high"))
        ax.fill_between(rounds, low, high, color=color(at), alpha=0.16, linewidth=0)
        values = [row.value for row in rows]
        ax.plot(rounds, values, color=color(at), marker=marker(at), markersize=4.5, label=short(player))
    if share:
        ax.set_ylim(-0.03, 1.03)
    elif ax.get_ylim()[0] < 0 <= min(row.value for rows in series.values() for row in rows):
        ax.set_ylim(bottom=0.0)
    ax.set_xlabel("meta-round")
    ax.set_ylabel(fill(title, LABEL))
    whole_numbers(ax)
    columns = max(1, LEGEND // max(len(short(player)) for player in series))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(3, columns, len(series)))
    return figure
