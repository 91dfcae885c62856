"""Metrics and indicators of the Coin Game, of matches that a person can count through."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.games.coin_game import GAME, metrics, rules
from econzoo.envs.games.coin_game.indicators import CoinCounts, count_coins, own_coin_fraction


def ended(own: tuple[int, int], others: tuple[int, int], rounds: int = 10, over: bool = True) -> tuple[Any, Any]:
    """Parameters and last position of a match in which so many coins were taken, those of the other's one by one."""
    _, p = GAME.params(rounds=rounds)
    return p, rules.initial(p)._replace(round=rounds, own=own, others=others, thefts=others, over=over)


TABLE = [
    # own coins, the other's coins: gains, efficiency, fairness, mutual cooperation
    ((0, 0), (0, 0), (0.0, 0.0), 0.0, 1.0, True),
    ((5, 5), (0, 0), (0.5, 0.5), 0.5, 1.0, True),
    ((10, 10), (0, 0), (1.0, 1.0), 1.0, 1.0, True),  # an own coin in every round: nobody can have more
    ((5, 0), (0, 0), (0.5, 0.0), 0.25, 0.0, True),  # all went to one
    ((0, 0), (3, 3), (-0.3, -0.3), -0.3, 1.0, False),  # 3 - 6 each
    ((0, 0), (4, 0), (0.4, -0.8), -0.2, 0.0, False),
    (
        (2, 3),
        (1, 0),
        (0.3, 0.1),
        0.2,
        1 - 2 / 8,
        False,
    ),  # 3 against 3 - 2; 8 is what 5 own and 1 of the other's could do
    ((0, 3), (1, 0), (0.1, 0.1), 0.1, 1.0, False),  # a coin of the other's weighs as much as three own ones
]


def test_metrics() -> None:
    for own, others, gains, efficiency, fairness, agreed in TABLE:
        outcome = metrics.outcome(*ended(own, others))
        assert outcome.gains == pytest.approx(gains, abs=1e-12), (own, others)
        assert outcome.efficiency == pytest.approx(efficiency, abs=1e-12), (own, others)
        assert outcome.fairness == pytest.approx(fairness, abs=1e-12), (own, others)
        assert outcome.agreed == agreed, (own, others)
        assert not metrics.outcome(*ended(own, others, over=False)).agreed, "a match that was stopped is no cooperation"


def test_taking_both_coins_from_one_cell_is_no_theft() -> None:
    p, s = ended((3, 2), (1, 0))
    assert metrics.outcome(p, s._replace(thefts=(0, 0))).agreed
    assert not metrics.outcome(p, s).agreed


@settings(max_examples=100)
@given(own=st.tuples(*[st.integers(0, 10)] * 2), others=st.tuples(*[st.integers(0, 10)] * 2))
def test_metrics_are_in_range_and_do_not_depend_on_the_seat(own: Any, others: Any) -> None:
    outcome, turned = metrics.outcome(*ended(own, others)), metrics.outcome(*ended(own[::-1], others[::-1]))
    assert -1 <= outcome.efficiency <= 1
    assert 0 <= outcome.fairness <= 1
    assert (outcome.efficiency, outcome.fairness, outcome.gains) == (
        turned.efficiency,
        turned.fairness,
        turned.gains[::-1],
    )


def test_points_and_indicators_of_a_match() -> None:
    """A takes its own coin, which comes back upon B's; then A takes both, and B never takes any."""
    env = econzoo.make("coin_game", face="structured", rounds=2)
    env.reset(options={"placement": [(1, 1), (2, 2), (0, 1), (0, 2), (0, 2), (2, 0), (2, 0)]})
    for kind in ("up", "left", "right", "right"):
        env.step({"kind": kind})
    assert env.payoffs == (3.0, -2.0)
    assert count_coins(env.game_state, 0) == CoinCounts(2, 1)
    assert count_coins(env.game_state, 1) == CoinCounts(0, 0)
    assert own_coin_fraction(count_coins(env.game_state, 0)) == pytest.approx(2 / 3)
    assert math.isnan(own_coin_fraction(count_coins(env.game_state, 1)))
    assert own_coin_fraction(CoinCounts(2, 1), CoinCounts(0, 1)) == 0.5
