"""Intervals of regressions: by clusters of configurations and of pairs, adjusted for few, marked where rough."""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from planted import METRICS, add, effects_of, grid, noise, observed
from scipy import stats

from econzoo.evaluate.analyses.regression import regression_study
from econzoo.evaluate.analyses.regression.features import Feature, features
from econzoo.evaluate.analyses.regression.page import effects_table, number_tables
from econzoo.evaluate.analyses.regression.regression import fit
from econzoo.evaluate.analyses.regression.sentences import warnings_of
from econzoo.evaluate.show.files import latex_of, write_parts
from econzoo.evaluate.stats import bias_reduced_errors, errors_over_seeds, errors_over_settings
from refusals import says


def fitted(table, parameters=("size",), metric="alice_self_gain", **chosen):
    observations = observed(table, parameters, "unheard-of")
    return fit(observations, metric, features(observations, **chosen).items)


def sizes(settings=10, small=5, players=("ann", "ben", "cat"), seeds=1):
    """Settings of one parameter, of which the first few are small; every pair meets in each, with every seed."""
    rows = [
        {"size": "small" if at < small else "big", "configuration": f"c{at}", "seed": str(seed), **pair}
        for at, seed in product(range(settings), range(seeds))
        for pair in ({"alice_player": a, "bob_player": b} for a, b in product(players, players))
    ]
    return pd.DataFrame(rows).assign(**dict.fromkeys(METRICS, 0.5))


def shared(rng, labels, scale=0.1):
    """The same draw for all rows with the same label."""
    codes = labels.factorize()[0]
    return rng.normal(0, scale, codes.max() + 1)[codes]


# Of one number


def test_with_equal_clusters_the_error_is_that_of_the_means_of_clusters():
    """The mean of 6 clusters of 4: deviation of their means over the root of 6, with 5 degrees of freedom."""
    rng = np.random.default_rng(0)
    values, groups = rng.normal(size=24), np.repeat(np.arange(6), 4)
    found = bias_reduced_errors(np.ones((24, 1)), (values - values.mean())[:, None], groups)
    means = values.reshape(6, 4).mean(axis=1)
    assert found.error[0, 0] == pytest.approx(means.std(ddof=1) / math.sqrt(6))
    assert found.freedom[0, 0] == pytest.approx(5)


def test_a_level_of_two_settings_counts_as_two():
    """Two settings against eight: the difference of two means of clusters, by Welch's error.

    Its degrees of freedom are those with which 5% of such differences are beyond Student's quantile, if both variances
    are equal: more than Satterthwaite's 1.5, since the eight have a part in the error.
    """
    rng = np.random.default_rng(1)
    level, groups = np.repeat(np.arange(10) < 2, 3).astype(float), np.repeat(np.arange(10), 3)
    matrix, values = np.c_[np.ones(30), level], rng.normal(size=30)
    residuals = values - matrix @ np.linalg.lstsq(matrix, values, rcond=None)[0]
    found = bias_reduced_errors(matrix, residuals[:, None], groups)
    means = values.reshape(10, 3).mean(axis=1)
    parts = means[:2].var(ddof=1) / 2, means[2:].var(ddof=1) / 8
    assert found.error[1, 0] == pytest.approx(math.sqrt(sum(parts)))
    squares = rng.chisquare(1, 400_000) / 2 + rng.chisquare(7, 400_000) / (8 * 7)
    t = rng.normal(size=400_000) * math.sqrt(1 / 2 + 1 / 8) / np.sqrt(squares)
    quantile = stats.t.ppf(0.975, found.freedom[1, 0])
    assert (np.abs(t) > quantile).mean() == pytest.approx(0.05, abs=0.0015)
    assert found.freedom[1, 0] > (1 / 2 + 1 / 8) ** 2 / (1 / 2**2 + 1 / (8**2 * 7)) + 1


