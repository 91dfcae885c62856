"""Actor by opponent: what a player's programs are like and do against each of the others, as a table and heat maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from econzoo.evaluate.analyses.programs.estimates import ALL, Cell, Mean
from econzoo.evaluate.analyses.programs.wording import (
    DRAWN,
    SHARES,
    SHORTS,
    TITLES,
    ends,
    heads,
    known,
    numbers,
    value,
    with_objectives,
)
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.show.figures import plain, styled
from econzoo.evaluate.show.heat_map import UPWARDS, heat_map, spread
from econzoo.evaluate.show.numbers import percent

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.measured import Measured

NARROW = ("payoff", "cooperation", "own_coins", "access_paper")
COLUMNS = (*NARROW, "after_cc", "token_opponent", "tree_opponent", "cyclomatic", "effort", "exploitability")
"""Measures in the table of a terminal, and of a page."""

MAPS = ("payoff", *DRAWN, "token_opponent")
"""Measures that have a heat map."""

MOST = 30
"""Pairs that a terminal shows."""


def pairs_table(found: Measured, game: str, most: int | None = None) -> TextTable:
    """One row for each actor and opponent; no rows where nobody met several opponents.

    Args:
        found: What was measured.
        game: Which game.
        most: Rows at most, of a few measures; None: all of both.
    """
    pairs = found.pairs(game) if found.crossed(game) else []
    note = "The player's programs and what they got, by whom they met. payoff: per turn, without failed rounds."
    if most is not None and len(pairs) > most:
        note += f" The first {most} of {len(pairs)} pairs; the page has all of them."
    pairs, keys = pairs[:most], known(found.means, COLUMNS if most is None else NARROW, game)
    firsts = [not at or one != pairs[at - 1][0] for at, (one, _) in enumerate(pairs)]
    rows = [
        [called(one) if first else "", called(other), *numbers(found.cells[Cell(game, one, other)], keys)]
        for first, (one, other) in zip(firsts, pairs, strict=True)
    ]
    title = "Actor by opponent" + (" in numbers" if most is None else "")
    table = TextTable(title, ["player", "against", *heads(keys)], rows, note)
    return with_objectives(table, [found.specs[player] for player, _ in pairs])


def heat_maps(found: Measured, game: str) -> list[tuple[str, Figure]]:
    """Title and figure of every measure that has values, where somebody met several opponents."""
    if not found.crossed(game):
        return []
    players = [player for player in found.players(game) if player != ALL]
    return [(TITLES[key], _map(found, game, key, players)) for key in known(found.means, MAPS, game)]


@styled
def _map(found: Measured, game: str, key: str, players: Sequence[str]) -> Figure:
    rows = [[_mean(found, Cell(game, actor, other), key) for other in players] for actor in players]
    values = np.array([[math.nan if one is None else one.value for one in row] for row in rows])
    texts, told = [[_texts(one) for one in row] for row in rows], percent if key in SHARES else plain
    return heat_map(players, players, values, texts, UPWARDS, spread(values), SHORTS[key], told=told)


def _mean(found: Measured, cell: Cell, key: str) -> Mean | None:
    return found.cells[cell][key] if cell in found.cells else None


def _texts(mean: Mean | None) -> tuple[str, str]:
    """What stands in a cell: the mean, and its interval where there is one."""
    if mean is None or math.isnan(mean.value):
        return "", ""
    return value(mean), "" if math.isnan(mean.low) else ends(mean)
