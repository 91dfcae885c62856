"""Parse a server's response: reply, reasoning, finish reason and usage.

One parser covers all servers: content may be text or a list of parts, reasoning may be in one of several fields or
among the parts, and a response that reports a failure raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from econzoo.baselines.models.chat import Completion, Schema
from econzoo.baselines.models.kind_probabilities import served_probabilities, token_choices
from econzoo.baselines.models.server_errors import ServerError
from econzoo.baselines.models.token_counts import USAGE, Prices, cost_of, count_tokens, thinking_tokens
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.faces import FILTER, LENGTH, MALFORMED, REASONING, RECITATION, REFUSAL, THOUGHT, find_object
from econzoo.envs.core.record import Served

FAILED, WINDOW, CALL = "failed", "window", "call"
"""Further ends of a response: the provider failed; the conversation filled the context; a call of a tool."""

_CODES = {
    LENGTH: "length maxtokens maxoutputtokens maxnewtokens maxcompletiontokens maxlength modellength tokenlimit",
    FILTER: "contentfilter contentfiltered contentpolicyviolation safety imagesafety prohibitedcontent "
    "imageprohibitedcontent blocklist spii language modelarmor sensitive guardrail guardrailintervened blocked "
    "moderation flagged",
    REFUSAL: "refusal refused",
    RECITATION: "recitation imagerecitation",
    MALFORMED: "malformedfunctioncall malformedtoolcall malformedresponse unexpectedtoolcall unexpectedfunctioncall "
    "toomanytoolcalls invalidtoolcall",
    WINDOW: "modelcontextwindowexceeded contextwindowexceeded contextlengthexceeded contextlength",
    FAILED: "error networkerror insufficientsystemresource abort aborted servererror engineerror pauseturn other "
    "timeout cancelled canceled failed missingthoughtsignature",
    CALL: "toolcalls tooluse functioncall",
    "": "stop endturn endofturn end eos eostoken stopsequence stoptoken complete completed done finished success",
}
_FINISHES = {code: finish for finish, codes in _CODES.items() for code in codes.split()}
"""Finish reasons of servers, letters only, to ours; empty: a complete reply."""

_THOUGHTS = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks")
_PARTS = ("text", "thinking", "reasoning", "summary", "content", "refusal")


def finish_of(reason: Any) -> str | None:
    """Return the finish of a server's reason in any spelling; None if it is unknown.

    Details follow a colon: in ``content_filter: RECITATION`` they say what the filter has found.
    """
    parts = (re.sub(r"[^a-z]", "", part.lower()) for part in str(reason).split(":"))
    finishes = [_FINISHES.get(part.removeprefix("finishreason")) for part in parts]
    known = [one for one in reversed(finishes) if one is not None]
    return next((one for one in known if one not in (FAILED, "")), known[-1] if known else None)


class ProviderFailedError(Exception):
    """The response reports a failure of the server or its upstream provider, perhaps with an error."""

    def __init__(self, reason: str, error: ServerError | None = None) -> None:
        super().__init__(f"the provider failed: {reason}")
        self.error = error


def parse_completion(
    answer: Any,
    prices: Prices,
    conversation: Sequence[Mapping[str, Any]],
    schema: Schema | None = None,
    temperature: float = 1.0,
) -> Completion:
    """Parse the completion in a server's response.

    Args:
        temperature: Of the request, for the probabilities of the kinds of move.

    Raises:
        ProviderFailedError: The response reports a failure of the provider.
        AttributeError, IndexError, TypeError: The response is not a chat completion.
    """
    used, choices = getattr(answer, "usage", None), getattr(answer, "choices", None)
    if not choices and (error := getattr(answer, "error", None)):
        raise _failure(error)
    choice = answer.choices[0] if choices else _blocked_choice(answer)
    message = choice.message
    called = as_reply(message, schema)
    reply = called or _text(message)
    refusal = _text_in(getattr(message, "refusal", None)) or _part(message, "refusal")
    thoughts = reasoning_in(message)
    counts = count_tokens(used, conversation, f"{reply or refusal}{thoughts}")
    finish = _finish(choice, reply, refusal, thoughts, used)
    # A model writes at least the end of its turn: the provider failed, and a retry is not at the model's cost.
    if not (finish or reply or counts.completion_tokens) and counts.is_reported:
        raise ProviderFailedError("an empty reply of no tokens")
    return Completion(
        text=reply or refusal,
        prompt_tokens=counts.prompt_tokens,
        completion_tokens=counts.completion_tokens,
        seconds=0.0,
        cost=cost_of(prices, counts.prompt_tokens, counts.completion_tokens, counts.cached_tokens, counts.stored_tokens)
        if counts.cost is None
        else counts.cost,
        finish=finish,
        reasoning=thoughts,
        cached_tokens=counts.cached_tokens,
        unsupported=() if counts.is_reported else (USAGE,),
        served=_origin_of(answer, choice),
        probabilities=served_probabilities(token_choices(getattr(choice, "logprobs", None)), schema, temperature),
        echo=_echo_of(message) if called else "",
    )


_ECHOED = ("reasoning_details", "reasoning_content", "thinking_blocks", "native")
"""Fields with thoughts that servers want back with a call: OpenRouter, DeepSeek and others, litellm; own interfaces."""


def _echo_of(message: Any) -> str:
    """Return the thoughts and signatures of a message whose first call is sent back (`Completion.echo`).

    Gemini has the signature in ``extra_content`` of the call, or of the message.
    """
    call = next(one for one in message.tool_calls if _called_function(one))
    more = {name: value for name in _EXTRAS if (value := getattr(call, name, None))}
    kept = {name: value for name in (*_ECHOED, *_EXTRAS) if (value := getattr(message, name, None))}
    echo = {**kept, **({"tool_call": more} if more else {})}
    return json.dumps(echo, ensure_ascii=False, default=str) if echo else ""


_EXTRAS = ("extra_content", "provider_specific_fields")


def _origin_of(answer: Any, choice: Any) -> Served:
    """Return what a response tells about its origin; OpenRouter tells the upstream provider and its finish reason."""
    finish = getattr(choice, "native_finish_reason", None) or getattr(choice, "finish_reason", None)
    names = {"model": "model", "fingerprint": "system_fingerprint", "provider": "provider", "id": "id"}
    found = {**{name: getattr(answer, field, None) for name, field in names.items()}, "finish": finish}
    return cast("Served", {name: value for name, value in found.items() if value and isinstance(value, str)})


def estimate_completion(text: str, conversation: Sequence[Mapping[str, Any]], prices: Prices) -> Completion:
    """Return a completion with estimated tokens for a reply that the server rejected without usage."""
    counts = count_tokens(None, conversation, text)
    cost = cost_of(prices, counts.prompt_tokens, counts.completion_tokens)
    return Completion(text, counts.prompt_tokens, counts.completion_tokens, 0.0, cost, unsupported=(USAGE,))


def _finish(choice: Any, reply: str, refusal: str, thoughts: str, used: Any) -> str:
    """Return the finish reason, one of `econzoo.envs.core.faces.finish.FINISHES`; empty for a complete reply."""
    is_silent = not (reply.strip() or refusal or thoughts.strip())
    reasons = [getattr(choice, name, None) for name in ("finish_reason", "native_finish_reason")]
    finishes = [finish_of(one) for one in (reasons[0] or "stop", *reasons[1:]) if one]
    # Of a silent reply the upstream provider may know more, and one that ended for an unknown reason is no reply.
    unusual = next((one for one in finishes[: 1 + is_silent] if one != ""), "")
    finish = (FAILED if is_silent else "") if unusual is None else unusual
    if finish == FAILED or getattr(choice, "error", None):
        raise _failure(getattr(choice, "error", None) or " ".join(str(one) for one in reasons if one))
    if finish == CALL:
        finish = MALFORMED if is_silent else ""
    # The limit ended the thoughts ahead of any reply: not the cut reply that `LENGTH` means.
    if finish == LENGTH and not reply.strip() and (thoughts or thinking_tokens(used)):
        return THOUGHT
    if finish or reply.strip():
        return finish if finish or not refusal else REFUSAL
    return REFUSAL if refusal else REASONING if thoughts.strip() else ""


def _failure(failure: Any) -> ProviderFailedError:
    """Return the error for a failure that a response tells, with the status of a gateway's upstream as its code."""
    code = failure.get("code") if isinstance(failure, Mapping) else None
    error = ServerError(code if isinstance(code, int) and 400 <= code < 600 else 500, failure)
    return ProviderFailedError(error.text, error)


