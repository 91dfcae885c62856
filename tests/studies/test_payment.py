"""Bonuses, worked out by hand."""

from __future__ import annotations

import math

import pytest

from econzoo.people.study.declaration import Payment
from refusals import refuses

PAYMENT = Payment(fee=1.25, rate=0.0005, floor=0.10, cap=5.0, partial=True)


def test_bonus() -> None:
    for payoffs, cents in [
        ([6000.0], 300),  # 6,000 x 0.0005 = 3.00
        ([6000.0, 3000.0], 450),  # summed over matches
        ([6000.0, 3000.0, 2000.0], 500),  # 5.50 is above the cap
        ([], 10),  # the floor
        ([-4000.0], 10),  # losses are not paid
        ([570.0], 29),  # 0.285: halves up, though 0.285 in binary is a little less
        ([550.0], 28),  # 0.275
        ([549.9], 27),  # 0.27495
        ([6000.0, -1000.0], 250),  # they do count against gains
    ]:
        assert PAYMENT.bonus_cents(payoffs) == cents, (payoffs, cents)


@pytest.mark.parametrize("payoff", [math.nan, math.inf])
def test_what_is_no_number_is_not_paid(payoff: float) -> None:
    with refuses(ValueError, payoff):
        PAYMENT.bonus_cents([1.0, payoff])


def test_fee() -> None:
    assert PAYMENT.fee_cents == 125
