"""What a server says when it refuses a request, in whatever form: the words, and the fields that it names.

There are about as many forms of error bodies as servers: `error` as an object, a text or in a list, `message` as a text
or an object, FastAPI's `detail` with `loc`, the body of an upstream provider as JSON inside of a text, plain text. One
rule reads all of them: words stand under a few keys, at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from econzoo.envs.core.contract.validation import parse_json

_WORDS = ("message", "msg", "error", "detail", "details", "errors", "reason", "title", "description", "raw")
_CODES = ("code", "type", "status")
_FIELDS = ("param", "loc", "field")
FAILED_GENERATION = "failed_generation"
"""The key of such a reply (Groq)."""

_ECHOES = {"input", "ctx", "request", FAILED_GENERATION}
"""Of keys whose values are the request, or the reply, once more."""

_TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|too many (input )?tokens|prompt (is )?too long|(input|prompt) token count"
    r"|maximum (prompt|input|context) length|maximum number of tokens allowed|request too large|input[_ ](is )?too"
    r"[_ ](large|long)|input tokens exceed|input length|prompt length|`?inputs`? tokens \+|when context the overflows"
    r"|exceeds? budget|reduce the length|reduce your message"
)
"""What servers say of a conversation that is too long."""

_PROMPT = re.compile(
    r"prompt (is )?too long|(input|prompt) token count|prompt length|input[_ ](is )?too|input tokens exceed"
    r"|input \(\d+ tokens\)|messages resulted in|prompt contains"
)
"""What they say where it is the conversation alone, whatever room its reply has."""

_LIMITS = re.compile(r"max_(completion_|new_|output_)?tokens|maxoutputtokens")
_TOO_MUCH = re.compile(r"too large|at most|maximum|exceed|less than|greater than|<=|> ")

_SYSTEM = re.compile(r"(system|developer)[\w' ]{0,20}(role|message|instruction|prompt)|role[\w'\": ]{0,20}system")
_UNSUPPORTED = re.compile(
    r"not (be )?(support|enabl|allow)|unsupported|only user|must (be|start|begin)|invalid|unexpected|doesn't"
)
_ALTERNATE = re.compile(r"must alternate|roles? (should|must)")
_TEMPLATE = re.compile(r"jinja|chat[_ ]template(?!_kwargs)|template (error|exception)|raise_exception|not callable")

MAX_SHOWN = 240
"""Characters of its words that are shown: some servers send a page."""

FILTER_CODES = {"content_filter", "content_policy_violation", "invalid_prompt", "responsibleaipolicyviolation"}
"""Codes of HTTP errors with which providers say that their filter has withheld a reply, or its question."""


@dataclass(frozen=True)
class ServerError:
    """An answer of a server that is none.

    Attributes:
        status: Of HTTP.
        body: What came with it: plain values, or text.
    """

    status: int
    body: Any

    @cached_property
    def text(self) -> str:
        """Its words, each once, as they are shown."""
        return self._words[:MAX_SHOWN] or f"HTTP {self.status}"

    @cached_property
    def _words(self) -> str:
        every = [value for _, value in _entries(self.body) if isinstance(value, str)]
        return "; ".join(dict.fromkeys(said for said in words_in(self.body) if said)) or "; ".join(every)

    @cached_property
    def searchable_text(self) -> str:
        """Words, codes and fields, in small letters."""
        return " ".join([self._words, *self.codes, *self.fields]).lower()

    @cached_property
    def codes(self) -> list[str]:
        """Codes, types and states that it has."""
        every = (value for name, value in _entries(self.body) if name.lower() in _CODES)
        return [str(value).lower() for value in every if isinstance(value, str | int)]

    @cached_property
    def fields(self) -> list[str]:
        """The parts of a request that it names beside its words: ``seed`` of ``["body", "seed"]``."""
        found = []
        for name, value in _entries(self.body):
            if name.lower() in _FIELDS:
                parts = value if isinstance(value, list) else re.split(r"[.\[\]]+", str(value or ""))
                found += [str(one) for one in parts if one not in ("body", "", None)]
        return found

    @cached_property
    def rejected_reply(self) -> str | None:
        """The reply of a model whose server refuses to pass it on, because it does not obey the schema; None: none."""
        found = (value for name, value in _entries(self.body) if name == FAILED_GENERATION and isinstance(value, str))
        return next(found, None)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter has withheld the question, or the reply to it."""
        return not FILTER_CODES.isdisjoint(self.codes)

    @property
    def is_too_long(self) -> bool:
        """Whether the conversation, with the room for its reply, is too long."""
        return self.status == 413 or _TOO_LONG.search(self.searchable_text) is not None

    @property
    def is_too_much(self) -> bool:
        """Whether it may be the room for the reply that is too large."""
        if _LIMITS.search(self.searchable_text) and _TOO_MUCH.search(self.searchable_text):
            return True
        return self.is_too_long and not _PROMPT.search(self.searchable_text)

    @property
    def refuses_system(self) -> bool:
        """Whether the model's template wants no system message, or fails at something that this can be."""
        if _ALTERNATE.search(self.searchable_text) or _TEMPLATE.search(self.searchable_text):
            return True
        return (
            _SYSTEM.search(self.searchable_text) is not None and _UNSUPPORTED.search(self.searchable_text) is not None
        )

    @property
    def is_bad_request(self) -> bool:
        """Whether the request is the reason, so that another one may pass."""
        if self.status >= 500 and self.status != 501:  # some templates and overlong prompts make servers fail
            return self.refuses_system or self.is_too_long
        no_endpoint = self.status == 404 and "no endpoints found" in self.searchable_text
        return (
            self.status in (400, 413, 422, 501)
            or no_endpoint
            or (self.status == 429 and "too large" in self.searchable_text)
        )

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may be answered later."""
        failing = self.status >= 500 and self.status != 501 and not self.refuses_system
        return failing or (self.status in (408, 409, 429) and "insufficient_quota" not in self.searchable_text)


def read_body(text: str) -> Any:
    """The body of an answer: plain values where it is JSON, else its text."""
    try:
        return parse_json(text)
    except ValueError:
        return text


def words_in(body: Any, wanted: bool = True) -> Iterator[str]:
    """The words of an error, at any depth.

    Args:
        body: Plain values.
        wanted: Whether a text is one of them.
    """
    if isinstance(body, str) and wanted:
        inner = read_body(body) if body.lstrip().startswith(("{", "[")) else body
        yield from [" ".join(body.split())] if isinstance(inner, str) else words_in(inner)
    elif isinstance(body, Mapping):
        where = body.get("loc")
        for name, value in body.items():
            if name in _ECHOES:
                continue
            found = words_in(value, name.lower() in _WORDS)
            yield from found if name != "msg" or not isinstance(where, list) else _prefix_locations(where, found)
    elif isinstance(body, list):
        for one in body:
            yield from words_in(one, wanted)


def _prefix_locations(where: list[Any], found: Iterator[str]) -> Iterator[str]:
    for said in found:
        yield f"{'.'.join(map(str, where))}: {said}"


def _entries(body: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at any depth."""
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
