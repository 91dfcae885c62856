"""Rendering of an analysis as Markdown, for dataset and model cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from econzoo.evaluate.show.csv_files import markdown_table
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.parts import FOLDED, HEADING, PAGE, SUBHEADING, Column, Divider, Part, Table, Text
from econzoo.evaluate.show.parts import write_interval, write_value

__all__ = ["to_markdown"]


def to_markdown(parts: Iterable[Part]) -> str:
    """Return texts and tables as Markdown, without figures."""
    return "\n".join(line for part in parts for line in _lines(part)) + "\n"


def _lines(part: Part) -> Iterator[str]:
    if isinstance(part, Table) and part and PAGE in part.places:
        table = part.restrict_to(PAGE)
        rows = [row for row in table.rows if not isinstance(row, Divider)]
        cells = [[_cell(column, value) for column, value in zip(table.columns, row, strict=True)] for row in rows]
        yield from (
            f"### {sanitize_text(table.title)}",
            "",
            *markdown_table([one.title for one in table.columns], cells),
            "",
        )
        if table.legend:
            yield from (sanitize_text(table.legend), "")
    elif isinstance(part, Text) and PAGE in part.places:
        text = sanitize_text(part.text)
        if part.kind == FOLDED:
            quoted = [f"> {line}".rstrip() for line in text.splitlines()]
            yield from (f"{sanitize_text(part.title)}:", "", *quoted, "")
        else:
            yield from ({HEADING: "## ", SUBHEADING: "### "}.get(part.kind, "") + text, "")


def _cell(column: Column, value: object) -> str:
    """A value, with its interval in parentheses."""
    interval = write_interval(column, value)
    return write_value(column, value) + (f" ({interval})" if interval else "")
