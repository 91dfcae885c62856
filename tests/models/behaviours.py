"""Behaviours of servers, each as a public report or a provider's documentation shows it; the model offers half.

A behaviour is a function of the request and its number, from 1, to an answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from local_server import Answer, reply

Behaviour = Callable[[dict[str, Any], int], Answer]

MOVE = '{"kind":"offer","gain":5000}'
USAGE = {"prompt_tokens": 400, "completion_tokens": 10, "total_tokens": 410}
SIGNATURE = {"extra_content": {"google": {"thought_signature": "SIG"}}}


def said(content: Any = MOVE, finish: str = "stop", usage: Mapping[str, Any] | None = USAGE, **message: Any) -> Answer:
    """A reply."""
    answer = reply(None)
    answer.body["choices"][0]["finish_reason"] = finish
    answer.body["choices"][0]["message"] |= {"content": content, **message}
    answer.body["usage"] = usage
    return answer


def called(
    *expressions: str, content: str | None = None, call: Mapping[str, Any] | None = None, **message: Any
) -> Answer:
    """A reply with calls of the calculator."""
    calls = [
        {"id": f"x{place}", "type": "function", **(call or {})}
        | {"function": {"name": "calculator", "arguments": json.dumps({"expression": one})}}
        for place, one in enumerate(expressions)
    ]
    return said(content, "tool_calls", tool_calls=calls, **message)


def refusal(message: str, status: int = 400, **fields: Any) -> Answer:
    return Answer(status, {"error": {"message": message, "type": "invalid_request_error", **fields}})


def always(answer: Answer) -> Behaviour:
    return lambda request, number: answer


def first(answer: Answer, then: Answer | None = None, times: int = 1) -> Behaviour:
    """Another answer at the first requests."""
    return lambda request, number: answer if number <= times else then or said()


def refuses(field: str, answer: Answer) -> Behaviour:
    """Refuses requests with a field."""
    return lambda request, number: answer if field in request else said()


def limit(request: dict[str, Any]) -> int:
    return int(request.get("max_tokens") or request["max_completion_tokens"])


def more_than(tokens: int, message: str) -> Behaviour:
    """Refuses a larger limit of tokens."""
    return lambda request, number: refusal(message) if limit(request) > tokens else said()


def grown(answer: Answer) -> Behaviour:
    """Finds a conversation too long that has grown since the first question."""
    sizes: list[int] = []

    def behave(request: dict[str, Any], number: int) -> Answer:
        sizes.append(len(json.dumps(request["messages"])))
        return answer if sizes[-1] > sizes[0] + 600 else said('{"number": 30}')

    return behave


def roles(has_system: bool, answer: Answer, alternate: bool = True) -> Behaviour:
    """A chat template that wants roles to alternate, perhaps without a system message."""

    def behave(request: dict[str, Any], number: int) -> Answer:
        found = [message["role"] for message in request["messages"]]
        found = found[1:] if has_system and found[0] == "system" else found
        wanted = [("user", "assistant")[place % 2] for place in range(len(found))]
        return answer if (found != wanted if alternate else found[0] == "system") else said()

    return behave


def empty_turns(answer: Answer, text: str) -> Behaviour:
    """An empty reply first, which the server refuses to take back."""

    def behave(request: dict[str, Any], number: int) -> Answer:
        turns = [message for message in request["messages"] if message["role"] == "assistant"]
        if any(not (turn.get("content") or "").strip() and not turn.get("tool_calls") for turn in turns):
            return answer
        return said(text) if number == 1 else said()

    return behave


def wants_back(field: str, answer: Answer, call: Answer) -> Behaviour:
    """A call of a tool first, which must come back with a field of the call or message."""

    def behave(request: dict[str, Any], number: int) -> Answer:
        turns = [message for message in request["messages"] if message.get("tool_calls")]
        if any(field not in turn and field not in turn["tool_calls"][0] for turn in turns):
            return answer
        return call if number == 1 else said(reasoning_content="So half.")

    return behave


def tools_or_schema(answer: Answer) -> Behaviour:
    return lambda request, number: answer if {"tools", "response_format"} <= request.keys() else said()


def loop(request: dict[str, Any], number: int) -> Answer:
    return said('{"kind":' + "\n " * 300, "length") if "response_format" in request else said()


def renamed(request: dict[str, Any], number: int) -> Answer:
    if "max_tokens" in request:
        return refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens")
    if request.get("temperature", 1) != 1:
        return refusal("Unsupported value: 'temperature' does not support 0.7 with this model.", param="temperature")
    return said()


def both(request: dict[str, Any], number: int) -> Answer:
    message = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    return refusal(message) if {"temperature", "top_p"} <= request.keys() else said()


def strict(request: dict[str, Any], number: int) -> Answer:
    message = (
        "Invalid schema for response_format 'move': In context=('properties', 'message'), 'maxLength' is not permitted."
    )
    schema = json.dumps(request.get("response_format", {}))
    return refusal(message, param="response_format") if "maxLength" in schema else said()


def seed_of(bits: int) -> Behaviour:
    message = "Invalid value at 'generation_config.seed' (TYPE_INT32)"
    return lambda request, number: said() if request["seed"] < 2**bits else refusal(message)


def moved(request: dict[str, Any], number: int) -> Answer:
    function = {"name": "offer", "arguments": '{"gain": 5000}'}
    return said(None, "tool_calls", tool_calls=[{"id": "a", "type": "function", "function": function}])


def other_model() -> Answer:
    answer = said()
    answer.body |= {"model": "something-else-mini", "system_fingerprint": "fp_1", "provider": "Cheap (fp4)"}
    return answer


def retry_info(seconds: str) -> Answer:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": seconds}]
    message = "You exceeded your current quota, please check your plan and billing details."
    told = {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}
    return Answer(429, [{"error": told}])


def no_choices() -> Answer:
    return Answer(body={**said().body, "choices": []})
