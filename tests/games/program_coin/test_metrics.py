"""Metrics of the open-source coin game, of matches that a person can count through."""

from __future__ import annotations

import pytest

from econzoo.envs.games.program_coin import metrics
from games.program_coin.test_rules import after, params

EACH_OWN = [0, 8, 1, 7, "RL", 0, 0]
NOTHING = [0, 8, 4, 4, "RL"]
A_TAKES_BLUE = [0, 8, 4, 1, "RL", 0]
BOTH_STAY = [0, 8, 4, 4, "SS"]

MATCHES = [
    # meta-rounds of one turn: gains, efficiency, fairness, nobody took a coin of the other's
    ([EACH_OWN], (1.0, 1.0), 1.0, 1.0, True),
    ([NOTHING], (0.0, 0.0), 0.0, 1.0, True),
    ([A_TAKES_BLUE], (1.0, -2.0), -0.5, 0.0, False),
    ([EACH_OWN, A_TAKES_BLUE], (1.0, -0.5), 0.25, 0.4, False),  # points 2 and -1, of at most 2 + 3 apart
    ([EACH_OWN, NOTHING], (0.5, 0.5), 0.5, 1.0, True),
    ([BOTH_STAY], (0.0, 0.0), 0.0, 1.0, True),
]


def test_metrics_of_a_match() -> None:
    for rounds, gains, efficiency, fairness, agreed in MATCHES:
        p = params(rounds=len(rounds), turns=1)
        outcome = metrics.outcome(p, after(p, *rounds))
        assert outcome.gains == pytest.approx(gains), rounds
        assert outcome.efficiency == pytest.approx(efficiency), rounds
        assert outcome.fairness == pytest.approx(fairness), rounds
        assert outcome.agreed is agreed, rounds


def test_fault_13_gains_are_points_a_turn() -> None:
    """One own coin a turn is worth 1 in matches of every length."""
    for turns in (1, 10, 50):
        p = params(rounds=1, turns=turns)
        s = after(p, [1, 8, 1, 8, *["SS", 1, 8] * turns])
        assert s.score == (turns, turns)
        assert metrics.outcome(p, s).gains == (1.0, 1.0), turns


def test_a_match_that_is_not_over_is_not_agreed() -> None:
    p = params(rounds=2, turns=1)
    outcome = metrics.outcome(p, after(p, EACH_OWN))
    assert (outcome.gains, outcome.efficiency, outcome.agreed) == ((0.5, 0.5), 0.5, False)
