"""What an OpenAI-compatible server understands and says.

How it is asked, what it is not asked again after it has refused, and what it says of a reply besides its text: how it
ended, what was thought or refused.

Tool calls are functions beside the reply for such servers. Everywhere else a call is a reply of the form ``{"tool":
NAME, "arguments": {...}}`` (`econzoo.baselines.parts.tools`), which the schema of a request allows beside the moves.
Here such a schema is taken apart into functions and the schema of the moves, and a call that comes back becomes a reply
of that form again.

Only what nobody has asked for by name is ever left out. A server that refuses a `top_p`, a `reasoning_effort` or a
`stop` is an error: a study must not go on without them unnoticed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from econzoo.baselines.models.chat import Completion, Conversation, Message, Schema, plain, without_system
from econzoo.baselines.models.sampling import SYSTEM, Sampling
from econzoo.baselines.models.strict_schema import LIMITS, strict
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.faces.finish import FILTER, LENGTH, REFUSAL, THOUGHT
from econzoo.envs.core.faces.parse import find_object

TOO_LONG = ("context_length_exceeded", "context length", "context window", "context size", "too many tokens")
"""What servers say of a conversation that is too long."""

_LIMITS = ("max_tokens", "max_completion_tokens")
_TOO_MANY = ("too large", "at most", "maximum", "exceed", "less than")

# Words of a refusal, and the parameter that is then left out for good. The first match counts.
_DISPENSABLE = (
    ("tool", "tools"),
    ("response_format", "response_format"),
    ("json_schema", "response_format"),
    ("schema", "response_format"),
    ("grammar", "response_format"),
    ("seed", "seed"),
    ("temperature", "temperature"),
)


class Dialect:
    """How one model on one server is asked.

    Args:
        model: Its name there.
        sampling: How it is to reply.
        context: The most tokens of prompt and reply, of which half at least are for the prompt; None: nobody knows.
    """

    def __init__(self, model: str, sampling: Sampling, context: int | None = None) -> None:
        self.model, self.sampling, self.context = model, sampling, context
        self._left_out: set[str] = set()
        self._limit_name = _LIMITS[0]
        self._merges = sampling.system == SYSTEM[1]
        self._room = sampling.room

    def most(self, needed: int | None) -> int:
        """The most tokens of a reply, with its thoughts, to a question that needs so many; None: nobody knows."""
        most = self.sampling.most(needed) + self._room
        return most if self.context is None else min(most, max(self.context // 2, 1))

    def request(
        self, conversation: Sequence[Message], schema: Schema | None, seed: int, needed: int | None
    ) -> dict[str, Any]:
        """The fields of a request."""
        native = "tools" not in self._left_out
        messages = as_messages(conversation, native)
        messages = without_system(messages) if self._merges else messages
        request: dict[str, Any] = {"model": self.model, "messages": messages, self._limit_name: self.most(needed)}
        request |= {**self.sampling.fields(), "seed": seed % 2**31}  # what every server can read
        if schema is not None and native:
            schema, tools = taken_apart(schema, self._left_out)
            request |= {"tools": tools} if tools else {}
        if schema is not None:
            named = {"name": "move", "schema": strict(schema, self._left_out), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        return {key: value for key, value in request.items() if key not in self._left_out}

    def gives_way(self, said: str, request: dict[str, Any], needed: int | None) -> bool:
        """Whether a request is put otherwise from now on, because of what the server said when it refused it.

        Args:
            said: In small letters.
            request: What was refused.
            needed: Tokens that the reply needs.
        """
        if _is_too_much(said) and self._had_room(request, needed):
            self._room = 0
            return True
        if any(words in said for words in TOO_LONG):
            return False
        if _refuses_system(said) and request["messages"][0]["role"] == "system":
            self._merges = True
            return True
        if _LIMITS[1] in said and _LIMITS[0] in request:
            self._limit_name = _LIMITS[1]
            return True
        limits = {limit for limit in LIMITS if "schema" in said and limit.lower() in said} - self._left_out
        if limits and request.keys() & {"response_format", "tools"}:
            self._left_out |= limits
            return True
        for words, parameter in _DISPENSABLE:
            if words in said and parameter in request:
                self._left_out.add(parameter)
                return True
        return False

    def _had_room(self, request: dict[str, Any], needed: int | None) -> bool:
        """Whether there was room for thoughts in a request that nobody has asked for by name."""
        return self.sampling.reasoning_tokens is None and limit_of(request) > self.sampling.most(needed)


def limit_of(request: dict[str, Any]) -> int:
    """The most tokens of a reply to a request."""
    return next((request[name] for name in _LIMITS if name in request), 0)


def _is_too_much(said: str) -> bool:
    """Whether a request may have been refused for the tokens that its reply could have."""
    limit = any(name in said for name in _LIMITS) and any(words in said for words in _TOO_MANY)
    return limit or any(words in said for words in TOO_LONG)


def _refuses_system(said: str) -> bool:
    """Whether a model wants no system message."""
    named = "system" in said or "developer instruction" in said
    return named and any(words in said for words in ("role", "not supported", "not support", "not enabled"))


_FINISHES = {
    "length": LENGTH,
    "max_tokens": LENGTH,
    "model_length": LENGTH,
    "content_filter": FILTER,
    "content-filter": FILTER,
    "safety": FILTER,
    "refusal": REFUSAL,
}
"""Words of servers, in small letters; any other, such as ``stop``, ends a reply by itself."""

FILTERED = {"content_filter", "content_policy_violation", "invalid_prompt"}
"""Codes of HTTP errors with which providers say that their filter has withheld a reply, or its question."""


def completion(answer: Any, price_per_million: tuple[float, float], schema: Schema | None = None) -> Completion:
    """The reply in a server's answer.

    Args:
        answer: As the client gives it.
        price_per_million: US dollars for a million tokens read and written.
        schema: Of replies; None: they are free.

    Raises:
        AttributeError, IndexError, TypeError: It is no chat completion.
    """
    choice, used = answer.choices[0], answer.usage
    message = choice.message
    read, wrote = tokens_of(used, "prompt_tokens"), tokens_of(used, "completion_tokens")
    return Completion(
        text=as_reply(message, schema) or message.content or refusal_in(message),
        prompt_tokens=read,
        completion_tokens=wrote,
        seconds=0.0,
        cost=(read * price_per_million[0] + wrote * price_per_million[1]) / 1e6,
        finish=finish_of(choice, used),
        reasoning=reasoning_in(message),
    )


def finish_of(choice: Any, used: Any) -> str:
    """How the reply of a choice ended, one of `econzoo.envs.core.faces.finish.FINISHES`; empty: by itself.

    Args:
        choice: Of the server's answer.
        used: Its count of tokens, or None.
    """
    # Some servers add details: "content_filter: PROHIBITED_CONTENT".
    said = str(getattr(choice, "finish_reason", None) or "").partition(":")[0].strip().lower()
    message, finish = choice.message, _FINISHES.get(said, "")
    if not finish:
        return REFUSAL if refusal_in(message) else ""
    thought = reasoning_in(message) or tokens_of(getattr(used, "completion_tokens_details", None), "reasoning_tokens")
    return THOUGHT if finish == LENGTH and thought and not (message.content or "").strip() else finish


def refusal_in(message: Any) -> str:
    """The words of a refusal, where the provider marks them as one."""
    return _text(message, "refusal")


def reasoning_in(message: Any) -> str:
    """What the model thought before its reply: ``reasoning_content`` (DeepSeek, vLLM) or ``reasoning`` (others)."""
    return _text(message, "reasoning_content") or _text(message, "reasoning")


def _text(message: Any, name: str) -> str:
    said = getattr(message, name, None)
    return said if isinstance(said, str) else ""


def tokens_of(used: Any, name: str) -> int:
    """A count as the server gives it; 0 where it gives none that makes sense."""
    count = getattr(used, name, 0)
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else 0


def taken_apart(schema: Schema, without: Collection[str] = ()) -> tuple[Schema | None, list[dict[str, Any]]]:
    """The schema of replies that call nothing, and the functions that can be called.

    Args:
        schema: Of a request.
        without: See `strict`.

    Returns:
        The schema without calls (None if it allows nothing else), and one entry of the request's ``tools`` for each.
    """
    options = list(schema["anyOf"]) if schema.keys() == {"anyOf"} else [schema]
    calls = [option for option in options if "tool" in option.get("properties", {})]
    moves = [option for option in options if option not in calls]
    if not calls:
        return schema, []
    return (None if not moves else moves[0] if len(moves) == 1 else {"anyOf": moves}), [
        _function(call, without) for call in calls
    ]


def _function(call: Schema, without: Collection[str]) -> dict[str, Any]:
    told = {
        "name": call["properties"]["tool"]["const"],
        "description": call.get("description", ""),
        "parameters": strict(call["properties"]["arguments"], without),
        "strict": True,
    }
    return {"type": "function", "function": told}


def as_messages(conversation: Conversation, functions: bool) -> list[dict[str, Any]]:
    """A chat as the protocol has it: calls are ``tool_calls`` of the assistant, and results answer them by their ids.

    Args:
        conversation: A call in it is a reply of the form above, in front of a message of the role ``tool``.
        functions: Whether the server knows functions; else results are told by the user.
    """
    if not functions:
        return plain(conversation)
    messages: list[dict[str, Any]] = []
    for place, message in enumerate(conversation):
        if message["role"] == "tool":
            messages[-1] = _call(messages[-1]["content"], _id(place))
            messages.append({"role": "tool", "tool_call_id": _id(place), "content": message["content"]})
        else:
            messages.append({"role": message["role"], "content": message.get("functions", message["content"])})
    return messages


def _id(place: int) -> str:
    """Of a call, by its place in the chat: nine letters and digits, as the strictest servers want them."""
    return f"call{place:05d}"


def _call(reply: str, name: str) -> dict[str, Any]:
    """The message of an assistant that calls a function."""
    found = find_object(reply)
    arguments = found.get("arguments", {})
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    function = {"name": str(found["tool"]), "arguments": written}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def as_reply(message: Any, schema: Schema | None) -> str | None:
    """The first call in a server's message as a reply; None if it calls nothing.

    Arguments that are no JSON stay text, so that whoever reads the call can say what is wrong with them. A call of what
    is no tool is a move, written as a call: the reply is that move if nothing else was called or said beside it.

    Args:
        message: Of the assistant.
        schema: Of replies, with the tools that were offered; None: they are free.
    """
    calls = [function for call in getattr(message, "tool_calls", None) or [] if (function := _called(call))]
    if not calls:
        return None
    name, arguments = calls[0].name, _arguments(calls[0].arguments)
    key, alone = _kind_key(name, schema), len(calls) == 1 and not (message.content or "").strip()
    if key and alone and _is_sure(calls[0].arguments, arguments) and arguments.get(key, name) == name:
        return json.dumps({key: name, **arguments}, ensure_ascii=False)
    return json.dumps({"tool": name, "arguments": arguments}, ensure_ascii=False)


def _is_sure(written: Any, read: Any) -> bool:
    """Whether arguments are one object, in which no key stands twice."""
    return isinstance(read, dict) and (not isinstance(written, str) or find_object(written or "{}") == read)


def _called(call: Any) -> Any:
    return getattr(call, "function", None)


def _kind_key(name: str, schema: Schema | None) -> str:
    """The key of a move that names it so; empty: it is a tool, or could be one that is spelled wrong."""
    options = [] if schema is None else schema.get("anyOf", [schema])
    told = [(k, field["const"]) for one in options for k, field in one["properties"].items() if "const" in field]
    kinds = {const: key for key, const in told if key != "tool"}
    if ("tool", name) in told:
        return ""
    has_tools = any(key == "tool" for key, _ in told)
    return kinds.get(name) or ("" if has_tools else next(iter(kinds.values()), "kind"))


def _arguments(text: Any) -> Any:
    try:
        return from_json(text or "{}")
    except (TypeError, ValueError):
        return text
