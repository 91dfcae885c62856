"""JSON objects in a text: location, size limits, and which one is the answer.

The answer is the last standalone object: on lines of its own, in a fence, or at the end of the text. Objects inside a
sentence, list or quotation are not answers, or ambiguous. There is no answer if a line such as ``User:`` separates two
objects: the model plays both sides or recounts the dialogue.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from econzoo.envs.core.contract.validation import Invalid

MAX_MARKS = 500
"""Maximum brackets and strings in all braces of a reply."""


class Region(NamedTuple):
    """Span from an opening brace to its closing brace.

    Attributes:
        start: Index of the opening brace.
        end: Index after the closing brace.
        depth: Nesting depth of objects and lists.
        bare: Characters outside strings.
    """

    start: int
    end: int
    depth: int
    bare: int


_MARKS = re.compile(r'([][{}"])(?:(?<=")[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*+(?:"|\n|\\?\Z))?')
"""Brackets, and strings, which may contain brackets; a string ends with its line, as in JSON."""

TOO_MANY = Invalid(
    "bad_json", f"the reply has more than {MAX_MARKS:,} brackets and texts in braces; answer with one object"
)
NOT_CLOSED = Invalid("bad_json", "the reply has a brace that is not closed; answer with one whole JSON object")


def regions(text: str) -> list[Region] | Invalid:
    """Return all outermost regions of a text in order, or an `Invalid`, in linear time."""
    spans: list[Region] = []
    left, start = MAX_MARKS, text.find("{")
    while start >= 0:
        region, left = _region(text, start, left)
        if region is None:
            return NOT_CLOSED if left else TOO_MANY
        spans.append(region)
        start = text.find("{", region.end)
    return spans


def _region(text: str, start: int, left: int) -> tuple[Region | None, int]:
    """Return the region that begins at `start`, if closed, and the remaining budget of marks."""
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


# Selection of the answer

_OPENING = re.compile(r"[\s\ufeff]*+(?:[`~]{3,}+(?:[A-Za-z][\w+-]*+\s)?\s*+)?")
_CLOSING = re.compile(r"\s*+(?:[`~]{3,}+\s*+)?")
"""Characters allowed beside a standalone object: blanks and fence marks."""

_ITEM = re.compile(r"\s*+(?:[>|]|[-*+\u2022\u2013]\s|\(?(?:\d{1,3}|[A-Za-z])[.)]\s)")
"""Beginnings of lines of quotations, tables and lists."""

_OPENS_QUOTATION = re.compile(r"""(?:^|[\s(:=,])["'\u201c\u201e\u2018\u00ab\u2039]+$""")
_ENDS_QUOTATION = re.compile(r"""["'\u201c\u201d\u2019\u00bb\u203a]+(?:$|[\s.,;:!?)])""")
_TURN = re.compile(r"^[ \t#*]*+(?:user|human|assistant|system)[ \t*]*+:", re.IGNORECASE | re.MULTILINE)
"""Beginning of a line that names a speaker."""

_QUOTATION_CONTEXT = 20
"""Characters beside an object that are searched for quotation marks."""

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
    """Return the last standalone region, or an `Invalid`.

    Args:
        text: Reply without its thought.
        found: Regions of the text, at least one.
    """
    until = len(text)
    for place in reversed(range(len(found))):
        since = found[place - 1].end if place else 0
        if stands_alone(text, since, found[place], until):
            return SEVERAL_TURNS if _runs_on(text, found[: place + 1]) else found[place]
        until = found[place].start
    return ONE_LINE_OBJECTS if len(found) > 1 and "\n" not in text[found[-2].end : found[-1].start] else NOT_ALONE


def _runs_on(text: str, found: list[Region]) -> bool:
    """Whether a speaker line separates the last region from a preceding standalone one."""
    turns = [turn.start() for turn in _TURN.finditer(text, found[0].end, found[-1].start)]
    ends = zip([0, *(region.end for region in found)], found, found[1:], strict=False)
    return bool(turns) and any(
        region.end <= turns[-1] and stands_alone(text, since, region, following.start)
        for since, region, following in ends
    )


def stands_alone(text: str, since: int, region: Region, until: int) -> bool:
    """Whether a region stands alone; its neighbours end at `since` and begin at `until`."""
    head, tail = text[max(since - 1, 0) : region.start], text[region.end : until + 1]
    _, above, left = head.rpartition("\n")
    right, below, _ = tail.partition("\n")
    last = until == len(text)
    if since and not above:
        return False
    if last and _CLOSING.fullmatch(tail):
        alone = not left or (not _ITEM.match(left) and left.count('"') % 2 == 0)
    else:
        alone = bool((last or below) and _CLOSING.fullmatch(right) and _OPENING.fullmatch(left))
    return alone and not _is_inside(head.rstrip(), tail.lstrip())


def _is_inside(head: str, tail: str) -> bool:
    """Whether the text around an object makes it part of a list or quotation."""
    if head and (head[-1] == "[" or head[-2:] in ("},", "],", '",')):
        return True
    if tail and (tail[0] in "]},:" or _ENDS_QUOTATION.match(tail[:_QUOTATION_CONTEXT])):
        return True
    return bool(head and _OPENS_QUOTATION.search(head[-_QUOTATION_CONTEXT:]))
