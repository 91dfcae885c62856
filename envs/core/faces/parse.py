"""Strict parsing of replies to typed actions: ambiguous replies are invalid."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from econzoo.envs.core.contract import Invalid

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema, Legal, Source
    from econzoo.envs.core.faces.wording import Wording


# Thoughts
#
# Tags are those of published models and servers: names in angle or square brackets (DeepSeek, Qwen, Mistral, Seed-OSS,
# MiniMax, LongCat), tokens and channels (gpt-oss, Gemma, Command A, Apertus, OpenThinker, Kimi, Solar), case-
# insensitive. A thought ends with a tag of the family that opened it.


MAX_TAG_SIGNS = 1_000
"""Maximum `<` characters of a reply that is searched for tags."""

_MAKER_PREFIX = "(?:[a-z]{1,10}[:_])?"
"""Optional vendor prefix, as in ``<seed:think>``."""

_TAG = re.compile(
    rf"""
    [<\u25c1](?:
        (?P<arrow_end> /think\u25b7 )
      | (?P<arrow> think\u25b7 )
      | (?P<name_end> /{_MAKER_PREFIX}(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad)> )
      | (?P<name> {_MAKER_PREFIX}(?:think|thought|reasoning) | (?:reason|reflection|analysis|scratchpad)> )
      | (?P<token_end>
            \|channel\|>\s{{0,9}}final[^<]{{0,99}}(?:<\|constrain\|>[^<]{{0,99}})?<\|message\|>
          | \|(?:end|/think|end_thinking|end_of_thought|inner_suffix|end_message|close\|>think<\|sep)\|>
          | \|(?:start_response|begin_of_solution|content_text|open\|>response<\|sep)\|> | channel\|> )
      | (?P<token>
            \|channel\|?> | \|(?:think|start_thinking|begin_of_thought|inner_prefix|content_thinking)\|>
          | \|open\|>think<\|sep\|> ) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""All tags by family, except those in square brackets; the start of an answer is also an end."""

_BRACKETS = "[think]", "[/think]"

_BARE_CHANNEL, _BARE_FINAL = re.compile(r"\s*+analysis[A-Z]"), "assistantfinal"
"""Remains of gpt-oss channels if special tokens are skipped."""

_OPENING_FRAME = re.compile(r"\s*+<(?:answer|response|final_answer|output)>", re.IGNORECASE)
_CLOSING_FRAME = re.compile(
    r"<(?:/(?:answer|response|final_answer|output|s)|eos|turn\||\|close\|>(?:response|message)<\|sep\|"
    r"|\|(?:return|end|end_message|end_response|end_of_solution|end_of_turn_token|end_of_msg|content_model_end_sampling)\|"
    r"|\|(?:im_end|eot_id|endoftext|end_of_text)\|)>\s*+\Z",
    re.IGNORECASE,
)
"""Tokens that frame an answer."""

_MAX_FRAMES, _MAX_FRAME_LENGTH = 5, 40
"""Maximum framing tokens stripped after the answer, and their maximum length."""


def has_too_many_signs(reply: str) -> bool:
    """Whether a reply has too many `<` to be searched for tags."""
    return reply.count("<") + reply.count("\u25c1") > MAX_TAG_SIGNS


def split_thought(reply: str) -> tuple[str, str]:
    """Split a reply into the part up to the last end of a thought (or empty) and the unframed answer after it."""
    reply = _strip_frames(reply)
    if _BARE_CHANNEL.match(reply):
        thought, end, answer = reply.rpartition(_BARE_FINAL)
        return thought + end, answer
    start, family = 0, ""
    for kind, is_end, place in _tags(reply):
        if not is_end:
            family = family or kind
        # An end alone counts as well: chat templates of some models open the thought in the prompt.
        elif family in ("", kind):
            start, family = place, ""
    mark = _OPENING_FRAME.match(reply, start)
    return reply[:start], reply[mark.end() if mark else start :]


def is_thinking(text: str) -> bool:
    """Whether a text opens a thought."""
    return bool(_BARE_CHANNEL.match(text)) or any(not is_end for _, is_end, _ in _tags(text))


def has_tags(text: str) -> bool:
    """Whether a text contains tags that could open or end a thought."""
    return is_thinking(text) or split_thought(text)[1] != text


def _tags(text: str) -> list[tuple[str, bool, int]]:
    """Return (family, is_end, end index) of each tag; of bracket tags, the first and the last end."""
    tags = []
    if ("<" in text or "\u25c1" in text) and not has_too_many_signs(text):
        for mark in _TAG.finditer(text):
            group = mark.lastgroup or ""
            tags.append((group.removesuffix("_end"), group.endswith("_end"), mark.end()))
    if "[" in text:
        small = text.replace("\u0130", "i").lower()  # the only letter whose lower case has two characters
        places = (
            (False, small.find(_BRACKETS[0]), len(_BRACKETS[0])),
            (True, small.rfind(_BRACKETS[1]), len(_BRACKETS[1])),
        )
        tags += [("name", is_end, at + length) for is_end, at, length in places if at >= 0]
        tags.sort(key=itemgetter(2))
    return tags


def _strip_frames(reply: str) -> str:
    """Strip framing tokens after the answer."""
    for _ in range(_MAX_FRAMES):
        bare = reply.rstrip()
        mark = _CLOSING_FRAME.search(bare, max(0, len(bare) - _MAX_FRAME_LENGTH)) if bare.endswith(">") else None
        if not mark:
            break
        reply = bare[: mark.start()]
    return reply


# Objects in a reply
#
# The answer is the last standalone object: on lines of its own, in a fence, or at the end of the text. Objects inside
# a sentence, list or quotation are not answers, or ambiguous. There is no answer if a line such as ``User:`` separates
# two objects: the model plays both sides or recounts the dialogue.


# Replies come from anywhere: limits bound the work on the longest one of any shape.
MAX_MARKS = 500
"""Maximum brackets and strings in all braces of a reply."""


class Region(NamedTuple):
    """Span from an opening brace to its closing brace.

    Attributes:
        start: Index of the opening brace.
        end: Index after the closing brace.
    """

    start: int
    end: int
    depth: int
    bare: int


# Quantifiers are possessive (*+) here and below, so that no reply makes them backtrack.
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
    """Return the last standalone region, or an `Invalid`."""
    until = len(text)
    # From the end, as drafts may stand above the answer.
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
    # With one character of each neighbour, by which `_is_inside` knows a list of objects.
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
_scan_unhooked: Callable[[str, int], tuple[Any, int]] = cast(
    "Any", json.JSONDecoder(parse_constant=_refuse_constant)
).scan_once


EMPTY = Invalid("empty", "the reply is empty; answer with one JSON object")
NO_OBJECT = Invalid("no_json", "the reply has no JSON object; answer with one")
UNFINISHED_THOUGHT = Invalid("thinking", "the reply ends inside a thought; end the thought, and answer after it")
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
        finish: One of `econzoo.envs.core.faces.finish.FINISHES` or `NO_REPLY_REASONS` there; empty: completed, or
            unknown.
        limit: Token limit, or seconds on a timeout; 0: unknown.
    """

    finish: str
    limit: int

    def __new__(cls, text: str, finish: str = "", limit: int = 0) -> Reply:
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
            return UNFINISHED_THOUGHT if self.is_thinking else chosen if text.strip() else EMPTY
        # Tags in texts of the object open no thought. The line break keeps its two sides from forming a tag together.
        return UNFINISHED_THOUGHT if is_thinking(f"{text[: chosen.start]}\n{text[chosen.end :]}") else chosen


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
    # A reply with so few characters and brackets keeps to the limits of the full parser.
    length, start = len(reply), reply.find("{")
    if (
        start < 0
        or length > MAX_SIMPLE_REPLY
        or (length > MAX_DEPTH and reply.count("{") + reply.count("[") > MAX_DEPTH)
    ):
        return None
    try:
        plain, end = _scan_unhooked(reply, start)
        # As many colons as keys: a flat object without a repeated key, which the hook would look for.
        if reply.count(":", start, end) != len(plain):
            plain, end = _scan(reply, start)
    except (ValueError, StopIteration):
        return None
    if end - start == length:
        return plain
    # Whatever could be a tag, another object or a channel of gpt-oss is left to the full parser.
    beside = reply[:start] + reply[end:]
    if "<" in reply or "\u25c1" in reply or "[" in beside or "{" in reply[end:] or "analysis" in beside:
        return None
    return plain if stands_alone(reply, 0, Region(start, end, 0, 0), length) else None


def parse_reply(reply: Any, schema: ActionSchema, legal: Legal) -> Any:
    """Parse the answer in a reply: the last JSON object on lines of its own, in a fence, or at the end.

    If the move is a text, such as a program, the answer may be that text, found by `Source.find_in_reply`.

    Completed thoughts are ignored; a reply with an unclosed thought has no answer, nor has one whose objects are inside
    sentences, lists or quotations, which would be ambiguous. Keys with null are ignored.
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
    # The error of the null itself says more than that its key is missing.
    is_needed = move.__class__ is Invalid and move.code == "missing_key"
    return schema.parse(plain, legal) if is_needed else move


def read_reply(reply: Any, words: Wording, legal: Legal) -> Any:
    """Parse an answer like `parse_reply`, in the wording of its seat."""
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


# JSON reads these back as they were.
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
