"""What all wires share: a chat-completions request taken apart, and a reply put together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines.models.dialect import limit_of
from econzoo.baselines.models.providers import Provider
from econzoo.baselines.models.sampling import DEFAULT_EFFORT, REASONING
from econzoo.envs.core.contract import parse_json

ON, OFF = "on", "off"
"""Values of the field `thinking` of a request, which each wire says in the words of its provider."""

_SETTINGS = ("temperature", "top_p", "seed", "stop")
_READ = {"model", "messages", "tools", "response_format", "reasoning_effort", "thinking", *_SETTINGS}
_READ |= {"max_tokens", "max_completion_tokens", "stream", "stream_options", "logprobs", "top_logprobs"}


class ParsedRequest(NamedTuple):
    """A request taken apart.

    Attributes:
        settings: Temperature, top_p, seed and stop, as far as they are sent.
        functions: Tools.
        alternatives: Tokens whose log probabilities are asked for at each place; None: no log probabilities.
        more: Fields of ``extra_body``, in the provider's words.
    """

    system: str
    turns: list[Mapping[str, Any]]
    limit: int
    settings: dict[str, Any]
    functions: list[dict[str, Any]]
    alternatives: int | None
    schema: dict[str, Any] | None
    effort: str | None
    thinking: str | None
    more: dict[str, Any]


def parse_request(request: Mapping[str, Any]) -> ParsedRequest:
    messages = request["messages"]
    schema = request.get("response_format")
    return ParsedRequest(
        "\n\n".join(one["content"] for one in messages if one["role"] == "system"),
        [one for one in messages if one["role"] != "system"],
        limit_of(dict(request)),
        {name: request[name] for name in _SETTINGS if name in request},
        [tool["function"] for tool in request.get("tools", ())],
        request.get("top_logprobs", 0) if request.get("logprobs") else None,
        None if schema is None else schema["json_schema"]["schema"],
        request.get("reasoning_effort"),
        request.get("thinking"),
        {name: value for name, value in request.items() if name not in _READ},
    )


class WireCall(NamedTuple):
    """A call of a function in a reply; arguments are an object, or JSON."""

    id: str
    name: str
    arguments: Any

    @property
    def json(self) -> str:
        """The arguments as JSON."""
        is_text = isinstance(self.arguments, str)
        return self.arguments if is_text else json.dumps(self.arguments, ensure_ascii=False)


class WireReply(NamedTuple):
    """A reply in no provider's words.

    Attributes:
        native: Parts of the reply up to its first call, to be sent back with the result of the call.
        finish: Finish reason in the provider's words.
        usage: In the words of chat completions.
        served: Of the response: model, id.
        logprobs: Tokens with their log probabilities, as in chat completions.
    """

    text: str
    thoughts: str
    call: WireCall | None
    native: list[Any]
    finish: str | None
    usage: Mapping[str, Any]
    served: Mapping[str, Any]
    refusal: str = ""
    logprobs: Sequence[Any] = ()


class _Completion(SimpleNamespace):
    """A reply in the form of the openai client, with the request and the response as they were."""

    sent: dict[str, Any]
    received: dict[str, Any]

    def to_dict(self, warnings: bool = False) -> dict[str, Any]:
        return self.received


def as_completion(reply: WireReply, sent: dict[str, Any], received: dict[str, Any]) -> Any:
    """Return a reply in the form of the openai client.

    Args:
        sent: Request in the provider's words.
        received: Response.
    """
    calls = []
    if reply.call is not None:
        function = SimpleNamespace(name=reply.call.name, arguments=reply.call.json)
        calls = [SimpleNamespace(id=reply.call.id, type="function", function=function)]
    message = SimpleNamespace(content=reply.text, reasoning=reply.thoughts, refusal=reply.refusal or None)
    message.tool_calls, message.native = calls, reply.native if calls else []
    choice = SimpleNamespace(index=0, finish_reason=reply.finish, message=message)
    choice.logprobs = {"content": reply.logprobs} if reply.logprobs else None
    return _Completion(choices=[choice], usage=dict(reply.usage), sent=sent, received=received, **reply.served)


def usage_of(read: Any, written: Any, cached: Any = 0, stored: Any = 0, thought: Any = 0) -> dict[str, Any]:
    """Return token counts in the words of chat completions; counts that are None are left out."""
    counts = {"prompt_tokens": read, "completion_tokens": written, "cache_creation_input_tokens": stored}
    details = {"cached_tokens": cached or 0}, {"reasoning_tokens": thought or 0}
    known = {name: count for name, count in counts.items() if count is not None}
    return {**known, "prompt_tokens_details": details[0], "completion_tokens_details": details[1]}


class Wire:
    """An interface of a provider; the wire of a model translates its requests and replies.

    Attributes:
        provider: Differences from chat completions, for the `Dialect` of the model.
        names: Patterns of the provider's words for fields, in errors, to the names of the fields.
        key: Key of the parts of a turn.
        roles: Names of the roles of a user and an assistant.
    """

    provider: ClassVar[Provider]
    names: ClassVar[Mapping[str, str]] = {}
    key: ClassVar[str] = "content"
    roles: ClassVar[tuple[str, str]] = ("user", "assistant")

    def __init__(self, model: str, reasoning_tokens: int | None = None) -> None:
        self.model, self._reasoning_tokens = model, reasoning_tokens

    @property
    def path(self) -> str:
        """Path of requests, behind the address."""
        raise NotImplementedError

    def stream(self, path: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the path and the request of a streamed reply."""
        return path, {**body, "stream": True}

    def join(self, events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the response that the events of a stream tell; without its end if they stop ahead of it."""
        raise NotImplementedError

    def body(self, asked: ParsedRequest) -> dict[str, Any]:
        """Return the provider's request, without the fields of ``extra_body``."""
        raise NotImplementedError

    def parse_answer(self, answer: Mapping[str, Any]) -> WireReply:
        """Return what a response says."""
        raise NotImplementedError

    def text(self, text: str) -> dict[str, Any]:
        """Return a part with a text."""
        raise NotImplementedError

    def call(self, call: WireCall) -> dict[str, Any]:
        """Return a part with a call of a function."""
        raise NotImplementedError

    def result(self, call: WireCall, text: str) -> dict[str, Any]:
        """Return a part with the result of a call."""
        raise NotImplementedError

    def call_in(self, part: Mapping[str, Any]) -> WireCall | None:
        """Return the call in a part of a reply."""
        raise NotImplementedError

    def turns(self, asked: ParsedRequest) -> list[dict[str, Any]]:
        """Return the turns; parts of one role in a row are one turn."""
        turns: list[dict[str, Any]] = []
        call = WireCall("", "", {})
        for turn in asked.turns:
            role = self.roles[turn["role"] == "assistant"]
            if turn.get("tool_calls"):
                # Parts as they were sent, since they have the thoughts and signatures of the call.
                parts = turn.get("native") or [self.call(_call_of(turn["tool_calls"][0]))]
                call = next(found for part in parts if (found := self.call_in(part)))
            else:
                text = turn["content"]
                parts = [self.result(call, text) if turn["role"] == "tool" else self.text(text)]
            if turns and turns[-1]["role"] == role:
                turns[-1][self.key].extend(parts)
            else:
                turns.append({"role": role, self.key: list(parts)})
        return turns

    def budget(self, asked: ParsedRequest) -> int:
        """Return the tokens for thoughts, within the limit of the reply."""
        most = self._reasoning_tokens or REASONING[asked.effort or DEFAULT_EFFORT]
        return min(most, asked.limit - 1)

    def up_to_call(self, parts: Sequence[Mapping[str, Any]]) -> tuple[WireCall | None, list[Any]]:
        """Return the first call, and the parts up to it: a turn has one call."""
        for place, part in enumerate(parts):
            if (call := self.call_in(part)) is not None:
                return call, list(parts[: place + 1])
        return None, []


def _call_of(call: Mapping[str, Any]) -> WireCall:
    function = call["function"]
    return WireCall(call["id"], function["name"], parse_json(function["arguments"]))


def merge(body: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with further fields, objects inside of objects."""
    for name, value in more.items():
        own = body.get(name)
        both = isinstance(own, dict) and isinstance(value, Mapping)
        body = {**body, name: merge(own, value) if both else value}  # type: ignore[arg-type]
    return body
