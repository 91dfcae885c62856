"""What a reply took: tokens and dollars, as its server counts them, or estimated from the text where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_MAX_COUNT = 10**15
"""More than any count, and than any sum of money."""

Prices = tuple[float, ...]
"""US dollars for a million tokens: read and written, or read, read from the provider's cache, and written."""

PRICES_ALLOWED = "two numbers (in, out) or three (in, cached, out), 0 or more"


def are_prices(found: Prices) -> bool:
    """Whether these are `PRICES_ALLOWED`; NaN and infinities are not."""
    return len(found) in (2, 3) and all(0 <= one < float("inf") for one in found)


_PROMPT_KEYS, _COMPLETION_KEYS = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")

USAGE = "usage"
"""What a reply lacks whose tokens are an estimate; see `Completion.unmet`."""


class Counts(NamedTuple):
    """What a reply took.

    Attributes:
        prompt_tokens: Tokens of the prompt.
        cached_tokens: Those of them that the provider had in its cache.
        completion_tokens: Tokens of the reply and of all thoughts, also where these are counted apart.
        is_reported: Whether the server told all of it; else `prompt_tokens` or `completion_tokens` is an estimate.
        cost: US dollars, where the server tells them.
    """

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    is_reported: bool
    cost: float | None


def estimate(conversation: Sequence[Mapping[str, Any]]) -> int:
    """Tokens of a chat, roughly: four characters each and a few for the markup of every message."""
    return sum(len(message["content"] or "") // 4 + 5 for message in conversation)


def count_tokens(used: Any, conversation: Sequence[Mapping[str, Any]], said: str) -> Counts:
    """What a reply took.

    Args:
        used: The ``usage`` of the server's answer; anything.
        conversation: What was read.
        said: Reply and thoughts, as far as they are told.
    """
    read, written = (_count(used, *names) or 0 for names in (_PROMPT_KEYS, _COMPLETION_KEYS))
    none = read and not said and _count(used, *_COMPLETION_KEYS) == 0  # an empty reply of no tokens
    total = _count(used, "total_tokens") or 0
    read = read or (max(total - written, 0) if written else 0)
    told = bool(read and (written or none or total > read))
    read = read or min(estimate(conversation), total or _MAX_COUNT)
    written = max(written, total - read) or (0 if none else -(-len(said) // 4))
    return Counts(read, min(_cached_tokens(used), read), written, told, _cost(used))


def _cached_tokens(used: Any) -> int:
    details = _get(used, "prompt_tokens_details")
    places = (details, "cached_tokens"), (used, "prompt_cache_hit_tokens"), (used, "cached_tokens")
    return max(_count(*place) or 0 for place in places)


def _cost(used: Any) -> float | None:
    """What OpenRouter says that it takes, with what the provider takes whose key is the user's own."""
    cost = _amount(_get(used, "cost"))
    own = (
        _amount(_get(_get(used, "cost_details"), "upstream_inference_cost")) if _get(used, "is_byok") is True else None
    )
    return cost if own is None else (cost or 0.0) + own


def cost_of(prices: Prices, read: int, written: int, cached: int = 0) -> float:
    """US dollars."""
    fresh, known, out = prices if len(prices) == 3 else (prices[0], prices[0], prices[1])
    return ((read - cached) * fresh + cached * known + written * out) / 1e6


def thinking_tokens(used: Any) -> int:
    """Tokens of thoughts, as far as the server counts them or counts them apart."""
    named = _count(_get(used, "completion_tokens_details"), "reasoning_tokens") or 0
    total, read, written = (_count(used, *names) or 0 for names in (("total_tokens",), _PROMPT_KEYS, _COMPLETION_KEYS))
    return max(named, total - read - written if read and written else 0)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _amount(value: Any) -> float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MAX_COUNT
    return float(value) if fits else None


def _count(used: Any, *names: str) -> int | None:
    """The first count of these names; None where there is none that makes sense."""
    amounts = (_amount(_get(used, name)) for name in names)
    return next((int(amount) for amount in amounts if amount is not None and amount.is_integer()), None)
