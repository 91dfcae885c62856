"""Convert judges' Excel sheets to the table of ratings of ``econzoo judge --ratings``.

A file has one judge's ratings of one player: ``ITEM/JUDGE.xlsx`` or ``.xls``, in a folder or an archive. It contains
the names of the rubric's dimensions, in a row with the scores in a row below, or in a column with the scores to the
right; texts in the row or column after the scores are reasons. Other sheets are ignored.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core import LARGE_FILE_BYTES, SMALL_FILE_BYTES, Member, escape_name, format_count, list_members
from econzoo.envs.core import read_bytes, reason, require_libraries, wrap_read_errors
from econzoo.envs.core.contract import Option, Text
from econzoo.evaluate.analyses.judging.ratings import OPTIONAL_COLUMNS
from econzoo.evaluate.analyses.judging.rubric import Rubric, load_rubric
from econzoo.evaluate.formats import ConversionResult
from econzoo.evaluate.show import write_csv

ENDINGS = (".xlsx", ".xls")

COLUMNS = ("item", "judge", "dimension", "score", OPTIONAL_COLUMNS[0])

MAX_ROWS, MAX_COLUMNS = 500, 60
"""Size of the part of a sheet that is read."""

MAX_SCORE_LENGTH = 16
"""Maximum characters of a cell with a score."""

MIN_DIMENSIONS = 3
"""Minimum number of dimension names in a row or column, since other texts may begin like one; all of fewer."""

Row = Sequence[Any]


class SheetScore(NamedTuple):
    """Score of one dimension in a sheet.

    Attributes:
        score: The number in the cell; empty if missing.
        reason: Reason given by the judge; may be empty.
    """

    dimension: str
    score: str
    reason: str


def import_sheets(
    source: str | Path,
    out: str | Path,
    rubric: Annotated[str, Option(Text(), "Rubric name or TOML file.")] = "alympics",
) -> ConversionResult:
    """Convert judges' sheets to a table of ratings."""
    require_libraries("convert --to ratings", "openpyxl", "xlrd")
    asked, rows, problems, notes = load_rubric(rubric), [], [], []
    files = find_sheets(Path(source))
    for file in files:
        item, judge = _item_and_judge(file)
        try:
            found = [one for one in (parse_scores(rows, asked) for rows in read_workbook(file)) if one]
        except (ValueError, OSError) as error:
            problems.append(f"{escape_name(file)} cannot be read: {reason(error)}")
            continue
        if not found:
            problems.append(f"{escape_name(file)} has no scores for {', '.join(d.short for d in asked.dimensions)}")
            continue
        if any(other != found[0] for other in found[1:]):
            notes.append(f"{escape_name(file)} has scores in {len(found)} sheets; using the first")
        rows += [(item, judge, *one) for one in found[0]]
    write_csv(out, COLUMNS, rows)
    read = (
        f"{len(files) - len(problems)} of {format_count(len(files), 'sheet')} read: "
        f"{format_count(len(rows), 'rating')} in {out}"
    )
    data = {"sheets": len(files), "ratings": len(rows), "problems": problems, "notes": notes}
    return ConversionResult([*problems, *notes, read], data, not problems)


def find_sheets(path: Path) -> list[Path | Member]:
    """Find the sheets of a folder or archive, in natural order; or return the sheet itself."""
    if not path.exists():
        raise FileNotFoundError(f"no such file or folder: {path}")
    found: list[Path | Member] = [path]
    if path.is_dir():
        found = [*path.rglob("*")]
    elif path.suffix.lower() not in ENDINGS:
        found = [*list_members(path).values()]
    named = {str(file): file for file in found if _is_sheet(str(file))}
    if not named:
        raise FileNotFoundError(f"no sheets ({', '.join(ENDINGS)}) in {path}")
    # Parts alternate between texts and numbers, so that no text is compared with a number.
    order = sorted(
        named, key=lambda name: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]
    )
    return [named[name] for name in order]


def _is_sheet(name: str) -> bool:
    """Whether a name is that of a sheet, not of a temporary file."""
    path = PurePath(name)
    return path.suffix.lower() in ENDINGS and not path.name.startswith((".", "~")) and "__MACOSX" not in path.parts


