"""Estimates over games: against counts by hand and plain numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.stats import mean_of_daily_medians
from econzoo.evaluate.stats.daily_medians import _medians

NAN = math.nan


@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(st.just(NAN), st.integers(0, 9))), min_size=1, max_size=7))
@settings(max_examples=150, deadline=None)
def test_a_weighted_median_is_the_median_of_the_repeated_values(pairs):
    weights, values = np.array([w for w, _ in pairs], float), np.array([v for _, v in pairs], float)
    repeated = [v for w, v in pairs for _ in range(w) if not math.isnan(v)]
    (found,) = _medians(weights[None, :], values)
    assert math.isnan(found) if not repeated else found == np.median(repeated)


def test_the_mean_of_the_daily_medians_leaves_out_days_without_a_value():
    values = np.array([[10.0, NAN, 4.0], [20.0, NAN, NAN], [60.0, NAN, 6.0]])
    found = mean_of_daily_medians(values)
    assert found.mean == (20.0 + 5.0) / 2
    assert found.rows == 3
    assert math.isnan(found.low)
    more = mean_of_daily_medians(np.repeat(values, 2, axis=0))
    assert more.low < more.mean == found.mean < more.high


def test_one_game_says_nothing_about_chance():
    found = mean_of_daily_medians(np.array([[10.0, 20.0]]))
    assert (found.mean, found.rows) == (15.0, 1)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_shares_have_the_interval_of_wilson():
    """(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n) with z = 1.96."""
    for wins, games, low, high in [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (3, 3, 0.4385, 1.0)]:
        found = estimates.rate([True] * wins + [False] * (games - wins))
        assert found[:3] == pytest.approx((wins / games, low, high), abs=1e-4), (wins, games)


def test_means_leave_out_what_is_not_defined_and_repeat():
    values = np.array([[1.0, NAN], [2.0, NAN], [6.0, 3.0]])
    one, other = estimates.means(values)
    assert (one.mean, one.rows, other.mean, other.rows) == (3.0, 3, 3.0, 1)
    assert math.isnan(one.low)
    assert math.isnan(other.low)
    six, few = estimates.means(np.repeat(values, 2, axis=0))
    assert six.low < 3.0 < six.high
    assert math.isnan(few.low)


def test_a_ratio_is_that_of_the_sums():
    assert estimates.ratio([4, 5], [2, 4]).mean == 1.5
    assert estimates.ratio([4, 5], [0, 0]).mean == math.inf
    assert math.isnan(estimates.ratio([0, 0], [0, 0]).mean)
