"""Signs of collapse, in constructed cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from econzoo.train.lm.grpo import GRPORecipe
from econzoo.train.lm.measures import ALARMS, WINDOW, alarms_of, find_signs
from refusals import refuses

HEALTHY = {"entropy": 0.3, "spread": 0.8, "repetition": 0.5, "invalid": 0.01, "cut": 0.0, "reward": 0.3}
COLLAPSED = {"entropy": 0.001, "spread": 0.0, "repetition": 1.0, "invalid": 0.9, "cut": 0.6}


def steps(count, **signs):
    return [{**HEALTHY, **signs}] * count


def test_a_healthy_training_has_no_alarm():
    assert find_signs(steps(50), ALARMS) == {}


def test_each_sign_is_an_alarm():
    for sign, value in COLLAPSED.items():
        assert find_signs(steps(20) + steps(WINDOW, **{sign: value}), ALARMS) == {sign: pytest.approx(value)}, sign


def test_one_bad_step_is_none():
    for sign, value in COLLAPSED.items():
        near = (ALARMS[sign].limit + HEALTHY[sign]) / 2  # no extreme value, which would carry the mean
        assert find_signs(steps(20) + steps(1, **{sign: near}) + steps(3), ALARMS) == {}, (sign, value)
        assert find_signs(steps(WINDOW - 1, **{sign: value}), ALARMS) == {}, "too few steps to say"


def test_the_limit_itself_is_none():
    for sign in ALARMS:
        assert find_signs(steps(WINDOW, **{sign: ALARMS[sign].limit}), ALARMS) == {}, sign


def test_it_is_over_when_the_last_steps_are_healthy():
    assert find_signs(steps(20, **COLLAPSED) + steps(WINDOW), ALARMS) == {}


def test_a_sign_that_is_not_measured_is_none():
    assert find_signs([{"entropy": 0.3}] * 9, ALARMS) == {}


def test_limits_can_be_set_and_signs_left_out():
    alarms = alarms_of({"entropy": 0.5, "cut": "off"})
    assert set(find_signs(steps(9, cut=1.0), alarms)) == {"entropy"}
    assert alarms_of({}) == ALARMS


def test_wrong_alarms():
    for wrong, *named in (
        ("mood=1", "alarm='mood'", "entropy", "spread"),
        ("entropy=-1", "entropy=-1"),
        ("entropy=low", "entropy='low'", 0, "off"),
        ("entropy", "NAME=VALUE"),
    ):
        with refuses(ValueError, *named):
            GRPORecipe(alarm=[wrong])


def test_the_page_has_the_limits():
    page = (Path(__file__).resolve().parents[2] / "docs" / "training_language_models.md").read_text(encoding="utf-8")
    for name, alarm in ALARMS.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert row.endswith(f"| {'below' if alarm.below else 'above'} {alarm.limit:g} |")
