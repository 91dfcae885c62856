"""What haggling strategies ask for and accept, as functions of numbers that compile.

All take the seat's view, what there is to share in dollars (the stake), the strategy's numbers, and what it remembers;
see `econzoo.envs.core.contract.scripts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import Numbers, StrategyMemory

Amount: TypeAlias = Callable[[Any, float, Numbers, StrategyMemory], float]
"""Dollars, from the view, the stake, the strategy's numbers and what it remembers."""

ASSUMED_HORIZON = 20
"""Deadline of a strategy that is not told the horizon: GLEE tells horizons of up to 20 rounds, so a hidden one is
taken to be at least that."""

CENT, FINE = 0.01, 1e-4
"""A strategy names whole cents where a cent is less than this share of the scale."""

SCRAP = 1e-6
"""The smallest share of the stake that counts as more than nothing."""


DIGITS = 12
"""Significant digits of an amount that is named; what stands behind them is noise of floats."""

TENS = tuple([float(10**power) for power in range(23)])
"""The powers of ten that floats hold exactly."""


def last_round(v: Any) -> bool:
    """Whether the seat knows that no round follows."""
    return bool(v.horizon != UNKNOWN and v.round >= v.horizon)


def concession_share(e: float, round: int, horizon: float) -> float:
    """Share of its whole concession that a time-dependent tactic has made by a round.

    With s = (t - 1) / (T - 1) the share of the time that has passed, it is ``s ** (1 / e)`` (Faratin, Sierra and
    Jennings 1998, section 4.1, the polynomial family): 0 in round 1, 1 from the last round on.

    Args:
        e: Concession rate, above 0.
        round: 1-based.
        horizon: Last round, or UNKNOWN: `ASSUMED_HORIZON`.
    """
    deadline = float(ASSUMED_HORIZON) if horizon == UNKNOWN else float(horizon)
    if round <= 1:
        return 0.0
    passed = (round - 1) / (deadline - 1.0) if round < deadline else 1.0
    return passed ** (1.0 / e)


def fixed_share(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """The same share of the stake in every round; number: the share."""
    return x[0] * stake


def fixed_share_until_last(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """The same share of the stake, and in a known last round next to nothing; number: the share."""
    return SCRAP * stake if last_round(v) else x[0] * stake


def aspiration(x: Numbers, round: int, horizon: float) -> float:
    """Share of the stake that a time-dependent tactic wants in a round; numbers: e, high, low."""
    return x[1] - (x[1] - x[2]) * concession_share(x[0], round, horizon)


def current_aspiration(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """The aspiration of this round."""
    return aspiration(x, v.round, v.horizon) * stake


def next_aspiration(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """The aspiration of the next round, when it would propose; the reservation share if there is none."""
    return (x[2] if last_round(v) else aspiration(x, v.round + 1, v.horizon)) * stake


def round_to_cents(amount: float, scale: float, up: bool) -> float:
    """The amount that is named where this one is meant.

    In whole cents where a cent is under a ten-thousandth of the scale; where cents are coarser than that, to `DIGITS`
    digits, without the noise of floats.

    Args:
        amount: Dollars.
        scale: The ``money`` of the game, in dollars.
        up: Whether cents are rounded up or down: in favour of the one who answers.
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
    """The whole number closest to a positive amount times a power of ten, exactly (half to even)."""
    if places < 0:
        return float(round(size / TENS[min(-places, 22)]))
    size = size if places <= 22 else size * TENS[min(places - 22, 22)]
    ten = TENS[min(places, 22)]
    product = size * ten
    below = float(math.floor(product))
    over = (product - below) + product_error(size, ten, product) - 0.5
    return below + 1.0 if over > 0.0 or (over == 0.0 and below % 2.0 == 1.0) else below


def divide_by_power(digits: float, places: int) -> float:
    """A whole number divided by a power of ten."""
    return digits / TENS[places] if places <= 22 else digits / TENS[22] / TENS[min(places - 22, 22)]


def product_error(a: float, b: float, product: float) -> float:
    """What the product of two floats lost by rounding (Dekker 1971)."""
    big, other = a * 134217729.0, b * 134217729.0
    a_high, b_high = big - (big - a), other - (other - b)
    a_low, b_low = a - a_high, b - b_high
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
