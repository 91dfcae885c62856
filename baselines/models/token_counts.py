"""What a reply took: tokens and dollars, as its server counts them, or estimated from the text where it does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Prices = tuple[float, ...]
"""US dollars for a million tokens: read and written, or read, read from the provider's cache, and written."""

USAGE = "usage"
"""What a reply lacks whose tokens are an estimate; see `Completion.unmet`."""


class Counts(NamedTuple):
    """What a reply took.

    Attributes:
        read: Tokens of the prompt.
        cached: Those of them that the provider had in its cache.
        written: Tokens of the reply and of all thoughts, also where these are counted apart.
        told: Whether the server told all of it; else `read` or `written` is an estimate.
        cost: US dollars, where the server tells them.
    """

    read: int
    cached: int
    written: int
    told: bool
    cost: float | None


def estimate(conversation: Sequence[Mapping[str, Any]]) -> int:
    """Tokens of a chat, roughly: four characters each and a few for the markup of every message."""
    return sum(len(message["content"] or "") // 4 + 5 for message in conversation)


def counted(used: Any, conversation: Sequence[Mapping[str, Any]], said: str) -> Counts:
    """What a reply took.

    Args:
        used: The ``usage`` of the server's answer; anything.
        conversation: What was read.
        said: Reply and thoughts, as far as they are told.
    """
    told = {name: _count(used, name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    read, written, total = told.values()
    if total is not None and read is not None:
        written = max(written or 0, total - read)
    known = bool(read), bool(written) or (written == 0 and not said)
    read = read if read and known[0] else estimate(conversation)
    written = written if written is not None and known[1] else -(-len(said) // 4)
    return Counts(read, min(_cached(used), read), written, all(known), _cost(used))


def _cached(used: Any) -> int:
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


def thought_in(used: Any) -> int:
    """Tokens of thoughts, as far as the server counts them or counts them apart."""
    named = _count(_get(used, "completion_tokens_details"), "reasoning_tokens") or 0
    told = [_count(used, name) for name in ("total_tokens", "prompt_tokens", "completion_tokens")]
    if None in told:
        return named
    total, read, written = (one or 0 for one in told)
    return max(named, total - read - written, 0)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _amount(value: Any) -> float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
    return float(value) if fits else None


def _count(used: Any, name: str) -> int | None:
    """A count; None where there is none that makes sense."""
    amount = _amount(_get(used, name))
    return int(amount) if amount is not None and amount.is_integer() else None
