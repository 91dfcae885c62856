"""Intervals of learning curves: over episodes, in which all opponents meet."""

from __future__ import annotations

import math

import pytest

from econzoo.train.rl.curve import point

REWARDS = [0.2, 0.4, 0.6, 0.8, 0.4, 0.6]


def test_an_interval_is_that_of_student_over_episodes():
    """Mean 0.5, standard deviation 0.2098, so 0.5 -+ 2.571 * 0.2098 / sqrt(6): of no skewness and five degrees."""
    found = point(0, [REWARDS], "fair")
    assert found[1:4] == pytest.approx((0.5, 0.2799, 0.7201), abs=2e-3)


def test_opponents_who_meet_the_same_luck_make_no_interval_narrower():
    """The second pays 0.1 more in every episode: two episodes' worth of numbers, one of chance."""
    alone = point(0, [REWARDS], "fair")
    both = point(0, [REWARDS, [x + 0.1 for x in REWARDS]], "all")
    assert both.reward == pytest.approx(0.55)
    assert both.high - both.low == pytest.approx(alone.high - alone.low)


def test_few_episodes_and_episodes_that_are_all_alike_have_no_interval():
    assert math.isnan(point(0, [REWARDS[:5]], "fair").low)
    assert math.isnan(point(0, [[0.0] * 10], "fair").high)
