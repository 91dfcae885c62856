"""Bootstrap intervals against a closed form, a known coverage, and small cases by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from econzoo.evaluate.statistics import estimate, intervals, wilson


def table(values, cluster=None, **more):
    values = np.asarray(values, float)
    cluster = np.arange(len(values)) if cluster is None else cluster
    return pd.DataFrame({"player": "p", "x": values, "cluster": cluster, **more})


def one(frame, column="x", **kwargs):
    return estimate(frame, ["player"], [column], **kwargs)["p"][column]


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_interval_of_a_mean_is_near_the_closed_form(method):
    values = np.random.default_rng(0).normal(2.0, 1.0, 400)
    found = one(table(values), resamples=4000, method=method)
    half = 1.96 * values.std(ddof=1) / math.sqrt(400)
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.012)
    assert found.high == pytest.approx(values.mean() + half, abs=0.012)


def test_interval_of_a_ratio_is_near_the_delta_method():
    rng = np.random.default_rng(1)
    answers = rng.integers(1, 6, 500)
    errors = rng.binomial(answers, 0.3)
    found = one(table(errors, errors=errors, answers=answers), "error_rate", resamples=4000)
    rate = errors.sum() / answers.sum()
    half = 1.96 * (errors - rate * answers).std() / math.sqrt(500) / answers.mean()
    assert found.mean == pytest.approx(rate)
    assert (found.low, found.high) == pytest.approx((rate - half, rate + half), abs=0.004)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(2)
    hits = 0
    for trial in range(300):
        found = one(table(rng.exponential(1.0, 60)), resamples=400, seed=trial)
        hits += found.low <= 1.0 <= found.high
    assert 0.88 <= hits / 300 <= 0.98


def test_matches_of_a_cluster_are_resampled_together():
    values = np.random.default_rng(3).normal(size=50)
    apart = one(table(values), resamples=2000)
    copied = one(table(np.repeat(values, 8), np.repeat(np.arange(50), 8)), resamples=2000)
    naive = one(table(np.repeat(values, 8)), resamples=2000)
    assert (copied.low, copied.high) == pytest.approx((apart.low, apart.high))
    assert naive.high - naive.low < 0.5 * (copied.high - copied.low)


def test_the_market_can_be_the_unit_that_is_resampled():
    values = np.repeat([0.0, 1.0, 0.5, 0.2], 25)
    frame = table(values, market=np.repeat(list("abcd"), 25))
    wide, narrow = one(frame, unit="market"), one(frame)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_same_seed_same_interval_other_seed_another():
    frame = table(np.random.default_rng(4).normal(size=30))
    assert one(frame, seed=1) == one(frame, seed=1)
    assert one(frame, seed=1) != one(frame, seed=2)


def test_no_interval_from_one_cluster_and_none_from_nothing():
    found = one(table([1.0, 3.0], cluster=[0, 0]))
    assert found.mean == 2.0
    assert found.rows == 2
    assert math.isnan(found.low)
    empty = one(table([math.nan, math.nan]))
    assert math.isnan(empty.mean)
    assert empty.rows == 0


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_a_group_of_one_cluster_has_no_interval_among_others_that_have(method):
    frame = pd.DataFrame({"player": list("aaabb"), "x": [1.0, 2.0, 3.0, 1.0, 2.0], "cluster": [0, 1, 2, 2, 2]})
    found = estimate(frame, ["player"], ["x"], method=method)
    assert found["a"]["x"].low < 2.0 < found["a"]["x"].high
    assert found["b"]["x"].mean == 1.5
    assert math.isnan(found["b"]["x"].low)
    assert math.isnan(found["b"]["x"].high)


def test_a_column_that_only_one_cluster_knows_has_no_interval():
    found = one(table([1.0, math.nan, math.nan, 3.0], cluster=[0, 1, 2, 0]))
    assert (found.mean, found.rows) == (2.0, 2)
    assert math.isnan(found.low)


def test_no_variation_gives_an_interval_without_width():
    for method in ("percentile", "BCa"):
        found = one(table([0.25] * 12), method=method)
        assert (found.mean, found.low, found.high) == (0.25, 0.25, 0.25)


def test_values_that_are_not_defined_are_left_out():
    found = one(table([1.0, math.nan, 3.0, 2.0]))
    assert (found.mean, found.rows) == (2.0, 3)


def test_groups_get_their_own_estimates():
    frame = pd.DataFrame({"player": list("abab"), "seat": [0, 0, 1, 1], "x": [1.0, 2, 3, 4], "cluster": [0, 0, 1, 1]})
    found = estimate(frame, ["player", "seat"], ["x"])
    means = {key: value["x"].mean for key, value in found.items()}
    assert means == {("a", 0): 1, ("b", 0): 2, ("a", 1): 3, ("b", 1): 4}


def test_a_group_that_is_in_few_clusters_still_has_an_interval():
    frame = pd.DataFrame({"player": ["a"] * 9 + ["b"] * 2, "x": range(11), "cluster": [*range(9), 0, 1]})
    found = estimate(frame, ["player"], ["x"])["b"]["x"]
    assert found.low <= found.mean <= found.high


def test_unknown_method_is_named():
    with pytest.raises(ValueError, match=r"method='magic'.*percentile, BCa"):
        estimate(table([1.0]), ["player"], ["x"], method="magic")


def test_intervals_of_many_columns_at_once():
    above = np.random.default_rng(5).normal(size=(40, 3))
    ratios, low, high = intervals(above, np.ones_like(above), 500, 0.9, "percentile", 0)
    assert ratios == pytest.approx(above.mean(axis=0))
    assert (low < ratios).all()
    assert (ratios < high).all()


@pytest.mark.parametrize(
    ("hits", "cases", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (305, 306, 0.9817, 0.9994)],
)
def test_wilson_s_interval_of_a_share(hits, cases, low, high):
    found = wilson(hits, cases)
    assert found[:3] == pytest.approx((hits / cases, low, high), abs=1e-4)
    assert found.rows == cases


def test_wilson_s_interval_has_exact_ends_at_zero_and_one():
    assert all(wilson(0, n).low == 0.0 and wilson(n, n).high == 1.0 for n in range(1, 60))


def test_the_ends_of_wilson_s_interval_are_where_the_score_test_just_rejects():
    z = 1.959964
    for end in wilson(7, 40)[1:3]:
        assert abs(7 / 40 - end) == pytest.approx(z * math.sqrt(end * (1 - end) / 40), rel=1e-5)


def test_a_share_of_no_case_is_not_defined_and_a_share_above_one_is_refused():
    assert all(map(math.isnan, wilson(0, 0)[:3]))
    for hits in (-1, 11):
        with pytest.raises(ValueError, match=f"hits={hits} of cases=10 is not allowed"):
            wilson(hits, 10)
