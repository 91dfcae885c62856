"""Amounts of money as texts show them: never more digits than money has, and never another amount."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from econzoo.envs.core import ROUND_CEILING, ROUND_FLOOR, dollars, strip_float_noise
from econzoo.envs.core.amounts import ROUND_HALF_EVEN, round_amount
from econzoo.envs.core.contract import format_exact

SIDES = (ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_CEILING)

amounts = st.one_of(
    st.floats(-1e15, 1e15),
    st.floats(-1, 1),
    st.floats(1e-12, 1e-3),
    st.integers(-(10**8), 10**8).map(lambda cents: cents / 100),
)


def read(shown: str) -> float:
    return float(shown.replace(",", ""))


def test_amounts_for_people() -> None:
    for amount, told in [
        (0, "0"),
        (-0.0, "0"),
        (6000, "6,000"),
        (6000.0, "6,000"),
        (52.5, "52.50"),
        (1000.043464, "1,000.04"),
        (99.999, "100"),
        (-100 / 3, "-33.33"),
        (0.5, "0.50"),
        (0.01, "0.01"),
        (0.005, "0.005"),
        (0.996, "0.996"),
        (0.99999, "1"),
        (1 / 3, "0.3333"),
        (0.0000123456, "0.00001235"),
        (1e-6, "0.000001"),
        (1e12, "1,000,000,000,000"),
        (1234567.89, "1,234,567.89"),
        (-12.5, "-12.50"),
    ]:
        assert dollars(amount) == told, (amount, told)


def test_what_is_paid_is_rounded_down_and_what_is_wanted_up() -> None:
    for amount, floor, ceiling in [
        (0.29, "0.29", "0.29"),  # the nearest float is a little less
        (1000.043464, "1,000.04", "1,000.05"),
        (-1.001, "-1.01", "-1"),
        (1 / 3, "0.3333", "0.3334"),
        (10_000.0, "10,000", "10,000"),
        (5.999, "5.99", "6"),
    ]:
        assert (dollars(amount, ROUND_FLOOR), dollars(amount, ROUND_CEILING)) == (floor, ceiling), (
            amount,
            floor,
            ceiling,
        )


def test_a_column_of_amounts_has_cents_throughout() -> None:
    shown = [dollars(amount, cents=True) for amount in (6000, 0, 52.5, 1 / 3, -7)]
    assert shown == ["6,000.00", "0.00", "52.50", "0.3333", "-7.00"]


@given(amounts)
def test_what_is_shown_is_the_amount_to_half_a_cent_and_to_four_digits(amount: float) -> None:
    shown = dollars(amount)
    size = abs(amount)
    noise = 1e-15 * size
    assert abs(read(shown) - amount) <= (0.005 if size >= 1 else 0.0005 * size) + noise
    assert re.fullmatch(r"-?(\d{1,3}(,\d{3})*)(\.\d{2,})?", shown)
    if size >= 1:
        assert len(shown.partition(".")[2]) in (0, 2)


@given(amounts, st.booleans())
def test_a_bound_is_not_passed(amount: float, cents: bool) -> None:
    least, most = dollars(amount, ROUND_FLOOR, cents), dollars(amount, ROUND_CEILING, cents)
    assert read(least) <= amount <= read(most)
    assert read(most) - read(least) <= 0.010001 + 1e-15 * abs(amount)


@given(st.integers(0, 10**12), st.sampled_from(SIDES))
def test_whole_cents_stay_as_they_are(cents: int, rounding: str) -> None:
    amount = cents / 100
    assert round_amount(amount, rounding) == amount
    assert read(dollars(amount, rounding)) == amount


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_in_full_is_the_amount(amount: float) -> None:
    assert float(format_exact(amount)) == amount
    assert re.fullmatch(r"-?\d+(\.\d+)?", format_exact(amount))


def test_noise_is_no_part_of_an_amount() -> None:
    for noisy in [7249.999999999999, 7250.000000000001, 7250.0]:
        assert strip_float_noise(noisy) == 7250.0, noisy
