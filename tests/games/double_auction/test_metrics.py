"""Metrics of the double auction: shares of the gains from trade, of auctions that a person can work out."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.envs.games.double_auction import GAME, metrics, rules
from games.double_auction.auctions import offered

TABLE = [
    # values, offers: gains, efficiency, fairness, trade
    ((80, 20), (80, 20), (0.3, 0.3), 1.0, 1.0, True),  # the truth: half of 60 each
    ((80, 20), (60, 50), (0.25, 0.35), 1.0, 0.99, True),
    ((80, 20), (40, 50), (0.0, 0.0), 0.0, 1.0, False),  # gains of 60 are missed
    ((20, 80), (20, 80), (0.0, 0.0), 1.0, 1.0, False),  # there was nothing to gain
    ((20, 80), (50, 40), (-0.25, -0.35), 0.0, 0.99, True),  # both lose
    ((80, 20), (100, 80), (-0.1, 0.7), 1.0, 0.36, True),
]


def test_metrics_of_a_pair() -> None:
    for values, offers, gains, efficiency, fairness, trade in TABLE:
        outcome = metrics.outcome(*offered([float(value) for value in values], offers))
        assert outcome.gains == pytest.approx(gains), (values, offers, efficiency)
        assert (outcome.efficiency, outcome.fairness) == pytest.approx((efficiency, fairness)), (values, offers)
        assert outcome.agreed == trade, (values, offers, efficiency)


def test_efficiency_of_a_market_is_the_part_of_all_gains() -> None:
    """90 and 70 could buy from 20 and 40, for 100 in all; the second buyer offers too little."""
    p, s = offered([90.0, 70.0, 20.0, 40.0, 0.0], (90.0, 30.0, 20.0, 40.0), buyers=2, sellers=2)
    outcome = metrics.outcome(p, s)
    assert outcome.efficiency == pytest.approx(0.7)
    assert outcome.gains == pytest.approx((0.55, 0.0, 0.15, 0.0)), "at 35, between 30 and 40"


def test_shading_is_what_an_offer_leaves_of_the_value() -> None:
    p, s = offered([80.0, 70.0, 20.0, 0.0], (60.0, 70.0, 50.0), buyers=2)
    assert metrics.shading(p, s) == pytest.approx((0.2, 0.0, 0.3))
    env = econzoo.make("double_auction", face="structured", talk=0)
    env.reset(options={"chance": [80.0, 20.0]})
    env.step({"kind": "offer", "price": 90.0})
    env.step({"kind": "offer", "price": 10.0})
    assert metrics.shading(env.params, env.game_state) == pytest.approx((-0.1, -0.1)), "more generous than the truth"


def test_a_match_that_is_stopped_has_its_metrics() -> None:
    p = GAME.params()[1]
    assert metrics.outcome(p, rules.initial(p)).gains == (0.0, 0.0)
