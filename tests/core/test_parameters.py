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
from econzoo.envs.core.contract.options import options_in
from econzoo.envs.core.contract.parameters import (
    Domain,
    Flag,
    OneOf,
    OrNone,
    Parameter,
    Real,
    Several,
    Whole,
    checked,
    validated,
)
from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.env.options import OPTIONS
from econzoo.train.lm.dpo import DPORecipe
from econzoo.train.lm.grpo import GRPORecipe
from econzoo.train.lm.iterate import IterationRecipe
from econzoo.train.lm.sft import SFTRecipe
from econzoo.train.rl.recipe import PPORecipe
from toy_games import TOYS

NAN, INF = math.nan, math.inf
NINE, SIX, TWO = Real(0, 9), Whole(1, 6), Several(2, Real())
SPEED = Parameter("speed", 1.0, NINE, "Metres a second.")
GEARS = Parameter("gears", 5, SIX, "Gears.")
REFUSED = (TypeError, ValueError, OverflowError)


def accepts(domain: Domain[Any], value: Any) -> bool:
    try:
        domain(value)
    except REFUSED:
        return False
    return True


@pytest.mark.parametrize("value", [NAN, INF, -INF, -1e-9, 9.1, True, np.True_, "1", None, 1j, [1], 10**400])
def test_no_real_number(value: Any) -> None:
    with pytest.raises(REFUSED):
        NINE(value)


@pytest.mark.parametrize("value", [0, 9, 4.5, np.float32(4.5), np.int8(3), -0.0])
def test_real_numbers(value: Any) -> None:
    assert NINE(value) == value
    assert type(NINE(value)) is float


def test_an_open_lower_end() -> None:
    assert Real(0, 1, above=True)(5e-324) > 0
    assert not accepts(Real(0, 1, above=True), 0)


@pytest.mark.parametrize("value", [0, 7, 2.0, 2.5, NAN, True, np.True_, "2", None, np.float64(2)])
def test_no_whole_number(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        SIX(value)


@pytest.mark.parametrize("value", [1, 6, np.int64(3), np.uint8(3)])
def test_whole_numbers(value: Any) -> None:
    assert SIX(value) == value
    assert type(SIX(value)) is int


@pytest.mark.parametrize("value", [0, 1, None, "True", [], np.int8(1)])
def test_no_flag(value: Any) -> None:
    with pytest.raises(TypeError):
        Flag()(value)


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_flags(value: Any) -> None:
    assert Flag()(value) is bool(value)


@pytest.mark.parametrize(
    "value",
    [1.0, (1.0,), (1.0,) * 3, "12", b"12", {1.0, 2.0}, {1: 1, 2: 2}, None, np.zeros(3), np.zeros((2, 2)), (1, "2")],
)
def test_not_two_numbers(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        TWO(value)


@pytest.mark.parametrize("value", [(1, 2), [1, 2], np.array([1, 2]), np.array([1.0, 2.0]), range(1, 3)])
def test_two_numbers(value: Any) -> None:
    assert TWO(value) == (1.0, 2.0)
    assert [type(x) for x in TWO(value)] == [float, float]


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (Real(), "a finite number"),
        (Real(0.01, 1e12), "a number from 0.01 to 1e12"),
        (Real(0, 1, above=True), "a number above 0 and at most 1"),
        (Real(0, above=True), "a number above 0"),
        (Real(0.123456789, 1e-5 + 1), "a number from 0.123456789 to 1.00001"),
        (Whole(1), "a whole number >= 1"),
        (Whole(1, 1_000_000), "a whole number from 1 to 1000000"),
        (Whole(0, 2**62), "a whole number from 0 to 4611686018427387904"),
        (Flag(), "True or False"),
        (OneOf("a"), "'a'"),
        (OneOf("a", "b"), "'a' or 'b'"),
        (OneOf("a", "b", "c"), "'a', 'b' or 'c'"),
        (OneOf("a", "b", "c", "d"), "one of 'a', 'b', 'c', 'd'"),
        (OrNone(Whole(0, 9)), "a whole number from 0 to 9, or None"),
        (OrNone(Real(0), "no end"), "a number >= 0, or None (no end)"),
        (Several(2, Real(0, 1, above=True)), "two numbers, each above 0 and at most 1"),
        (Several(12, Whole(0, 5)), "12 whole numbers from 0 to 5"),
        (Several(3, Real(), least=1), "1 to 3 finite numbers"),
        (Several(3, Real(), least=0), "up to 3 finite numbers"),
        (Several(2, Several(2, Real(0, 1))), "two lists of two numbers from 0 to 1"),
    ],
    ids=str,
)
def test_words_follow_from_the_bounds(domain: Domain[Any], words: str) -> None:
    assert domain.allowed == words


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
BOUNDED = [
    name
    for name, domain in DECLARED.items()
    if isinstance(domain, Real | Whole | Several | OrNone)
    and domain.allowed != "a finite number"
    and not isinstance(getattr(domain, "domain", None), OneOf | Flag)
]


def read(words: str) -> tuple[float, float, bool]:
    """The least and the greatest number that words allow, and whether the least itself is left out."""
    least = re.search(r"(from|above|>=) ([^ ,]+)", words)
    assert least
    most = re.search(r"(to|at most) ([^ ,]+)", words[least.end() :])
    return float(least[2]), float(most[2]) if most else INF, least[1] == "above"


def filled(domain: Domain[Any], number: float) -> Any:
    """The number in every place that a domain has for one."""
    if isinstance(domain, OrNone):
        return filled(domain.domain, number)
    return (filled(domain.each, number),) * domain.length if isinstance(domain, Several) else number


@pytest.mark.parametrize("name", BOUNDED)
def test_what_the_words_allow_is_taken_and_what_lies_beyond_is_not(name: str) -> None:
    domain = DECLARED[name]
    low, high, above = read(domain.allowed)
    whole = "whole number" in domain.allowed
    beyond = (lambda x, to: int(x + math.copysign(1, to))) if whole else math.nextafter
    plain = int if whole else float

    def takes(number: float) -> bool:
        return accepts(domain, filled(domain, number))

    assert takes(plain(low)) is not above
    assert takes(beyond(low, INF))
    assert not takes(beyond(low, -INF))
    if high < INF:
        assert takes(plain(high))
        assert not takes(beyond(high, INF))
    assert accepts(domain, None) is ("None" in domain.allowed)


@pytest.mark.parametrize("name", [name for name, domain in DECLARED.items() if isinstance(domain, OneOf)])
def test_the_words_name_every_choice(name: str) -> None:
    domain = DECLARED[name]
    choices = re.findall("'([^']+)'", domain.allowed)
    assert len(choices) > 1
    assert all(domain(choice) == choice for choice in choices)
    assert not any(accepts(domain, wrong) for wrong in ("", choices[0] + "x", choices, None, 0))


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
        checked("car: speed", value, NINE)
    assert len(str(told.value)) < 200


@given(st.one_of(st.floats(), st.integers(), st.text(), st.booleans(), st.none(), st.lists(st.floats(), max_size=3)))
def test_whatever_comes_a_number_in_range_or_a_named_refusal(value: Any) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 9:
        assert checked("car: speed", value, NINE) == value
    else:
        with pytest.raises(ValueError, match="car: speed="):
            checked("car: speed", value, NINE)


def test_a_value_is_shown_on_one_line() -> None:
    assert short(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert short(10**5000) == "a number of thousands of digits"
    assert len(short("a" * 100)) == 60
