"""Amounts of money: as texts show them, and rounded to cents."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from functools import lru_cache

from econzoo.envs.core.contract.validation import EXACT, exact_decimal

__all__ = ["ROUND_CEILING", "ROUND_FLOOR", "ROUND_HALF_EVEN", "dollars", "round_amount", "strip_float_noise"]

CENT_DECIMALS = 2
"""Decimals of an amount from one dollar up."""

SMALL_AMOUNT_DIGITS = 4
"""Significant digits of an amount below a dollar, if cents do not tell it exactly."""

SIGNIFICANT_DIGITS = 12
"""Significant digits of a computed amount; what stands behind them is noise of floats."""


@lru_cache(maxsize=1024)
def dollars(amount: float, rounding: str = ROUND_HALF_EVEN, cents: bool = False) -> str:
    """An amount for people and models: thousands separated, and not more digits than money has.

    From a dollar up it is shown to the cent ("6,000", "52.50", "1,000.04"), below it to four significant digits, so
    that stakes of a cent or less can be read too ("0.50", "0.3333", "0.00001234"). What is shown differs from the
    amount by at most half a cent, or by less than one where `rounding` says to which side.

    Args:
        amount: Finite, in dollars.
        rounding: ``ROUND_HALF_EVEN``, to the nearest; ``ROUND_FLOOR`` where nothing above the amount may be shown (the
            most that can be paid), ``ROUND_CEILING`` where nothing below it may be (the least that is accepted).
        cents: Whether whole sums have cents too ("6,000.00"), as in a column of amounts.
    """
    size = abs(amount)
    decimals = (
        CENT_DECIMALS
        if size >= 1.0 or not size
        else max(CENT_DECIMALS, SMALL_AMOUNT_DIGITS - 1 - math.floor(math.log10(size)))
    )
    shown = amount if rounding == ROUND_HALF_EVEN else round_amount(amount, rounding, decimals)
    whole, _, part = f"{shown or 0.0:,.{decimals}f}".partition(".")
    part = part.rstrip("0")
    return f"{whole}.{part:0<{CENT_DECIMALS}}" if part or cents else whole


def round_amount(amount: float, rounding: str, decimals: int = CENT_DECIMALS) -> float:
    """An amount to some decimals: up, down or to the nearest, as `rounding` says (see `dollars`).

    It is rounded as it is written: 0.29 is 29 cents, though the nearest float is a little less.
    """
    return float(exact_decimal(amount).quantize(Decimal(1).scaleb(-decimals), rounding, EXACT))


def strip_float_noise(amount: float) -> float:
    """An amount to `DIGITS` digits: computed sums such as 7249.999999999999 are those that were meant, 7250."""
    return float(f"{amount:.{SIGNIFICANT_DIGITS}g}")
