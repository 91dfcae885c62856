"""The codebook of exported tables: what every column means, for people (Markdown) and for programs (CSV)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from econzoo.envs.core.contract.game import Game
from econzoo.evaluate.analyses.tidy.column import Column, Meaning
from econzoo.evaluate.analyses.tidy.tables import Table
from econzoo.evaluate.analyses.tidy.writing import codes_of
from econzoo.evaluate.show.csv_files import write_csv

HEADS = ("table", "column", "meaning", "kind", "unit", "range", "missing", "source")
"""Columns of the codebook; a column that means something of its own in several games has a row for each."""


def rows(tables: Iterable[Table]) -> Iterator[tuple[str, ...]]:
    """The rows of the codebook, cells in the order of `HEADS`."""
    for table in tables:
        for one in table.columns:
            for told in one.meanings:
                kind = one.kind + (" (key)" if one.name in table.key else "")
                says = told.meaning, kind, told.unit, _range(one, told), told.missing, told.source
                yield table.name, one.name, *says


def _range(one: Column, told: Meaning) -> str:
    """What is allowed; of flags and choices the codes that Stata's files have for it."""
    codes = [f"{code} {level}" for code, level in codes_of(one).items() if level in (told.levels or (level,))]
    return ", ".join(codes) or told.range


def write_codebook(tables: Sequence[Table], games: Sequence[Game], folder: Path) -> list[Path]:
    """Writes ``codebook.md`` and ``codebook.csv``.

    Args:
        tables: The tables.
        games: Those in them.
        folder: Where the files go.
    """
    path = folder / "codebook.md"
    path.write_text("\n".join(_lines(tables, games)) + "\n", encoding="utf-8")
    return [path, write_csv(folder / "codebook.csv", HEADS, rows(tables))]


def _lines(tables: Sequence[Table], games: Sequence[Game]) -> Iterator[str]:
    yield from ("# Codebook", "", "`match` joins all tables, `match` and `seat` the seats with the turns.")
    yield "Flags and choices are numbers with value labels in Stata; else flags are true and false, 1 and 0 in CSV."
    for table in tables:
        yield from ("", f"## {table.name}", "", f"{len(table):,} rows; key: {', '.join(table.key)}", "")
        yield from _markdown(HEADS[1:], [row[1:] for row in rows([table])])
    yield from ("", "## Games", "")
    heads = ("game", "version", "what is played", "self_gain is", "agreed is", "source")
    told = [(g.name, str(g.version), g.summary, g.facts.gain, g.facts.agreement, g.facts.source) for g in games]
    yield from _markdown(heads, told)


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in row)} |"
