"""Requests to one model on one server, adapted to the options that the server refuses.

Servers with functions get tools as functions. Elsewhere a call is a reply of the form ``{"tool": NAME, "arguments":
{...}}`` (`econzoo.baselines.parts.tools`), which the schema of a request allows besides moves. Here such a schema is
split into functions and the schema of moves.

A refused default is omitted, which every reply reports (`Completion.unsupported`). A refused explicit option ends the
run (`RefusedError`), since a study must not silently continue without it, unless ``on_refused=drop`` omits it as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from econzoo.baselines import ModelError, RefusedError, UnavailableError
from econzoo.baselines.models.chat import Completion, Message, Schema, merge_system_message
from econzoo.baselines.models.conversations import NO_ANSWER, as_messages, has_blank_reply, is_blank, withhold_replies
from econzoo.baselines.models.kind_probabilities import wanted_kinds
from econzoo.baselines.models.pacing import reset_after, retry_after
from econzoo.baselines.models.providers import Provider
from econzoo.baselines.models.sampling import ON_REFUSED, SYSTEM, Sampling
from econzoo.baselines.models.server import BusyError, ChangedRequestError, CutError, FilteredError, GoneError
from econzoo.baselines.models.server import RefusedReplyError, RefusedRequestError, RetryError, ShortenError
from econzoo.baselines.models.server_errors import CUT_STATUS, ServerError
from econzoo.baselines.models.strict_schema import LIMITS, make_strict
from econzoo.baselines.models.variants import REPLIES, USUAL, Variant, is_blank_loop
from econzoo.envs.core.faces import LENGTH, MALFORMED, RECITATION, THOUGHT, has_tags

_LIMITS = ("max_tokens", "max_completion_tokens")

LOGPROBS = "logprobs"

_ALTERNATIVES = (20, 5)
"""Likeliest tokens to ask for at each place; after a refusal the next number, then none."""

_FIELD_PATTERNS = {
    "tools": r"\btools?\b|\btool_|schema for function|function[_ ]call",
    "response_format": r"response[_ ]?(format|schema)|json[_ ]?schema|schema|grammar|structured outp|additional_?prop",
    "seed": r"\b(random_)?seed\b",
    "temperature": r"\btemperature\b",
    "top_p": r"\btop_?p\b",
    "reasoning_effort": r"reasoning[_. ]?effort",
    "stop": r"\bstop\b",
    LOGPROBS: r"log_?probs",
    "stream_options": r"\bstream_?options\b|\binclude_usage\b",
    "stream": r"\bstream(ing)?\b",
}
"""Patterns in error messages by request field."""

_STREAM = {"stream": True, "stream_options": {"include_usage": True}}
"""Fields of a streamed request, which are no option of the model."""

_ECHO = "echo"
"""Entry of the omitted fields for thoughts and signatures of calls (`Completion.echo`)."""

_MISSING = re.compile(r"must be (passed|sent|provided|included)|missing|required")

_OPTION_NAMES = {"response_format": "constrained", "random_seed": "seed"}
"""Option names in specs of request fields with another name."""


class Dialect:
    """Builds requests for one model on one server, whose prompt gets at least half of the `context`."""

    def __init__(
        self,
        model: str,
        sampling: Sampling,
        provider: Provider,
        context: int | None = None,
        format_error: Callable[[str], str] = str,
    ) -> None:
        self.model, self.sampling, self.provider, self.context = model, sampling, provider, context
        self._format_error = format_error
        self._left_out: set[str] = set()
        self._refused: dict[str, RefusedError] = {}
        self._limit_name, self._renamed = provider.limit, False
        self._streams = False
        self._merges = sampling.system == SYSTEM[1]
        self._room, self.has_thoughts = sampling.thinking_tokens, sampling.has_thoughts(model)
        self._alternatives = list(_ALTERNATIVES)
        self._call_text = NO_ANSWER if provider.calls == "text" else None
        self._given = self._requested_fields()
        if sampling.on_refused == ON_REFUSED[0]:
            self._check()
        self._left_out.update(provider.without)

    def _requested_fields(self) -> dict[str, str]:
        """Return the option names of explicitly requested fields."""
        sampling = self.sampling
        named = [name for name in ("temperature", "top_p", "reasoning_effort") if getattr(sampling, name) is not None]
        named += [name for name, given in (("stop", sampling.stop), ("response_format", sampling.constrained)) if given]
        named += [self.provider.seed] if sampling.seed else []
        given = {name: _OPTION_NAMES.get(name, name) for name in named}
        given |= dict.fromkeys(self._thinking_fields(), "thinking")
        given |= {"chat_template_kwargs": "chat_template_kwargs"} if sampling.chat_template_kwargs else {}
        return given | {name: f"extra_body, {name}" for name in sampling.extra_body}

    def _check(self) -> None:
        for field in self.provider.without:
            if field in self._given:
                raise ValueError(f"{self._given[field]} is not supported by {self.provider.title}; use {_DROP_HINT}")
        if self.sampling.thinking is not None and not self._thinking_fields():
            raise ValueError(f"thinking is not supported by {self.provider.title}; use extra_body or {_DROP_HINT}")

    def _thinking_fields(self) -> dict[str, Any]:
        """Return the fields that turn reasoning on or off, if requested."""
        if self.sampling.thinking is None:
            return {}
        return dict(self.provider.on if self.sampling.thinking else self.provider.off)

    def max_reply_tokens(self, needed: int | None, variant: Variant = USUAL) -> int:
        """Return the token limit of a reply, with room for thoughts if the model has any."""
        most = self.sampling.max_reply_tokens(needed) + self._room * (self.has_thoughts or variant.has_room)
        return most if self.context is None else min(most, max(self.context // 2, 1))

    def request(
        self,
        conversation: Sequence[Message],
        schema: Schema | None,
        seed: int,
        needed: int | None,
        variant: Variant = USUAL,
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the fields of a request, and the omitted ones (`Completion.unsupported`)."""
        native = "tools" not in self._left_out
        moves, tools = split_tools(schema, self._left_out) if schema is not None else (None, [])
        unsupported = [REPLIES] if variant.withheld or has_blank_reply(conversation) else []
        chosen = withhold_replies(conversation, variant.withheld) if variant.withheld else conversation
        messages = as_messages(chosen, native, bool(tools), self._call_text, _ECHO not in self._left_out)
        if self._merges and messages[0]["role"] == "system":
            messages = merge_system_message(messages)
            unsupported += ["system"] if self.sampling.system != SYSTEM[1] else []
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            self._limit_name: self.max_reply_tokens(needed, variant),
        }
        number = (seed + variant.is_second) % 2**31  # range supported by all servers
        request |= {**self.sampling.fields(), self.provider.seed: number}
        request |= {"tools": tools} if tools else {}
        constrained = self.sampling.constrained is not False
        if constrained and schema is not None and (reply := moves if native else schema) is not None:
            strict = {"name": "move", "schema": make_strict(reply, self._left_out), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": strict}
        if wanted_kinds(schema) and self._alternatives and LOGPROBS not in self._left_out:
            request |= {LOGPROBS: True, f"top_{LOGPROBS}": self._alternatives[0]}
        request |= self._thinking_fields()
        if self.sampling.chat_template_kwargs:
            request["chat_template_kwargs"] = {
                **request.get("chat_template_kwargs", {}),
                **self.sampling.chat_template_kwargs,
            }
        request |= _STREAM if self._streams and "stream" not in self._left_out else {}
        # Behind all other fields, which it may replace.
        request |= self.sampling.extra_body
        if self.sampling.seed is False:
            del request[self.provider.seed]
        wants_room = self.has_thoughts or variant.has_room
        unsupported += ["reasoning_tokens"] if wants_room and self._room < self.sampling.thinking_tokens else []
        left_out = self._left_out | ({"response_format"} if variant.is_free else set())
        unsupported += [self._option(name) for name in request if name in left_out - _STREAM.keys()]
        for name in request.keys() & self._refused.keys():
            raise self._refused[name]
        return {name: value for name, value in request.items() if name not in left_out}, tuple(unsupported)

    def _option(self, field: str) -> str:
        return self._given.get(field, _OPTION_NAMES.get(field, field))

    def repeat(
        self, reply: Completion, request: dict[str, Any], needed: int | None, variant: Variant
    ) -> Variant | None:
        """Return how to repeat a request whose reply the server spoiled, once for each cause; None: it is the reply."""
        if reply.finish in (RECITATION, MALFORMED):
            return None if variant.is_second else variant._replace(is_second=True)
        if "response_format" in request and is_blank_loop(reply):
            return variant._replace(is_free=True)
        has_thoughts = self.has_thoughts or is_blank(reply.text) or has_tags(reply.text)
        is_cut = reply.finish in (LENGTH, THOUGHT) and has_thoughts
        fuller = variant._replace(has_room=True)
        return fuller if is_cut and self.max_reply_tokens(needed, fuller) > limit_of(request) else None

    def omit_schema(self) -> None:
        """Omit schemas from later requests."""
        self._left_out.add("response_format")

    def stream(self) -> bool:
        """Stream later replies; returns whether that is new and not refused."""
        is_new, self._streams = not self._streams, True
        return is_new and "stream" not in self._left_out

    def requires(self, field: str) -> bool:
        """Whether a field must not be omitted, because the spec asks for it."""
        return field in self._given and self.sampling.on_refused == ON_REFUSED[0]

    def classify_error(
        self, error: ServerError, headers: Mapping[str, str], request: dict[str, Any], needed: int | None
    ) -> Exception:
        """Return the exception for an HTTP error, after adapting later requests to it."""
        if error.is_filtered:
            return FilteredError()
        if error.rejected_reply is not None:
            return RefusedReplyError(error.rejected_reply)
        reason = f"{error.reason} (HTTP {error.status}: {error.text})"
        if error.is_unpaid:
            return UnavailableError(self._format_error(reason))
        if error.is_bad_request and not error.is_unavailable:
            if self.adapt_to_error(error, request, needed):
                return ChangedRequestError()
            if error.is_too_long:
                return ShortenError()
        if error.is_retryable:
            kind = GoneError if error.is_gone else CutError if error.status in CUT_STATUS else RetryError
            seconds = next((wait for wait in (retry_after(headers), error.wait) if wait is not None), None)
            seconds = reset_after(headers) if seconds is None and error.status == 429 else seconds
            return (BusyError if error.is_busy else kind)(f"HTTP {error.status}: {error.text}", seconds)
        if not error.is_bad_request or error.is_unavailable:
            return ModelError(self._format_error(reason))
        hint = "; constrained=no may avoid it" if error.names_nothing and "response_format" in request else ""
        return RefusedRequestError(error, reason + hint)

    def adapt_to_error(self, error: ServerError, request: dict[str, Any], needed: int | None) -> bool:
        """Adapt later requests to a refusal; return whether anything changed."""
        # The extra tokens for reasoning are a default of ours, so they go first.
        if error.is_too_much and self._has_thinking_room(request, needed):
            self._room = 0
            return True
        # Not a matter of fields: the caller shortens the conversation.
        if error.is_too_long:
            return False
        known = self._droppable_fields(request)
        named = next((one for one in error.fields if one in known), "")
        if not named and error.refuses_system and request["messages"][0]["role"] == "system":
            if self.sampling.system == SYSTEM[0]:
                raise RefusedError(self._format_error(f"system=separate is refused: {error.text}; use system=merge"))
            self._merges = True
            return True
        if error.status >= 500:
            return False
        if not named and not error.is_too_much and self._rename_limit(error, limit_name(request)):
            return True
        limits = {
            limit for limit in LIMITS if "schema" in error.searchable_text and limit.lower() in error.searchable_text
        } - self._left_out
        if limits and request.keys() & {"response_format", "tools"}:
            self._left_out |= limits
            return True
        if _refuses_echo(error.searchable_text, request["messages"]):
            self._left_out.add(_ECHO)
            return True
        # A field that the error names apart from its message is more reliable than the words of the message.
        field = named or self._refused_field(error.searchable_text, known)
        # Some servers refuse a call without text, and do not name it.
        if not field and self._call_text is None and any(one["content"] is None for one in request["messages"]):
            self._call_text = NO_ANSWER
            return True
        return self._drop_field(field, error) if field else False

    def _rename_limit(self, error: ServerError, limit: str) -> bool:
        """Switch to the other name of the token limit, once."""
        if limit == self._limit_name and not self._renamed and re.search(rf"\b{limit}\b", error.searchable_text):
            # Only once: a server that names both would be asked forever.
            self._limit_name, self._renamed = _LIMITS[limit == _LIMITS[0]], True
        # Also true if a concurrent request has renamed it meanwhile.
        return limit != self._limit_name

    def _drop_field(self, field: str, error: ServerError) -> bool:
        """Omit a refused field from later requests."""
        if field == LOGPROBS:
            del self._alternatives[:1]
            return True
        option = self._option(field)
        if self.requires(field):
            text = f"{option} is refused: {error.text}; use another value or {_DROP_HINT}"
            self._refused[field] = RefusedError(self._format_error(text))
            raise self._refused[field]
        self._left_out.add(field)
        return True

    def _droppable_fields(self, request: dict[str, Any]) -> list[str]:
        return [field for field in dict.fromkeys([*_FIELD_PATTERNS, *_OPTION_NAMES, *self._given]) if field in request]

    def _refused_field(self, message: str, known: Sequence[str]) -> str:
        """Return the field that an error mentions first, or of two conflicting ones the default."""
        places = {}
        for field in known:
            if match := re.search(_FIELD_PATTERNS.get(field, rf"\b{re.escape(field)}\b"), message):
                places[field] = match.start()
        return min(places, key=lambda field: ("both" in message and field in self._given, places[field]), default="")

    def _has_thinking_room(self, request: dict[str, Any], needed: int | None) -> bool:
        """Whether a request had default extra tokens for reasoning."""
        return self.sampling.reasoning_tokens is None and limit_of(request) > self.sampling.max_reply_tokens(needed)


_DROP_HINT = "on_refused=drop to omit it, which records report"


def _refuses_echo(message: str, messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an error names thoughts or signatures that were sent back with a call, and does not miss any."""
    calls = [call for one in messages for call in one.get("tool_calls", ())]
    sent = {name for one in [*calls, *messages] for name in one} - {"role", "content", "tool_calls", "tool_call_id"}
    named = [name for name in sent - {"id", "type", "function"} if name in message]
    return bool(named) and not _MISSING.search(message)


def limit_name(request: dict[str, Any]) -> str:
    """Return the field name of the token limit of a request."""
    return next(name for name in _LIMITS if name in request)


def limit_of(request: dict[str, Any]) -> int:
    """Return the token limit of a request."""
    limit: int = request[limit_name(request)]
    return limit


def split_tools(schema: Schema, unsupported: Collection[str] = ()) -> tuple[Schema | None, list[dict[str, Any]]]:
    """Split a schema into that of moves (None if only calls are allowed) and the entries of the request's ``tools``."""
    options = list(schema["anyOf"]) if schema.keys() == {"anyOf"} else [schema]
    calls = [option for option in options if "tool" in option.get("properties", {})]
    moves = [option for option in options if option not in calls]
    if not calls:
        return schema, []
    return (None if not moves else moves[0] if len(moves) == 1 else {"anyOf": moves}), [
        _function(call, unsupported) for call in calls
    ]


def _function(call: Schema, unsupported: Collection[str]) -> dict[str, Any]:
    function = {
        "name": call["properties"]["tool"]["const"],
        "description": call.get("description", ""),
        "parameters": make_strict(call["properties"]["arguments"], unsupported),
        "strict": True,
    }
    return {"type": "function", "function": function}
