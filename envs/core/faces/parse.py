"""Strict parsing of replies to typed actions: ambiguous replies are invalid."""

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
"""Maximum characters of a reply."""

MAX_DEPTH = 100
"""Maximum nesting depth of an answer; Python's own limit varies by version."""

MAX_OUTSIDE_TEXTS = 10_000
"""Maximum characters of an answer outside its strings."""

MAX_SIMPLE_REPLY = 2_000
"""Maximum characters of a reply for the fast path."""


class NonstandardJSONError(ValueError):
    """JSON that Python accepts but the standard does not; raised inside the decoder."""


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
"""Function that repairs a malformed object, or returns an `Invalid`."""


class Reply(str):
    """A reply with its finish reason and lazily parsed parts.

    Args:
        text: Raw text.
        finish: One of `econzoo.envs.core.faces.finish.FINISHES` or ``UNANSWERED`` there; empty: completed, or
            unknown.
        limit: Token limit, or seconds on a timeout; 0: unknown.
    """

    finish: str
    limit: int

    def __new__(cls, text: str, finish: str = "", limit: int = 0) -> Reply:
        """Create a reply from text and finish reason."""
        reply = super().__new__(cls, text)
        reply.__dict__.update(finish=finish, limit=limit)
        return reply

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} of a reply cannot be set")

    def __reduce__(self) -> tuple[type[Reply], tuple[str, str, int]]:
        return Reply, (self.text, self.finish, self.limit)

    @property
    def text(self) -> str:
        """Text as a plain string."""
        return str(self)

    @cached_property
    def is_too_long(self) -> bool:
        """Whether it is too long to be parsed."""
        return len(self) > MAX_REPLY or has_too_many_signs(self)

    @cached_property
    def _thought_and_answer(self) -> tuple[str, str]:
        return split_thought(self)

    @property
    def thought(self) -> str:
        """Thought ahead of the answer, with its tags; empty if none."""
        return self._thought_and_answer[0]

    @property
    def answer(self) -> str:
        """Text after the thought, without framing tokens."""
        return self._thought_and_answer[1]

    @cached_property
    def is_thinking(self) -> bool:
        """Whether its answer contains an opened thought."""
        return is_thinking(self.answer)

    @cached_property
    def object(self) -> Any:
        """JSON object that is its answer (see `parse_reply`), or an `Invalid`."""
        plain = _parse_simple_object(self)
        return self.search_object() if plain is None else plain

    def search_object(self, repair: RepairFunction | None = None) -> Any:
        """Search the whole reply for its object.

        Args:
            repair: Function applied to the object's text, which is then decoded; None: none.
        """
        if has_too_many_signs(self):
            return TOO_MANY_SIGNS
        if len(self.answer) < len(self) and (plain := _parse_whole_reply(self.strip(), repair)) is not None:
            return plain
        return self._place if isinstance(self._place, Invalid) else _decode_region(self.answer, self._place, repair)

    @cached_property
    def _place(self) -> Region | Invalid:
        """Region of the object in the answer."""
        text = self.answer
        spans = regions(text)
        chosen = spans if isinstance(spans, Invalid) else find_answer_region(text, spans) if spans else NO_OBJECT
        if not isinstance(chosen, Region):
            return THINKING if self.is_thinking else chosen if text.strip() else EMPTY
        return THINKING if is_thinking(f"{text[: chosen.start]}\n{text[chosen.end :]}") else chosen


def to_reply(text: str) -> Reply:
    """Convert text to a `Reply`, unless it is one."""
    return text if isinstance(text, Reply) else Reply(text)


def find_object(text: str) -> Any:
    """Return the JSON object that is the answer in a text (see `parse_reply`), or an `Invalid`."""
    if isinstance(text, Reply):
        return text.object
    plain = _parse_simple_object(text)
    return Reply(text).search_object() if plain is None else plain


def _parse_simple_object(reply: str) -> Any:
    """Fast path: parse a short reply with a single object and no tags; None: use the full parser."""
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
    """Parse the answer in a reply: the last JSON object on lines of its own, in a fence, or at the end.

    If the move is a text, such as a program, the answer may be that text, found by `Source.find_in_reply`.

    Completed thoughts are ignored; a reply with an unclosed thought has no answer, nor has one whose objects are inside
    sentences, lists or quotations, which would be ambiguous. Keys with null are ignored.

    Args:
        reply: Text.
        schema: Kinds of move of the game.
        legal: Legal moves of the seat.

    Returns:
        Typed action, or an `Invalid`.
    """
    if reply.__class__ is str and schema.source is None and (plain := _parse_simple_object(reply)) is not None:
        return _parse_action(schema, plain, legal)
    if not isinstance(reply, str):
        return Invalid("wrong_type", f"a reply must be text; got {type(reply).__name__}")
    if len(reply) > MAX_REPLY:
        return Invalid("too_long", f"the reply has {len(reply)} characters; allowed: {MAX_REPLY}")
    parsed = to_reply(reply)
    if schema.source is not None:
        plain = find_source(parsed, *schema.source)
    else:
        plain = parsed.object if parsed is reply else parsed.search_object()
    return plain if plain.__class__ is Invalid else _parse_action(schema, plain, legal)