def _item_and_judge(file: Path | Member) -> tuple[str, str]:
    path = PurePath(str(file))
    return path.parent.name or path.stem, path.stem


# Reading


def read_workbook(file: Path | Member) -> Iterator[list[Row]]:
    """Read the rows of each sheet of a workbook."""
    held = read_bytes(file, SMALL_FILE_BYTES)
    # By content, the signature of a zip archive: the ending may be wrong.
    read = _read_xlsx if held.startswith(b"PK") else _read_xls
    with wrap_read_errors(file, Exception):  # the libraries raise anything where a file is damaged
        # A list, so that only errors of reading are converted, and not those of the code that takes the sheets.
        yield from list(read(file, held))


def _read_xlsx(file: Path | Member, held: bytes) -> Iterator[list[Row]]:
    import openpyxl

    # Refuses archives that inflate to too many bytes, which the library would read.
    list_members(str(file), held, LARGE_FILE_BYTES // SMALL_FILE_BYTES)
    book = openpyxl.load_workbook(io.BytesIO(held), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # the size that the file states may be wrong, and limits what is read
        yield [*sheet.iter_rows(max_row=MAX_ROWS, max_col=MAX_COLUMNS, values_only=True)]


def _read_xls(file: Path | Member, held: bytes) -> Iterator[list[Row]]:
    import xlrd

    book = xlrd.open_workbook(file_contents=held, logfile=io.StringIO())
    for sheet in book.sheets():
        yield [sheet.row_values(at)[:MAX_COLUMNS] for at in range(min(sheet.nrows, MAX_ROWS))]


# Layouts


def parse_scores(rows: Sequence[Row], rubric: Rubric) -> list[SheetScore]:
    """Parse the scores of a sheet, in the rubric's order; empty without scores."""
    return _parse_scores_below(rows, rubric) or _parse_scores_below([*zip(*_pad_rows(rows), strict=True)], rubric)


def _pad_rows(rows: Sequence[Row]) -> list[Row]:
    width = max(map(len, rows), default=0)
    return [[*row, *[None] * (width - len(row))] for row in rows]


def _parse_scores_below(rows: Sequence[Row], rubric: Rubric) -> list[SheetScore]:
    """Parse the scores below a row of dimension names."""
    least = min(MIN_DIMENSIONS, len(rubric.dimensions))
    for at, row in enumerate(rows):
        columns = _columns(row, rubric)
        if len(columns) < least:
            continue
        for below, scores in enumerate(rows[at + 1 :], start=at + 1):
            found = {key: _score(_cell(scores, column)) for key, column in columns.items()}
            if sum(map(bool, found.values())) >= least:
                # Whatever is between the names and the first row of scores, such as anchors, is skipped.
                words = rows[below + 1] if below + 1 < len(rows) else ()
                return [SheetScore(key, found[key], _text(_cell(words, column))) for key, column in columns.items()]
    return []


def _columns(row: Row, rubric: Rubric) -> dict[str, int]:
    """Key of each dimension to a column of its own that begins with the first word of its name.

    Of several it is the one with most of the name, then the first.
    """
    found: dict[str, int] = {}
    for dimension in rubric.dimensions:
        word = re.split(r"\W", dimension.name.lower())[0]
        named = [at for at, cell in enumerate(row) if isinstance(cell, str) and cell.strip().lower().startswith(word)]
        if free := [at for at in named if at not in found.values()]:
            name = dimension.name.lower()
            shared = {at: _common_length(name, row[at].strip().lower()) for at in free}
            found[dimension.key] = max(shared, key=shared.__getitem__)
    return found


def _common_length(one: str, other: str) -> int:
    """Length of the common beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _cell(row: Row, column: int) -> Any:
    return row[column] if column < len(row) else None


def _score(cell: Any) -> str:
    """The number in a cell, such as ``2`` in ``2 points``; empty unless there is exactly one."""
    text = f"{cell:g}" if isinstance(cell, int | float) and not isinstance(cell, bool) else _text(cell)
    found = re.findall(r"\d+(?:\.\d+)?", text)
    return found[0] if len(found) == 1 and len(text) <= MAX_SCORE_LENGTH else ""


def _text(cell: Any) -> str:
    return " ".join(cell.split()) if isinstance(cell, str) else ""
