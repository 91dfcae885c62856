"""The JSON objects in a text: where they are, how much there is to read in them, and which of them is the answer.

The answer is the last object that stands alone: on lines of its own, in a fence, or at the end of the text. One that
stands inside a sentence, a list or a quotation is not meant to be read as an answer, or nobody can tell. There is none
either where a line such as ``User:`` stands between two: the model plays both sides, or tells what was said before.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from econzoo.envs.core.contract.validation import Invalid

MAX_MARKS = 500
"""Brackets and texts in all the braces of a reply; more are not looked at."""


class Region(NamedTuple):
    """From an opening brace to the one that closes it.

    Attributes:
        start: Place of the opening brace.
        end: Place after the closing one.
        depth: Objects and lists inside each other.
        bare: Characters outside of its texts.
    """

    start: int
    end: int
    depth: int
    bare: int


_MARKS = re.compile(r'([][{}"])(?:(?<=")[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*+(?:"|\n|\\?\Z))?')
"""Brackets, and texts, which may hold brackets. A text ends with its line, as it must in JSON."""

TOO_MANY = Invalid(
    "bad_json", f"the reply has more than {MAX_MARKS:,} brackets and texts in braces; answer with one object"
)
NOT_CLOSED = Invalid("bad_json", "the reply has a brace that is not closed; answer with one whole JSON object")


def regions(text: str) -> list[Region] | Invalid:
    """All outermost regions of a text in order, or why they cannot be told; every character is looked at once."""
    found: list[Region] = []
    left, start = MAX_MARKS, text.find("{")
    while start >= 0:
        region, left = _region(text, start, left)
        if region is None:
            return NOT_CLOSED if left else TOO_MANY
        found.append(region)
        start = text.find("{", region.end)
    return found


def _region(text: str, start: int, left: int) -> tuple[Region | None, int]:
    """The region that begins in a place, if it is closed, and how many marks are left."""
    braces = depth = deepest = texts = 0
    for mark in _MARKS.finditer(text, start):
        sign = mark[1]
        left -= 1
        if not left:
            break
        if sign == '"':
            texts += mark.end() - mark.start()
            continue
        step = 1 if sign in "[{" else -1
        depth += step
        deepest = max(deepest, depth)
        if sign in "{}":
            braces += step
            if not braces:
                return Region(start, mark.end(), deepest, mark.end() - start - texts), left
    return None, left


# Which of them is the answer

_OPENING = re.compile(r"[\s\ufeff]*+(?:[`~]{3,}+(?:[A-Za-z][\w+-]*+\s)?\s*+)?")
_CLOSING = re.compile(r"\s*+(?:[`~]{3,}+\s*+)?")
"""What may stand beside an object on its lines: blanks, and the marks of a fence."""

_ITEM = re.compile(r"\s*+(?:[>|]|[-*+\u2022\u2013]\s|\(?(?:\d{1,3}|[A-Za-z])[.)]\s)")
"""How lines of quotations, tables and lists begin."""

_OPENS_QUOTATION = re.compile(r"""(?:^|[\s(:=,])["'\u201c\u201e\u2018\u00ab\u2039]+$""")
_ENDS_QUOTATION = re.compile(r"""["'\u201c\u201d\u2019\u00bb\u203a]+(?:$|[\s.,;:!?)])""")
_TURN = re.compile(r"^[ \t#*]*+(?:user|human|assistant|system)[ \t*]*+:", re.IGNORECASE | re.MULTILINE)
"""How a line begins that says who speaks."""

_QUOTATION_CONTEXT = 20
"""Characters beside an object in which a quotation mark is looked for."""

NOT_ALONE = Invalid(
    "not_alone",
    "the JSON object stands inside a sentence, a list or a quotation; answer with one object on lines of its own",
)
SEVERAL_TURNS = Invalid(
    "not_alone",
    "the reply has JSON objects of several turns, with a line such as User: between them; answer with one object alone",
)
ONE_LINE_OBJECTS = Invalid(
    "many_json", "the reply has several JSON objects on one line; answer with one on lines of its own"
)


def find_answer_region(text: str, found: list[Region]) -> Region | Invalid:
    """The last region that stands alone, or an `Invalid` if none does.

    Args:
        text: A reply without its thought.
        found: All its regions, at least one.
    """
    until = len(text)
    for place in reversed(range(len(found))):
        since = found[place - 1].end if place else 0
        if stands_alone(text, since, found[place], until):
            return SEVERAL_TURNS if _runs_on(text, found[: place + 1]) else found[place]
        until = found[place].start
    return ONE_LINE_OBJECTS if len(found) > 1 and "\n" not in text[found[-2].end : found[-1].start] else NOT_ALONE


def _runs_on(text: str, found: list[Region]) -> bool:
    """Whether a line of another turn stands between the last region and an earlier one that stands alone too."""
    turns = [turn.start() for turn in _TURN.finditer(text, found[0].end, found[-1].start)]
    ends = zip([0, *(region.end for region in found)], found, found[1:], strict=False)
    return bool(turns) and any(
        region.end <= turns[-1] and stands_alone(text, since, region, after.start) for since, region, after in ends
    )


def stands_alone(text: str, since: int, region: Region, until: int) -> bool:
    """Whether a region is the answer if no later one is; `since` and `until` are where its neighbours end and begin."""
    before, after = text[max(since - 1, 0) : region.start], text[region.end : until + 1]
    _, above, left = before.rpartition("\n")
    right, below, _ = after.partition("\n")
    last = until == len(text)
    if since and not above:
        return False
    if last and _CLOSING.fullmatch(after):
        alone = not left or (not _ITEM.match(left) and left.count('"') % 2 == 0)
    else:
        alone = bool((last or below) and _CLOSING.fullmatch(right) and _OPENING.fullmatch(left))
    return alone and not _is_inside(before.rstrip(), after.lstrip())


def _is_inside(before: str, after: str) -> bool:
    """Whether what stands beside an object, or above and below it, makes it part of a list or a quotation."""
    if before and (before[-1] == "[" or before[-2:] in ("},", "],", '",')):
        return True
    if after and (after[0] in "]},:" or _ENDS_QUOTATION.match(after[:_QUOTATION_CONTEXT])):
        return True
    return bool(before and _OPENS_QUOTATION.search(before[-_QUOTATION_CONTEXT:]))
