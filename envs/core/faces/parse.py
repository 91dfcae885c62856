"""From the free text of a reply to a typed action, strictly: what cannot be read for sure is no move."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.objects import NOT_ALONE, Region, find_answer_region, regions, stands_alone
from econzoo.envs.core.faces.thought import MAX_TAG_SIGNS, has_tags, has_too_many_signs, is_thinking, split_thought

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema, Legal, Source
    from econzoo.envs.core.faces.wording import Wording

MAX_REPLY = 100_000
"""Characters that a reply may have."""

MAX_DEPTH = 100
"""Objects and lists inside each other that an answer may have; how many can be read at all depends on the Python."""

MAX_OUTSIDE_TEXTS = 10_000
"""Characters that an answer may have outside of its texts."""

MAX_SIMPLE_REPLY = 2_000
"""Characters of a reply that is tried as it is, before anything is looked for in it."""


class NonstandardJSONError(ValueError):
    """Raised inside the decoder for JSON that Python would take but the standard does not."""


def _refuse_constant(name: str) -> Any:
    raise NonstandardJSONError(f"{name} is no number in JSON")


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise NonstandardJSONError("a key stands twice in the object")
    return out


_PLACE = re.compile(r"[:\[,]\s*<[^<>]+>")

_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeated_keys)
_scan: Callable[[str, int], tuple[Any, int]] = cast("Any", _DECODER).scan_once


EMPTY = Invalid("empty", "the reply is empty; answer with one JSON object")
NO_OBJECT = Invalid("no_json", "the reply has no JSON object; answer with one")
THINKING = Invalid("thinking", "the reply ends inside a thought; end the thought, and answer after it")
TOO_MANY_SIGNS = Invalid("bad_json", f"the reply has more than {MAX_TAG_SIGNS:,} signs <; answer with one object")
PLACEHOLDER = Invalid(
    "placeholder", "the answer holds a placeholder in angle brackets; write your own value in its place"
)
UNREADABLE = Invalid("bad_json", "the JSON object cannot be read; write one object with double quotes")


RepairFunction = Callable[[str], str | Invalid]
"""Makes JSON of an object that is none, or says why it means nothing."""


class Reply(str):
    """A reply as one value: its text, how it ended, and what all who read it look for in it, each looked for once.

    Args:
        text: As it came.
        finish: One of `econzoo.envs.core.faces.finish.FINISHES` or ``UNANSWERED`` there; empty: by itself, or nobody
            knows.
        limit: Tokens that it could have, or seconds where time ran out; 0: nobody knows.
    """

    finish: str
    limit: int

    def __new__(cls, text: str, finish: str = "", limit: int = 0) -> Reply:
        """The text with how it ended."""
        made = super().__new__(cls, text)
        made.__dict__.update(finish=finish, limit=limit)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} of a reply cannot be set")

    def __reduce__(self) -> tuple[type[Reply], tuple[str, str, int]]:
        return Reply, (self.text, self.finish, self.limit)

    @property
    def text(self) -> str:
        """The text alone."""
        return str(self)

    @cached_property
    def is_too_long(self) -> bool:
        """Whether nothing is looked for in it."""
        return len(self) > MAX_REPLY or has_too_many_signs(self)

    @cached_property
    def _thought_and_answer(self) -> tuple[str, str]:
        return split_thought(self)

    @property
    def thought(self) -> str:
        """What was thought before its answer, with what marks it; empty: nothing."""
        return self._thought_and_answer[0]

    @property
    def answer(self) -> str:
        """What stands behind the thought, without what frames it."""
        return self._thought_and_answer[1]

    @cached_property
    def is_thinking(self) -> bool:
        """Whether a thought is opened in its answer."""
        return is_thinking(self.answer)

    @cached_property
    def object(self) -> Any:
        """The JSON object that counts as its answer (see `parse_reply`), or an `Invalid`."""
        plain = _parse_simple_object(self)
        return self.search_object() if plain is None else plain

    def search_object(self, repair: RepairFunction | None = None) -> Any:
        """Its object, looked for in all of it.

        Args:
            repair: Looks at the object before it is read; None: it is read as it is.
        """
        if has_too_many_signs(self):
            return TOO_MANY_SIGNS
        if len(self.answer) < len(self) and (plain := _parse_whole_reply(self.strip(), repair)) is not None:
            return plain
        return self._place if isinstance(self._place, Invalid) else _decode_region(self.answer, self._place, repair)

    @cached_property
    def _place(self) -> Region | Invalid:
        """Where the object stands in its answer."""
        text = self.answer
        found = regions(text)
        chosen = found if isinstance(found, Invalid) else find_answer_region(text, found) if found else NO_OBJECT
        if not isinstance(chosen, Region):
            return THINKING if self.is_thinking else chosen if text.strip() else EMPTY
        return THINKING if is_thinking(f"{text[: chosen.start]}\n{text[chosen.end :]}") else chosen


def to_reply(text: str) -> Reply:
    """A reply of which nothing is known but its text, if it is none already."""
    return text if isinstance(text, Reply) else Reply(text)


def find_object(text: str) -> Any:
    """The JSON object in a text that counts as its answer (see `parse_reply`), or an `Invalid`."""
    if isinstance(text, Reply):
        return text.object
    plain = _parse_simple_object(text)
    return Reply(text).search_object() if plain is None else plain


def _parse_simple_object(reply: str) -> Any:
    """The object of a short reply without another one and without tags, if it is the answer; None: look closer."""
    length, start = len(reply), reply.find("{")
    if (
        start < 0
        or length > MAX_SIMPLE_REPLY
        or (length > MAX_DEPTH and reply.count("{") + reply.count("[") > MAX_DEPTH)
    ):
        return None
    try:
        plain, end = _scan(reply, start)
    except (ValueError, StopIteration):
        return None
    if end - start == length:
        return plain
    beside = reply[:start] + reply[end:]
    if "<" in reply or "\u25c1" in reply or "[" in beside or "{" in reply[end:] or "analysis" in beside:
        return None
    return plain if stands_alone(reply, 0, Region(start, end, 0, 0), length) else None


def parse_reply(reply: Any, schema: ActionSchema, legal: Legal) -> Any:
    """Reads the answer in a reply: the last JSON object that stands on lines of its own, in a fence, or at its end.

    Where the move is a text, such as a program, the answer may be that text: `Source.find_in_reply` says how it is
    found.

    Thoughts that end are not read; a reply with one that does not end has no answer. Nor has one whose objects stand
    inside sentences, lists or quotations: what was meant by them would be a guess. A key with null says nothing.

    Args:
        reply: The text.
        schema: The game's kinds of move.
        legal: What the seat may do now.

    Returns:
        The typed action, or an `Invalid`.
    """
    if reply.__class__ is str and schema.source is None and (plain := _parse_simple_object(reply)) is not None:
        return _parse_action(schema, plain, legal)
    if not isinstance(reply, str):
        return Invalid("wrong_type", f"a reply must be text; got {type(reply).__name__}")
    if len(reply) > MAX_REPLY:
        return Invalid("too_long", f"the reply has {len(reply)} characters; allowed: {MAX_REPLY}")
    told = to_reply(reply)
    if schema.source is not None:
        plain = find_source(told, *schema.source)
    else:
        plain = told.object if told is reply else told.search_object()
    return plain if plain.__class__ is Invalid else _parse_action(schema, plain, legal)


def _parse_action(schema: ActionSchema | Wording, plain: Any, legal: Legal) -> Any:
    """The typed action of an object, in which strict schemas make a model write null for keys of other kinds."""
    if not isinstance(plain, dict) or None not in plain.values():
        return schema.parse(plain, legal)
    move = schema.parse({key: value for key, value in plain.items() if value is not None}, legal)
    is_needed = move.__class__ is Invalid and move.code == "missing_key"
    return schema.parse(plain, legal) if is_needed else move


def read_reply(reply: Any, words: Wording, legal: Legal) -> Any:
    """Reads an answer as `parse_reply` does, written in the words of its seat.

    Args:
        reply: The text.
        words: The names in it, and how numbers and sentences are read.
        legal: What the seat may do now.

    Returns:
        The typed action, or an `Invalid` in these words.
    """
    if words.is_plain or words.actions.source or not isinstance(reply, str) or len(reply) > MAX_REPLY:
        return parse_reply(reply, words.actions, legal)
    reply = to_reply(reply)
    plain = reply.search_object(words.repair_numbers)
    if words.sentences and plain in (NO_OBJECT, NOT_ALONE):
        plain = words.parse_sentences(reply.answer) or plain
    return plain if plain.__class__ is Invalid else _parse_action(words, plain, legal)


def find_source(reply: Reply, key: str, mark: Source) -> Any:
    """The text in a reply that is the move itself, as a plain dictionary with this key, or an `Invalid`.

    It may also stand in a JSON object with this key, as models write that are held to JSON.
    """
    found = mark.find_in_reply(reply)
    if isinstance(found, str) and not found.lstrip().startswith("{"):
        return {key: found}
    plain = reply.object
    if (isinstance(plain, dict) and key in plain) or reply.answer.lstrip().startswith("{"):
        return plain
    return {key: found} if isinstance(found, str) else found


def _parse_whole_reply(reply: str, repair: RepairFunction | None) -> dict[str, Any] | None:
    """The object that a reply is, whatever tags stand in its texts; None if it is none."""
    found = regions(reply) if reply.startswith("{") else []
    if isinstance(found, Invalid) or len(found) != 1 or found[0].end < len(reply):
        return None
    plain = _decode_region(reply, found[0], repair)
    return None if plain.__class__ is Invalid else plain


def _decode_region(text: str, region: Region, repair: RepairFunction | None = None) -> Any:
    """The object in a region, or an `Invalid`."""
    if region.depth > MAX_DEPTH:
        return Invalid("bad_json", f"the JSON object cannot be read: it is nested more than {MAX_DEPTH} deep")
    if region.bare > MAX_OUTSIDE_TEXTS:
        told = f"it has {region.bare} characters outside of its texts; allowed: {MAX_OUTSIDE_TEXTS}"
        return Invalid("bad_json", f"the JSON object cannot be read: {told}")
    if repair is not None:
        mended = repair(text[region.start : region.end])
        if isinstance(mended, Invalid):
            return mended
        text, region = mended, Region(0, len(mended), region.depth, region.bare)
    try:
        plain, end = _DECODER.raw_decode(text, region.start)
    except NonstandardJSONError as refused:
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
    written = getattr(schema, "to_answer", None)  # of a `Wording`
    actions = cast("ActionSchema", getattr(schema, "actions", schema))
    if actions.source and not has_tags(action[0]):
        key, mark = actions.source
        block = fence_code(action[0], mark.language)
        if find_source(Reply(block), key, mark) == {key: action[0]}:  # a fence keeps no blank lines at its ends
            return block
    told = actions.to_plain(action) if written is None else written(action, legal)
    return json_reply({**{key: _shorten_numbers(value) for key, value in told.items()}, **(extra or {})})


def json_reply(plain: Any) -> str:
    """Plain values as compact JSON which is found in a reply whatever stands in its texts.

    "</think>" in a message must not read as the end of a thought: JSON may escape what is in its texts.
    """
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    for mark, escaped in _JSON_ESCAPES:
        text = text.replace(mark, escaped)
    return text.replace("<", "\\u003c").replace("\u25c1", "\\u25c1") if has_too_many_signs(text) else text


_JSON_ESCAPES = (
    ("</", "<\\/"),
    ("[/", "[\\/"),
    ("\u25c1/", "\u25c1\\/"),
    ("<|", "\\u003c|"),
    ("<channel|", "\\u003cchannel|"),
)


def fence_code(text: str, language: str = "") -> str:
    """A text in a code fence that it cannot end: one longer than any that stands in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _shorten_numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_shorten_numbers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
