"""Estimates of tables: groups, clusters, populations and paired differences, by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from econzoo.evaluate.stats import Columns, differences, estimate, estimates, intervals, population


def table(values, cluster=None, **more):
    values = np.asarray(values, float)
    cluster = np.arange(len(values)) if cluster is None else cluster
    return pd.DataFrame({"player": "p", "x": values, "cluster": cluster, **more})


def one(frame, column="x", **kwargs):
    return estimate(frame, ["player"], [column], **kwargs)["p"][column]


def test_interval_of_a_mean_is_near_the_normal_approximation():
    values = np.random.default_rng(0).normal(2.0, 1.0, 400)
    found = one(table(values))
    half = 1.96 * values.std(ddof=1) / math.sqrt(400)
    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.005)


def test_interval_of_a_ratio_is_near_the_delta_method():
    rng = np.random.default_rng(1)
    answers = rng.integers(1, 6, 500)
    errors = rng.binomial(answers, 0.3)
    found = one(table(errors, errors=errors, answers=answers), "error_rate")
    rate = errors.sum() / answers.sum()
    half = 1.96 * (errors - rate * answers).std() / math.sqrt(500) / answers.mean()
    assert found.mean == pytest.approx(rate)
    assert (found.low, found.high) == pytest.approx((rate - half, rate + half), abs=0.004)


@pytest.mark.parametrize("over", ["seeds", "settings"])
@pytest.mark.parametrize("players", [1, 5])
def test_estimates_in_batches_are_the_same_but_for_rounding(monkeypatch, over, players):
    rng, names = np.random.default_rng(2), list("abcdefg")
    numbers = {name: np.where(rng.random(900) < 0.1, np.nan, rng.lognormal(size=900)) for name in names}
    places = {"setting": np.repeat(np.arange(9), 100), "cluster": np.tile(np.repeat(np.arange(20), 5), 9)}
    found = Columns({**numbers, **places, "player": rng.integers(players, size=900)})
    whole = estimate(found, ["player"], names, over=over)
    for module in (estimates, intervals):
        monkeypatch.setattr(module, "CELLS", 1)
    batched = estimate(found, ["player"], names, over=over)
    assert [*batched] == [*whole]
    for player, one in whole.items():
        assert [*batched[player]] == names
        for name in names:
            assert batched[player][name] == pytest.approx(one[name], rel=1e-12, nan_ok=True)


def test_packed_columns_give_back_what_they_got():
    """Numbers of any size, none lost to a smaller type; texts, and objects of several kinds."""
    given = {
        "half": [0.0, -0.0, 1.0, math.nan, 2048.0],
        "single": [0.5, 1e30, -3.25, math.inf, 65537.0],
        "double": [0.1, 1 / 3, 1e300, -5e-324, 2.0],
        "whole": [0, -1, 127, 128, 2**40],
        "huge": [2**80, 1, 2, 3, 4],
        "flags": [True, False, True, True, False],
        "texts": ["a", "", "a", "ä", "b\0"],
        "mixed": [1, "1", None, 1.0, True],
    }
    table = Columns.of_rows(dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True))
    for name, values in given.items():
        assert repr(table[name].tolist()) == repr(values), name
        assert repr(table[np.arange(5) % 2 == 0][name].tolist()) == repr(values[::2]), name


def test_matches_of_a_cluster_count_as_one_draw():
    values = np.random.default_rng(3).normal(size=50)
    apart = one(table(values))
    copied = one(table(np.repeat(values, 8), np.repeat(np.arange(50), 8)))
    naive = one(table(np.repeat(values, 8)))
    assert (copied.low, copied.high) == pytest.approx((apart.low, apart.high))
    assert naive.high - naive.low < 0.5 * (copied.high - copied.low)


def test_over_settings_each_setting_is_one_draw_however_many_seeds_it_has():
    values = np.array([0.0, 1.0, 0.5, 0.2, 0.3, 0.9])
    many = table(np.repeat(values, 25), setting=np.repeat(list("abcdef"), 25))
    few = table(values, setting=list("abcdef"))
    assert one(many, over="settings")[:3] == pytest.approx(one(few, over="settings")[:3])
    assert math.isnan(one(many, over="seeds").low), "seeds that change nothing say nothing"


def test_over_seeds_settings_stay_as_they_are():
    rng = np.random.default_rng(4)
    values = np.repeat([0.0, 10.0], 20) + rng.normal(size=40)
    frame = table(values, setting=np.repeat(["a", "b"], 20))
    narrow, mixed = one(frame), one(frame.drop(columns="setting"))
    assert population(frame) == "seeds"
    assert narrow.high - narrow.low < 0.3 * (mixed.high - mixed.low)


def test_six_settings_speak_of_others():
    assert population(table([0.0] * 5, setting=list("abcde"))) == "seeds"
    assert population(table([0.0] * 6, setting=list("abcdef"))) == "settings"


def test_the_same_seed_in_two_settings_is_two_draws():
    frame = table([0.0, 1.0, 4.0, 2.0] * 3, cluster=[0, 1, 2, 3] * 3, setting=np.repeat(list("abc"), 4))
    distinct = table([0.0, 1.0, 4.0, 2.0] * 3, cluster=range(12), setting=np.repeat(list("abc"), 4))
    assert one(frame) == one(distinct)


def test_no_interval_from_one_cluster_and_none_from_nothing():
    found = one(table([1.0, 3.0], cluster=[0, 0]))
    assert (found.mean, found.rows) == (2.0, 2)
    assert math.isnan(found.low)
    empty = one(table([math.nan, math.nan]))
    assert math.isnan(empty.mean)
    assert empty.rows == 0
    assert estimate(table([]), ["player"], ["x"]) == {}


def test_a_group_of_few_clusters_has_no_interval_among_others_that_have():
    frame = pd.DataFrame(
        {"player": list("aaaaaabb"), "x": [1.0, 2.0, 3.0, 2.0, 1.0, 3.0, 1.0, 2.0], "cluster": range(8)}
    )
    found = estimate(frame, ["player"], ["x"])
    assert found["a"]["x"].low < 2.0 < found["a"]["x"].high
    assert found["b"]["x"].mean == 1.5
    assert math.isnan(found["b"]["x"].low)


def test_clusters_that_know_nothing_of_a_column_are_not_counted():
    values = np.random.default_rng(5).normal(size=9)
    holes = np.insert(values, [2, 5], math.nan)
    assert one(table(holes))[:3] == pytest.approx(one(table(values))[:3])


def test_groups_get_their_own_estimates():
    frame = pd.DataFrame({"player": list("abab"), "seat": [0, 0, 1, 1], "x": [1.0, 2, 3, 4], "cluster": [0, 0, 1, 1]})
    found = estimate(frame, ["player", "seat"], ["x"])
    means = {key: value["x"].mean for key, value in found.items()}
    assert means == {("a", 0): 1, ("b", 0): 2, ("a", 1): 3, ("b", 1): 4}


def test_a_column_of_yes_and_no_is_a_share_for_all_groups():
    """Where nobody ever forfeits there is an interval too: forfeits may be rare."""
    frame = pd.DataFrame({"player": ["a"] * 20 + ["b"] * 20, "x": [0.0] * 39 + [1.0], "cluster": range(40)})
    found = estimate(frame, ["player"], ["x"])
    assert found["a"]["x"][:3] == pytest.approx((0.0, 0.0, 0.18), abs=0.01)
    assert 0.0 < found["b"]["x"].low < 0.05 < found["b"]["x"].high < 0.3


def test_what_two_players_share_cancels_in_their_difference():
    rng = np.random.default_rng(6)
    luck = rng.normal(size=30)
    frame = pd.DataFrame(
        {
            "player": ["a"] * 30 + ["b"] * 30,
            "x": np.concatenate([luck + 0.1, luck]),
            "cluster": [*range(30), *range(30)],
        }
    )
    frame.loc[:29, "x"] += rng.normal(0, 0.01, 30)
    found = differences(frame, [("a", "b"), ("b", "a")], "x")
    gap, back = found["a", "b"], found["b", "a"]
    assert 0.09 < gap.low < gap.mean < gap.high < 0.11
    assert gap.distinct
    assert (back.low, back.high) == pytest.approx((-gap.high, -gap.low))
    alone = estimate(frame, ["player"], ["x"])
    assert alone["b"]["x"].high > alone["a"]["x"].low, "their own intervals overlap all the same"


def test_a_difference_is_that_of_the_means_also_where_one_met_more():
    frame = pd.DataFrame({"player": list("aaab"), "x": [1.0, 2.0, 3.0, 5.0], "cluster": [0, 1, 2, 2]})
    gap = differences(frame, [("b", "a")], "x")["b", "a"]
    assert gap.mean == 3.0
    assert math.isnan(gap.low)


def test_rounding_makes_neither_intervals_nor_differences():
    """Two that always gain the same, up to the last digit of a sum, in seven markets that pay alike."""
    noise = np.array([0.1 + 0.2, 0.3, 0.15 * 2, 0.3, 0.6 / 2, 0.7 - 0.4, 0.3])
    frame = pd.DataFrame(
        {
            "player": ["a"] * 7 + ["b"] * 7,
            "setting": [*range(7)] * 2,
            "cluster": [*range(7)] * 2,
            "x": [*noise, *np.full(7, 0.3 + 1e-16 * 4)],
        }
    )
    found = estimate(frame, ["player"], ["x"])
    assert all(math.isnan(one["x"].low) for one in found.values())
    gap = differences(frame, [("a", "b")], "x")["a", "b"]
    assert (gap.mean, gap.distinct) == (0.0, False)
    assert math.isnan(gap.low)
    zero_sum = pd.DataFrame({"player": "c", "setting": [*range(7)], "cluster": 0, "x": 0.0})
    both = pd.concat([zero_sum.assign(x=0.1 + 0.2), zero_sum.assign(x=-0.3)])
    assert estimate(both, ["player"], ["x"])["c"]["x"].mean == 0.0


def test_where_there_is_no_interval_it_says_why() -> None:
    """Five clusters are too few for any, six that are alike say nothing, six that differ have one."""
    for values, why in [([1.0, 2.0, 3.0, 4.0, 5.0], "under 6 draws"), ([2.0] * 6, "all alike"), ([1.0, 2.0] * 3, "")]:
        rows = [{"player": "ann", "cluster": at, "gain": one} for at, one in enumerate(values)]
        found = estimate(pd.DataFrame(rows), ["player"], ["gain"], over="seeds")["ann"]["gain"]
        assert (found.no_interval_reason, math.isnan(found.low)) == (why, bool(why)), values
        assert found == (found.mean, found.low, found.high, len(values)) or math.isnan(found.low)
        assert list(found._asdict()) == ["mean", "low", "high", "rows"]
