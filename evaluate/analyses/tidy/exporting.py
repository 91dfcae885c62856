"""A folder of records as tables in files, with their codebook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NamedTuple

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, OneOf
from econzoo.envs.core.contract.validation import path_of
from econzoo.envs.core.extras import need
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.tidy.codebook import write_codebook
from econzoo.evaluate.analyses.tidy.tables import tables
from econzoo.evaluate.analyses.tidy.writing import FORMATS, write_table
from econzoo.evaluate.formats.conversions import Converted
from econzoo.evaluate.run.design import read_design
from econzoo.evaluate.run.folder import Unreadable, check_folder, read_folder, record_files

__all__ = ["Exported", "export_folder"]


class Exported(NamedTuple):
    """What was written.

    Attributes:
        files: Each with its number of rows, the codebook's without.
        left_out: Lines that are no records, and matches that failed.
    """

    files: list[tuple[Path, int | None]]
    left_out: list[Unreadable]

    def lines(self) -> list[str]:
        """For people."""
        return [f"{path}" if rows is None else f"{path}: {rows:,} rows" for path, rows in self.files]


def export_folder(records: str | Path, out: str | Path, to: str = "csv", texts: bool = False) -> Exported:
    """Writes the tables and the codebook of a folder of records.

    Args:
        records: See `econzoo.evaluate.run.folder.record_files`.
        out: Where the files go; made if it does not exist.
        to: One of `econzoo.evaluate.analyses.tidy.writing.FORMATS`.
        texts: See `econzoo.evaluate.analyses.tidy.tables.tables`.

    Raises:
        ValueError: The format is unknown, `out` is a file, or no line is a record.
        MissingLibraryError: The format needs a library that is not installed.
    """
    if to not in FORMATS:
        raise ValueError(f"to={to!r} is not allowed; allowed: {', '.join(FORMATS)}")
    check_folder(path_of("out", out))
    found, left_out = read_folder(records)
    if not found:
        raise ValueError(f"no record could be read in {records}: {left_out[0] if left_out else 'nothing is in it'}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    made = tables(found, market_names(records), texts)
    files: list[tuple[Path, int | None]] = [(write_table(one, folder, to), len(one)) for one in made]
    games = [find_game(name) for name in dict.fromkeys(record.game for record in found)]
    return Exported(files + [(path, None) for path in write_codebook(made, games, folder)], left_out)


def export_tables(
    source: str | Path,
    out: str | Path,
    to: Annotated[str, Option(OneOf(*FORMATS), "Format of the tables.")],
    texts: Annotated[bool, Option(Flag(), "Also the rules and prompts that were read.", panel="Tables")] = False,
) -> Converted:
    """Writes records as tidy tables with a codebook: a row a match, a row a seat of a match, a row an answer.

    Args:
        source: Folder of records, or a file of them; of any games.
        out: Folder of the tables; those that are there are replaced.
        to: See `export_folder`.
        texts: See `export_folder`.

    Returns:
        Not complete if a line is no record, or a match failed.
    """
    if to == "stata":
        need("convert --to stata", "pandas")
    if to == "parquet":
        need("convert --to parquet", "pyarrow", extra="parquet")
    done = export_folder(source, out, to, texts)
    left_out = [f"left out: {line}" for line in done.left_out]
    left_out += [f"{many(len(left_out), 'line')} left out"] if left_out else []
    data = {"files": {str(path): rows for path, rows in done.files}, "left_out": len(done.left_out)}
    return Converted(done.lines(), data, not left_out, left_out)


def market_names(records: str | Path) -> Callable[[Record], str]:
    """What the designs beside records call the settings of their matches; empty where none does."""
    folders = sorted({path.parent for path in record_files(records)})
    designs = [design for design in map(read_design, folders) if design is not None]

    def named(record: Record) -> str:
        found = (design.market_of(record.params) for design in designs if design.game == record.game)
        return next(filter(None, found), "")

    return named
