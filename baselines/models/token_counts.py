"""Tokens and cost of a reply, as reported by the server or estimated from the text."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_MAX_COUNT = 10**15
"""Upper bound of plausible counts and amounts."""

Prices = tuple[float, ...]
"""US dollars per million input and output tokens, or input, cached input and output tokens."""

_STORED = 0.25
"""Extra price of storing a token in Anthropic's cache, as a share of its price."""

PRICES_ALLOWED = "two numbers (in, out) or three (in, cached, out), 0 or more"


def are_prices(found: Prices) -> bool:
    """Whether prices are valid (`PRICES_ALLOWED`); NaN and infinities are not."""
    return len(found) in (2, 3) and all(0 <= one < float("inf") for one in found)


_PROMPT_KEYS, _COMPLETION_KEYS = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")

USAGE = "usage"
"""Entry of `Completion.unsupported` for estimated tokens."""


CONTEXT = "context"
"""Entry of `Completion.unsupported` for a prompt of which the server seems to have read a part only."""

_LEAST_READ = 3
"""A prompt was cut if the server read less than the estimate divided by this; tokenizers differ by a factor of two."""

_LEAST_WINDOW = 32
"""Tokens below which a count is no context's: some servers report a constant."""

_MAX_PROMPTS = 10_000
"""Maximum number of remembered prompts."""


@dataclass(frozen=True)
class Usage:
    """Total usage of a model.

    Attributes:
        replies: Replies received.
        retries: Requests sent again.
        prompt_tokens: Prompt tokens.
        completion_tokens: Completion tokens including reasoning.
        cost: US dollars.
        cached_tokens: Prompt tokens read from the provider's cache.
        timeouts: Requests that timed out.
    """

    replies: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    cached_tokens: int = 0
    timeouts: int = 0


class Counts(NamedTuple):
    """Token counts and cost of a reply.

    Attributes:
        cached_tokens: Prompt tokens read from the provider's cache.
        stored_tokens: Prompt tokens stored in its cache at an extra price, as Anthropic does.
        completion_tokens: Tokens of the reply and all reasoning, even if reported separately.
        is_reported: Whether the server reported all counts; else prompt or completion tokens are estimated.
        cost: US dollars, if reported.
    """

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    is_reported: bool
    cost: float | None
    stored_tokens: int = 0


def estimate(conversation: Sequence[Mapping[str, Any]]) -> int:
    """Estimate the tokens of a chat: four characters per token, plus markup per message."""
    return sum(len(message["content"] or "") // 4 + 5 for message in conversation)


def count_tokens(used: Any, conversation: Sequence[Mapping[str, Any]], text: str) -> Counts:
    """Count the tokens of a reply from ``usage`` of the response, or estimate them from the texts."""
    read, written = (_count(used, *names) or 0 for names in (_PROMPT_KEYS, _COMPLETION_KEYS))
    none = read and not text and _count(used, *_COMPLETION_KEYS) == 0  # an empty reply of no tokens
    total = _count(used, "total_tokens") or 0
    # Some servers tell only the total, or one of the two counts.
    read = read or (max(total - written, 0) if written else 0)
    reported = bool(read and (written or none or total > read))
    read = read or min(estimate(conversation), total or _MAX_COUNT)
    # Gemini and xAI count thoughts only in the total; what no count tells is estimated at four characters per token.
    written = max(written, total - read) or (0 if none else -(-len(text) // 4))
    cached, stored = min(_cached_tokens(used), read), _count(used, "cache_creation_input_tokens") or 0
    return Counts(read, cached, written, reported, _cost(used), min(stored, read - cached))


def _cached_tokens(used: Any) -> int:
    details = _get(used, "prompt_tokens_details")
    places = (details, "cached_tokens"), (used, "prompt_cache_hit_tokens"), (used, "cached_tokens")
    return max(_count(*place) or 0 for place in places)


def _cost(used: Any) -> float | None:
    """Return the cost reported by OpenRouter, plus the provider's cost with the user's own key."""
    cost = _amount(_get(used, "cost"))
    own = (
        _amount(_get(_get(used, "cost_details"), "upstream_inference_cost")) if _get(used, "is_byok") is True else None
    )
    return cost if own is None else (cost or 0.0) + own


def cost_of(prices: Prices, read: int, written: int, cached: int = 0, stored: int = 0) -> float:
    """Return the cost in US dollars."""
    fresh, known, out = prices if len(prices) == 3 else (prices[0], prices[0], prices[1])
    return ((read - cached + _STORED * stored) * fresh + cached * known + written * out) / 1e6


def thinking_tokens(used: Any) -> int:
    """Return the reasoning tokens, reported directly or as a difference."""
    named = _count(_get(used, "completion_tokens_details"), "reasoning_tokens") or 0
    total, read, written = (_count(used, *names) or 0 for names in (("total_tokens",), _PROMPT_KEYS, _COMPLETION_KEYS))
    return max(named, total - read - written if read and written else 0)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _amount(value: Any) -> float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MAX_COUNT
    return float(value) if fits else None


def _count(used: Any, *names: str) -> int | None:
    """Return the first valid count of these names, or None."""
    amounts = (_amount(_get(used, name)) for name in names)
    return next((int(amount) for amount in amounts if amount is not None and amount.is_integer()), None)


class _Prompt(NamedTuple):
    """A prompt that a server has answered.

    Attributes:
        size: Estimated tokens.
        read: Tokens that the server told.
        density: Largest ratio of tokens told and estimated, of this prompt or its beginnings; at least 1.
    """

    size: int
    read: int
    density: float
    is_cut: bool


class PromptCounts:
    """Prompt tokens of recent conversations, to find prompts that a server cut silently (Ollama)."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, _Prompt] = OrderedDict()
        self._lock = threading.Lock()

    def is_cut(self, conversation: Sequence[Mapping[str, Any]], used: Any) -> bool:
        """Whether far fewer tokens were read than a conversation has, or no more than its beginning had.

        Cached tokens may be counted or not; so they are added here, and not a turn ago. If hardly more was read
        than has been added since, the server may count only what is new to it, which is no sign.
        """
        size, read = estimate(conversation), _count(used, *_PROMPT_KEYS) or 0
        if read < _LEAST_WINDOW:
            return False
        most, density = read + _cached_tokens(used), max(read / size, 1.0)
        with self._lock:
            # The prompt of the last turn: this one without the reply to it and the newest message.
            previous = self._known.get(_key(conversation[:-2]))
            is_cut = most * _LEAST_READ < size
            if previous is not None:
                density = max(density, previous.density)
                added = (size - previous.size) * density
                is_cut = previous.is_cut or ((is_cut or most <= previous.read) and most > 2 * added)
            # Bounded by dropping the oldest: only the next turn of a match looks a prompt up.
            self._known[_key(conversation)] = _Prompt(size, read, density, is_cut)
            if len(self._known) > _MAX_PROMPTS:
                self._known.popitem(last=False)
        return is_cut


def _key(conversation: Sequence[Mapping[str, Any]]) -> int:
    # A hash, so that no conversation stays in memory.
    return hash(tuple((message["role"], message["content"]) for message in conversation))
