"""Declared parameters: what is refused is named, what is taken is kept in its plain form."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import UNPRINTABLE, Domain, Flag, Integer, OneOf, OrNone, Parameter, Real, TupleOf
from econzoo.envs.core.contract import check_value, options_in, short_repr, validate_parameters
from econzoo.envs.core.env import OPTIONS
from econzoo.train.lm.dpo import DPORecipe
from econzoo.train.lm.grpo import GRPORecipe
from econzoo.train.lm.iterate import IterationRecipe
from econzoo.train.lm.sft import SFTRecipe
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses, says
from toy_games import TOYS

NAN, INF = math.nan, math.inf
NINE, SIX, TWO = Real(0, 9), Integer(1, 6), TupleOf(2, Real())
SPEED = Parameter("speed", 1.0, NINE, "Metres a second.")
GEARS = Parameter("gears", 5, SIX, "Gears.")
REFUSED = (TypeError, ValueError, OverflowError)


def accepts(domain: Domain[Any], value: Any) -> bool:
    try:
        domain(value)
    except REFUSED:
        return False
    return True


def test_no_real_number() -> None:
    for value in [NAN, INF, -INF, -1e-9, 9.1, True, np.True_, "1", None, 1j, [1], 10**400]:
        with pytest.raises(REFUSED):
            NINE(value)


def test_real_numbers() -> None:
    for value in [0, 9, 4.5, np.float32(4.5), np.int8(3), -0.0]:
        assert NINE(value) == value, value
        assert type(NINE(value)) is float, value


def test_an_open_lower_end() -> None:
    assert Real(0, 1, is_low_excluded=True)(5e-324) > 0
    assert not accepts(Real(0, 1, is_low_excluded=True), 0)


def test_no_whole_number() -> None:
    for value in [0, 7, 2.0, 2.5, NAN, True, np.True_, "2", None, np.float64(2)]:
        with pytest.raises((TypeError, ValueError)):
            SIX(value)


def test_whole_numbers() -> None:
    for value in [1, 6, np.int64(3), np.uint8(3)]:
        assert SIX(value) == value, value
        assert type(SIX(value)) is int, value


def test_no_flag() -> None:
    for value in [0, 1, None, "True", [], np.int8(1)]:
        with pytest.raises(TypeError):
            Flag()(value)


def test_flags() -> None:
    for value in [True, False, np.True_, np.False_]:
        assert Flag()(value) is bool(value), value


def test_not_two_numbers() -> None:
    for value in [
        1.0,
        (1.0,),
        (1.0,) * 3,
        "12",
        b"12",
        {1.0, 2.0},
        {1: 1, 2: 2},
        None,
        np.zeros(3),
        np.zeros((2, 2)),
        (1, "2"),
    ]:
        with pytest.raises((TypeError, ValueError)):
            TWO(value)


def test_two_numbers() -> None:
    for value in [(1, 2), [1, 2], np.array([1, 2]), np.array([1.0, 2.0]), range(1, 3)]:
        assert TWO(value) == (1.0, 2.0), value
        assert [type(x) for x in TWO(value)] == [float, float], value


def test_words_name_the_bounds() -> None:
    for domain, named in [
        (Real(0.01, 1e12), (0.01, "1e12")),
        (Real(0, 1, is_low_excluded=True), (0, 1)),
        (Real(7, is_low_excluded=True), (7,)),
        (Real(0.123456789, 1e-5 + 1), (0.123456789, 1.00001)),
        (Integer(1), (1,)),
        (Integer(1, 1_000_000), (1, 1_000_000)),
        (Integer(0, 2**62), (0, 2**62)),
        (Flag(), (True, False)),
        (OneOf("a", "b", "c", "d"), ("'a'", "'b'", "'c'", "'d'")),
        (OrNone(Integer(0, 9)), (0, 9, None)),
        (OrNone(Real(0), "no end"), (0, None, "no end")),
        (TupleOf(2, Real(0, 1, is_low_excluded=True)), ("two", 0, 1)),
        (TupleOf(12, Integer(0, 5)), (12, 0, 5)),
        (TupleOf(3, Real(), min_length=1), (1, 3)),
        (TupleOf(3, Real(), min_length=0), (3,)),
        (TupleOf(4, TupleOf(2, Real(0, 1))), ("four", "two", 0, 1)),
    ]:
        says(domain.value_range, *named)
    several = [
        Real(0),
        Real(0, is_low_excluded=True),
        Real(0, 1),
        Real(0, 1, is_low_excluded=True),
        Integer(0),
        Integer(0, 1),
    ]
    assert len({domain.value_range for domain in several}) == len(several)


GAMES = [*map(econzoo.game, econzoo.games()), *TOYS.values()]
DECLARED: dict[str, Domain[Any]] = {f"{game.name}.{p.name}": p.domain for game in GAMES for p in game.parameters}
DECLARED |= {f"options.{name}": option.domain for name, option in OPTIONS.items() if option.domain is not None}
TRAININGS = (PPORecipe, SFTRecipe, DPORecipe, GRPORecipe, IterationRecipe)
DECLARED |= {
    f"{kind.METHOD}.{name}": option.domain
    for kind in TRAININGS
    for name, option in options_in(kind).items()
    if option.domain is not None
}


def inner(domain: Domain[Any]) -> Domain[Any]:
    """What each number that a domain takes has to be."""
    while isinstance(domain, TupleOf | OrNone):
        domain = domain.each if isinstance(domain, TupleOf) else domain.domain
    return domain


def filled(domain: Domain[Any], number: float) -> Any:
    """The number in every place that a domain has for one."""
    if isinstance(domain, OrNone):
        return filled(domain.domain, number)
    return (filled(domain.each, number),) * domain.length if isinstance(domain, TupleOf) else number


def test_what_the_bounds_allow_is_taken_and_what_lies_beyond_is_not() -> None:
    tried = 0
    for name, domain in DECLARED.items():
        one = inner(domain)
        if not isinstance(one, Real | Integer) or one.low == -INF:
            continue
        tried += 1
        low, high, whole = one.low, one.high, isinstance(one, Integer)
        below, over = (low - 1, high + 1) if whole else (math.nextafter(low, -INF), math.nextafter(high, INF))
        assert accepts(domain, filled(domain, low)) is not getattr(one, "is_low_excluded", False), name
        assert accepts(domain, filled(domain, low + 1 if whole else math.nextafter(low, INF))), name
        assert not accepts(domain, filled(domain, below)), name
        if high < INF:
            assert accepts(domain, filled(domain, int(high) if whole else high)), name
            assert not accepts(domain, filled(domain, int(over) if whole else over)), name
        assert accepts(domain, None) is isinstance(domain, OrNone) is ("None" in domain.value_range), name
    assert tried > 150


def test_the_words_name_every_choice() -> None:
    for name, domain in DECLARED.items():
        if isinstance(domain, OneOf):
            choices = re.findall("'([^']+)'", domain.value_range)
            assert len(choices) > 1, name
            assert all(domain(choice) == choice for choice in choices), name
            assert not any(accepts(domain, wrong) for wrong in ("", choices[0] + "x", choices, None, 0)), name


def test_defaults_fill_what_is_not_given() -> None:
    assert validate_parameters("car", (SPEED, GEARS), {"gears": np.int64(4)}) == {"speed": 1.0, "gears": 4}


def test_a_refused_value_is_named_with_what_is_allowed() -> None:
    with refuses(ValueError, "car", "speed", -1, 0, 9):
        validate_parameters("car", (SPEED, GEARS), {"speed": -1})


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with refuses(ValueError, "car", "gear", "speed", "gears"):
        validate_parameters("car", (SPEED, GEARS), {"gear": 4})


def test_a_long_value_is_cut_in_the_message() -> None:
    for value in ["x" * 10_000, list(range(10_000)), 10**3000, 10**5000]:
        with refuses(ValueError, "speed") as told:
            check_value("car: speed", value, NINE)
        assert len(str(told.value)) < 200


@given(st.one_of(st.floats(), st.integers(), st.text(), st.booleans(), st.none(), st.lists(st.floats(), max_size=3)))
def test_whatever_comes_a_number_in_range_or_a_named_refusal(value: Any) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 9:
        assert check_value("car: speed", value, NINE) == value
    else:
        with refuses(ValueError, "car", "speed"):
            check_value("car: speed", value, NINE)


def test_a_value_is_shown_on_one_line() -> None:
    assert short_repr(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert short_repr(10**5000) == UNPRINTABLE
    assert len(short_repr("a" * 100)) == 60
