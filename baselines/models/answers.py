"""What an OpenAI-compatible server says of a reply besides its text: how it ended, what was thought or refused."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.models.chat import Completion
from econzoo.baselines.models.functions import as_reply
from econzoo.envs.core.faces.finish import FILTER, LENGTH, REFUSAL, THOUGHT

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


def completion(answer: Any, price_per_million: tuple[float, float]) -> Completion:
    """The reply in a server's answer.

    Args:
        answer: As the client gives it.
        price_per_million: US dollars for a million tokens read and written.

    Raises:
        AttributeError, IndexError, TypeError: It is no chat completion.
    """
    choice, used = answer.choices[0], answer.usage
    message = choice.message
    read, wrote = tokens_of(used, "prompt_tokens"), tokens_of(used, "completion_tokens")
    return Completion(
        text=as_reply(message) or message.content or refusal_in(message),
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
