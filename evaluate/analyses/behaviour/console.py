"""Tables of behaviour, and of what words are worth, for the terminal, within 80 columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.plurals import many
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.behaviour.channel import Worth
from econzoo.evaluate.analyses.behaviour.measures import Behaviour
from econzoo.evaluate.analyses.behaviour.tables import Cell, Table, tables
from econzoo.evaluate.show import console
from econzoo.evaluate.show import numbers as formats
from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.numbers import AGREED, agreements


def shown(found: Behaviour) -> list[Any]:
    """Everything for `econzoo.evaluate.show.console.show`."""
    parts: list[Any] = []
    for game in found.games:
        parts.append(f"{game}: {many(found.matches[game], 'match')}, {many(found.clusters[game], 'cluster')}\n")
        made = tables(found, game)
        if not made:
            parts.append("There is no move to measure.\n")
        for table in made:
            parts.append(rich_table(table))
            parts.append(table.note + "\n")
    return parts


def rich_table(table: Table) -> Any:
    """A rich table; an interval takes a column of its own."""
    wide = [any(cells[i].ranged for _, cells in table.rows) for i in range(len(table.heads) - 1)]
    heads = [table.heads[0]]
    for head, ranged in zip(table.heads[1:], wide, strict=True):
        heads += [head, "95%"] if ranged else [head]
    lines = []
    for name, cells in table.rows:
        line = [visible(name)]
        for cell, ranged in zip(cells, wide, strict=True):
            line += [text(cell), interval(cell)] if ranged else [text(cell)]
        lines.append(line)
    return console.table(table.title, heads, lines)


def text(cell: Cell) -> str:
    """The estimate."""
    if cell.form == "count":
        return f"{cell.found.rows:,}"
    if cell.form == "percent":
        return formats.percent(cell.found.mean)
    return formats.NOTHING if math.isnan(cell.found.mean) else _number(cell.found.mean, cell)


def interval(cell: Cell) -> str:
    """Its interval."""
    low, high = cell.found.low, cell.found.high
    if math.isnan(low) or math.isnan(high):
        return formats.NOTHING
    if cell.form == "percent":
        return f"{100 * low:.0f}\u2013{100 * high:.0f}%"
    return formats.between(_number(low, cell), _number(high, cell))


def _number(value: float, cell: Cell) -> str:
    digits = 0 if cell.form == "round" else 2
    return f"{round(value, digits) + 0.0:.{digits}f}"  # no minus before a zero


# What words are worth


SHOWN = (
    ("self_gain", "gain"),
    ("efficiency", "effic."),
    ("fairness", "fair"),
    (AGREED, AGREED),
    ("rounds", "rounds"),
)
"""(metric, heading); the first with its interval."""

NOTE = (
    "Mean difference between twin matches, with its 95% interval: what it is worth to have messages (on - off), and "
    "what their meaning is worth (on - scrambled). n: pairs of twins."
)


def worth_tables(found: Sequence[Worth]) -> list[Any]:
    """A table for each contrast and the note."""
    contrasts = list(dict.fromkeys(row.contrast for row in found))
    return [*(_table(contrast, [row for row in found if row.contrast == contrast]) for contrast in contrasts), NOTE]


def _table(contrast: str, rows: Sequence[Worth]) -> Any:
    """One line for every player and opponent, all seats together."""
    by_place: dict[tuple[str, str], dict[str, Worth]] = {}
    for row in rows:
        if not row.role:
            by_place.setdefault((row.player, row.opponent), {})[row.metric] = row
    facts = find_game(rows[0].game).facts
    gain, *others = (agreements(facts) if head == AGREED else head for _, head in SHOWN)
    heads = ["player (opponent)", gain, "95%", *others, "n"]
    lines = [
        _line(visible(f"{player} ({other})"), by_place[player, other], facts.agreement_column)
        for player, other in sorted(by_place)
    ]
    return console.table(f"{rows[0].game}: {contrast}", heads, lines)


def _line(name: str, found: dict[str, Worth], agreed: str) -> list[str]:
    gain, *rest = (found[agreed if metric == AGREED else metric] for metric, _ in SHOWN)
    others = [_signed(one.difference) for one in rest]
    return [name, _signed(gain.difference), _span(gain), *others, str(gain.n)]


def _signed(value: float) -> str:
    if math.isnan(value):
        return formats.NOTHING
    value = round(value, 3) + 0.0
    return f"{value:+.3f}" if value else "0"


def _span(row: Worth) -> str:
    return formats.NOTHING if math.isnan(row.low) else f"{_signed(row.low)} to {_signed(row.high)}"
