"""Declared parameters: what is refused is named, what is taken is kept in its plain form."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.envs.core.parameters import Parameter, checked, flag, real, several, validated, whole
from econzoo.envs.core.values import short

NAN, INF = math.nan, math.inf
SPEED = Parameter("speed", 1.0, "a number from 0 to 9", partial(real, low=0, high=9), "Metres a second.")
GEARS = Parameter("gears", 5, "a whole number from 1 to 6", partial(whole, low=1, high=6), "Gears.")


@pytest.mark.parametrize("value", [NAN, INF, -INF, -1e-9, 9.1, True, np.True_, "1", None, 1j, [1], 10**400])
def test_no_real_number(value: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        real(value, 0, 9)


@pytest.mark.parametrize("value", [0, 9, 4.5, np.float32(4.5), np.int8(3), -0.0])
def test_real_numbers(value: Any) -> None:
    assert real(value, 0, 9) == value
    assert type(real(value, 0, 9)) is float


def test_an_open_lower_end() -> None:
    assert real(5e-324, 0, 1, above=True) > 0
    with pytest.raises(ValueError):
        real(0, 0, 1, above=True)


@pytest.mark.parametrize("value", [0, 7, 2.0, 2.5, NAN, True, np.True_, "2", None, np.float64(2)])
def test_no_whole_number(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        whole(value, 1, 6)


@pytest.mark.parametrize("value", [1, 6, np.int64(3), np.uint8(3)])
def test_whole_numbers(value: Any) -> None:
    assert whole(value, 1, 6) == value
    assert type(whole(value, 1, 6)) is int


@pytest.mark.parametrize("value", [0, 1, None, "True", [], np.int8(1)])
def test_no_flag(value: Any) -> None:
    with pytest.raises(TypeError):
        flag(value)


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_flags(value: Any) -> None:
    assert flag(value) is bool(value)


@pytest.mark.parametrize(
    "value",
    [1.0, (1.0,), (1.0,) * 3, "12", b"12", {1.0, 2.0}, {1: 1, 2: 2}, None, np.zeros(3), np.zeros((2, 2)), (1, "2")],
)
def test_not_two_numbers(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        several(value, 2, real)


@pytest.mark.parametrize("value", [(1, 2), [1, 2], np.array([1, 2]), np.array([1.0, 2.0]), range(1, 3)])
def test_two_numbers(value: Any) -> None:
    assert several(value, 2, real) == (1.0, 2.0)
    assert [type(x) for x in several(value, 2, real)] == [float, float]


def test_defaults_fill_what_is_not_given() -> None:
    assert validated("car", (SPEED, GEARS), {"gears": np.int64(4)}) == {"speed": 1.0, "gears": 4}


def test_a_refused_value_is_named_with_what_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"^car: speed=-1 is not allowed; allowed: a number from 0 to 9$"):
        validated("car", (SPEED, GEARS), {"speed": -1})


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"^car: unknown parameter 'gear'; allowed: speed, gears$"):
        validated("car", (SPEED, GEARS), {"gear": 4})


@pytest.mark.parametrize("value", ["x" * 10_000, list(range(10_000)), 10**3000, 10**5000], ids=["a", "b", "c", "d"])
def test_a_long_value_is_cut_in_the_message(value: Any) -> None:
    with pytest.raises(ValueError, match=r"speed=.* is not allowed") as told:
        checked("car", SPEED, value)
    assert len(str(told.value)) < 200


@given(st.one_of(st.floats(), st.integers(), st.text(), st.booleans(), st.none(), st.lists(st.floats(), max_size=3)))
def test_whatever_comes_a_number_in_range_or_a_named_refusal(value: Any) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 9:
        assert checked("car", SPEED, value) == value
    else:
        with pytest.raises(ValueError, match="car: speed="):
            checked("car", SPEED, value)


def test_a_value_is_shown_on_one_line() -> None:
    assert short(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert short(10**5000) == "a number of thousands of digits"
    assert len(short("a" * 100)) == 60
