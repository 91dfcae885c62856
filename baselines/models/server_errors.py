"""Parse error responses of servers: message, codes and refused fields.

Formats of error bodies vary: `error` as an object, text or in a list, `message` as text or an object, FastAPI's
`detail` with `loc`, the body of an upstream provider as JSON inside text, plain text. One parser covers all of them:
messages are under a few keys, at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from econzoo.baselines.models.pacing import seconds_until, wait_in
from econzoo.envs.core.contract import parse_json

_WORDS = ("message", "msg", "error", "detail", "details", "errors", "reason", "title", "description", "raw")
_CODES = ("code", "type", "status")
_FIELDS = ("param", "loc", "field")
FAILED_GENERATION = "failed_generation"
"""Key of a rejected reply (Groq)."""

_ECHOES = {"input", "ctx", "request", FAILED_GENERATION}
"""Keys whose values repeat the request or the reply."""

_TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|too many (input )?tokens|prompt (is )?too long|(input|prompt) token count"
    r"|maximum (prompt|input|context) length|maximum number of tokens allowed|request too large|input[_ ](is )?too"
    r"[_ ](large|long)|input tokens exceed|input length|prompt length|`?inputs`? tokens \+|when context the overflows"
    r"|exceeds? budget|reduce the length|reduce your message"
)
"""Messages about conversations that are too long."""

_PROMPT = re.compile(
    r"prompt (is )?too long|(input|prompt) token count|prompt length|input[_ ](is )?too|input tokens exceed"
    r"|input \(\d+ tokens\)|messages resulted in|prompt contains"
)
"""Messages about prompts that are too long, regardless of the reply's limit."""

_LIMITS = re.compile(r"max_(completion_|new_|output_)?tokens|maxoutputtokens")
_TOO_MUCH = re.compile(r"too large|at most|maximum|exceed|less than|greater than|<=|> ")

_SYSTEM = re.compile(r"(system|developer)[\w' ]{0,20}(role|message|instruction|prompt)|role[\w'\": ]{0,20}system")
_UNSUPPORTED = re.compile(
    r"not (be )?(support|enabl|allow)|unsupported|only user|must (be|start|begin)|invalid|unexpected|doesn't"
)
_ALTERNATE = re.compile(r"must alternate|roles? (should|must)")
_TEMPLATE = re.compile(r"jinja|chat[_ ]template(?!_kwargs)|template (error|exception)|raise_exception|not callable")

_NAMES_NOTHING = re.compile(
    r"(request contains an |the )?(http \d+|provider returned error|(invalid|bad|malformed|unprocessable)"
    r"[_ ]?(argument|request|input|entity|param(eter)?s?)?([_ ]error)?)[.!]?"
)
"""Whole messages of refusals without a reason, such as Gemini's of a schema."""

_FILTERED = re.compile(
    r"content (filter|moderation|management)(ing)? policy|content exists risk|inappropriate content|usage guidelines"
    r"|considered high risk|input was flagged|(safety|content) filters?\b.{0,40}(block|trigger)|prohibited_content"
    r"|blocked (by|due to|for) .{0,20}(safety|policy|moderation)"
)
"""Messages of content filters: Anthropic, DeepSeek, Alibaba, xAI, Moonshot, OpenRouter, Gemini."""

_BUSY_STATUS = (429, 503, 529)
_BUSY = re.compile(
    r"overloaded|over(?:ly)? capacity|at capacity|no capacity|capacity exceeded|rate[_ ]?limit|too many requests"
    r"|resource[_ ]?exhausted|(server|model|engine|service)\b.{0,30}\b(is|are)( currently| temporarily)? (busy|loading)"
    r"|(service|temporarily) unavailable|high (demand|load)"
)
"""Messages about limits of rate and overload, where the status says nothing of it."""

_GONE_STATUS = (502, 520, 521, 522, 523, 525, 526, 530)
"""Statuses of gateways that cannot reach the server."""

CUT_STATUS = (408, 504, 524)
"""Statuses of gateways that end calls which are silent for too long."""

_UNPAID = re.compile(
    r"insufficient[_ ]?(quota|balance|credit|fund)|balance is (too low|insufficient|negative)"
    r"|(out of|no|not enough|more) credits|credit (balance|limit)|billing[_ ](hard[_ ])?limit|payment required"
    r"|account (is )?(deactivated|suspended|not active|in arrears)|arrearage|account_deactivated"
    r"|used all (available|your) credits|spending limit|limit: 0(?![.\d])"
)
_PLAN = re.compile(r"check your plan and billing")
"""Messages about credit; of plans also Gemini's of a limit that passes, which tells how long it takes."""

