"""Replies put together at random, and which answer the rule finds in them, told here a second time.

The rule: thoughts that end are left out. An object stands alone if nothing but blanks and the marks of a fence share
its lines, or if nothing comes after it and no other object, list or quotation is before it on its line. The last one
that stands alone is the answer. There is none in a reply whose thought goes on, or whose braces do not fit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

OBJECTS = (
    '{"kind": "accept"}',
    '{"kind":"reject"}',
    '{"kind": "offer", "gain": 60}',
    '{"kind": "offer", "gain": 7, "message": "so } be { it, \\"friend\\""}',
    '{\n  "kind": "offer",\n  "gain": 12.5\n}',
    '{"kind": "offer", "gain": 5, "message": "<think> twice [ ]"}',
)
BROKEN = (
    '{"kind": "acc',
    "{kind: accept}",
    '{"kind": "offer", "gain": {"a": 1}}',
    "{}",
    "{",
    "}",
    '{"gain": 1, "gain": 2}',
)
PROSE = (
    "I accept",
    "I would never answer",
    "Dear Bob,",
    "so it is.",
    "x",
    "\u4f60\u597d \U0001f91d",
    'He said "no"',
    "don't",
)
MARKS = (
    "[",
    "]",
    ",",
    '"',
    "'",
    "`",
    "**",
    "> ",
    "- ",
    "1. ",
    "| ",
    ":",
    ".",
    "\ufeff",
    "\\",
    "<b>",
    "<",
    "\u201c",
    "\u201d",
)
FENCES = ("```json\n", "```\n", "\n```", "~~~\n", "```")
TAGS = ("<think>", "</think>", "<THINK>", "<thinking>", "</thinking>", "[THINK]", "[/THINK]", "<thought>", "</Think>")
BLANKS = ("\n", "\n", "\n", "\n\n", " ", " ", "\t", "  \n")
PIECES = ((BROKEN, 1), (PROSE, 4), (MARKS, 2), (FENCES, 2), (TAGS, 1), (BLANKS, 9))


def replies(seed: int, count: int, objects: Sequence[str] = OBJECTS) -> Iterator[str]:
    """Replies of up to 14 pieces, half of them with whole lines only; many have one of the objects."""
    rng = Random(seed)
    groups, weights = zip((objects, 5), *PIECES, strict=True)
    for _ in range(count):
        picked = rng.choices(groups, weights, k=rng.randint(1, 14))
        yield rng.choice(("", "\n")).join([rng.choice(group) for group in picked])


# The rule, told a second time


def said(reply: str) -> str:
    """A reply without its thought, unless it is one object."""
    if isinstance(whole(reply.strip()), dict):
        return reply
    return re.split(r"</think>|</thinking>|</thoughts?>|</reasoning>|\[/think\]", reply, flags=re.IGNORECASE)[-1]


def whole(text: str) -> Any:
    """The value of a text that is JSON; None if it is not."""
    try:
        return json.loads(text) if text.startswith("{") else None
    except ValueError:
        return None


def braced(text: str) -> list[tuple[int, int]] | None:
    """Start and end of what stands in braces, character by character; None if a brace is not closed."""
    found, depth, start, quoted, place = [], 0, 0, False, 0
    while place < len(text):
        sign = text[place]
        if quoted:
            place += sign == "\\"
            quoted = sign not in '"\n'
        elif depth and sign == '"':
            quoted = True
        elif sign == "{":
            start, depth = (start if depth else place), depth + 1
        elif sign == "}" and depth:
            depth -= 1
            found += [] if depth else [(start, place + 1)]
        place += 1
    return None if depth else found


def is_alone(text: str, found: list[tuple[int, int]], place: int) -> bool:
    """Whether one of the objects in a text stands alone."""
    (start, end), since = found[place], found[place - 1][1] if place else 0
    before, after = text[:start], text[end:]
    if since and "\n" not in text[since:start]:
        return False
    if is_part(before.rstrip(), after.lstrip()):
        return False
    left, right = before.split("\n")[-1], after.split("\n")[0]
    fence = r"\s*([`~]{3,}\s*)?"
    if re.fullmatch(fence, after):
        return not re.match(r"\s*(>|\||[-*]\s|\d+[.)]\s)", left) and left.count('"') % 2 == 0
    return bool(re.fullmatch(r"[\s\ufeff]*([`~]{3,}(\w+\s)?\s*)?", left) and re.fullmatch(fence, right))


def is_part(before: str, after: str) -> bool:
    """Whether what stands before and after an object makes it part of a list, an object or a quotation."""
    in_list = before.endswith("[") or before.endswith(("},", "],", '",')) or re.match(r"[]},:]", after)
    opened, closed = r"(^|[\s(:=,])[\"'\u201c]+$", r"[\"'\u201c\u201d]+($|[\s.,;:!?)])"
    return bool(in_list or re.search(opened, before) or re.match(closed, after))


def answer(reply: str) -> Any:
    """The object that the rule calls the answer; None if there is none."""
    text = said(reply)
    found = braced(text)
    alone = [pair for place, pair in enumerate(found or ()) if is_alone(text, found or [], place)]
    if not alone:
        return None
    start, end = alone[-1]
    if re.search(r"<think|<thought|<reasoning|\[think\]", text[:start] + "\n" + text[end:], re.IGNORECASE):
        return None
    return whole(text[start:end])
