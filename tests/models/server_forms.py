"""A server in the manner of a provider: its errors, its replies, its counts of tokens, what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from local_server import Answer, LocalServer

from econzoo.baselines.models.providers import Provider

READ, CACHED, WROTE, THOUGHT = 100_000, 60_000, 10, 200
"""Tokens of every reply."""

DOLLARS = 0.00123
"""What a reply costs where the server tells that."""

LONGEST = 40_000
"""Characters of the messages of a request; more is too long."""

Said = Callable[[dict[str, Any]], str]


def failure(form: str, status: int, message: str, field: str | None = None) -> Answer:
    """An error in one of the forms of `providers.toml`."""
    extra = [{"type": "extra_forbidden", "loc": ["body", field], "msg": "Extra inputs are not permitted", "input": 1}]
    inner = {"error": {"message": message, "type": "invalid_request_error"}}
    if form == "object" and field:  # the words alone do not say which
        message = "Unsupported value."
    bodies: dict[str, Any] = {
        "object": {"error": {"message": message, "type": "invalid_request_error", "param": field, "code": None}},
        "flat": {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": status},
        "list": [{"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}}],
        "detail": {"detail": extra if field else message},
        "nested": {"object": "error", "message": {"detail": extra} if field else message, "type": "invalid_request"},
        "text": {"code": "Client specified an invalid argument", "error": message},
        "raw": {
            "error": {"message": "Provider returned error", "code": status, "metadata": {"raw": json.dumps(inner)}}
        },
        "plain": message.encode(),
    }
    return Answer(status, bodies[form])


def usage(form: str) -> dict[str, Any]:
    """Tokens of a reply, thoughts among them, in one of the forms of `providers.toml`."""
    wrote = WROTE if form == "apart" else WROTE + THOUGHT
    given: dict[str, Any] = {"prompt_tokens": READ, "completion_tokens": wrote, "total_tokens": READ + WROTE + THOUGHT}
    if form == "hits":
        return {**given, "prompt_cache_hit_tokens": CACHED, "prompt_cache_miss_tokens": READ - CACHED}
    more = {"cost": DOLLARS} if form == "cost" else {}
    return {**given, "prompt_tokens_details": {"cached_tokens": CACHED}, **more}


def spoken(provider: Provider, text: str, thoughts: str = "Let me see.") -> Answer:
    """A reply."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if provider.content == "parts":
        thinking = {"type": "thinking", "thinking": [{"type": "text", "text": thoughts}]}
        message["content"] = [thinking, {"type": "text", "text": text}]
    if provider.thoughts:
        message[provider.thoughts] = thoughts
    choices = [{"index": 0, "finish_reason": "stop", "message": message}]
    return Answer(body={"id": "x", "object": "chat.completion", "choices": choices, "usage": usage(provider.usage)})


class ProviderServer(LocalServer):
    """Fails at the first request, refuses what the provider refuses, finds long questions too long, and replies.

    Args:
        provider: In whose manner.
        said: The text of a reply.
    """

    def __init__(self, provider: Provider, said: Said) -> None:
        super().__init__(judge=self._answer)
        self.provider, self._said = provider, said

    def _answer(self, request: dict[str, Any]) -> Answer:
        provider = self.provider
        form = provider.errors
        if len(self.requests) == 1:
            return failure(form, 503, "The model is overloaded. Please try again later.")
        assert not {*provider.without} & request.keys(), "what is not honoured is not sent"
        for field in provider.refuses:
            if field in request:
                return failure(form, 400, f"Unsupported parameter: '{field}' is not supported with this model.", field)
        if sum(len(message["content"] or "") for message in request["messages"]) > LONGEST:
            return failure(form, 413 if provider.title == "Groq" else 400, provider.too_long)
        return spoken(provider, self._said(request))
