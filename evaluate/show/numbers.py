"""How numbers are shown, in a terminal, on a page and in a sentence, and how JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core.contract.game import GameFacts
from econzoo.envs.core.plurals import plural
from econzoo.evaluate.stats.intervals import Interval

NOTHING = "-"

NOISE = 1e-9
"""Differences that come of how floats are rounded are below this part of what they are differences of, or of 1."""


def replace_nan(value: float, otherwise: float) -> float:
    """The value, or another one where it is NaN."""
    return otherwise if math.isnan(value) else value


def capitalize_first(text: str) -> str:
    """The text with a capital letter first."""
    return text[:1].upper() + text[1:]


def format_number(value: float, digits: int = 3) -> str:
    """A number, or a dash."""
    return NOTHING if math.isnan(value) else f"{value:.{digits}f}"


def format_percent(value: float) -> str:
    """A part of 1 as a percentage, or a dash."""
    if math.isnan(value):
        return NOTHING
    return f"{100 * value:.0f}%" if value == 0 or abs(value) >= 0.0995 else f"{100 * value:.1f}%"


def agreement_heading(facts: GameFacts) -> str:
    """What tables call how often there was an agreement: ``deals`` of the matches, or a rate of the rounds."""
    return facts.rate or (plural(facts.agreement) if facts.is_countable else facts.agreement)


def format_interval(low: float, high: float) -> str:
    """``0.49\u20130.55``, and ``-0.55 to -0.49`` where a dash would look like a minus."""
    if math.isnan(low):
        return NOTHING
    digits = next((d for d in (2, 3) if round(low, d) != round(high, d)), 4)
    return format_range(f"{low:.{digits}f}", f"{high:.{digits}f}")


def format_range(low: str, high: str) -> str:
    """Two numbers that are written, as an interval: a dash beside a minus would look like another one."""
    return f"{low} to {high}" if low.startswith("-") else f"{low}\u2013{high}"


def format_duration(seconds: float) -> str:
    """A time by its two largest units: ``1 d 3 h``, ``2 h 0 min``, ``5 min 12 s``, ``40 s``."""
    found: list[str] = []
    rest = round(seconds)
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, unit)
        if found or count or unit == 1:
            found.append(f"{count} {name}")
    return " ".join(found[:2])


def undefined_to_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values for JSON: null for a number that is not defined or not finite."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in values.items()
    }


def plain_estimates(found: Mapping[str, Interval]) -> dict[str, Any]:
    """Estimates for JSON."""
    return {name: undefined_to_none(interval._asdict()) for name, interval in found.items()}
