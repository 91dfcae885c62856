"""What a slip moves little: medians, trimmed means, and gains that count within the range of their game."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from econzoo.envs.core import game, games
from econzoo.envs.core.contract import Objective
from econzoo.evaluate.analyses import CLIPPED_COLUMN, seat_rows
from econzoo.evaluate.run import play_match
from econzoo.evaluate.stats import MEDIAN, TAIL, TRIMMED, Columns, robust_means

GOALS = {name: Objective(name) for name in ("self_gain", "efficiency", "fairness", "payoff")}


def test_medians_and_trimmed_means_are_those_of_scipy_in_every_group() -> None:
    rng = np.random.default_rng(0)
    sizes = {"a": 25, "b": 9, "c": 1, "d": 40}
    values = {name: rng.standard_cauchy(size) for name, size in sizes.items()}
    table = Columns.of_rows({"player": name, "x": value} for name, own in values.items() for value in [*own, math.nan])
    found = robust_means(table, ["player"], "x")
    for name, own in values.items():
        assert found[name][MEDIAN].mean == pytest.approx(np.median(own)), name
        assert found[name][TRIMMED].mean == pytest.approx(stats.trim_mean(own, TAIL)), name
        assert found[name][MEDIAN].rows == len(own), name
        assert math.isnan(found[name][TRIMMED].low), name


def test_a_slip_moves_neither_the_median_nor_the_trimmed_mean_as_it_moves_the_mean() -> None:
    steady = [0.1 * place for place in range(20)]
    with_slip = [-1e15, *steady[1:]]
    one, other = (
        robust_means(Columns({"player": np.array(["p"] * 20), "x": np.array(own)}), ["player"], "x")["p"]
        for own in (steady, with_slip)
    )
    assert one == other


def test_scores_count_gains_within_the_range_of_the_game_and_records_keep_them() -> None:
    record = play_match("negotiation", ["random", "random"], 1)
    for gain, counted, clipped in [(-1e12, -1.0, 1.0), (-1.0, -1.0, 0.0), (0.25, 0.25, 0.0), (7.0, 1.0, 1.0)]:
        record.metrics = {**record.metrics, "gains": [gain, 0.0], "efficiency": -3.0, "fairness": -1e24}
        raw, scored = (seat_rows(record, "", GOALS, clipped=one) for one in (False, True))
        assert (raw[0]["self_gain"], raw[0]["efficiency"], raw[0]["fairness"]) == (gain, -3.0, -1e24)
        assert CLIPPED_COLUMN not in raw[0]
        assert (scored[0]["self_gain"], scored[0]["efficiency"], scored[0]["fairness"]) == (counted, 0.0, 0.0), gain
        assert (scored[0][CLIPPED_COLUMN], scored[1][CLIPPED_COLUMN]) == (clipped, 0.0), gain
        assert raw[0]["payoff"] == scored[0]["payoff"] == record.payoffs[0]


@pytest.mark.slow
def test_no_match_of_scripts_has_a_gain_beyond_the_range_of_its_game() -> None:
    for name in games():
        low, high = game(name).facts.gain_range
        assert low < high, name
        for seed in range(3):
            record = play_match(name, ["random"] * game(name).facts.seats, seed)
            gains = [gain for gain in record.metrics["gains"] if gain is not None]
            assert all(low <= gain <= high for gain in gains), (name, seed, gains)
