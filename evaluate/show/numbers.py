"""Formatting of numbers for terminals, pages and sentences, and conversion for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core import plural
from econzoo.envs.core.contract import GameFacts
from econzoo.evaluate.stats import Interval

NOTHING = "-"

NOISE = 1e-9
"""Relative tolerance (absolute below 1) for differences due to floating-point rounding."""


def replace_nan(value: float, otherwise: float) -> float:
    """Return the value, or `otherwise` if it is NaN."""
    return otherwise if math.isnan(value) else value


def capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def format_number(value: float, digits: int = 3) -> str:
    """Format a number; NaN as a dash."""
    return NOTHING if math.isnan(value) else f"{value:.{digits}f}"


def format_percent(value: float) -> str:
    """Format a fraction as a percentage; NaN as a dash."""
    if math.isnan(value):
        return NOTHING
    # From 9.95%, which one decimal would print as 10.0%; small shares keep one decimal.
    return f"{100 * value:.0f}%" if value == 0 or abs(value) >= 0.0995 else f"{100 * value:.1f}%"


def agreement_heading(facts: GameFacts) -> str:
    """Column heading of the agreement rate, e.g. ``deals`` (per match) or a rate (per round)."""
    return facts.rate or (plural(facts.agreement) if facts.is_countable else facts.agreement)


def format_interval(low: float, high: float) -> str:
    """Format an interval: ``0.49\u20130.55``, or ``-0.55 to -0.49`` with negative ends."""
    if math.isnan(low):
        return NOTHING
    # As few decimals as keep the ends apart.
    digits = next((d for d in (2, 3) if round(low, d) != round(high, d)), 4)
    return format_range(f"{low:.{digits}f}", f"{high:.{digits}f}")


def format_range(low: str, high: str) -> str:
    """Join two formatted numbers as an interval, without a dash next to a minus sign."""
    return f"{low} to {high}" if low.startswith("-") else f"{low}\u2013{high}"


def format_duration(seconds: float) -> str:
    """Format a duration with its two largest units: ``1 d 3 h``, ``2 h 0 min``, ``5 min 12 s``, ``40 s``."""
    found: list[str] = []
    rest = round(seconds)
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, unit)
        if found or count or unit == 1:
            found.append(f"{count} {name}")
    return " ".join(found[:2])


def undefined_to_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace non-finite numbers by None, for JSON."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in values.items()
    }


def plain_estimates(found: Mapping[str, Interval]) -> dict[str, Any]:
    """Plain values of estimates for JSON."""
    return {name: undefined_to_none(interval._asdict()) for name, interval in found.items()}