def test_many_degrees_of_freedom_are_satterthwaite_s():
    """(tr B)^2 / tr B^2, where B is the covariance of what clusters add: of residuals made by M = I - H."""
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(160), rng.integers(1, 5, 160))
    matrix = np.c_[np.ones(len(groups)), rng.normal(size=len(groups)), rng.normal(size=160)[groups]]
    bread = np.linalg.inv(matrix.T @ matrix)
    hat = matrix @ bread @ matrix.T
    found = bias_reduced_errors(matrix, rng.normal(size=(len(groups), 1)), groups)
    for k in range(3):
        parts = []
        for group in range(160):
            rows = groups == group
            sizes, turned = np.linalg.eigh(np.eye(rows.sum()) - hat[np.ix_(rows, rows)])
            parts.append(
                (np.eye(len(groups)) - hat)[:, rows]
                @ turned
                @ np.diag(sizes**-0.5)
                @ turned.T
                @ (matrix @ bread)[rows, k]
            )
        b = np.stack(parts) @ np.stack(parts).T
        assert found.freedom[k, 0] == pytest.approx(np.trace(b) ** 2 / np.trace(b @ b)), k
    assert found.freedom.min() > 30


def test_errors_over_settings_are_by_pairs_where_pairs_differ_more():
    rng = np.random.default_rng(2)
    settings, pairs = (part.ravel() for part in np.indices((8, 9)))
    matrix = np.ones((72, 1))
    by = {"settings": rng.normal(size=8)[settings], "pairs": rng.normal(size=9)[pairs]}
    for name, values in by.items():
        residuals = (values - values.mean())[:, None]
        found = errors_over_settings(matrix, residuals, settings, pairs)
        alone = bias_reduced_errors(matrix, residuals, settings if name == "settings" else pairs)
        assert found.error[0, 0] >= alone.error[0, 0]
        assert found.freedom[0, 0] == pytest.approx(alone.freedom[0, 0])


def test_errors_over_seeds_do_not_count_what_settings_differ_by():
    rng = np.random.default_rng(3)
    luck = rng.normal(0, 0.1, (4, 5))
    values = luck + np.array([0.0, 5.0, -3.0, 1.0])[:, None]
    residuals = (values - values.mean()).reshape(-1, 1)
    found = errors_over_seeds(np.ones((20, 1)), residuals, np.arange(20), np.repeat(np.arange(4), 5))
    by_hand = math.sqrt((luck.var(axis=1, ddof=1) / 5).sum()) / 4
    assert found.error[0, 0] == pytest.approx(by_hand)


# Of a table


def test_half_width_is_that_of_students_t():
    table = sizes()
    table["alice_self_gain"] += shared(np.random.default_rng(6), table["configuration"]) + noise(1, len(table), 0.02)
    one = effects_of(fitted(table))["size", "small"]
    x = np.c_[np.ones(10), np.arange(10) < 5].astype(float)
    means = table.groupby("configuration", sort=False)["alice_self_gain"].mean().to_numpy()
    residuals = means - x @ np.linalg.lstsq(x, means, rcond=None)[0]
    error = math.sqrt(residuals @ residuals / 8 * (1 / 5 + 1 / 5))
    assert one.freedom == pytest.approx(8)
    assert one.ci_high_clustered - one.effect == pytest.approx(stats.t.ppf(0.975, 8) * error, rel=1e-6)


def test_a_level_of_few_settings_is_rough_and_says_so_beside_it():
    table = sizes(settings=12, small=2)
    rng = np.random.default_rng(7)
    table["alice_self_gain"] += shared(rng, table["configuration"]) + noise(2, len(table), 0.02)
    found = fitted(table)
    effects = effects_of(found)
    small = effects["size", "small"]
    assert (small.marks, small.over) == ("°", "settings")
    says(small.caution, f"{small.freedom:.1f}")
    assert small.freedom < 3 < 4 <= effects["alice_player", "ben"].freedom + 1
    said = " ".join(warnings_of(observed(table, ("size",), "unheard-of"), [found]))
    says(said, "°", 4)


