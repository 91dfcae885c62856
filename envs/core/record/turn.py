"""One answer in a record."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from econzoo.envs.core.contract import UNPRINTABLE
from econzoo.envs.core.faces import FINISHES, NO_REPLY_REASONS, Reply

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Game


FLOAT, OTHER = "$float", "$other"
"""Keys for values that JSON lacks: NaN and infinities, and other types."""

_PLAIN_TYPES = (str, bool, type(None))
_PRINTABLE = 10**640
"""Integers below this can be printed under any Python limit."""
MAX_SHOWN = 1000


def encode_reply(game: Game, reply: Any) -> Any:
    """Encode a reply for JSON.

    Numpy scalars become numbers, typed moves plain dictionaries, tuples lists and keys strings. NaN and infinities
    become ``{"$float": "nan"}``, anything else, including integers too long to print, its type and repr.
    """
    if isinstance(reply, tuple) and reply.__class__ in game.actions.models:
        reply = game.actions.to_plain(reply)
    if reply.__class__ is dict:
        for key, value in reply.items():
            if key.__class__ is not str or not _is_flat(value):
                return _encode_value(reply, 0)
        return dict(reply)
    return _encode_value(reply, 0)


def _is_flat(value: Any) -> bool:
    kind = value.__class__
    if kind is int:
        return -_PRINTABLE < value < _PRINTABLE
    return kind in _PLAIN_TYPES or (kind is float and math.isfinite(value))


def _encode_value(value: Any, depth: int) -> Any:
    if value.__class__ in _PLAIN_TYPES:
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {FLOAT: repr(float(value))}
    if isinstance(value, dict) and depth < 20:
        return {
            str(key) if isinstance(key, str) else _safe_repr(key, str): _encode_value(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple) and depth < 20:
        return [_encode_value(item, depth + 1) for item in value]
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int) and abs(value) < _PRINTABLE:
        return int(value)
    return value if value is None else {OTHER: [type(value).__name__, _safe_repr(value)]}


def _safe_repr(value: Any, show: Callable[[Any], str] = repr) -> str:
    try:
        return show(value)[:MAX_SHOWN]
    except Exception:
        return UNPRINTABLE if isinstance(value, int) else f"<{type(value).__name__}>"


def decode_reply(kept: Any) -> Any:
    """Decode a reply from `encode_reply`; it is equivalent for every face and error text."""
    if kept.__class__ in _PLAIN_TYPES or kept.__class__ is float or kept.__class__ is int:
        return kept
    if isinstance(kept, list):
        return [decode_reply(item) for item in kept]
    for item in kept.values():
        if item.__class__ is dict or item.__class__ is list:
            break
    else:
        if len(kept) != 1 or FLOAT not in kept:
            return kept
    if len(kept) == 1:
        if isinstance(kept.get(FLOAT), str):
            return _decode_float(kept[FLOAT])
        if isinstance(kept.get(OTHER), list) and len(kept[OTHER]) == 2:
            return _make_stand_in(*map(str, kept[OTHER]))
    return {key: decode_reply(item) for key, item in kept.items()}


def _decode_float(text: str) -> Any:
    return float(text) if text in ("nan", "inf", "-inf") else text


def _make_stand_in(name: str, shown: str) -> Any:
    """Create an object that no face accepts as a move and that has the original repr."""
    return type(name, (), {"__repr__": lambda self: shown})()


OPTIONAL_TURN_FIELDS = (
    *("calls", "finish", "limit", "reasoning", "cached_tokens", "unsupported", "served", "probabilities"),
)
"""Fields that are written only if they are not empty."""


class Served(TypedDict, total=False):
    """What served a reply, as the server told; untold parts are missing.

    Attributes:
        fingerprint: ``system_fingerprint`` of the response.
        provider: Upstream provider that a router such as OpenRouter chose.
        finish: Finish reason in the provider's own spelling.
    """

    model: str
    fingerprint: str
    provider: str
    id: str
    finish: str


class Probabilities(TypedDict, total=False):
    """Probabilities of the kinds of move in a reply, at the token that tells them apart.

    Attributes:
        kinds: Probability of each possible kind at the temperature of the reply; their sum is 1.
        raw: The model's own probabilities, at temperature 1 and without a grammar, of the tokens that spell each kind.
            What is missing from 1 is the probability of anything else.
    """

    kinds: dict[str, float]
    raw: dict[str, float]


@dataclass
class Turn:
    """One answer of a seat, valid or not.

    Fields in `OPTIONAL_TURN_FIELDS` are omitted from the line if they are empty.

    Attributes:
        seat: Seat that answered.
        round: Round, counted from 1.
        reply: Raw answer: text, plain dictionary or number.
        action: Move as a plain dictionary; None if the answer was invalid.
        prompt: Prompt, on the text faces.
        error: ``[code, text]`` of an invalid answer.
        default: Whether `action` is the default action that replaced the answer.
        tokens: Prompt and completion tokens.
        seconds: Wall time of the answer: of a served model the sum over its requests that were answered, without
            failed attempts and waiting; of a model in this process its share of the batch.
        cost: Cost in US dollars.
        dropped_turns: Turns cut from the model's transcript because it was too long.
        closed_by_grammar: Whether the reply reached the token limit and the grammar completed it.
        calls: Calls of a model ahead of the one that gave the reply, in order: ``purpose``, ``about_seat`` (the
            simulated seat, or None), ``prompt``, ``reply``, ``tokens``, ``seconds``, ``cost``, and optionally
            ``problem``, ``finish``, ``reasoning``, ``cached_tokens``, ``unsupported`` and ``served``. The turn's own
            tokens, seconds and cost are totals over all calls.
        finish: Finish reason other than completion, one of `econzoo.envs.core.faces.finish.FINISHES`, or why there is
            no reply, one of `econzoo.envs.core.faces.finish.NO_REPLY_REASONS`.
        limit: Token limit, or timeout in seconds; 0: unknown.
        reasoning: Reasoning text, as reported by the server.
        cached_tokens: Prompt tokens read from the provider's cache.
        unsupported: Options of the spec that the server did not support in any of the calls: ``temperature``, ``seed``,
            ``constrained``, ``tools``, ``system``, ``reasoning_tokens``, ...; ``usage`` if token counts are estimates,
            ``replies`` if a placeholder was sent in place of replies, ``context`` if a prompt seems to have been cut.
        served: What served the reply; each of the `calls` has its own.
        probabilities: Probabilities of the kinds of move, if they were asked for (``--logprobs``) and are known.
    """

    seat: int
    round: int
    reply: Any
    action: dict[str, Any] | None
    prompt: str | None = None
    error: list[str] | None = None
    default: bool = False
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    seconds: float = 0.0
    cost: float = 0.0
    dropped_turns: int = 0
    closed_by_grammar: bool = False
    calls: list[dict[str, Any]] = field(default_factory=list)
    finish: str = ""
    limit: int = 0
    reasoning: str = ""
    cached_tokens: int = 0
    unsupported: list[str] = field(default_factory=list)
    served: Served = field(default_factory=Served)
    probabilities: Probabilities = field(default_factory=Probabilities)

    @property
    def answer(self) -> Any:
        """The reply with its finish reason, as it is played."""
        return restore_reply(self.reply, self.finish, self.limit)

    def fields(self) -> dict[str, Any]:
        """Return the turn as a dictionary for the line of a record."""
        given = dict(vars(self))
        for name in OPTIONAL_TURN_FIELDS:
            if not given[name]:
                del given[name]
        return given


def restore_reply(reply: Any, finish: str = "", limit: int = 0) -> Any:
    """Reconstruct a reply from a turn."""
    given = decode_reply(reply)
    return Reply(given, finish, limit) if finish in (*FINISHES, *NO_REPLY_REASONS) and isinstance(given, str) else given
