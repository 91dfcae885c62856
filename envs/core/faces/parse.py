"""From the free text of a reply to a typed action, strictly: what cannot be read for sure is no move."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.validation import Invalid

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema, Legal, Source

MAX_REPLY = 100_000
"""Characters that a reply may have."""

MAX_DEPTH = 100
"""Objects and lists inside each other that a reply may have; how many can be read at all depends on the Python."""

THINK_END = "</think>"

_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
"""Strings, which may hold brackets, and brackets."""


class RefusedError(ValueError):
    """Raised inside the decoder for JSON that Python would take but the standard does not."""


def _no_constant(name: str) -> Any:
    raise RefusedError(f"{name} is no number in JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise RefusedError("a key stands twice in the object")
    return out


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_repeats)


def parse_reply(reply: Any, schema: ActionSchema, legal: Legal) -> Any:
    """Reads the one JSON object of a reply.

    Where the move is a text, such as a program, the reply may be that text: `Source.found` says how it is found.

    Prose and code fences around the object are allowed, and so is reasoning that ends in ``</think>``, which is
    not read. Braces outside the object are not: which of several objects was meant would be a guess.

    Args:
        reply: The text.
        schema: The game's kinds of move.
        legal: What the seat may do now.

    Returns:
        The typed action, or an `Invalid`.
    """
    if not isinstance(reply, str):
        return Invalid("wrong_type", f"a reply must be text; got {type(reply).__name__}")
    if len(reply) > MAX_REPLY:
        return Invalid("too_long", f"the reply has {len(reply)} characters; allowed: {MAX_REPLY}")
    plain = find_object(reply) if schema.source is None else find_source(reply, *schema.source)
    return plain if plain.__class__ is Invalid else schema.parse(plain, legal)


def find_source(reply: str, key: str, mark: Source) -> Any:
    """The text in a reply that is the move itself, as a plain dictionary with this key, or an `Invalid`.

    It may also stand in a JSON object with this key, as models write that are held to JSON.
    """
    found = mark.found(reply)
    if isinstance(found, str) and not found.lstrip().startswith("{"):
        return {key: found}
    plain = find_object(reply)
    if (isinstance(plain, dict) and key in plain) or reply.rpartition(THINK_END)[2].lstrip().startswith("{"):
        return plain
    return {key: found} if isinstance(found, str) else found


def find_object(reply: str) -> Any:
    """The one JSON object in a text, or an `Invalid`."""
    if THINK_END in reply:
        reply = reply.rpartition(THINK_END)[2]
    start = reply.find("{")
    if start < 0:
        if not reply.strip():
            return Invalid("empty", "the reply is empty; answer with one JSON object")
        return Invalid("no_json", "the reply has no JSON object; answer with one")
    if reply.count("{") + reply.count("[") > MAX_DEPTH and _depth(reply[start:]) > MAX_DEPTH:
        return Invalid("bad_json", f"the JSON object cannot be read: it is nested more than {MAX_DEPTH} deep")
    try:
        plain, end = _DECODER.raw_decode(reply, start)
    except RefusedError as refused:
        return Invalid("bad_json", f"the JSON object cannot be read: {refused}")
    except (ValueError, RecursionError):
        return Invalid("bad_json", "the JSON object cannot be read; write one object with double quotes")
    if "{" in reply[end:] or "}" in reply[end:] or "}" in reply[:start]:
        return Invalid("many_json", "the reply has braces outside its JSON object; answer with exactly one object")
    return plain


def _depth(text: str) -> int:
    """How many objects and lists are open at once in a text."""
    depth = deepest = 0
    for mark in _MARKS.finditer(text):
        depth += (mark[0] in "[{") - (mark[0] in "]}")
        deepest = max(deepest, depth)
    return deepest


def render_reply(schema: ActionSchema, action: Any) -> str:
    """A typed action as the compact JSON that `parse_reply` reads back unchanged.

    It has no blanks, and whole amounts no ``.0``: the form in which constrained decoding makes a model answer, so
    that the examples that a model reads and the replies that it learns from are those it can write.
    """
    if schema.source and THINK_END not in action[0]:
        return fenced(action[0], schema.source[1].language)
    plain = {key: _shortest(value) for key, value in schema.plain(action).items()}
    # "</think>" in a message must not read as the end of reasoning: JSON may escape the slash.
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


def fenced(text: str, language: str = "") -> str:
    """A text in a code fence that it cannot end: one longer than any that stands in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _shortest(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortest(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
