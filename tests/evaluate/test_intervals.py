"""Confidence intervals against closed forms and tables, and how often they cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from econzoo.evaluate.stats import difference_ends, holm, interval_ends, precision, quantile_of_t, ratios, wilson
from econzoo.evaluate.stats.intervals import skewness_corrected_t
from refusals import refuses


def of_mean(values: list[float], strata: list[int] | None = None, cases: float = 0.0) -> tuple[float, float]:
    """The interval of a mean of clusters of one row each, or of a share of so many cases."""
    column = np.array(values, float)[:, None]
    means, influence = ratios(column, np.ones_like(column))
    low, high = interval_ends(means, precision(influence, None if strata is None else np.array(strata)), cases)
    return float(low[0]), float(high[0])


def test_quantiles_of_student_s_t_are_those_of_scipy() -> None:
    for part in [0.9, 0.975, 0.995]:
        for freedom in [5, 6, 9, 29, 99, 1e6]:
            assert quantile_of_t(part, np.array(freedom)) == pytest.approx(stats.t.ppf(part, freedom), rel=2e-3), (
                part,
                freedom,
            )


def test_the_expansion_of_the_quantile_is_right_to_its_last_term() -> None:
    for part, left in [(0.9, 0.001), (0.975, 0.005), (0.995, 0.05)]:
        assert abs(quantile_of_t(part, np.array(300.0)) - stats.t.ppf(part, 300)) * 300.0**4 < left, part


def test_without_skewness_the_interval_is_that_of_student() -> None:
    values = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    found = stats.t.interval(0.95, 6, loc=0, scale=stats.sem(values))
    assert of_mean(values) == pytest.approx(found, rel=1e-3)


def test_a_long_tail_to_the_right_moves_the_interval_to_the_right() -> None:
    values = np.random.default_rng(0).exponential(1.0, 12)
    low, high = of_mean(values.tolist())
    student = stats.t.interval(0.95, 11, loc=values.mean(), scale=stats.sem(values))
    assert low > student[0]
    assert high > student[1]
    mirrored = of_mean((-values).tolist())
    assert mirrored == pytest.approx((-high, -low))


def test_hall_s_cubic_only_rises_and_leaves_small_skewness_alone() -> None:
    t = np.linspace(-6, 6, 200)
    for skewness in (-2.0, -0.3, 0.1, 1.5):
        assert (np.diff(skewness_corrected_t(t, np.array(skewness))) > 0).all()
    assert skewness_corrected_t(t, np.array(1e-7)) == pytest.approx(t, abs=1e-5)


def test_the_influence_of_clusters_on_a_ratio_is_that_of_the_delta_method() -> None:
    above, below = np.array([[1.0], [4.0], [3.0]]), np.array([[2.0], [5.0], [3.0]])
    found, influence = ratios(above, below)
    assert found[0] == 0.8
    assert influence[:, 0] == pytest.approx([(1 - 1.6) / 10, 0.0, (3 - 2.4) / 10])


def test_five_clusters_are_too_few_and_those_that_are_alike_say_nothing() -> None:
    assert all(map(math.isnan, of_mean([1.0, 2.0, 3.0, 4.0, 5.0])))
    assert all(map(math.isfinite, of_mean([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])))
    assert all(map(math.isnan, of_mean([0.25] * 12)))


def test_seeds_within_settings_that_stay_do_not_count_how_settings_differ() -> None:
    """Two settings 10 apart with four seeds each: the variance is that of the seeds, with 2 * 3 degrees of freedom."""
    values, settings = [0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0], [0] * 4 + [1] * 4
    variance = 2 * (np.var([0, 1, 2, 3], ddof=1) / 4) / 4
    half = stats.t.ppf(0.975, 6) * math.sqrt(variance)
    assert of_mean(values, settings) == pytest.approx((6.5 - half, 6.5 + half), rel=1e-3)
    assert of_mean(values)[1] > 9


def test_settings_of_one_seed_are_taken_as_drawn_from_one() -> None:
    values = [0.1, 0.9, 0.4, 0.3, 0.8, 0.2, 0.7]
    assert of_mean(values, list(range(7))) == pytest.approx(of_mean(values))


def test_one_setting_of_one_seed_among_others_makes_an_interval_wider() -> None:
    values, settings = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0], [0] * 7 + [1]
    alone, among = of_mean(values[:7], settings[:7]), of_mean(values, settings)
    assert among[1] - among[0] > (alone[1] - alone[0]) * 7 / 8


def test_satterthwaite_s_freedom_is_that_of_the_only_setting_that_varies() -> None:
    values = np.array([[1.0], [2.0], [4.0], [5.0], [5.0], [5.0]])
    found = precision(values, np.array([0, 0, 0, 1, 1, 1]))
    assert found.freedom[0] == pytest.approx(2)
    assert found.design_freedom[0] == 4


def test_a_share_of_clusters_of_one_case_has_the_interval_of_wilson() -> None:
    for hits, n in [(1, 6), (7, 40), (39, 40)]:
        assert of_mean([1.0] * hits + [0.0] * (n - hits), cases=n) == pytest.approx(wilson(hits, n)[1:3], rel=1e-6), (
            hits,
            n,
        )


def test_cases_of_clusters_that_hang_together_are_worth_as_many_as_there_are_clusters() -> None:
    """Ten settings of twelve matches that all end alike: 4 of 10, with the quantile of ten clusters for that of 120."""
    low, high = of_mean([1.0] * 4 + [0.0] * 6, cases=120)
    worth = 9 * 120 / 119  # the variance is that of a sample
    wider = stats.t.ppf(0.975, 9) / stats.t.ppf(0.975, 119)
    for end in (low, high):
        error = math.sqrt(end * (1 - end) / worth)
        assert abs(0.4 - end) == pytest.approx(stats.norm.ppf(0.975) * wider * error, rel=2e-3)


def test_points_of_ties_have_the_quantile_of_student() -> None:
    values = [1.0] * 3 + [0.5] * 4 + [0.0] * 5
    worth = 5 / 12 * 7 / 12 / (np.var(values, ddof=1) / 12)
    for end in of_mean(values, cases=math.inf):
        error = math.sqrt(end * (1 - end) / worth)
        assert abs(5 / 12 - end) == pytest.approx(stats.t.ppf(0.975, 11) * error, rel=2e-3)


def test_ties_alone_say_nothing_and_wins_alone_do() -> None:
    assert all(map(math.isnan, of_mean([0.5] * 10, cases=math.inf)))
    assert of_mean([1.0] * 10, cases=math.inf)[1] == 1.0


def test_shares_of_nothing_and_of_all_have_a_width() -> None:
    assert of_mean([0.0] * 20, cases=20) == pytest.approx((0.0, 0.1796), abs=1e-3)
    assert of_mean([1.0] * 20, cases=20) == pytest.approx((0.8204, 1.0), abs=1e-3)


def test_where_one_cluster_tells_most_there_are_fewer_degrees_of_freedom_but_not_below_those_of_six_clusters() -> None:
    """O'Neill (2014): 2 / (excess kurtosis / n + 2 / (n - 1)) of 30; a single one that differs would leave 2."""
    laplace = stats.laplace.ppf((np.arange(30) + 0.5) / 30)
    kurtosis = stats.kurtosis(laplace)
    found = precision(laplace[:, None])
    assert found.freedom[0] == pytest.approx(29)
    assert found.tailed_freedom[0] == pytest.approx(2 / (kurtosis / 30 + 2 / 29))
    assert precision(np.eye(30)[:, :1]).tailed_freedom[0] == 5
    assert precision(np.linspace(0, 1, 30)[:, None]).tailed_freedom[0] == pytest.approx(29)