def test_a_level_of_one_setting_has_an_interval_over_its_seeds():
    table = sizes(settings=8, small=1, seeds=5)
    rng = np.random.default_rng(8)
    table["alice_self_gain"] += shared(rng, table["configuration"]) + shared(
        rng, table["configuration"] + table["seed"], 0.01
    )
    table["alice_self_gain"] += noise(3, len(table), 0.01)
    found = fitted(table)
    small = effects_of(found)["size", "small"]
    assert (small.over, small.marks) == ("seeds", "†")
    says(small.caution, "seeds")
    assert small.ci_high_clustered - small.ci_low_clustered < 0.06
    said = " ".join(warnings_of(observed(table, ("size",), "unheard-of"), [found]))
    says(said, "†", "1 effect of size")


def test_fewer_than_six_configurations_speak_of_their_seeds_only():
    table = sizes(settings=4, small=2, seeds=4)
    table["alice_self_gain"] += noise(4, len(table), 0.1)
    found = fitted(table)
    assert {one.over for one in found.effects} == {"seeds"}
    says(" ".join(warnings_of(observed(table, ("size",), "unheard-of"), [found])), "over seeds", "4 configurations")
    alone = fitted(table[table["seed"] == "0"])
    assert {one.over for one in alone.effects} == {""}, "one seed of four settings says nothing"


def test_fewer_than_six_pairs_stay_as_they_are():
    table = sizes(players=("ann", "ben"))
    table["alice_self_gain"] += noise(5, len(table), 0.1)
    found = fitted(table)
    assert (found.two_way, found.pairs) == (False, 4)
    said = warnings_of(observed(table, ("size",), "unheard-of"), [found])
    says(" ".join(said), "4 player pairs", 6)


def test_of_many_effects_of_nothing_few_are_clear():
    """40 effects of noise: some leave 0 out of their own interval, none is clear by Holm's procedure."""
    rng = np.random.default_rng(9)
    table = grid(players=("ann",), repeats=2)
    for at in range(40):
        table[f"p{at}"] = rng.permutation(np.repeat(["a", "b"], 32))[
            table[list(grid(("ann",)).columns[:6])].agg("".join, axis=1).factorize()[0]
        ]
    table["alice_self_gain"] += noise(10, len(table), 0.1)
    observations = observed(table, tuple(f"p{at}" for at in range(40)), "unheard-of")
    found = fit(observations, "alice_self_gain", [Feature(f"p{at}", table[f"p{at}"], "a") for at in range(40)])
    alone = [one for one in found.effects if one.ci_low_clustered > 0 or one.ci_high_clustered < 0]
    assert len(found.effects) == 40
    assert alone
    assert not any(one.clear for one in found.effects)


def test_what_is_far_from_0_is_clear_and_what_is_0_is_not():
    table = add(sizes(settings=20, small=10), "alice_self_gain", {"size": {"small": 0.5}})
    table["alice_self_gain"] += shared(np.random.default_rng(11), table["configuration"]) + noise(12, len(table), 0.02)
    effects = effects_of(fitted(table))
    assert effects["size", "small"].clear
    assert not effects["alice_player", "ben"].clear
    assert not any(one.clear for one in fitted(grid(), ("delta_1",)).effects)


def test_marks_stand_beside_the_effect_in_every_table(tmp_path):
    table = sizes(settings=12, small=2)
    table["alice_self_gain"] += shared(np.random.default_rng(7), table["configuration"]) + noise(2, len(table), 0.02)
    found = regression_study(observed(table, ("size",), "unheard-of"))
    write_parts(list(number_tables([found])), tmp_path, ["csv"])
    rows = pd.read_csv(tmp_path / "effects.csv", keep_default_na=False)
    (row,) = rows[(rows["metric"] == "alice_self_gain") & (rows["parameter"] == "size")].to_dict("records")
    assert row["over"] == "settings"
    says(row["caution"], f"{float(row['freedom']):.1f}")
    assert re.search(r"\$\+\d+\.\d(\^\{\*\})?\^\{\\circ\}\$", latex_of(effects_table(found, players=False)))
