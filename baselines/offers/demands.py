"""Demands and acceptance thresholds of bargaining strategies, as functions that compile.

All take the seat's view, the stake in dollars, the strategy's numbers, and its memory; see
`econzoo.envs.core.contract.scripts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from econzoo.envs.core.contract import UNKNOWN, Numbers, StrategyMemory

Amount: TypeAlias = Callable[[Any, float, Numbers, StrategyMemory], float]
"""Returns dollars from view, stake, numbers and memory."""

ASSUMED_HORIZON = 20
"""Assumed deadline if the horizon is unknown: GLEE discloses horizons of up to 20 rounds, so a hidden one is assumed to
be at least that."""

CENT, FINE = 0.01, 1e-4
"""Amounts are rounded to cents if a cent is less than this fraction of the scale."""

SCRAP = 1e-6
"""Smallest positive demand as a share of the stake."""


DIGITS = 12
"""Significant digits of an amount, which removes floating-point noise."""

TENS = tuple([float(10**power) for power in range(23)])
"""Powers of ten that are exact as floats."""


def last_round(v: Any) -> bool:
    """Whether the seat knows that no round follows."""
    return bool(v.horizon != UNKNOWN and v.round >= v.horizon)


def concession_share(e: float, round: int, horizon: float) -> float:
    """Return the fraction of the total concession of a time-dependent tactic by a round.

    With s = (t - 1) / (T - 1) the fraction of elapsed time, it is ``s ** (1 / e)`` (Faratin, Sierra and
    Jennings 1998, section 4.1, the polynomial family): 0 in round 1, 1 from the last round on.

    Args:
        e: Concession exponent, above 0.
        round: Round from 1.
        horizon: Last round, or UNKNOWN: `ASSUMED_HORIZON`.
    """
    deadline = float(ASSUMED_HORIZON) if horizon == UNKNOWN else float(horizon)
    if round <= 1:
        return 0.0
    passed = (round - 1) / (deadline - 1.0) if round < deadline else 1.0
    return passed ** (1.0 / e)


def fixed_share(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return a constant share of the stake; number: the share."""
    return x[0] * stake


def fixed_share_until_last(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return a constant share of the stake, or nearly 0 in a known last round; number: the share."""
    return SCRAP * stake if last_round(v) else x[0] * stake


def aspiration(x: Numbers, round: int, horizon: float) -> float:
    """Return the aspiration of a time-dependent tactic as a share of the stake; numbers: e, high, low."""
    return x[1] - (x[1] - x[2]) * concession_share(x[0], round, horizon)


def current_aspiration(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the aspiration of this round."""
    return aspiration(x, v.round, v.horizon) * stake


def next_aspiration(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the aspiration of the next round, or the reservation share in a known last round."""
    return (x[2] if last_round(v) else aspiration(x, v.round + 1, v.horizon)) * stake


def round_to_cents(amount: float, scale: float, up: bool) -> float:
    """Round an amount to cents, or to `DIGITS` digits where a cent is at least a ten-thousandth of the scale.

    Args:
        amount: Dollars.
        scale: The game's ``money`` in dollars.
        up: Whether cents are rounded up, else down: whichever favours the responder.
    """
    size = abs(amount)
    if size == 0.0:
        return 0.0
    places = DIGITS - 1 - math.floor(math.log10(size))
    if scale_to_integer(size, places) < TENS[DIGITS - 1]:  # the logarithm was rounded up
        places += 1
    digits = scale_to_integer(size, places)
    if FINE * scale > CENT and places > 2:
        unit = TENS[min(places - 2, 22)]
        upwards = up if amount > 0.0 else not up
        digits, places = (math.ceil(digits / unit) if upwards else math.floor(digits / unit)) * 1.0, 2
    value = digits * TENS[min(-places, 22)] if places < 0 else divide_by_power(digits, places)
    return value if amount > 0.0 else -value


def scale_to_integer(size: float, places: int) -> float:
    """Return the integer closest to a positive amount times a power of ten, exactly (half to even)."""
    if places < 0:
        return float(round(size / TENS[min(-places, 22)]))
    size = size if places <= 22 else size * TENS[min(places - 22, 22)]
    ten = TENS[min(places, 22)]
    product = size * ten
    below = float(math.floor(product))
    # `round` would see the rounded product, which may lie on the other side of a half.
    over = (product - below) + product_error(size, ten, product) - 0.5
    return below + 1.0 if over > 0.0 or (over == 0.0 and below % 2.0 == 1.0) else below


def divide_by_power(digits: float, places: int) -> float:
    """Divide an integer by a power of ten."""
    # In two steps, as powers of ten above 10**22 are not exact as floats.
    return digits / TENS[places] if places <= 22 else digits / TENS[22] / TENS[min(places - 22, 22)]


def product_error(a: float, b: float, product: float) -> float:
    """Return the rounding error of a product of floats (Dekker 1971)."""
    # 2**27 + 1 splits the 53 bits of a float into two halves, whose products are exact.
    big, other = a * 134217729.0, b * 134217729.0
    a_high, b_high = big - (big - a), other - (other - b)
    a_low, b_low = a - a_high, b - b_high
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
