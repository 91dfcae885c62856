"""Tables for the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import IO, Any, NamedTuple

NAME_WIDTH, LEAST_NAME = 14, 8
"""Characters that a column of names keeps on a narrow terminal, and where heads of several words folded first; longer
names fold."""

WORDS = (
    "what",
    "objective",
    "against",
    "spec",
    "how",
    "best script",
    "best",
    "line-up",
    "reader",
    "player",
    "dimension",
)
"""Heads of columns of words; others behind the first one are of numbers."""


class TextTable(NamedTuple):
    """A table of texts, for the terminal and for a page.

    Attributes:
        title: What it shows.
        heads: Of the columns.
        rows: As many cells each; the first one is a name.
        note: How to read it; may be empty.
    """

    title: str
    heads: list[str]
    rows: list[list[str]]
    note: str = ""


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str | None = None) -> Any:
    """A rich table: the first column and those of `WORDS` are text, and fold where there is no room, as heads do."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    made.caption, made.caption_justify, made.caption_style = caption, "left", ""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    texts = [not place or head in WORDS for place, head in enumerate(heads)]
    needed = sum(min(NAME_WIDTH, width) if text else width for width, text in zip(widths, texts, strict=True))
    fold = needed + 2 * len(widths) > get_terminal_size().columns
    for head, width, text in zip(heads, widths, texts, strict=True):
        justify: Any = "left" if text else "right"
        shown = Text(head.replace(" ", "\n") if fold and not text else head)
        least = min(LEAST_NAME if fold else NAME_WIDTH, width) if text else None
        made.add_column(shown, justify=justify, overflow="fold", no_wrap=not text, min_width=least)
    for row in rows:
        made.add_row(*(Text(part) for part in row))
    return made


def drawn(made: TextTable) -> Any:
    """A table of texts as a rich one, its note below."""
    return table(made.title, made.heads, made.rows, made.note or None)


def show(*parts: Any, out: IO[str] | None = None) -> None:
    """Prints parts to standard output, or elsewhere."""
    from rich.console import Console

    console = Console(file=out or sys.stdout, highlight=False, markup=False)
    for part in parts:
        console.print(part)
