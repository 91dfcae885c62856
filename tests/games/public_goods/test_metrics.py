"""Efficiency, fairness and what experiments report, worked out by hand."""

from __future__ import annotations

import math

import pytest

from econzoo.envs.games.public_goods.metrics import measures, outcome
from games.public_goods.halves import NONE, played


def test_outcome_of_one_round() -> None:
    for gave, mpcr, paper, surplus, fairness, agreed in [
        ((20, 20, 20, 20), 0.4, 1.0, 1.0, 1.0, True),
        ((0, 0, 0, 0), 0.4, 20 / 32, 0.0, 1.0, False),
        ((10, 10, 10, 10), 0.4, 26 / 32, 0.5, 1.0, False),
        ((0, 20, 20, 20), 0.4, 29 / 32, 0.75, 1 - 20 / 32, False),  # 44, and three times 24: 116 of 128
        ((0, 0, 0, 0), 0.2, 1.0, math.nan, 1.0, False),  # contributions lose: nothing is the most
        ((20, 20, 20, 20), 0.2, 0.8, math.nan, 1.0, True),
        ((20, 20, 20, 20), 1.5, 1.0, math.nan, 1.0, True),
    ]:
        env = played(gave, mpcr=mpcr, rounds=1, punishment=False)
        p, s = env.params, env.game_state
        assert outcome(p, s).efficiency == pytest.approx(paper), (gave, mpcr)
        assert outcome(p, s, "surplus").efficiency == pytest.approx(surplus, nan_ok=True), (gave, mpcr)
        assert outcome(p, s).fairness == pytest.approx(fairness), (gave, mpcr)
        assert outcome(p, s).agreed == agreed, (gave, mpcr)


def test_a_free_rider_gains_more_than_the_best_for_all() -> None:
    env = played((0, 20, 20, 20), rounds=1, punishment=False)
    assert env.outcome().gains == pytest.approx((44 / 32, 24 / 32, 24 / 32, 24 / 32))


def test_points_can_put_a_group_below_the_equilibrium() -> None:
    """All have 20; each pays 4 for three points to the next, who loses 6: 10 are left."""
    env = played((0,) * 4, ([3, 0, 0], [0, 3, 0], [0, 0, 3], [3, 0, 0]), rounds=1)
    assert env.payoffs == pytest.approx((10, 10, 10, 10))
    assert outcome(env.params, env.game_state, "surplus").efficiency == pytest.approx(-10 / 12)


def test_measures_of_points() -> None:
    """Contributions 0, 10, 10, 20: half of all endowments."""
    for points, given, antisocial in [
        ((NONE, NONE, NONE, NONE), 0.0, math.nan),
        ((NONE, [2, 0, 0], NONE, NONE), 0.5, 0.0),  # Ben (10) for Ann (0)
        (([2, 0, 0], NONE, NONE, NONE), 0.5, 1.0),  # Ann (0) for Ben (10)
        ((NONE, [0, 2, 0], NONE, NONE), 0.5, 1.0),  # Ben (10) for Cleo (10): as much counts
        (([1, 0, 0], [2, 0, 0], NONE, [1, 0, 0]), 1.0, 0.25),  # Ann for Ben; Ben and Dan (20) for Ann
    ]:
        env = played((0, 10, 10, 20), points)
        found = measures(env.params, env.game_state)
        assert found == pytest.approx({"contribution": 0.5, "points": given, "antisocial": antisocial}, nan_ok=True), (
            points
        )


def test_measures_are_means_over_rounds() -> None:
    env = played((20,) * 4, (0,) * 4, (20, 0, 0, 0), punishment=False)
    assert measures(env.params, env.game_state)["contribution"] == pytest.approx(100 / 240)


def test_before_the_first_round_nothing_is_measured() -> None:
    env = played()
    assert all(math.isnan(value) for value in measures(env.params, env.game_state).values())