def _parse_action(schema: ActionSchema | Wording, plain: Any, legal: Legal) -> Any:
    """Convert an object to a typed action; null keys, which strict schemas require, are ignored."""
    if not isinstance(plain, dict) or None not in plain.values():
        return schema.parse(plain, legal)
    move = schema.parse({key: value for key, value in plain.items() if value is not None}, legal)
    is_needed = move.__class__ is Invalid and move.code == "missing_key"
    return schema.parse(plain, legal) if is_needed else move


def read_reply(reply: Any, words: Wording, legal: Legal) -> Any:
    """Parse an answer like `parse_reply`, in the wording of its seat.

    Args:
        reply: Text.
        words: Wording of names, numbers and sentences.
        legal: Legal moves of the seat.

    Returns:
        Typed action, or an `Invalid` in this wording.
    """
    if words.is_plain or words.actions.source or not isinstance(reply, str) or len(reply) > MAX_REPLY:
        return parse_reply(reply, words.actions, legal)
    reply = to_reply(reply)
    plain = reply.search_object(words.repair_numbers)
    if words.sentences and plain in (NO_OBJECT, NOT_ALONE):
        plain = words.parse_sentences(reply.answer) or plain
    return plain if plain.__class__ is Invalid else _parse_action(words, plain, legal)


def find_source(reply: Reply, key: str, mark: Source) -> Any:
    """Return the text of a `Source` move in a reply as a plain dictionary with this key, or an `Invalid`.

    It may also be in a JSON object with this key, as models under constrained decoding write.
    """
    source = mark.find_in_reply(reply)
    if isinstance(source, str) and not source.lstrip().startswith("{"):
        return {key: source}
    plain = reply.object
    if (isinstance(plain, dict) and key in plain) or reply.answer.lstrip().startswith("{"):
        return plain
    return {key: source} if isinstance(source, str) else source


def _parse_whole_reply(reply: str, repair: RepairFunction | None) -> dict[str, Any] | None:
    """Return the object if the whole reply is one, whatever tags its strings contain, else None."""
    spans = regions(reply) if reply.startswith("{") else []
    if isinstance(spans, Invalid) or len(spans) != 1 or spans[0].end < len(reply):
        return None
    plain = _decode_region(reply, spans[0], repair)
    return None if plain.__class__ is Invalid else plain


def _decode_region(text: str, region: Region, repair: RepairFunction | None = None) -> Any:
    """Decode the object in a region, or return an `Invalid`."""
    if region.depth > MAX_DEPTH:
        return Invalid("bad_json", f"the JSON object cannot be read: it is nested more than {MAX_DEPTH} deep")
    if region.bare > MAX_OUTSIDE_TEXTS:
        problem = f"it has {region.bare} characters outside of its texts; allowed: {MAX_OUTSIDE_TEXTS}"
        return Invalid("bad_json", f"the JSON object cannot be read: {problem}")
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
    """Format a typed action as compact JSON that `parse_reply` parses back unchanged.

    It has no blanks, and integers no ``.0``: the form that constrained decoding enforces, so that training replies
    match it.

    Args:
        schema: Kinds of move of the game, or a `Wording`.
        action: Typed action.
        legal: Legal moves, which complementary amounts depend on.
        extra: Texts that are not part of the move, by key.
    """
    written = getattr(schema, "to_answer", None)  # of a `Wording`
    actions = cast("ActionSchema", getattr(schema, "actions", schema))
    if actions.source and not has_tags(action[0]):
        key, mark = actions.source
        block = fence_code(action[0], mark.language)
        if find_source(Reply(block), key, mark) == {key: action[0]}:  # fences lose blank lines at their ends
            return block
    plain = actions.to_plain(action) if written is None else written(action, legal)
    return json_reply({**{key: _shorten_numbers(value) for key, value in plain.items()}, **(extra or {})})


def json_reply(plain: Any) -> str:
    """Format plain values as compact JSON that parses whatever its strings contain.

    "</think>" in a message must not end a thought, so it is escaped.
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
    """Wrap a text in a code fence longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _shorten_numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_shorten_numbers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