def test_the_skewness_of_a_sum_is_the_unbiased_one_of_its_parts_over_the_root_of_their_number() -> None:
    values = np.random.default_rng(4).exponential(1.0, 9)
    assert precision(values[:, None]).skewness[0] == pytest.approx(stats.skew(values, bias=False) / 3)


def test_strata_of_one_cluster_are_taken_together() -> None:
    values = np.array([[1.0], [2.0], [4.0], [7.0], [9.0], [14.0]])
    alone, together = (precision(values, np.array(strata)) for strata in ([0, 0, 0, 1, 2, 3], [0, 0, 0, 1, 1, 1]))
    assert alone.variance == together.variance == pytest.approx([3 * np.var([1, 2, 4], ddof=1) + 3 * 13.0])
    assert (alone.freedom, alone.skewness) == (together.freedom, together.skewness)


def test_a_difference_has_the_ends_of_zou_and_donner() -> None:
    one, other = np.array([[0.5], [0.4], [0.8]]), np.array([[0.2], [0.15], [0.32]])
    low, high = difference_ends(one, other)
    assert low[0] == pytest.approx(0.3 - math.hypot(0.1, 0.12))
    assert high[0] == pytest.approx(0.3 + math.hypot(0.3, 0.05))


def test_the_end_moves_at_most_four_times_as_far_as_t() -> None:
    t = np.linspace(-6, 6, 500)
    for skewness in (-1.5, 0.4, 1.5):
        slopes = np.diff(skewness_corrected_t(t, np.array(skewness))) / np.diff(t)
        assert slopes.max() == pytest.approx(4, rel=1e-2)


