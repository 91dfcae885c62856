"""What a server's answer says: the reply, the thoughts before it, how it ended and what it took.

Servers differ in where they put things, not in what they say. So one rule reads all: a text may be a text or a list of
parts, thoughts stand in any of a few fields or among the parts, and an answer that says that it failed is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from econzoo.baselines.models.chat import Completion, Schema
from econzoo.baselines.models.server_errors import ServerError
from econzoo.baselines.models.token_counts import USAGE, Prices, cost_of, count_tokens, thinking_tokens
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.faces.finish import FILTER, LENGTH, REASONING, REFUSAL, THOUGHT
from econzoo.envs.core.faces.parse import find_object

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

_FAILURE_CODES = {"error", "network_error", "insufficient_system_resource", "abort", "server_error", "engine_error"}
"""Words of servers for a reply that they did not bring to its end."""

_THOUGHTS = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks")
_PARTS = ("text", "thinking", "reasoning", "summary", "content", "refusal")


class ProviderFailedError(Exception):
    """The answer says that the server, or the one behind it, has failed."""


def parse_completion(
    answer: Any, prices: Prices, conversation: Sequence[Mapping[str, Any]], schema: Schema | None = None
) -> Completion:
    """The reply in a server's answer.

    Args:
        answer: As the client gives it.
        prices: US dollars for a million tokens.
        conversation: What was asked.
        schema: Of replies; None: they are free.

    Raises:
        FailedError: It is no reply, but a failure of the provider.
        AttributeError, IndexError, TypeError: It is no chat completion.
    """
    if not getattr(answer, "choices", None) and (error := getattr(answer, "error", None)):
        raise ProviderFailedError(f"the provider failed: {ServerError(200, error).text}")
    choice, used = answer.choices[0], getattr(answer, "usage", None)
    message = choice.message
    reply = as_reply(message, schema) or _text(message)
    refusal = _text_in(getattr(message, "refusal", None)) or _part(message, "refusal")
    thoughts = reasoning_in(message)
    counts = count_tokens(used, conversation, f"{reply or refusal}{thoughts}")
    finish = _finish(choice, reply, refusal, thoughts, used)
    if not (finish or reply or counts.completion_tokens) and counts.is_reported:
        raise ProviderFailedError("the provider failed: an empty reply of no tokens")
    return Completion(
        text=reply or refusal,
        prompt_tokens=counts.prompt_tokens,
        completion_tokens=counts.completion_tokens,
        seconds=0.0,
        cost=cost_of(prices, counts.prompt_tokens, counts.completion_tokens, counts.cached_tokens)
        if counts.cost is None
        else counts.cost,
        finish=finish,
        reasoning=thoughts,
        cached_tokens=counts.cached_tokens,
        unmet=() if counts.is_reported else (USAGE,),
    )


def estimate_completion(text: str, conversation: Sequence[Mapping[str, Any]], prices: Prices) -> Completion:
    """A reply that a server has refused to pass on; it tells no tokens for it."""
    counts = count_tokens(None, conversation, text)
    cost = cost_of(prices, counts.prompt_tokens, counts.completion_tokens)
    return Completion(text, counts.prompt_tokens, counts.completion_tokens, 0.0, cost, unmet=(USAGE,))


def _finish(choice: Any, reply: str, refusal: str, thoughts: str, used: Any) -> str:
    """How the reply ended, one of `econzoo.envs.core.faces.finish.FINISHES`; empty: by itself."""
    # Some servers add details: "content_filter: PROHIBITED_CONTENT".
    said = str(getattr(choice, "finish_reason", None) or "").partition(":")[0].strip().lower()
    if said in _FAILURE_CODES or getattr(choice, "error", None):
        raise ProviderFailedError(
            f"the provider failed: {ServerError(200, getattr(choice, 'error', None) or said).text}"
        )
    finish = _FINISHES.get(said, "")
    if finish == LENGTH and not reply.strip() and (thoughts or thinking_tokens(used)):
        return THOUGHT
    if finish or reply.strip():
        return finish if finish or not refusal else REFUSAL
    return REFUSAL if refusal else REASONING if thoughts.strip() else ""


def reasoning_in(message: Any) -> str:
    """What the model thought before its reply, as far as its server tells."""
    told = (_text_in(getattr(message, name, None)) for name in _THOUGHTS)
    return next(filter(None, told), "") or _part(message, "thinking", "reasoning")


def _text(message: Any) -> str:
    """The text of a message: of all its parts that are neither thoughts nor something else."""
    content = getattr(message, "content", None)
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TypeError(f"content of the type {type(content).__name__}")
    return "".join(one for one in content if isinstance(one, str)) + _part(message, "text", "output_text")


def _part(message: Any, *kinds: str) -> str:
    """The parts of a message's content that are of these kinds."""
    content = getattr(message, "content", None)
    parts = content if isinstance(content, list) else []
    return "".join(_text_in(one) for one in parts if isinstance(one, Mapping) and one.get("type") in kinds)


def _text_in(value: Any) -> str:
    """The text in a text, a part or a list of parts."""
    if isinstance(value, Mapping):
        return next(filter(None, (_text_in(value.get(name)) for name in _PARTS)), "")
    if isinstance(value, list):
        return "".join(map(_text_in, value))
    return value if isinstance(value, str) else ""


def as_reply(message: Any, schema: Schema | None) -> str | None:
    """The first call in a server's message as a reply; None if it calls nothing.

    Arguments that are no JSON stay text, so that whoever reads the call can say what is wrong with them. A call of what
    is no tool is a move, written as a call: the reply is that move if nothing else was called or said beside it.

    Args:
        message: Of the assistant.
        schema: Of replies, with the tools that were offered; None: they are free.
    """
    calls = [function for call in getattr(message, "tool_calls", None) or [] if (function := _called_function(call))]
    if not calls:
        return None
    name, arguments = calls[0].name, _arguments(calls[0].arguments)
    key, alone = _kind_key(name, schema), len(calls) == 1 and not _text(message).strip()
    if key and alone and _is_unambiguous(calls[0].arguments, arguments) and arguments.get(key, name) == name:
        return json.dumps({key: name, **arguments}, ensure_ascii=False)
    return json.dumps({"tool": name, "arguments": arguments}, ensure_ascii=False)


def _is_unambiguous(written: Any, read: Any) -> bool:
    """Whether arguments are one object, in which no key stands twice."""
    return isinstance(read, dict) and (not isinstance(written, str) or find_object(written or "{}") == read)


def _called_function(call: Any) -> Any:
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
        return parse_json(text or "{}")
    except (TypeError, ValueError):
        return text
