"""Export of records as tables, with a codebook of all columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from econzoo.envs.core import format_count, require_libraries, write_file
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Flag, Game, OneOf, Option, check_arguments
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses.tidy.column import Column, Meaning
from econzoo.evaluate.analyses.tidy.table_files import FORMATS, codes_of, write_table
from econzoo.evaluate.analyses.tidy.tables import Table, tables
from econzoo.evaluate.formats import ConversionResult
from econzoo.evaluate.run import UnreadableLine, check_output_folder, read_design, read_folder, record_files
from econzoo.evaluate.show import markdown_table, write_csv

__all__ = ["ExportedFiles", "export_folder"]


class ExportedFiles(NamedTuple):
    """Result of an export.

    Attributes:
        files: Files with their number of rows (None: codebook).
        exclusions: Unreadable lines and failed matches.
    """

    files: list[tuple[Path, int | None]]
    exclusions: list[UnreadableLine]

    def lines(self) -> list[str]:
        """Return one line per file."""
        return [f"{path}" if rows is None else f"{path}: {rows:,} rows" for path, rows in self.files]


@check_arguments
def export_folder(records: str | Path, out: str | Path, to: str = "csv", texts: bool = False) -> ExportedFiles:
    """Write the tables and the codebook of a folder of records.

    Args:
        records: See `econzoo.evaluate.run.folder.record_files`.
        out: Output folder; created if missing.
        to: One of `econzoo.evaluate.analyses.tidy.table_files.FORMATS`.
        texts: See `econzoo.evaluate.analyses.tidy.tables.tables`.

    Raises:
        ValueError: The format is unknown, `out` is a file, or no line is a record.
        MissingLibraryError: The format needs a library that is not installed.
    """
    if to not in FORMATS:
        raise ValueError(f"invalid to={to!r}: expected one of {', '.join(FORMATS)}")
    check_output_folder(out, "out")
    found, excluded = read_folder(records)
    if not found:
        raise ValueError(f"no readable record in {records}: {excluded[0] if excluded else 'it is empty'}")
    return ExportedFiles(write_tables(found, setting_names(records), Path(out), to, texts), excluded)


def write_tables(
    records: Sequence[Record], setting_name: Callable[[Record], str], folder: Path, to: str, texts: bool = False
) -> list[tuple[Path, int | None]]:
    """Write the tables and the codebook of records; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    built = tables(records, setting_name, texts)
    files: list[tuple[Path, int | None]] = [(write_table(one, folder, to), len(one)) for one in built]
    games = [find_game(name) for name in dict.fromkeys(record.game for record in records)]
    return files + [(path, None) for path in write_codebook(built, games, folder)]


def export_tables(
    source: str | Path,
    out: str | Path,
    to: Annotated[str, Option(OneOf(*FORMATS), "Format of the tables.")],
    texts: Annotated[bool, Option(Flag(), "Include the rules and prompts that players read.", panel="Tables")] = False,
) -> ConversionResult:
    """Write records as tidy tables with a codebook: one row per match, per seat, and per answer.

    Args:
        source: Folder or file of records, of any games.
        out: Folder of the tables; existing tables are replaced.
        to: See `export_folder`.
        texts: See `export_folder`.

    Returns:
        The result, incomplete if lines are unreadable or matches failed.
    """
    # A missing library is told before the records are read, which may take long.
    if to == "stata":
        require_libraries("convert --to stata", "pandas")
    if to == "parquet":
        require_libraries("convert --to parquet", "pyarrow", extra="parquet")
    done = export_folder(source, out, to, texts)
    left_out = [f"left out: {line}" for line in done.exclusions]
    left_out += [f"{format_count(len(left_out), 'line')} left out"] if left_out else []
    data = {"files": {str(path): rows for path, rows in done.files}, "left_out": len(done.exclusions)}
    return ConversionResult(done.lines(), data, not left_out, left_out)


def setting_names(records: str | Path) -> Callable[[Record], str]:
    """Return the names of settings in the designs beside records; empty without any."""
    folders = sorted({path.parent for path in record_files(records)})
    designs = [design for design in map(read_design, folders) if design is not None]

    def record_name(record: Record) -> str:
        found = (design.setting_name(record.params) for design in designs if design.game == record.game)
        return next(filter(None, found), "")

    return record_name


# Codebook, as Markdown and CSV


HEADS = ("table", "column", "meaning", "kind", "unit", "range", "missing", "source")
"""Columns of the codebook; columns whose meaning depends on the game have one row per game."""


def codebook_rows(tables: Iterable[Table]) -> Iterator[tuple[str, ...]]:
    """Return the rows of the codebook, with cells in the order of `HEADS`."""
    for table in tables:
        for one in table.columns:
            for described in one.meanings:
                kind = one.kind + (" (key)" if one.name in table.key else "")
                range_ = _range(one, described)
                details = described.unit, range_, described.missing, described.source
                yield table.name, one.name, described.meaning, kind, *details


def _range(one: Column, described: Meaning) -> str:
    """The domain; for flags and choices, the codes in Stata files."""
    codes = [f"{code} {level}" for code, level in codes_of(one).items() if level in (described.levels or (level,))]
    return ", ".join(codes) or described.range


def write_codebook(tables: Sequence[Table], games: Sequence[Game], folder: Path) -> list[Path]:
    """Write ``codebook.md`` and ``codebook.csv``."""
    path = folder / "codebook.md"
    write_file(path, "\n".join(_lines(tables, games)) + "\n")
    return [path, write_csv(folder / "codebook.csv", HEADS, codebook_rows(tables))]


def _lines(tables: Sequence[Table], games: Sequence[Game]) -> Iterator[str]:
    yield from ("# Codebook", "", "`match` joins all tables, `match` and `seat` the seats with the turns.")
    yield "In Stata, flags and choices are numbers with value labels. Flags are 1 and 0 in CSV, else true and false."
    for table in tables:
        yield from ("", f"## {table.name}", "", f"{len(table):,} rows; key: {', '.join(table.key)}", "")
        yield from markdown_table(HEADS[1:], [row[1:] for row in codebook_rows([table])])
    yield from ("", "## Games", "")
    heads = ("game", "version", "summary", "self_gain", "agreed", "source")
    rows = [(g.name, str(g.version), g.summary, g.facts.gain, g.facts.agreement, g.facts.source) for g in games]
    yield from markdown_table(heads, rows)
