"""From the free text of a reply to a typed action, strictly: what cannot be read for sure is no move."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.objects import NOT_ALONE, Region, answer_in, regions, stands_alone
from econzoo.envs.core.faces.thought import MOST_SIGNS, after_thought, has_tags, has_too_many_signs, is_thinking

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema, Legal, Source
    from econzoo.envs.core.faces.wording import Wording

MAX_REPLY = 100_000
"""Characters that a reply may have."""

MAX_DEPTH = 100
"""Objects and lists inside each other that an answer may have; how many can be read at all depends on the Python."""

MAX_BARE = 10_000
"""Characters that an answer may have outside of its texts."""

SHORT = 2_000
"""Characters of a reply that is tried as it is, before anything is looked for in it."""


class RefusedError(ValueError):
    """Raised inside the decoder for JSON that Python would take but the standard does not."""


def _no_constant(name: str) -> Any:
    raise RefusedError(f"{name} is no number in JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise RefusedError("a key stands twice in the object")
    return out


_PLACE = re.compile(r"[:\[,]\s*<[^<>]+>")

_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_repeats)


def parse_reply(reply: Any, schema: ActionSchema, legal: Legal) -> Any:
    """Reads the answer in a reply: the last JSON object that stands on lines of its own, in a fence, or at its end.

    Where the move is a text, such as a program, the answer may be that text: `Source.found` says how it is found.

    Thoughts that end are not read; a reply with one that does not end has no answer. Nor has one whose objects stand
    inside sentences, lists or quotations: what was meant by them would be a guess.

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


def read_reply(reply: Any, words: Wording, legal: Legal) -> Any:
    """Reads an answer as `parse_reply` does, written in the words of its seat.

    Args:
        reply: The text.
        words: The names in it, and how numbers and sentences are read.
        legal: What the seat may do now.

    Returns:
        The typed action, or an `Invalid` in these words.
    """
    if words.plain or words.actions.source or not isinstance(reply, str) or len(reply) > MAX_REPLY:
        return parse_reply(reply, words.actions, legal)
    plain = find_object(reply, words.mended)
    if words.said and plain in (NO_OBJECT, NOT_ALONE):
        plain = words.said_in(after_thought(reply)) or plain
    return plain if plain.__class__ is Invalid else words.parse(plain, legal)


def find_source(reply: str, key: str, mark: Source) -> Any:
    """The text in a reply that is the move itself, as a plain dictionary with this key, or an `Invalid`.

    It may also stand in a JSON object with this key, as models write that are held to JSON.
    """
    found = mark.found(reply)
    if isinstance(found, str) and not found.lstrip().startswith("{"):
        return {key: found}
    plain = find_object(reply)
    if (isinstance(plain, dict) and key in plain) or after_thought(reply).lstrip().startswith("{"):
        return plain
    return {key: found} if isinstance(found, str) else found


EMPTY = Invalid("empty", "the reply is empty; answer with one JSON object")
NO_OBJECT = Invalid("no_json", "the reply has no JSON object; answer with one")
THINKING = Invalid("thinking", "the reply ends inside a thought; end the thought, and answer after it")
UNSEARCHED = Invalid("bad_json", f"the reply has more than {MOST_SIGNS:,} signs <; answer with one object")
PLACEHOLDER = Invalid(
    "placeholder", "the answer holds a placeholder in angle brackets; write your own value in its place"
)
UNREADABLE = Invalid("bad_json", "the JSON object cannot be read; write one object with double quotes")


Mend = Callable[[str], str | Invalid]
"""Makes JSON of an object that is none, or says why it means nothing."""


