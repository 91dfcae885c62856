"""Replies put together at random, and which answer the rule finds in them, told here a second time.

The rule: thoughts that end are left out, with all before them and what frames the answer. An object stands alone if
nothing but blanks and the marks of a fence share its lines, or if nothing comes after it and no other object, list or
quotation is before it on its line. The last one that stands alone is the answer. There is none in a reply whose thought
goes on, or whose braces do not fit, or where a line begins with who speaks between two that stand alone.
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
TAGS = (
    *("<think>", "</think>", "<THINK>", "<thinking>", "</thinking>", "[THINK]", "[/THINK]", "<thought>", "</Think>"),
    *("<|channel|>analysis<|message|>", "<|end|>", "<|start|>assistant<|channel|>final<|message|>", "<|return|>"),
    *(
        "<|channel|>final <|constrain|>json<|message|>",
        "<|channel|>commentary",
        "\u25c1think\u25b7",
        "\u25c1/think\u25b7",
    ),
    *("<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|channel>thought\n"),
    *(
        "<channel|>",
        "<seed:think>",
        "</seed:think>",
        "</reason>",
        "<reflection>",
        "<answer>",
        "</answer>",
        "analysisThe",
    ),
)
TURNS = ("\nUser: and now?\n", "\n\nAssistant:\n", "\n**Human**: Round 2.\n\n", "\nsystem:")
BLANKS = ("\n", "\n", "\n", "\n\n", " ", " ", "\t", "  \n")
PIECES = ((BROKEN, 1), (PROSE, 4), (MARKS, 2), (FENCES, 2), (TAGS, 1), (BLANKS, 9))


def replies(seed: int, count: int, objects: Sequence[str] = OBJECTS, others: Sequence[str] = ()) -> Iterator[str]:
    """Replies of up to 14 pieces, half of them with whole lines only; many have one of the objects or the others."""
    rng = Random(seed)
    groups, weights = zip((objects, 5), *PIECES, *([(others, 3)] if others else []), strict=True)
    for _ in range(count):
        picked = rng.choices(groups, weights, k=rng.randint(1, 14))
        yield rng.choice(("", "\n")).join([rng.choice(group) for group in picked])


# The rule, told a second time


def said(reply: str) -> str:
    """A reply without its thought, unless it is one object."""
    if isinstance(whole(reply.strip()), dict):
        return reply
    text = re.sub(rf"(\s*({'|'.join(BEHIND)}))*\s*$", "", reply, flags=re.IGNORECASE) if reply.strip() else reply
    if re.match(r"\s*analysis[A-Z]", reply):
        return text.rpartition("assistantfinal")[2]
    rest = text = text if len(text) < len(reply.rstrip()) else reply
    while True:
        openings = [(at.start(), family, at.end()) for family in FAMILIES if (at := first(FAMILIES[family][0], rest))]
        ends = [(at.start(), family, at.end()) for family in FAMILIES if (at := first(FAMILIES[family][1], rest))]
        if openings and ends and min(openings) < min(ends):
            _, family, place = min(openings)
            end = first(FAMILIES[family][1], rest[place:])
            ends = [(0, family, place + end.end())] if end else []
        if not ends:
            break
        text = rest = rest[min(ends)[2] :]
    return re.sub(r"^\s*<(answer|response|final_answer|output)>", "", text, flags=re.IGNORECASE)


def first(pattern: str, text: str) -> re.Match[str] | None:
    """The first place where a pattern stands."""
    return re.search(pattern, text, re.IGNORECASE)


FAMILIES = {
    "names": (
        r"<(\w+[:_])?(think|thought|reasoning)|<(reason|reflection)>|\[think\]",
        r"</(\w+[:_])?(think|thinking|thoughts?|reason|reasoning|reflection)>|\[/think\]",
    ),
    "tokens": (
        r"<\|channel>|<\|channel\|>(?!final[^<]*(<\|constrain\|>json)?<\|message\|>)|<\|start_thinking\|>",
        r"<\|end\|>|<channel\|>|<\|end_thinking\|>|<\|start_response\|>"
        r"|<\|channel\|>final[^<]*(<\|constrain\|>json)?<\|message\|>",
    ),
    "arrows": ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
}
"""How thoughts open and end, of the tags that stand in these replies."""

BEHIND = (r"<\|return\|>", r"<\|end\|>", "</answer>", r"<\|end_response\|>")


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
        return not re.match(r"\s*(>|\||[-*]\s|(\d+|[a-zA-Z])[.)]\s)", left) and left.count('"') % 2 == 0
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
    speaks = r"\n[ \t#*]*(user|human|assistant|system)[ \t*]*:"
    if any(first(speaks, text[earlier:start]) for _, earlier in alone[:-1]):
        return None
    beside = text[:start] + "\n" + text[end:]
    if any(first(opening, beside) for opening, _ in FAMILIES.values()) or re.match(r"\s*analysis[A-Z]", beside):
        return None
    return whole(text[start:end])
