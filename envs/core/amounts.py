"""Formatting and rounding of amounts of money."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from functools import lru_cache

from econzoo.envs.core.contract import EXACT, exact_decimal

__all__ = ["ROUND_CEILING", "ROUND_FLOOR", "ROUND_HALF_EVEN", "dollars", "round_amount", "strip_float_noise"]

CENT_DECIMALS = 2
"""Decimals of amounts >= $1."""

SMALL_AMOUNT_DIGITS = 4
"""Significant digits of amounts < $1 that are not whole cents."""

SIGNIFICANT_DIGITS = 12
"""Significant digits of a computed amount; the rest is floating-point noise."""


@lru_cache(maxsize=1024)
def dollars(amount: float, rounding: str = ROUND_HALF_EVEN, cents: bool = False) -> str:
    """Format an amount for people and models, with thousands separators.

    Amounts >= $1 are shown to the cent ("6,000", "52.50", "1,000.04"), smaller ones to four significant digits
    ("0.50", "0.3333", "0.00001234"). The shown value differs from the amount by at most half a cent, or by less
    than a cent with directed `rounding`.

    Args:
        amount: Finite amount in dollars.
        rounding: ``ROUND_HALF_EVEN``: nearest; ``ROUND_FLOOR``: never above the amount (the most that can be paid);
            ``ROUND_CEILING``: never below it (the least that is accepted).
        cents: Whether to always show cents ("6,000.00"), as in a table column.
    """
    size = abs(amount)
    decimals = (
        CENT_DECIMALS
        if size >= 1.0 or not size
        else max(CENT_DECIMALS, SMALL_AMOUNT_DIGITS - 1 - math.floor(math.log10(size)))
    )
    # The format below rounds to the nearest by itself.
    shown = amount if rounding == ROUND_HALF_EVEN else round_amount(amount, rounding, decimals)
    whole, _, part = f"{shown or 0.0:,.{decimals}f}".partition(".")  # no "-0"
    part = part.rstrip("0")
    return f"{whole}.{part:0<{CENT_DECIMALS}}" if part or cents else whole


def round_amount(amount: float, rounding: str, decimals: int = CENT_DECIMALS) -> float:
    """Round an amount to `decimals` (for `rounding` see `dollars`).

    The decimal representation is rounded: 0.29 is 29 cents, though its float is slightly less.
    """
    return float(exact_decimal(amount).quantize(Decimal(1).scaleb(-decimals), rounding, EXACT))


def strip_float_noise(amount: float) -> float:
    """Round an amount to `SIGNIFICANT_DIGITS` significant digits: 7249.999999999999 becomes 7250."""
    return float(f"{amount:.{SIGNIFICANT_DIGITS}g}")
