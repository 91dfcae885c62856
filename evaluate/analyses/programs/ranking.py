"""Who earned most by its programs: without the meta-rounds in which a program failed, and with them.

Where a program leaves a turn unanswered the rules of the match say what it is paid, not the programs: against an author
without a program a defector earns as much as in mutual cooperation, a cooperator half of it. So a ranking with such
rounds tells in part who met failing authors. Ranks are those without them; how many they are, and the means with them,
stand beside.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pandas import DataFrame

from econzoo.evaluate.analyses.gap_to_best import behind_tables
from econzoo.evaluate.analyses.programs.estimates import ALL, Cell, Mean
from econzoo.evaluate.analyses.programs.wording import ends, value
from econzoo.evaluate.show.console import TextTable, as_text
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.stats.estimates import behind

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.measured import Measured

PAYOFF, WITH_FAILED = "payoff", "payoff_with_failed"
"""Measures of the payoff a turn: of rounds in which both programs answered every turn, and of all rounds."""

HEADS = ["player", "payoff", "95%", "failed, own", "of others", "rounds", "with failed", "95%"]

NOTE = (
    "Payoff per turn. Ranks are without failed rounds: meta-rounds in which a program, the own or the other one, left "
    "a turn unanswered; what is paid there says little about programs. How many there are, and the mean with them, "
    "stand beside."
)


def ranking_tables(found: Measured, game: str) -> list[TextTable]:
    """The players of a game by their payoffs, and how far the others are behind the first one."""
    own = {player: found.cells[Cell(game, player)] for player in found.players(game) if player != ALL}
    if len(own) < 2:
        return []
    names = sorted(own, key=lambda player: _rank(own[player][PAYOFF].value))
    table = found.table[found.table["game"] == game]
    rows = [
        [
            called(player),
            *_told(own[player][PAYOFF]),
            *failed_rounds(table[table["player"] == player]),
            *_told(own[player][WITH_FAILED]),
        ]
        for player in names
    ]
    return [
        TextTable("Ranking", HEADS, rows, NOTE),
        *map(as_text, behind_tables(names[0], behind(table, names, PAYOFF), "payoff per turn")),
    ]


def _told(mean: Mean) -> tuple[str, str]:
    return value(mean), ends(mean)


def _rank(payoff: float) -> float:
    return math.inf if math.isnan(payoff) else -payoff


def failed_rounds(table: DataFrame) -> list[str]:
    """In how many rounds a program failed, the own or the other one, and how many rounds there are."""
    return [f"{int((table[name] > 0).sum()):,}" for name in ("failed", "failed_against")] + [f"{len(table):,}"]
