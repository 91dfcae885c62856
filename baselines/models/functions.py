"""Tool calls in the form that OpenAI-compatible servers know: functions beside the reply.

Everywhere else a call is a reply of the form ``{"tool": NAME, "arguments": {...}}`` (`econzoo.baselines.parts.tools`),
which the schema of a request allows beside the moves. Here such a schema is taken apart into functions and the schema
of the moves, and a call that comes back becomes a reply of that form again.
"""

from __future__ import annotations

import json
from typing import Any

from econzoo.baselines.models.chat import Conversation, Schema, plain
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.faces.parse import find_object


def taken_apart(schema: Schema) -> tuple[Schema | None, list[dict[str, Any]]]:
    """The schema of replies that call nothing, and the functions that can be called.

    Args:
        schema: Of a request.

    Returns:
        The schema without calls (None if it allows nothing else), and one entry of the request's ``tools`` for each.
    """
    options = list(schema["anyOf"]) if schema.keys() == {"anyOf"} else [schema]
    calls = [option for option in options if "tool" in option.get("properties", {})]
    moves = [option for option in options if option not in calls]
    if not calls:
        return schema, []
    return (None if not moves else moves[0] if len(moves) == 1 else {"anyOf": moves}), [
        _function(call) for call in calls
    ]


def _function(call: Schema) -> dict[str, Any]:
    told = {
        "name": call["properties"]["tool"]["const"],
        "description": call.get("description", ""),
        "parameters": call["properties"]["arguments"],
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


def as_reply(message: Any) -> str | None:
    """The first call in a server's message as a reply; None if it calls nothing.

    Arguments that are no JSON stay text, so that whoever reads the call can say what is wrong with them.
    """
    for call in getattr(message, "tool_calls", None) or []:
        function = getattr(call, "function", None)
        if function is not None:
            return json.dumps({"tool": function.name, "arguments": _arguments(function.arguments)}, ensure_ascii=False)
    return None


def _arguments(text: Any) -> Any:
    try:
        return from_json(text or "{}")
    except (TypeError, ValueError):
        return text
