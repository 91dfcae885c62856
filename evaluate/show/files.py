"""Output of an analysis to files: tables as CSV, JSON and LaTeX, figures as SVG, PNG and PDF."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.envs.core import atomic_write, write_file
from econzoo.envs.core.contract import check_file_name
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.escapes import escape_latex
from econzoo.evaluate.show.numbers import NOTHING, undefined_to_none
from econzoo.evaluate.show.parts import FILES, INFINITE, PAGE, RAW, TERMINAL, TEXT, Cell, Column, Divider, Figure, Part
from econzoo.evaluate.show.parts import Row, Table, is_estimate, to_cell, write_interval, write_value

CSV, JSON, LATEX, SVG, PNG, PDF = FORMATS = ("csv", "json", "latex", "svg", "png", "pdf")

ESTIMATE_SUFFIXES = ("low", "high", "n")
"""Suffixes of the CSV columns of estimates: interval ends and number of observations."""

GROUP = "group"
"""Column of the dividers."""

UNDATED_METADATA: Mapping[str, dict[str, None]] = {
    PDF: {"CreationDate": None},
    SVG: {"Date": None},
    PNG: {"Software": None},
}
"""Metadata removed from figures, so that files are reproducible."""

DOTS_PER_INCH = 160


def write_parts(parts: Sequence[Part], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write tables and figures into a folder, created if missing; return the files."""
    written: list[Path] = []
    tables = [one for one in parts if isinstance(one, Table) and one]
    for table in tables:
        if CSV in formats and {FILES, RAW} & {*table.places}:
            written.append(write_csv(folder / f"{table.key}.csv", *csv_of(table)))
        if LATEX in formats and PAGE in table.places and {FILES, TERMINAL} & {*table.places}:
            written.append(write_file(folder / f"{table.key}.tex", latex_of(table)))
    if JSON in formats and tables:
        text = json.dumps(json_of(tables), indent=2, ensure_ascii=False) + "\n"
        written.append(write_file(folder / "tables.json", text))
    for part in parts:
        if isinstance(part, Figure):
            written += _write_figure(part, folder, [one for one in formats if one in UNDATED_METADATA])
    return written


def _write_figure(part: Figure, folder: Path, formats: Sequence[str]) -> Iterator[Path]:
    from matplotlib import rc_context

    from econzoo.evaluate.show.figures import STYLE

    if not formats:
        return
    figure = part.figure
    figure.set_dpi(DOTS_PER_INCH)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # one layout for all files
    for ending in formats:
        path = folder / f"{check_file_name('figure', part.key)}.{ending}"
        with rc_context({**STYLE, "svg.hashsalt": part.key}), atomic_write(path) as half:
            figure.savefig(half, dpi=DOTS_PER_INCH, format=ending, metadata=UNDATED_METADATA[ending])
        yield path


# Plain values


def json_of(parts: Iterable[Part]) -> dict[str, Any]:
    """Tables by key: a list of rows, each a dictionary from column keys to plain values."""
    tables = [one for one in parts if isinstance(one, Table) and FILES in one.places]
    return {table.key: [_plain_row(table, row, group) for group, row in _rows(table)] for table in tables}


def _plain_row(table: Table, row: Row, group: str | None) -> dict[str, Any]:
    cells = {column.key: _plain_value(to_cell(one).value) for column, one in _file_columns(table, row)}
    return cells if group is None else {GROUP: group, **cells}


def _plain_value(value: Any) -> Any:
    if is_estimate(value):
        return undefined_to_none(value._asdict())  # type: ignore[attr-defined]  # estimates are named tuples
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_of(table: Table) -> tuple[list[str], list[list[Any]]]:
    """Header and rows for CSV; estimates add columns for interval ends and number of observations."""
    rows = [[one for _, one in _file_columns(table, row)] for _, row in _rows(table)]
    columns = [column for column, _ in _file_columns(table, table.columns)]
    ranged = [any(is_estimate(to_cell(row[at]).value) for row in rows) for at in range(len(columns))]
    heads = [
        name
        for column, wide in zip(columns, ranged, strict=True)
        for name in (column.key, *(f"{column.key}_{end}" for end in ESTIMATE_SUFFIXES if wide))
    ]
    values = [
        [value for one, wide in zip(row, ranged, strict=True) for value in _csv_values(to_cell(one), wide)]
        for row in rows
    ]
    groups = [group for group, _ in _rows(table)]
    if any(group is not None for group in groups):
        return [GROUP, *heads], [[group, *row] for group, row in zip(groups, values, strict=True)]
    return heads, values


def _csv_values(cell: Cell, wide: bool) -> list[Any]:
    value = cell.value
    if is_estimate(value):
        return [value.mean, value.low, value.high, getattr(value, "rows", None)]
    value = int(value) if isinstance(value, bool) else value
    return [value, None, None, None] if wide else [value]


def _rows(table: Table) -> Iterator[tuple[str | None, Row]]:
    """Rows with the text of the divider above."""
    group: str | None = None
    for row in table.rows:
        if isinstance(row, Divider):
            group = row.text
        else:
            yield group, row


def _file_columns(table: Table, row: Sequence[Any]) -> list[tuple[Column, Any]]:
    return [(column, one) for column, one in zip(table.columns, row, strict=True) if FILES in column.places]


# LaTeX


def latex_of(table: Table) -> str:
    """LaTeX source of a table (``booktabs``), with intervals below the estimates."""
    table = table.restrict_to(FILES)
    columns, names = table.columns, table.count_name_columns()
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            f"\\caption{{{escape_latex(f'{table.title}. {table.legend}'.strip())}}}",
            f"\\label{{tab:{table.key}}}",
            f"\\begin{{tabular}}{{{''.join('l' if one.kind == TEXT else 'r' for one in columns)}}}",
            "\\toprule",
            _latex_line(escape_latex(one.title) for one in columns),
            "\\midrule",
            *(line for row in table.rows for line in _latex_row(columns, names, row)),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def _latex_row(columns: Sequence[Column], names: int, row: Row | Divider) -> Iterator[str]:
    if isinstance(row, Divider):
        text = f"{row.text} ({row.detail})" if row.detail else row.text
        yield f"\\multicolumn{{{len(columns)}}}{{l}}{{\\textit{{{escape_latex(text)}}}}} \\\\"
        return
    yield _latex_line(_latex_cell(column, to_cell(one)) for column, one in zip(columns, row, strict=True))
    spans = [write_interval(column, one) for column, one in zip(columns, row, strict=True)]
    if any(spans[names:]):
        yield _latex_line(f"{{\\scriptsize ${_math(one)}$}}" if one else "" for one in spans)


def _latex_cell(column: Column, cell: Cell) -> str:
    written = write_value(column, cell)
    number = "--" if written == NOTHING else f"${_math(written)}$"
    shown = escape_latex(written) if isinstance(cell.value, str | bool) else number
    return f"\\textit{{{shown}}}" if cell.italic else shown


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\"


_SIGNS = {
    "*": "^{*}",
    "\u2013": "$--$",
    " to ": "$ to $",
    INFINITE: "\\infty",
    "%": "\\%",
    "$": "\\$",
    ",": "{,}",
    "\u00b0": "^{\\circ}",
    "\u2020": "^{\\dagger}",
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))


def _math(text: str) -> str:
    """Format a number or interval for math mode."""
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], text)