def _blocked_choice(answer: Any) -> Any:
    """Return a choice in place of the one that Gemini leaves out if it blocks a prompt; None if it did not."""
    feedback = getattr(answer, "prompt_feedback", None) or getattr(answer, "promptFeedback", None) or {}
    reason = feedback.get("block_reason") or feedback.get("blockReason")
    return reason and SimpleNamespace(finish_reason="content_filter", native_finish_reason=reason, message=None)


def reasoning_in(message: Any) -> str:
    """Return the reported reasoning ahead of the reply."""
    texts = (_text_in(getattr(message, name, None)) for name in _THOUGHTS)
    return next(filter(None, texts), "") or _part(message, "thinking", "reasoning")


def _text(message: Any) -> str:
    """Return the text of a message, joining its text parts."""
    content = getattr(message, "content", None)
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TypeError(f"content of type {type(content).__name__}")
    return "".join(one for one in content if isinstance(one, str)) + _part(message, "text", "output_text")


def _part(message: Any, *kinds: str) -> str:
    """Return the text of a message's parts of these types."""
    content = getattr(message, "content", None)
    parts = content if isinstance(content, list) else []
    return "".join(_text_in(one) for one in parts if isinstance(one, Mapping) and one.get("type") in kinds)


def _text_in(value: Any) -> str:
    """Return the text of a string, a part or a list of parts."""
    if isinstance(value, Mapping):
        return next(filter(None, (_text_in(value.get(name)) for name in _PARTS)), "")
    if isinstance(value, list):
        return "".join(map(_text_in, value))
    return value if isinstance(value, str) else ""


def as_reply(message: Any, schema: Schema | None) -> str | None:
    """Convert the first tool call of a message into a reply; None without calls.

    Invalid JSON arguments stay text, so that the parser of the call can report the error. A call of an unknown tool is
    a move written as a call: the reply is that move if there are no other calls and no text.
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
    """Whether arguments are one object without duplicate keys."""
    return isinstance(read, dict) and (not isinstance(written, str) or find_object(written or "{}") == read)


def _called_function(call: Any) -> Any:
    return getattr(call, "function", None)


def _kind_key(name: str, schema: Schema | None) -> str:
    """Return the key whose value is this kind of move; empty for a tool, or a possibly misspelled one."""
    options = [] if schema is None else schema.get("anyOf", [schema])
    constants = [(k, field["const"]) for one in options for k, field in one["properties"].items() if "const" in field]
    kinds = {const: key for key, const in constants if key != "tool"}
    if ("tool", name) in constants:
        return ""
    has_tools = any(key == "tool" for key, _ in constants)
    return kinds.get(name) or ("" if has_tools else next(iter(kinds.values()), "kind"))


def _arguments(text: Any) -> Any:
    try:
        return parse_json(text or "{}")
    except (TypeError, ValueError):
        return text