_BAD_KEY = re.compile(
    r"api[_ ]key (not valid|is invalid)|(invalid|incorrect|wrong|missing|no) api[_ ]key|api_key_invalid"
)
_UNKNOWN_MODEL = re.compile(
    r"not a valid model|(unknown|invalid|no such) model\b|model_not_found"
    r"|model\b.{0,60}\b(not found|not exist|not available)"
)
"""Messages about a key or model, where the status says nothing of it."""

_WAITS = {"retrydelay": 1.0, "retry_after": 1.0, "retryafter": 1.0, "retry_after_seconds": 1.0, "retry_after_ms": 1e-3}
"""Keys of a wait in bodies (Gemini's `RetryInfo.retryDelay`), in these parts of a second."""

MAX_SHOWN = 240
"""Maximum characters of a shown message; some servers send a page."""

FILTER_CODES = {
    "content_filter",
    "content_policy_violation",
    "invalid_prompt",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
}
"""Error codes of content filters for prompts or replies."""


@dataclass(frozen=True)
class ServerError:
    """An error response of a server: HTTP status, and body as plain values or text."""

    status: int
    body: Any

    @cached_property
    def text(self) -> str:
        """Error message without duplicates, truncated."""
        return self._words[:MAX_SHOWN] or f"HTTP {self.status}"

    @cached_property
    def _words(self) -> str:
        every = [value for _, value in _entries(self.body) if isinstance(value, str)]
        return "; ".join(dict.fromkeys(text for text in words_in(self.body) if text)) or "; ".join(every)

    @cached_property
    def searchable_text(self) -> str:
        """Message, codes and fields in lower case."""
        return " ".join([self._words, *self.codes, *self.fields]).lower()

    @cached_property
    def codes(self) -> list[str]:
        """Codes, types and statuses in lower case."""
        every = (value for name, value in _entries(self.body) if name.lower() in _CODES)
        return [str(value).lower() for value in every if isinstance(value, str | int)]

    @cached_property
    def fields(self) -> list[str]:
        """Request fields named outside the message: ``seed`` of ``["body", "seed"]``."""
        fields = []
        for name, value in _entries(self.body):
            if name.lower() in _FIELDS:
                parts = value if isinstance(value, list) else re.split(r"[.\[\]]+", str(value or ""))
                fields += [str(one) for one in parts if one not in ("body", "", None)]
        return fields

    @cached_property
    def rejected_reply(self) -> str | None:
        """Reply that the server rejected because it violates the schema; None without one."""
        replies = (value for name, value in _entries(self.body) if name == FAILED_GENERATION and isinstance(value, str))
        return next(replies, None)

    @property
    def is_filtered(self) -> bool:
        """Whether a content filter blocked the prompt or the reply."""
        if not FILTER_CODES.isdisjoint(self.codes):
            return True
        return self.status in (400, 403, 422) and _FILTERED.search(self.searchable_text) is not None

    @property
    def is_too_long(self) -> bool:
        """Whether prompt and token limit exceed the context."""
        return self.status == 413 or _TOO_LONG.search(self.searchable_text) is not None

    @property
    def is_too_much(self) -> bool:
        """Whether the token limit may be too large."""
        if _LIMITS.search(self.searchable_text) and _TOO_MUCH.search(self.searchable_text):
            return True
        return self.is_too_long and not _PROMPT.search(self.searchable_text)

    @property
    def refuses_system(self) -> bool:
        """Whether the chat template rejects system messages, or fails for a possibly related reason."""
        if _ALTERNATE.search(self.searchable_text) or _TEMPLATE.search(self.searchable_text):
            return True
        return (
            _SYSTEM.search(self.searchable_text) is not None and _UNSUPPORTED.search(self.searchable_text) is not None
        )

    @property
    def is_bad_request(self) -> bool:
        """Whether the request is the cause, so that an adapted one may succeed."""
        if self.status >= 500 and self.status != 501:  # some templates and long prompts crash servers
            return self.refuses_system or self.is_too_long
        return (
            self.status in (400, 413, 422, 501)
            or self._has_no_logprobs
            or self._has_no_endpoint
            or (self.status == 429 and "too large" in self.searchable_text)
        )

    @property
    def reason(self) -> str:
        """What the status means for the user."""
        if self.refuses_system and self.is_bad_request:
            return "its chat template rejects the conversation, even with system=merge"
        if self.is_unpaid:
            return "credit or payment is missing"
        if self._is_bad_key:
            return "the key was refused"
        if self.status != 404 and self.is_unavailable and self.status in (400, 422):
            return "unknown model"
        reasons = {403: "access denied", 404: "unknown model or wrong URL"}
        return reasons.get(self.status, "the request was refused")

    @property
    def names_nothing(self) -> bool:
        """Whether the message gives no reason."""
        return not self.fields and _NAMES_NOTHING.fullmatch(self.text.lower()) is not None

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later."""
        # A template that has failed on this conversation would fail again.
        failing = self.status >= 500 and self.status != 501 and not self.refuses_system
        return (failing or self.status in (408, 409, 425, 429)) and not self.is_unpaid

    @property
    def is_busy(self) -> bool:
        """Whether the server limits its rate or is overloaded, which passes by itself."""
        return self.is_retryable and (self.status in _BUSY_STATUS or _BUSY.search(self.searchable_text) is not None)

    @property
    def is_gone(self) -> bool:
        """Whether a gateway cannot reach the server."""
        return self.status in _GONE_STATUS

    @property
    def is_unpaid(self) -> bool:
        """Whether credit or payment is missing, which does not pass by itself."""
        if self.status == 402 or (self.status in (400, 403, 429) and _UNPAID.search(self.searchable_text)):
            return True
        is_plan = self.status == 429 and _PLAN.search(self.searchable_text) is not None
        return is_plan and self.wait is None and "resource_exhausted" not in self.searchable_text

    @property
    def is_unavailable(self) -> bool:
        """Whether key, model or address are wrong, unless the server has replied before, or credit is missing."""
        if self.is_unpaid or self.status in (401, 403, 404, 405):
            return not (self._has_no_endpoint or self._has_no_logprobs)
        return self.status in (400, 422) and bool(self._is_bad_key or _UNKNOWN_MODEL.search(self.searchable_text))

    @property
    def _is_bad_key(self) -> bool:
        return self.status == 401 or _BAD_KEY.search(self.searchable_text) is not None

    @property
    def _has_no_logprobs(self) -> bool:
        # OpenAI's answer for some models: "You are not allowed to request logprobs from this model".
        return self.status == 403 and "logprobs" in self.searchable_text

    @property
    def _has_no_endpoint(self) -> bool:
        """Whether no upstream provider takes all fields (OpenRouter)."""
        return self.status == 404 and "no endpoints found" in self.searchable_text

    @cached_property
    def wait(self) -> float | None:
        """Seconds that the body asks to wait, in a field or in words; None if it does not."""
        for name, value in _entries(self.body):
            if (unit := _WAITS.get(name.lower())) is not None and (seconds := _seconds(value)) is not None:
                return seconds * unit
        return wait_in(self._words)


def _seconds(value: Any) -> float | None:
    """Return the seconds of a protobuf duration (``"34s"`` or its parts) or a number; None if it is none."""
    if isinstance(value, Mapping):
        value = value.get("seconds")
    if isinstance(value, str):
        return seconds_until(value)
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
    return float(value) if fits else None


def read_body(text: str) -> Any:
    """Parse a response body as JSON, or return its text."""
    try:
        return parse_json(text)
    except ValueError:
        return text


def words_in(body: Any, wanted: bool = True) -> Iterator[str]:
    """Yield the messages of an error, at any depth; text at this level is one if it is `wanted`."""
    if isinstance(body, str) and wanted:
        inner = read_body(body) if body.lstrip().startswith(("{", "[")) else body
        yield from [" ".join(body.split())] if isinstance(inner, str) else words_in(inner)
    elif isinstance(body, Mapping):
        where = body.get("loc")
        for name, value in body.items():
            if name in _ECHOES:
                continue
            texts = words_in(value, name.lower() in _WORDS)
            yield from texts if name != "msg" or not isinstance(where, list) else _prefix_locations(where, texts)
    elif isinstance(body, list):
        for one in body:
            yield from words_in(one, wanted)


def _prefix_locations(where: list[Any], texts: Iterator[str]) -> Iterator[str]:
    for text in texts:
        yield f"{'.'.join(map(str, where))}: {text}"


def _entries(body: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key with its value, at any depth."""
    if isinstance(body, str) and body.lstrip().startswith(("{", "[")):
        inner = read_body(body)
        yield from () if isinstance(inner, str) else _entries(inner)
    elif isinstance(body, Mapping):
        for name, value in body.items():
            yield name, value
            yield from () if name in _ECHOES else _entries(value)
    elif isinstance(body, list):
        for one in body:
            yield from _entries(one)
