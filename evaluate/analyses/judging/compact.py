"""Compact form of a match that is too long for a judge: rounds as a table, and shortened texts of the player.

Prompts repeat earlier moves, so the table lists these once. All texts are shortened to the same number of characters,
as many as fit; the number of omitted characters is marked in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract import UNKNOWN
from econzoo.evaluate.show import shorten_middle

WHOLE, COMPACT, CUT = "whole", "compact", "cut"
"""Forms of a match: full, tables and shortened texts, or these with the middle omitted."""

MIN_CHARACTERS, MAX_CHARACTERS = 20, 4000
"""Minimum and maximum characters of a shortened text."""

Rows = Callable[[int], Sequence[Sequence[str]]]
POSITION_FIELDS = ("seat", "round", "over")
"""Fields of every view that identify it."""

HEAD = """The match is too long to be shown whole. One table tells its rounds as {role} could see them at the end, one \
the numbers that {role} knew when asked, where they changed; below is what {role} thought and answered. Left out is \
how each question was worded, and of longer texts the end: [+12] stands for 12 characters that are left out, ... for \
the end of a cell."""


class AnswerPage(NamedTuple):
    """One answer.

    Attributes:
        prompt: Prompt; may be empty.
    """

    round: int
    prompt: str
    thoughts: Sequence[str]
    answer: str
    notes: Sequence[str]

    def __str__(self) -> str:
        read = [label_text("Read", self.prompt)] if self.prompt else []
        return "\n".join([f"[Round {self.round}]", *read, *self.format_lines()])

    def format_lines(self, shorten: Callable[[str], str] = str) -> Iterator[str]:
        """Yield lines of reasoning, answer and notes."""
        yield from (label_text("Thought", shorten(thought)) for thought in self.thoughts)
        yield label_text("Answered", shorten(self.answer))
        yield from self.notes


class CompactMatch(NamedTuple):
    """A match in compact form: `COMPACT` or `CUT`."""

    text: str
    form: str
    omitted_characters: int


def label_text(what: str, text: str) -> str:
    """Return a labelled text, indented from its second line, so that players cannot forge labels."""
    return f"{what}: " + text.replace("\n", "\n  ")


def number_rows(views: Sequence[Any]) -> list[list[str]]:
    """Return headings and cells of the scalar fields of a seat's views that changed, one row per view."""
    names = [name for name in (views[0]._fields if views else ()) if name not in POSITION_FIELDS]
    cells = {name: [_format_number(getattr(view, name)) for view in views] for name in names}
    changed = [name for name in names if len({*cells[name]} - {None}) > 1]
    rows = [[str(view.round), *[cells[name][at] or "-" for name in changed]] for at, view in enumerate(views)]
    return [["round", *(name.replace("_", " ") for name in changed)], *rows] if changed else []


def _format_number(value: Any) -> str | None:
    """Format a number; None if unknown or not a number."""
    single = isinstance(value, int | float) and value != UNKNOWN
    return f"{value:.6g}" if single else None


def compact(
    pages: Sequence[AnswerPage],
    rows: Rows,
    views: Sequence[Any],
    role: str,
    blind_text: Callable[[str], str],
    length: int,
) -> CompactMatch:
    """Return a match in compact form, with texts as long as fit.

    Args:
        rows: Returns headings and cells of the table, given the maximum characters per event.
        length: Maximum characters, without the note on truncation.
    """
    # Before texts are shortened: the beginning of a name that is cut off would stay.
    pages = [
        page._replace(thoughts=[*map(blind_text, page.thoughts)], answer=blind_text(page.answer)) for page in pages
    ]
    head = "\n".join([HEAD.format(role=role), _table(number_rows(views))])
    # Bisection for the longest texts that fit; the shortest are used even if they do not fit.
    low, high = MIN_CHARACTERS, MAX_CHARACTERS
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if len(_compact_text(head, pages, rows, blind_text, middle)) <= length else (low, middle - 1)
        )
    text = _compact_text(head, pages, rows, blind_text, low)
    # Prompts are not counted as missing: what they told is in the tables.
    missing = sum(max(len(text) - low, 0) for page in pages for text in (*page.thoughts, page.answer))
    missing += len(_table(rows(MAX_CHARACTERS))) - len(_table(rows(low)))
    if len(text) <= length:
        return CompactMatch(text, COMPACT, missing)
    return CompactMatch(shorten_middle(text, length), CUT, missing + len(text) - length)


def _compact_text(
    head: str, pages: Sequence[AnswerPage], rows: Rows, blind_text: Callable[[str], str], max_characters: int
) -> str:
    def shorten(text: str) -> str:
        return text if len(text) <= max_characters else f"{text[:max_characters]} [+{len(text) - max_characters}]"

    # Blinding is part of the search for a length, because it changes the length.
    lines = [line for page in pages for line in (f"[Round {page.round}]", *page.format_lines(shorten))]
    return blind_text("\n".join([head, _table(rows(max_characters)), *lines]))


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(" | ".join(row) for row in rows)
