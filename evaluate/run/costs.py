"""Model costs by player and game, as a table and as CSV."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import Budget
from econzoo.envs.core.record import Record, record_paths
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.show import COUNT, FILES, MONEY, READER_PLACES, TEXT, Column, Table, csv_of, show, write_csv

__all__ = ["Cost", "costs", "costs_tables", "write_costs"]

FILE = "costs.csv"
"""File beside the records."""


class Cost(NamedTuple):
    """Cost of a player in a game, without failed matches and calls of unfinished matches.

    Attributes:
        spec: Spec in the last match.
        matches: Matches in which it used a model.
        legal: Number of valid answers.
        cost: US dollars.
    """

    player: str
    spec: str
    game: str
    matches: int
    answers: int
    legal: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


def costs(records: Iterable[Record]) -> list[Cost]:
    """Return the costs of every player that used tokens, by game, in descending order."""
    counted = Costs()
    for record in records:
        counted.add(record)
    return counted.sorted_by_cost()


class Costs:
    """Accumulates the costs of players; see `costs`."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Cost] = {}

    def add(self, record: Record) -> None:
        spent = [turn for turn in record.stored_turns if turn.cost or any(turn.tokens)]
        for at, (label, spec) in enumerate(zip(record.labels, record.players, strict=True) if spent else ()):
            turns = [turn for turn in record.turns if turn.seat == at]
            read, wrote = (sum(turn.tokens[place] for turn in turns) for place in (0, 1))
            cost = sum(turn.cost for turn in turns)
            if read or wrote or cost:
                total = self._found.get((label, record.game), Cost(label, spec, record.game, 0, 0, 0, 0, 0, 0.0))
                legal = sum(turn.error is None for turn in turns)
                # A player in several seats has played one match.
                addends = (label not in record.labels[:at], len(turns), legal, read, wrote, cost)
                sums: Any = [one + more for one, more in zip(total[3:], addends, strict=True)]
                self._found[label, record.game] = Cost(label, spec, record.game, *sums)

    def sorted_by_cost(self) -> list[Cost]:
        costs = self._found.values()
        return sorted(costs, key=lambda one: (-one.cost, -one.prompt_tokens - one.completion_tokens, one.player))


def costs_tables(found: Sequence[Cost]) -> list[Table]:
    """Return one row per player and game: with specs for files, else with the total."""
    several, total = len({one.game for one in found}) > 1, [_total(found)] if len(found) > 1 else []
    columns = [
        Column("player", kind=TEXT),
        *([Column("game", kind=TEXT)] if several else []),
        Column("matches", kind=COUNT),
        Column("answers", kind=COUNT),
        Column("legal", kind=COUNT, meaning="Legal: valid answers"),
        Column("read", kind=COUNT, meaning="Read, written: tokens"),
        Column("written", kind=COUNT),
        Column("cost", kind=MONEY, meaning="Cost: US dollars, by the given prices"),
        Column("a_match", kind=MONEY),
    ]
    rows = [_row(one, several) for one in [*found, *total]]
    return [costs_file(found), Table("cost", "Cost", columns, rows, places=READER_PLACES)]


def costs_file(found: Sequence[Cost]) -> Table:
    """Return the costs for files, with label and spec of each player."""
    rows = [one._replace(cost=round(one.cost, 6)) for one in found]
    kinds = {"player": TEXT, "spec": TEXT, "game": TEXT}
    columns = [Column(name, kind=kinds.get(name, COUNT)) for name in Cost._fields]
    return Table("costs", "Costs", columns, rows, places=(FILES,))


def _total(found: Sequence[Cost]) -> Cost:
    sums: Any = [sum(column) for column in zip(*(one[3:] for one in found), strict=True)]
    return Cost("all", "", "", *sums)


def _row(one: Cost, several: bool) -> list[Any]:
    matches = one.matches if one.spec else None  # players of one match share it
    each = one.cost / one.matches if one.spec and one.cost else None
    counts = (matches, one.answers, one.legal, one.prompt_tokens, one.completion_tokens)
    return [one.player, *([one.game] if several else []), *counts, one.cost or None, each]


def write_costs(found: Sequence[Cost], folder: Path) -> Path:
    """Write the costs into a folder, beside the records."""
    return write_csv(folder / FILE, *csv_of(costs_file(found)))


def report_costs(own: Budget) -> None:
    """Print the total cost of models to standard error, by player if matches were played."""
    files, totals = [], list[Cost]()
    for place in (place for place in dict.fromkeys(own.record_files) if place.is_dir() and record_paths(place)):
        found = costs(read_folder(place)[0])
        files += [write_costs(found, place)] if found else []
        totals += found
    show(costs_tables(sorted(totals, key=lambda one: -one.cost)) if totals else [], out=sys.stderr)
    by = f"; by player in {', '.join(map(str, files))}" if files else ""
    print(f"Total model cost: {own}{by}", file=sys.stderr)
