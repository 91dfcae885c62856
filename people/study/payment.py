"""What a participant earns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from econzoo.envs.core.contract.validation import exact
from econzoo.people.study.declaration import Payment


def bonus_cents(payoffs: Sequence[float], payment: Payment) -> int:
    """The bonus for some payoffs, in hundredths of the currency.

    The sum of the payoffs times the rate, no less than the floor and no more than the cap, is rounded to the nearest
    hundredth, halves up. It is worked out in decimals, so that 0.285 is 0.29 and not the 0.28 of binary fractions.

    Args:
        payoffs: One a match; none: the floor.
        payment: The study's.

    Raises:
        ValueError: A payoff is not finite.
    """
    for payoff in payoffs:
        if not math.isfinite(payoff):
            raise ValueError(f"payoff {payoff} is not allowed; allowed: finite numbers")
    earned = sum(map(exact, payoffs), Decimal(0)) * exact(payment.rate)
    return cents(min(max(earned, exact(payment.floor)), exact(payment.cap)))


def fee_cents(payment: Payment) -> int:
    """The fee in hundredths of the currency."""
    return cents(exact(payment.fee))


def cents(amount: Decimal) -> int:
    """An amount in hundredths, halves up."""
    return int((amount * 100).quantize(Decimal(1), ROUND_HALF_UP))
