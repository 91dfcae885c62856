"""Conversations as messages of the protocol, in the form that every known provider accepts.

Anthropic, Mistral, Gemini and many chat templates refuse turns without text, two turns of one role in a row, and an
assistant's turn at the beginning or the end. What a model has said must not make its server refuse the conversation:
the match would end as a failure, where another server would have cost the model a retry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from econzoo.baselines.models.chat import Conversation, Message, without_functions
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.faces import find_object

NO_ANSWER = "(no answer)"
"""Sent in place of a reply without text, or of one that the server refuses to take back."""

NO_TEXT = "(empty)"
"""Sent in place of any other turn without text."""

_MAX_NAME_LENGTH = 64
"""Maximum characters of the name of a function."""


def is_blank(content: Any) -> bool:
    """Whether a content shows nothing: no parts, or blanks, invisible and control characters only."""
    if isinstance(content, str):
        return not any(sign.isprintable() and not sign.isspace() for sign in content)
    return not content


def has_blank_reply(conversation: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a turn of the assistant shows nothing."""
    replies = (message for message in conversation if message["role"] == "assistant" and not message.get("tool_calls"))
    return any(is_blank(message["content"]) for message in replies)


def fill_replies(conversation: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Replace replies without text by `NO_ANSWER`."""
    return [
        {**message, "content": NO_ANSWER} if has_blank_reply([message]) else {**message} for message in conversation
    ]


def withhold_replies(conversation: Conversation, count: int) -> list[Message]:
    """Replace the newest replies by `NO_ANSWER`, and results of calls among them by user messages."""
    replies = [place for place, message in enumerate(conversation) if message["role"] == "assistant"]
    chosen = set(replies[len(replies) - count :])
    return [
        {**message, "content": NO_ANSWER}
        if place in chosen
        else {**message, "role": "user"}
        if message["role"] == "tool" and place - 1 in chosen
        else message
        for place, message in enumerate(conversation)
    ]


def acceptable_messages(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Fill turns without text, join turns of one role, and begin and end with a turn of the user.

    Contents in parts stay as they are, and that of a call may be None.
    """
    turns: list[dict[str, Any]] = []
    for message in messages:
        content, is_call = message.get("content"), bool(message.get("tool_calls"))
        if isinstance(content, str):
            content = content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # halves are no text
        if not is_call and is_blank(content):
            if message["role"] == "system":
                continue
            content = NO_ANSWER if message["role"] == "assistant" else NO_TEXT
        last: dict[str, Any] = turns[-1] if turns else {"role": ""}
        is_same = message["role"] == last["role"] in ("user", "assistant") and not (is_call or last.get("tool_calls"))
        if is_same and isinstance(content, str) and isinstance(last["content"], str):
            turns[-1] = {**last, "content": f"{last['content']}\n\n{content}"}
        else:
            turns.append({**message, "content": content})
    filler = {"role": "user", "content": NO_TEXT}
    # Only a system message may stand ahead of the first turn of the user.
    first = next((place for place, turn in enumerate(turns) if turn["role"] != "system"), len(turns))
    if first == len(turns) or turns[first]["role"] != "user":
        turns.insert(first, dict(filler))
    return turns if turns[-1]["role"] != "assistant" else [*turns, filler]


def as_messages(
    conversation: Conversation,
    functions: bool,
    are_offered: bool = True,
    call_text: str | None = None,
    echoes: bool = True,
) -> list[dict[str, Any]]:
    """Convert a chat to the protocol, with ``tool_calls`` of the assistant and their results by id.

    They are text for a server without `functions`, and in a request that offers none: Anthropic refuses calls in a
    conversation without functions. Thoughts and signatures of calls go back if the request `echoes` them.
    """
    if not functions:
        return acceptable_messages(without_functions(conversation))
    messages: list[dict[str, Any]] = []
    for place, message in enumerate(conversation):
        content = message.get("functions", message["content"])
        if message["role"] != "tool":
            messages.append({"role": message["role"], "content": content})
        elif are_offered:
            echo = parse_json(conversation[place - 1].get("echo", "{}")) if echoes else {}
            messages[-1] = _call(messages[-1]["content"], _id(place), call_text, echo)
            messages.append({"role": "tool", "tool_call_id": _id(place), "content": content})
        else:
            messages.append({"role": "user", "content": content})
    return acceptable_messages(messages)


def _id(place: int) -> str:
    """Return the id of a call from its index in the chat: nine letters and digits, as the strictest servers require."""
    return f"call{place:05d}"


def _call(reply: str, name: str, text: str | None, echo: Mapping[str, Any]) -> dict[str, Any]:
    """Return the assistant message with a function call, of which servers require a name and an object of arguments."""
    more = dict(echo)
    call = find_object(reply)
    arguments = call.get("arguments", {})
    if not isinstance(arguments, dict):
        arguments = {"arguments": arguments}
    called = re.sub(r"[^a-zA-Z0-9_-]", "_", str(call["tool"]))[:_MAX_NAME_LENGTH] or "_"
    function = {"name": called, "arguments": json.dumps(arguments, ensure_ascii=False)}
    asked = {"id": name, "type": "function", "function": function, **more.pop("tool_call", {})}
    return {"role": "assistant", "content": text, "tool_calls": [asked], **more}
