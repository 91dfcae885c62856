"""Correlations and the jackknife: a row counts as often as its weight says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from econzoo.evaluate.stats import FISHER_SCALE, Columns, center_by_setting, estimate, jackknife, pearson, ranks
from econzoo.evaluate.stats.jackknife import MAX_CLUSTERS

ROWS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 3)), min_size=2, max_size=12)


def repeated(rows):
    """(x, y) with every row as often as its weight says."""
    return np.array([(x, y) for x, y, weight in rows for _ in range(weight)], float).reshape(-1, 2).T


@given(ROWS)
def test_a_weighted_correlation_is_that_of_the_repeated_rows(rows):
    x, y, weights = np.array(rows, float).T
    again = repeated(rows)
    found = pearson(x, y, weights[None])[0]
    if again.size == 0 or np.ptp(again, axis=1).min() == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.corrcoef(again)[0, 1], abs=1e-9)


@given(ROWS)
def test_weighted_ranks_are_those_of_the_repeated_rows(rows):
    x, _, weights = np.array(rows, float).T
    again = repeated(rows)[0]
    found = ranks(x, weights[None])[0]
    wanted = dict(zip(again, stats.rankdata(again), strict=True))
    assert all(found[i] == wanted[value] for i, value in enumerate(x) if weights[i])


@given(ROWS)
def test_spearman_is_that_of_scipy(rows):
    x, y, _ = np.array(rows, float).T
    if min(np.ptp(x), np.ptp(y)) == 0:
        return
    ones = np.ones((1, len(x)))
    found = pearson(ranks(x, ones), ranks(y, ones), ones)[0]
    assert found == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)


@given(ROWS, st.floats(0.1, 1e6), st.floats(-1e6, 1e6))
def test_a_correlation_does_not_know_units(rows, scale, shift):
    x, y, _ = np.array(rows, float).T
    ones = np.ones((1, len(x)))
    found, moved = pearson(x, y, ones)[0], pearson(x * scale + shift, y, ones)[0]
    assert (np.isnan(found) and np.isnan(moved)) or moved == pytest.approx(found, abs=1e-4)


def test_deviations_from_market_means_follow_the_weights():
    x, markets = np.array([1.0, 3.0, 10.0]), np.array([0, 0, 1])
    assert center_by_setting(x, markets, np.array([[1.0, 1.0, 1.0]])).tolist() == [[-1.0, 1.0, 0.0]]
    assert center_by_setting(x, markets, np.array([[3.0, 1.0, 1.0]])).tolist() == [[-0.5, 1.5, 0.0]]


def mean_of(values):
    return lambda weights: (weights @ values / weights.sum(axis=1))[:, None]


def test_the_jackknife_of_a_mean_is_its_closed_form():
    values = np.random.default_rng(0).exponential(size=25)
    table = Columns({"cluster": np.arange(25), "x": values, "player": np.zeros(25)})
    mean, low, high = (float(part[0]) for part in jackknife(mean_of(values), table))
    assert (mean, low, high) == pytest.approx(estimate(table, ["player"], ["x"])[0.0]["x"][:3], rel=1e-9)


def test_the_jackknife_keeps_to_settings():
    values = np.random.default_rng(1).normal(size=20) + np.repeat([0.0, 9.0], 10)
    table = Columns({"cluster": np.arange(20), "setting": np.repeat([0, 1], 10), "x": values, "player": np.zeros(20)})
    found = [float(part[0]) for part in jackknife(mean_of(values), table)]
    assert found == pytest.approx(estimate(table, ["player"], ["x"])[0.0]["x"][:3], rel=1e-9)


def test_copies_of_a_row_in_its_cluster_do_not_narrow_the_interval():
    values = np.random.default_rng(1).normal(size=30)
    once = jackknife(mean_of(values), Columns({"cluster": np.arange(30)}))
    often = jackknife(mean_of(np.repeat(values, 9)), Columns({"cluster": np.repeat(np.arange(30), 9)}))
    assert np.allclose(once, often)


def test_more_clusters_than_are_left_out_one_by_one_give_nearly_the_same():
    values = np.random.default_rng(2).normal(size=MAX_CLUSTERS + 300)
    found = jackknife(mean_of(values), Columns({"cluster": np.arange(MAX_CLUSTERS + 300)}))
    half = 1.96 * values.std(ddof=1) / np.sqrt(MAX_CLUSTERS + 300)
    assert float((found[2] - found[1])[0]) / 2 == pytest.approx(half, rel=0.1)


def test_many_clusters_keep_to_their_settings():
    """Two settings with means far apart, whose seeds alone vary."""
    count = MAX_CLUSTERS + 300
    setting = np.arange(count) % 3 // 2  # two thirds are of the first one
    noise = np.random.default_rng(2).normal(size=count)
    table = Columns({"cluster": np.arange(count), "setting": setting})
    _, low, high = jackknife(mean_of(noise + 100 * setting), table)
    within = [noise[setting == one].var(ddof=1) * (setting == one).sum() for one in (0, 1)]
    assert (high[0] - low[0]) / 2 == pytest.approx(1.96 * np.sqrt(sum(within)) / count, rel=0.15)


def test_the_interval_of_a_correlation_is_near_fisher_s():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    for slope in (0.6, -0.6):
        y = slope * x + 0.8 * rng.normal(size=200)
        r, low, high = (
            float(part[0])
            for part in jackknife(
                lambda weights, y=y: pearson(x, y, weights)[:, None],
                Columns({"cluster": np.arange(200)}),
                scale=FISHER_SCALE,
            )
        )
        ends = np.tanh(np.arctanh(r) + np.array([-1, 1]) * 1.96 / np.sqrt(197))
        assert (low, high) == pytest.approx(tuple(ends), abs=0.03), slope


def test_one_cluster_has_no_interval():
    value, low, high = jackknife(mean_of(np.array([1.0, 3.0])), Columns({"cluster": np.array(["same", "same"])}))
    assert value.tolist() == [2.0]
    assert np.isnan([low, high]).all()
