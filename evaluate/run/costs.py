"""What the models of matches have cost: by player and game, as a table and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.models.purse import dollars
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.numbers import NOTHING

__all__ = ["Cost", "costs", "costs_table", "write_costs"]

FILE = "costs.csv"
"""Beside the records."""

COSTS = ("read", "written", "cost", "a match")
NOTE = "legal: answers that could be used. read, written: tokens. cost: US dollars, by the prices that were given."


class Cost(NamedTuple):
    """What a player has cost in a game; failed matches and calls of matches without an end are not among it.

    Attributes:
        player: Its label.
        spec: Its spec, of the last match.
        game: Name.
        matches: In which it was a model.
        answers: That it gave.
        legal: Of them that could be used.
        tokens_read: In all its calls.
        tokens_written: Likewise.
        cost: US dollars.
    """

    player: str
    spec: str
    game: str
    matches: int
    answers: int
    legal: int
    tokens_read: int
    tokens_written: int
    cost: float


def costs(records: Iterable[Record]) -> list[Cost]:
    """The costs of every player that used any token, by game, the dearest first.

    Args:
        records: With labels of their own (see `econzoo.envs.core.record.labelled`).
    """
    found: dict[tuple[str, str], Cost] = {}
    for record in records:
        for at, (told, spec) in enumerate(zip(record.labels, record.players, strict=True)):
            turns = [turn for turn in record.turns if turn.seat == at]
            read, wrote = (sum(turn.tokens[place] for turn in turns) for place in (0, 1))
            cost = sum(turn.cost for turn in turns)
            if read or wrote or cost:
                before = found.get((told, record.game), Cost(told, spec, record.game, 0, 0, 0, 0, 0, 0.0))
                legal = sum(turn.error is None for turn in turns)
                now = (told not in record.labels[:at], len(turns), legal, read, wrote, cost)
                sums: Any = [one + more for one, more in zip(before[3:], now, strict=True)]
                found[told, record.game] = Cost(told, spec, record.game, *sums)
    return sorted(found.values(), key=lambda one: (-one.cost, -one.tokens_read - one.tokens_written, one.player))


def costs_table(found: Sequence[Cost]) -> TextTable:
    """One row for each player and game, and their sum; no rows where nobody used a token."""
    every = [*found, *([_total(found)] if len(found) > 1 else [])]
    several = len({one.game for one in found}) > 1
    rows = [_row(one, several) for one in every]
    heads = ["player", *(["game"] if several else []), "matches", "answers", "legal", *COSTS]
    return TextTable("Cost", heads, rows, NOTE)


def _total(found: Sequence[Cost]) -> Cost:
    sums: Any = [sum(column) for column in zip(*(one[3:] for one in found), strict=True)]
    return Cost("all", "", "", *sums)


def _row(one: Cost, several: bool) -> list[str]:
    counts = [f"{count:,}" for count in (one.matches, one.answers, one.legal, one.tokens_read, one.tokens_written)]
    money = [dollars(one.cost), dollars(one.cost / one.matches)] if one.cost else [NOTHING] * 2
    if not one.spec:  # two who met were in one match
        counts[0], money[1] = "", ""
    return [one.player, *([one.game] if several else []), *counts, *money]


def write_costs(found: Sequence[Cost], folder: Path) -> Path:
    """Writes the costs, with label and spec of each player."""
    return write_csv(folder / FILE, Cost._fields, [one._replace(cost=round(one.cost, 6)) for one in found])
