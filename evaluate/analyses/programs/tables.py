"""The tables that terminals and pages show: chosen numbers, side by side; the CSV files have all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from econzoo.envs.core.plurals import many
from econzoo.envs.families.open_source.interfaces import BASES
from econzoo.evaluate.analyses.programs.estimates import ALL, Cell
from econzoo.evaluate.analyses.programs.ranking import ranking_tables
from econzoo.evaluate.analyses.programs.wording import (
    SHORTS,
    between,
    heads,
    known,
    numbers,
    signed,
    value,
    with_objectives,
)
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.show.numbers import number

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.measured import Measured

PLAYED = ("cooperation", "after_cc", "after_cd", "after_dc", "after_dd", "own_coins", "payoff")
SHAPE = ("sloc", "cyclomatic", "volume", "effort", "access_paper", "access_extended")
LIKENESS = ("token_opponent", "tree_opponent", "token_own", "tree_own")
EXPLOITED = ("exploitability", "margin")
BY_ROUND = (
    "cooperation",
    "own_coins",
    "after_cc",
    "access_paper",
    "access_extended",
    "sloc",
    "tree_opponent",
    "exploitability",
)
"""Columns of the tables; those without any value are left out."""

TRENDS = (*BY_ROUND, "cyclomatic", "effort", "token_opponent")
"""Measures whose trends are shown."""


WHAT = "what"
"""Head of a column of words."""


def tables(found: Measured, game: str, by_opponent: TextTable) -> list[TextTable]:
    """All tables of a game that have a row and a column.

    Args:
        found: What was measured.
        game: Which game.
        by_opponent: The table of who met whom (`econzoo.evaluate.analyses.programs.opponents.pairs_table`).
    """
    made = [
        *ranking_tables(found, game),
        with_objectives(
            _overall(found, game, "Play", PLAYED, _PLAY_NOTE[BASES[game]]),
            [found.specs.get(player, player) for player in found.players(game)],
        ),
        by_opponent,
        _overall(found, game, "Programs", SHAPE, _SHAPE_NOTE),
        _overall(found, game, "Likeness", LIKENESS, _LIKENESS_NOTE),
        _overall(found, game, "Exploitability", EXPLOITED, _EXPLOITED_NOTE),
        _failures(found, game),
        _by_round(found, game),
        _trends(found, game),
    ]
    return [table for table in made if table.rows and len(table.heads) > 1]


_PLAY_NOTE = {
    "matrix": "coop.: cooperative moves. CC, CD, DC, DD: cooperation after such a turn, the own move first; CC is the "
    "memory-one index. Turns that a program did not answer are no case. payoff: per turn, without failed rounds.",
    "coin_game": "own coins: of the own colour, among all that were collected. payoff: per turn, without failed "
    "rounds.",
}
_SHAPE_NOTE = (
    "lines: of source. cycl.: cyclomatic complexity. volume, effort: Halstead's. access: statements that compute "
    "something of the opponent's source; ext.: with all assignments followed."
)
_LIKENESS_NOTE = (
    "By words (tok.) and by syntax trees, to the program that the opponent (opp.) or the author had submitted one "
    "meta-round before; 1 is the same but for formatting."
)
_EXPLOITED_NOTE = (
    "exploit.: what the best of the pool gets against the program beyond what a copy of it gets. margin: how much "
    "more the best of the pool gets than the program in their match. Both per turn."
)


def _overall(found: Measured, game: str, title: str, keys: Sequence[str], note: str) -> TextTable:
    keys = known(found.means, keys, game)
    rows = [[called(one), *numbers(found.cells[Cell(game, one)], keys)] for one in found.players(game)]
    return TextTable(title, ["player", *heads(keys)], rows, note)


def _failures(found: Measured, game: str) -> TextTable:
    rows = []
    for player in found.players(game):
        counts = found.failures.get((game, player), {})
        for at, (kind, count) in enumerate((kind, count) for kind, count in counts.items() if count):
            rows.append(["" if at else called(player), kind, f"{count:,}"])
    note = (
        "programs: meta-rounds in which one was due. refused: answers that were no program, by their problem. turn: "
        "turns that a program did not answer, by what went wrong."
    )
    return TextTable("What went wrong", ["player", WHAT, "count"], rows, note)


def _by_round(found: Measured, game: str) -> TextTable:
    keys = known(found.means, BY_ROUND, game)
    rows, before = [], ""
    for player in found.players(game):
        for at in sorted({cell.round for cell in found.cells if cell[:3] == (game, player, ALL)} - {0}):
            row = found.cells[Cell(game, player, ALL, at)]
            rows.append([called(player) if player != before else "", str(at), *(value(row[key]) for key in keys)])
            before = player
    return TextTable("By meta-round", ["player", "round", *(SHORTS[key] for key in keys)], rows, "")


def _trends(found: Measured, game: str) -> TextTable:
    """What changes; a measure that stays as it was in every match says nothing in a line of its own."""
    rows, before, still = [], "", 0
    for one in found.slopes:
        if one.game != game or one.measure not in TRENDS or math.isnan(one.slope):
            continue
        cells = [signed(one.slope), between(one.low, one.high, signed), number(one.p_value)]
        if not any(character in "123456789" for character in cells[0] + cells[1]):
            still += 1
            continue
        rows.append([called(one.player) if one.player != before else "", SHORTS[one.measure], *cells])
        before = one.player
    note = (
        "Change per meta-round with its interval over matches. p: of the line through the means of the meta-rounds, "
        "which takes them for independent."
    )
    note += f" Left out: {many(still, 'line')} of measures that do not change." if still else ""
    return TextTable("Trends", ["player", WHAT, "slope", "95%", "p"], rows, note)