def test_holm_counts_the_differences_that_are_shown() -> None:
    """p = 0.001, 0.02, 0.04, 0.3: alone three are below 0.05; of four, 0.02 is not below 0.05 / 3."""
    t = stats.t.isf(np.array([0.04, 0.001, 0.3, 0.02]) / 2, 999)
    noise = np.random.default_rng(1).normal(size=(1000, 4))
    noise = (noise - noise.mean(0)) / noise.std(0, ddof=1) / math.sqrt(1000)
    gaps = t * noise.std(0, ddof=1) * math.sqrt(1000)
    found = precision(noise)._replace(skewness=np.zeros(4))
    assert holm(gaps, found).tolist() == [False, True, False, False]
    scales = np.array([100.0, 0.01, 1.0, 1.0])  # neither large gaps nor large errors come first
    assert holm(gaps * scales, precision(noise * scales)._replace(skewness=np.zeros(4))).tolist() == [
        False,
        True,
        False,
        False,
    ]
    assert holm(gaps[[1, 3]], precision(noise[:, :2])._replace(skewness=np.zeros(2))).tolist() == [True, True]


def test_wilson_s_interval_of_a_share():
    for hits, cases, low, high in [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (305, 306, 0.9817, 0.9994),
    ]:
        found = wilson(hits, cases)
        assert found[:3] == pytest.approx((hits / cases, low, high), abs=1e-4), (hits, cases)
        assert found.rows == cases, (hits, cases)


def test_wilson_s_interval_has_exact_ends_at_zero_and_one():
    assert all(wilson(0, n).low == 0.0 and wilson(n, n).high == 1.0 for n in range(1, 60))


def test_the_ends_of_wilson_s_interval_are_where_the_score_test_just_rejects():
    z = 1.959964
    for end in wilson(7, 40)[1:3]:
        assert abs(7 / 40 - end) == pytest.approx(z * math.sqrt(end * (1 - end) / 40), rel=1e-5)


def test_a_share_of_no_case_is_not_defined_and_a_share_above_one_is_refused():
    assert all(map(math.isnan, wilson(0, 0)[:3]))
    for hits in (-1, 11):
        with refuses(ValueError, f"hits={hits}", "cases=10"):
            wilson(hits, 10)
