"""What judges said of the programs, as tables and charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from econzoo.evaluate.analyses.programs.estimates import ALL, Cell, Mean, cells
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.show.figure_files import Drawn
from econzoo.evaluate.show.figure_labels import legend, wrapped_all
from econzoo.evaluate.show.figures import axes, percents, styled
from econzoo.evaluate.show.numbers import number, percent
from econzoo.evaluate.show.palette import look, readable_on

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.categories import Categories
    from econzoo.evaluate.analyses.programs.strategies import Judged, Strategies

WRITTEN = 0.08
"""The smallest share that is written into its part of a bar."""


def strategy_tables(judged: Judged) -> list[TextTable]:
    """What judges said: for each game and judge a table by player, and one by opponent."""
    made = []
    for game, judge in _places(judged):
        by = f"Strategies in {game}, judged by {called(judge)}"
        made += [_by_player(judged, game, judge, by), _by_opponent(judged, game, judge, f"{by}: actor by opponent")]
    return [table for table in made if table.rows]


def _places(judged: Judged) -> list[tuple[str, str]]:
    return list(dict.fromkeys((one.game, one.judge) for one in judged.overall))


def _by_player(judged: Judged, game: str, judge: str, title: str) -> TextTable:
    note = (
        "Shares of n labelled programs. The program of round 1 has nothing to answer. unp.: programs whose answers "
        "named no category. miss.: rounds without a program."
    )
    if judged.agreed is not None:
        agreed = judged.agreed
        note += f" Krippendorff's alpha of the judges, nominal: {number(agreed.alpha)} on {agreed.programs:,} programs"
        note += f" ({agreed.undefined})." if agreed.undefined else "."
    heads = ["player", "round", *(one.short for one in judged.rubric.every), "n", "unp.", "miss."]
    rows = [_strategy(one) for one in judged.overall if (one.game, one.judge) == (game, judge)]
    return TextTable(title, heads, rows, note)


def _strategy(one: Strategies) -> list[str]:
    shares = list(one.shares.values())
    counts = (shares[0].cases, one.unparsed, one.missing)
    who = [called(one.player), "1" if one.first else "later"]
    return [*who, *(percent(share.value) for share in shares), *(f"{count:,}" for count in counts)]


def _by_opponent(judged: Judged, game: str, judge: str, title: str) -> TextTable:
    heads = ["player", "against", *(one.short for one in judged.rubric.every), "n"]
    rows, before = [], ""
    for cell, found in _pairs(judged, game, judge):
        every = [found[key] for key in judged.rubric.keys]
        who = ["" if cell.player == before else called(cell.player), called(cell.opponent)]
        rows.append([*who, *(percent(one.value) for one in every), f"{every[0].n:,}"])
        before = cell.player
    return TextTable(title, heads, rows, "Shares of n labelled programs, without those of round 1.")


def _pairs(judged: Judged, game: str, judge: str) -> Iterator[tuple[Cell, dict[str, Mean]]]:
    """Who answered whom, and how."""
    for cell, found in cells(judged.shares.get(judge, ())).items():
        if cell.game == game and ALL not in (cell.player, cell.opponent) and not cell.round:
            yield cell, found


def strategy_charts(judged: Judged) -> list[Drawn]:
    """For each game and judge the shares of the categories, by actor and by opponent."""
    made = []
    for game, judge in _places(judged):
        bars = [one for one in _pairs(judged, game, judge) if not math.isnan(one[1][judged.rubric.keys[0]].value)]
        if bars:
            name = f"Actor by opponent in {game}, judged by {called(judge)}"
            note = "Shares of the labelled programs without those of round 1; at the right their number."
            made.append(Drawn("strategies", name, note, chart(bars, judged.rubric)))
    return made


@styled
def chart(bars: Sequence[tuple[Cell, dict[str, Mean]]], rubric: Categories) -> Figure:
    """A stacked bar for each actor and opponent.

    Args:
        bars: Who answered whom, and the share of each category.
        rubric: The categories, in the order of the stack.
    """
    heights = _heights([cell.player for cell, _ in bars])
    figure, ax = axes(1.2 + 0.27 * heights[-1], 6.2)
    left, beside = [0.0] * len(bars), blended_transform_factory(figure.transFigure, ax.transData)
    for place, one in enumerate(rubric.every):
        widths = [found[one.key].value for _, found in bars]
        hue = look(place).color
        ax.barh(heights, widths, left=left, height=0.78, color=hue, label=one.name)
        for height, start, width in zip(heights, left, widths, strict=True):
            if width >= WRITTEN:
                middle, ink = start + width / 2, readable_on(hue)
                ax.text(middle, height, percent(width), ha="center", va="center", fontsize=7.5, color=ink)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    for place, (height, (cell, found)) in enumerate(zip(heights, bars, strict=True)):
        ax.text(1.01, height, f"{found[rubric.keys[0]].n:,}", va="center", fontsize=7.5)
        if not place or cell.player != bars[place - 1][0].player:
            ax.text(0.01, height - 0.5, cell.player, va="bottom", fontweight="bold", transform=beside, in_layout=False)
    ax.set_yticks(heights, wrapped_all((f"against {cell.opponent}" for cell, _ in bars), 2.6, 8), fontsize=8)
    ax.set_xlim(0, 1)
    percents(ax.xaxis)
    ax.set_ylim(heights[-1] + 0.6, heights[0] - 1.5)
    ax.grid(visible=False)
    legend(figure, 8)
    return figure


def _heights(players: Sequence[str]) -> list[float]:
    """Where bars stand, from above: those of one actor together, with room for its name before them."""
    heights, at = [], 0.0
    for place, player in enumerate(players):
        at += 1.0 if place and player == players[place - 1] else 2.0
        heights.append(at)
    return heights
