"""A match that is too long for a judge, told in less: its rounds as a table, and what the player wrote in fewer words.

What the player read turn by turn repeats what everybody did, so the table tells it once. Of each text that was written
so many characters stay as there is room for, the same number of all; what is left out is counted where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract.notation import UNKNOWN
from econzoo.evaluate.show.escapes import shorten_middle

WHOLE, COMPACT, CUT = "whole", "compact", "cut"
"""How a match is told: word for word, by a table and shortened words, or so with the middle left out."""

MIN_CHARACTERS, MAX_CHARACTERS = 20, 4000
"""Characters of a text that stay at least, and at most."""

Rows = Callable[[int], Sequence[Sequence[str]]]
POSITION_FIELDS = ("seat", "round", "over")
"""Fields of every view that say where it is from."""

HEAD = """The match is too long to be shown whole. One table tells its rounds as {role} could see them at the end, one \
the numbers that {role} knew when asked, where they changed; below is what {role} thought and answered. Left out is \
how each question was worded, and of longer texts the end: [+12] stands for 12 characters that are left out, ... for \
the end of a cell."""


class AnswerPage(NamedTuple):
    """One answer.

    Attributes:
        round: In which it was given.
        prompt: What was read before; may be empty.
        thoughts: What was thought before, in its order.
        answer: As it was written.
        notes: What became of it, where that is not plain.
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
        """What was thought and answered."""
        yield from (label_text("Thought", shorten(thought)) for thought in self.thoughts)
        yield label_text("Answered", shorten(self.answer))
        yield from self.notes


class CompactMatch(NamedTuple):
    """A match as it is told.

    Attributes:
        text: What is read.
        form: `COMPACT` or `CUT`.
        omitted_characters: Characters of what was written, or of the text itself, that are left out.
    """

    text: str
    form: str
    omitted_characters: int


def label_text(what: str, text: str) -> str:
    """The words, indented from the second line on: nothing that a player writes can look like a line of ours."""
    return f"{what}: " + text.replace("\n", "\n  ")


def number_rows(views: Sequence[Any]) -> list[list[str]]:
    """Heads and cells of a table of those single numbers of a seat's views that changed, a row for each view."""
    names = [name for name in (views[0]._fields if views else ()) if name not in POSITION_FIELDS]
    told = {name: [_format_number(getattr(view, name)) for view in views] for name in names}
    changed = [name for name in names if len({*told[name]} - {None}) > 1]
    rows = [[str(view.round), *[told[name][at] or "-" for name in changed]] for at, view in enumerate(views)]
    return [["round", *(name.replace("_", " ") for name in changed)], *rows] if changed else []


def _format_number(value: Any) -> str | None:
    """A number; None: it is not known, or no number."""
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
    """The match in at most so many characters, with as much of its words as there is room for.

    Args:
        pages: All answers of the player.
        rows: Heads and cells of the table, given how many characters of each event stay.
        views: What the player knew whenever it was asked.
        role: Of the player.
        blind_text: Makes a text fit for judges.
        length: Characters at most; a note of what is cut comes on top.
    """
    head = "\n".join([HEAD.format(role=role), _table(number_rows(views))])
    low, high = MIN_CHARACTERS, MAX_CHARACTERS
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if len(_compact_text(head, pages, rows, blind_text, middle)) <= length else (low, middle - 1)
        )
    text = _compact_text(head, pages, rows, blind_text, low)
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

    lines = [line for page in pages for line in (f"[Round {page.round}]", *page.format_lines(shorten))]
    return blind_text("\n".join([head, _table(rows(max_characters)), *lines]))


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(" | ".join(row) for row in rows)
