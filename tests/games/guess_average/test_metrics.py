"""Metrics of the guessing game: rounds won, of matches that a person can count through."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import Move
from econzoo.envs.games.guess_average import GAME, metrics, rules, solution


def ended(wins: tuple[int, ...], out: tuple[int, ...], rounds: int = 10) -> tuple[Any, Any]:
    """Parameters and last position of a match."""
    _, p = GAME.params(players=len(wins), rounds=rounds)
    return p, rules.initial(p)._replace(round=rounds, wins=wins, out=out, over=True)


TABLE = [
    # rounds won, round of going out: gains, efficiency, fairness, all still in
    ((10, 0), (0, 10), (1.0, 0.0), 0.5, 0.5, False),
    ((5, 5), (0, 0), (0.5, 0.5), 0.5, 1.0, True),  # one winner a round: 1 / n
    ((8,) * 5, (0,) * 5, (0.8,) * 5, 0.8, 1.0, True),  # all but one won together, each stayed away twice: (n - 1) / n
    ((0, 0, 0), (10, 10, 10), (0.0, 0.0, 0.0), 0.0, 1.0, False),  # all chose the same number every round
    ((4, 3, 3), (0, 0, 0), (0.4, 0.3, 0.3), 1 / 3, 100 / (3 * (16 + 9 + 9)), True),
]


def test_metrics_of_the_last_round() -> None:
    for wins, out, gains, efficiency, fairness, agreed in TABLE:
        outcome = metrics.outcome(*ended(wins, out))
        assert outcome.gains == pytest.approx(gains, abs=1e-15), (wins, out)
        assert outcome.efficiency == pytest.approx(efficiency, abs=1e-15), (wins, out)
        assert outcome.fairness == pytest.approx(fairness, abs=1e-15), (wins, out)
        assert outcome.agreed == agreed, (wins, out)


def test_gains_and_payoffs_of_a_match() -> None:
    """Round 1: 3 is nearest to 0.8 * 4 = 3.2; round 2: both 1 and 2 are off 1.6 by .6 and .4."""
    env = econzoo.make_parallel("guess_average", face="structured", players=3, rounds=2)
    env.reset(seed=0)
    env.step({a: {"number": n} for a, n in zip(env.agents, (3, 4, 5), strict=True)})
    env.step({a: {"number": n} for a, n in zip(env.agents, (1, 2, 3), strict=True)})
    assert env.aec.payoffs == (1.0, 1.0, 0.0)
    assert env.aec.outcome().gains == (0.5, 0.5, 0.0)


@settings(max_examples=60)
@given(rounds=st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=1, max_size=4))
def test_all_together_never_win_more_than_all_but_one(rounds: list[list[int]]) -> None:
    _, p = GAME.params(players=3, rounds=len(rounds), health=len(rounds) + 1)
    s = rules.initial(p)
    for numbers in rounds:
        s = rules.apply(p, s, tuple([Move(0, (float(number),)) for number in numbers]))
    assert metrics.outcome(p, s).efficiency <= 2 / 3 + 1e-12
    assert sum(rules.payoffs(p, s)) <= solution.most_wins(p) == 2 * len(rounds)


def test_all_but_one_on_a_number_reach_the_most() -> None:
    _, p = GAME.params(players=5, rounds=1)
    s = rules.apply(p, rules.initial(p), tuple([Move(0, (number,)) for number in (1.0, 1.0, 1.0, 1.0, 2.0)]))
    assert metrics.outcome(p, s).efficiency == pytest.approx(4 / 5)
