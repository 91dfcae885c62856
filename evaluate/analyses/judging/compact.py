"""A match that is too long for a judge, told in less: its rounds as a table, and what the player wrote in fewer words.

What the player read turn by turn repeats what everybody did, so the table tells it once. Of each text that was written
so many characters stay as there is room for, the same number of all; what is left out is counted where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract.notation import UNKNOWN
from econzoo.evaluate.show.escapes import cut

WHOLE, COMPACT, CUT = "whole", "compact", "cut"
"""How a match is told: word for word, by a table and shortened words, or so with the middle left out."""

LEAST, MOST = 20, 4000
"""Characters of a text that stay at least, and at most."""

Rows = Callable[[int], Sequence[Sequence[str]]]
PLACES = ("seat", "round", "over")
"""Fields of every view that say where it is from."""

HEAD = """The match is too long to be shown whole. One table tells its rounds as {role} could see them at the end, one \
the numbers that {role} knew when asked, where they changed; below is what {role} thought and answered. Left out is \
how each question was worded, and of longer texts the end: [+12] stands for 12 characters that are left out, ... for \
the end of a cell."""


class Page(NamedTuple):
    """One answer.

    Attributes:
        round: In which it was given.
        read: What was read before; may be empty.
        thoughts: What was thought before, in its order.
        answer: As it was written.
        notes: What became of it, where that is not plain.
    """

    round: int
    read: str
    thoughts: Sequence[str]
    answer: str
    notes: Sequence[str]

    def __str__(self) -> str:
        read = [said("Read", self.read)] if self.read else []
        return "\n".join([f"[Round {self.round}]", *read, *self.said()])

    def said(self, shorten: Callable[[str], str] = str) -> Iterator[str]:
        """What was thought and answered."""
        yield from (said("Thought", shorten(thought)) for thought in self.thoughts)
        yield said("Answered", shorten(self.answer))
        yield from self.notes


class Telling(NamedTuple):
    """A match as it is told.

    Attributes:
        text: What is read.
        form: `COMPACT` or `CUT`.
        left_out: Characters of what was written, or of the text itself, that are left out.
    """

    text: str
    form: str
    left_out: int


def said(what: str, text: str) -> str:
    """The words, indented from the second line on: nothing that a player writes can look like a line of ours."""
    return f"{what}: " + text.replace("\n", "\n  ")


def known(views: Sequence[Any]) -> list[list[str]]:
    """Heads and cells of a table of those single numbers of a seat's views that changed, a row for each view."""
    names = [name for name in (views[0]._fields if views else ()) if name not in PLACES]
    told = {name: [_number(getattr(view, name)) for view in views] for name in names}
    changed = [name for name in names if len({*told[name]} - {None}) > 1]
    rows = [[str(view.round), *[told[name][at] or "-" for name in changed]] for at, view in enumerate(views)]
    return [["round", *(name.replace("_", " ") for name in changed)], *rows] if changed else []


def _number(value: Any) -> str | None:
    """A number; None: it is not known, or no number."""
    single = isinstance(value, int | float) and value != UNKNOWN
    return f"{value:.6g}" if single else None


def compact(
    pages: Sequence[Page], rows: Rows, views: Sequence[Any], role: str, shown: Callable[[str], str], length: int
) -> Telling:
    """The match in at most so many characters, with as much of its words as there is room for.

    Args:
        pages: All answers of the player.
        rows: Heads and cells of the table, given how many characters of each event stay.
        views: What the player knew whenever it was asked.
        role: Of the player.
        shown: Makes a text fit for judges.
        length: Characters at most; a note of what is cut comes on top.
    """
    head = "\n".join([HEAD.format(role=role), _table(known(views))])
    low, high = LEAST, MOST
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(_told(head, pages, rows, shown, middle)) <= length else (low, middle - 1)
    text = _told(head, pages, rows, shown, low)
    missing = sum(max(len(text) - low, 0) for page in pages for text in (*page.thoughts, page.answer))
    missing += len(_table(rows(MOST))) - len(_table(rows(low)))
    if len(text) <= length:
        return Telling(text, COMPACT, missing)
    return Telling(cut(text, length), CUT, missing + len(text) - length)


def _told(head: str, pages: Sequence[Page], rows: Rows, shown: Callable[[str], str], longest: int) -> str:
    def shorten(text: str) -> str:
        return text if len(text) <= longest else f"{text[:longest]} [+{len(text) - longest}]"

    lines = [line for page in pages for line in (f"[Round {page.round}]", *page.said(shorten))]
    return shown("\n".join([head, _table(rows(longest)), *lines]))


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(" | ".join(row) for row in rows)
