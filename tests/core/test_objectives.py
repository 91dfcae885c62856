"""Objectives: what an outcome is worth to a seat, by hand; their specs, and mixes of them."""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.envs.core.contract import Objective, Outcome
from econzoo.envs.core.contract.objectives import OBJECTIVE_NAMES
from refusals import refuses

DEAL = Outcome(gains=(0.6, 0.2), efficiency=0.8, fairness=0.84, agreed=True)
DOLLARS = (6000.0, 2000.0)
NOTHING = Outcome((0.0, 0.0), 0.0, 1.0, False)
UNDEFINED = Outcome((0.5, 0.5), math.nan, math.nan, False)
THREE = Outcome((0.5, 0.3, 0.1), 0.9, 0.6, True)


def test_values_by_hand() -> None:
    for spec, first, second in [
        ("self_gain", 0.6, 0.2),
        ("efficiency", 0.8, 0.8),
        ("fairness", 0.84, 0.84),
        ("nash_product", 0.12, 0.12),
        ("payoff", 6000.0, 2000.0),
        ("inequity(0, 0)", 0.6, 0.2),
        ("inequity(1, 0)", 0.6, -0.2),  # 0.2 - 1 * (0.6 - 0.2)
        ("inequity(0, 0.5)", 0.4, 0.2),  # 0.6 - 0.5 * (0.6 - 0.2)
        ("inequity(2, 0.25)", 0.5, -0.6),
        ("excess(0.5)", 0.0, 0.1),
        ("self_gain - 2*excess(0.1)", 0.4, -0.8),  # 0.6 - 2 * (0.2 - 0.1) and 0.2 - 2 * (0.6 - 0.1)
        ("0.7*self_gain + 0.3*fairness", 0.672, 0.392),
        ("self_gain+fairness", 1.44, 1.04),
        ("self_gain - efficiency", -0.2, -0.6),
        ("-self_gain", -0.6, -0.2),
        ("-0.5*self_gain", -0.3, -0.1),
        ("2*self_gain - 0.5*fairness", 0.78, -0.02),
        ("-0.5*fairness + self_gain", 0.18, -0.22),
        ("self_gain - 0.5*fairness", 0.18, -0.22),
        ("self_gain + -0.5*fairness", 0.18, -0.22),
        ("1e-3*payoff", 6.0, 2.0),
        ("1e-3*payoff - 1e+1*nash_product", 4.8, 0.8),
        ("0.5*inequity(1, 0.5) + 0.5*nash_product", 0.26, -0.04),
        ("0*fairness + self_gain", 0.6, 0.2),
        (" self_gain ", 0.6, 0.2),
    ]:
        goal = Objective(spec)
        assert [goal(DOLLARS, DEAL, seat) for seat in (0, 1)] == pytest.approx([first, second]), spec
        assert [goal.reward(DOLLARS, DEAL, seat) for seat in (0, 1)] == pytest.approx([first, second]), spec


def test_more_than_two_seats() -> None:
    for spec, values in [
        # Others' gains are compared one by one and averaged: seat 1 is behind by 0.2 once, ahead by 0.2 once.
        ("inequity(1, 0)", (0.5, 0.3 - 0.1, 0.1 - 0.3)),
        ("inequity(0, 0.5)", (0.5 - 0.15, 0.3 - 0.05, 0.1)),
        ("nash_product", (0.015, 0.015, 0.015)),
        ("excess(0.2)", (0.1 / 2, 0.3 / 2, (0.3 + 0.1) / 2)),
    ]:
        assert [Objective(spec)((1, 1, 1), THREE, seat) for seat in range(3)] == pytest.approx(values), spec


def test_inequity_is_self_gain_alone_and_for_equals() -> None:
    alone = Outcome((0.4,), 1.0, 1.0, False)
    assert Objective("inequity(3, 0.9)")((1,), alone, 0) == 0.4
    equal = Outcome((0.4, 0.4), 0.8, 1.0, True)
    assert Objective("inequity(3, 0.9)")((1, 1), equal, 1) == 0.4