def find_object(reply: str, mend: Mend | None = None) -> Any:
    """The JSON object in a text that counts as its answer (see `parse_reply`), or an `Invalid`.

    Args:
        reply: The text.
        mend: Looks at the object before it is read; None: it is read as it is.
    """
    plain = _at_once(reply) if len(reply) <= SHORT and mend is None else None
    if plain is not None:
        return plain
    if has_too_many_signs(reply):
        return UNSEARCHED
    text = after_thought(reply)
    if len(text) < len(reply) and (plain := _whole(reply.strip(), mend)) is not None:
        return plain
    found = regions(text)
    chosen = found if isinstance(found, Invalid) else answer_in(text, found) if found else NO_OBJECT
    if not isinstance(chosen, Region):
        return THINKING if is_thinking(text) else chosen if text.strip() else EMPTY
    beside = f"{text[: chosen.start]}\n{text[chosen.end :]}"
    return THINKING if is_thinking(beside) else _decoded(text, chosen, mend)


def _at_once(reply: str) -> Any:
    """The object of a short reply without another one and without tags, if it is the answer; None: look closer."""
    start = reply.find("{")
    if start < 0 or (len(reply) > MAX_DEPTH and reply.count("{") + reply.count("[") > MAX_DEPTH):
        return None
    try:
        plain, end = _DECODER.raw_decode(reply, start)
    except ValueError:
        return None
    if end - start == len(reply):
        return plain
    beside = reply[:start] + reply[end:]
    if "<" in reply or "\u25c1" in reply or "[" in beside or "{" in reply[end:] or "analysis" in beside:
        return None
    return plain if stands_alone(reply, 0, Region(start, end, 0, 0), len(reply)) else None


def _whole(reply: str, mend: Mend | None) -> dict[str, Any] | None:
    """The object that a reply is, whatever tags stand in its texts; None if it is none."""
    found = regions(reply) if reply.startswith("{") else []
    if isinstance(found, Invalid) or len(found) != 1 or found[0].end < len(reply):
        return None
    plain = _decoded(reply, found[0], mend)
    return None if plain.__class__ is Invalid else plain


def _decoded(text: str, region: Region, mend: Mend | None = None) -> Any:
    """The object in a region, or an `Invalid`."""
    if region.depth > MAX_DEPTH:
        return Invalid("bad_json", f"the JSON object cannot be read: it is nested more than {MAX_DEPTH} deep")
    if region.bare > MAX_BARE:
        told = f"it has {region.bare} characters outside of its texts; allowed: {MAX_BARE}"
        return Invalid("bad_json", f"the JSON object cannot be read: {told}")
    if mend is not None:
        mended = mend(text[region.start : region.end])
        if isinstance(mended, Invalid):
            return mended
        text, region = mended, Region(0, len(mended), region.depth, region.bare)
    try:
        plain, end = _DECODER.raw_decode(text, region.start)
    except RefusedError as refused:
        return Invalid("bad_json", f"the JSON object cannot be read: {refused}")
    except (ValueError, RecursionError):
        return PLACEHOLDER if _PLACE.search(text, region.start, region.end) else UNREADABLE
    return plain if end == region.end else UNREADABLE


def render_reply(
    schema: ActionSchema | Wording, action: Any, legal: Legal | None = None, extra: Mapping[str, str] | None = None
) -> str:
    """A typed action as the compact JSON that `parse_reply` reads back unchanged.

    It has no blanks, and whole amounts no ``.0``: the form in which constrained decoding makes a model answer, so
    that the replies that it learns from are those it can write.

    Args:
        schema: The game's kinds of move, or the words in which a seat writes them.
        action: The move.
        legal: What may be done; amounts that are written beside a move follow from it.
        extra: Words that are no part of the move, by key.
    """
    written = getattr(schema, "written", None)  # of a `Wording`
    actions = cast("ActionSchema", getattr(schema, "actions", schema))
    if actions.source and not has_tags(action[0]):
        return fenced(action[0], actions.source[1].language)
    told = actions.plain(action) if written is None else written(action, legal)
    plain = {**{key: _shortest(value) for key, value in told.items()}, **(extra or {})}
    # "</think>" in a message must not read as the end of a thought: JSON may escape what is in its texts.
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    for mark, escaped in _ESCAPED:
        text = text.replace(mark, escaped)
    return text


_ESCAPED = (
    ("</", "<\\/"),
    ("[/", "[\\/"),
    ("\u25c1/", "\u25c1\\/"),
    ("<|", "\\u003c|"),
    ("<channel|", "\\u003cchannel|"),
)


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