def test_losses_count_as_nothing_in_the_nash_product() -> None:
    both_lose = Outcome((-0.5, -0.5), 0.0, 1.0, True)
    assert Objective("nash_product")((0, 0), both_lose, 0) == 0.0


def test_no_agreement() -> None:
    assert Objective("self_gain")((0, 0), NOTHING, 0) == 0.0
    assert Objective("fairness")((0, 0), NOTHING, 0) == 1.0


def test_what_is_undefined_is_nan_in_reports_and_zero_in_rewards() -> None:
    for spec in ("efficiency", "0.5*fairness + self_gain"):
        assert math.isnan(Objective(spec)((1, 1), UNDEFINED, 0))
        assert Objective(spec).reward((1, 1), UNDEFINED, 0) == 0.0
    assert Objective("self_gain").reward((1, 1), UNDEFINED, 0) == 0.5


def test_a_spec_that_cannot_be_read_is_refused_with_what_can() -> None:
    for spec in [
        "",
        " ",
        "+",
        "-",
        "*",
        "gain",
        "Self_gain",
        "self_gain fairness",
        "0.5",
        "0.5*",
        "*self_gain",
        "self_gain +",
        "self_gain -",
        "+ self_gain",
        "+0.5*self_gain",
        "self_gain + + fairness",
        "self_gain - - fairness",
        "self_gain*0.5",
        "nan*self_gain",
        "inf*self_gain",
        "1e999*self_gain",
        "1..5*self_gain",
        "self_gain()",
        "self_gain(1)",
        "inequity",
        "inequity()",
        "inequity(1)",
        "inequity(1, 2, 3)",
        "inequity(a, b)",
        "inequity(-1, 0)",
        "inequity(1, 1)",
        "inequity(1, -0.1)",
        "inequity(nan, 0)",
        "inequity(inf, 0)",
        "inequity(1, 0",
        "excess",
        "excess()",
        "excess(0.5, 1)",
        "excess(nan)",
        "self_gain; import os",
        "__import__('os')",
        None,
        3,
        ["self_gain"],
        {"self_gain": 1.0},
        b"self_gain",
    ]:
        with refuses(ValueError, f"objective={spec!r}", "inequity"):
            Objective(spec)


def test_every_name_is_a_spec() -> None:
    for name in OBJECTIVE_NAMES:
        spec = name.replace("alpha", "0.5").replace("beta", "0.25").replace("limit", "0.5")
        assert math.isfinite(Objective(spec)(DOLLARS, DEAL, 0))


def test_objectives_are_equal_and_copied_by_their_spec() -> None:
    goal = Objective("0.7*self_gain + 0.3*inequity(1, 0.5)")
    again = pickle.loads(pickle.dumps(goal))
    assert again == goal
    assert hash(again) == hash(goal)
    assert again(DOLLARS, DEAL, 1) == goal(DOLLARS, DEAL, 1)
    assert goal != Objective("self_gain")
    assert goal != "0.7*self_gain + 0.3*inequity(1, 0.5)"


GAIN, WEIGHT = st.floats(-1, 1), st.floats(-9, 9)


@given(a=WEIGHT, b=WEIGHT, gains=st.tuples(GAIN, GAIN), alpha=st.floats(0, 5), beta=st.floats(0, 0.99))
def test_a_mix_is_the_weighted_sum(a: float, b: float, gains: tuple, alpha: float, beta: float) -> None:
    outcome = Outcome(gains, 0.5, 0.5, True)
    mix = Objective(f"{a!r}*self_gain + {b!r}*inequity({alpha!r}, {beta!r})")
    parts = [Objective(spec)((0, 0), outcome, 0) for spec in ("self_gain", f"inequity({alpha!r}, {beta!r})")]
    assert mix((0, 0), outcome, 0) == pytest.approx(a * parts[0] + b * parts[1])
    assert parts[1] <= parts[0], "inequity never adds to the own gain"
