"""Metrics of the open-source game of two moves, of matches that a person can count through."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from econzoo.envs.games.program_matrix import GAME, metrics, rules
from games.program_matrix.test_rules import after


def ended(*meta_rounds: Sequence[str], **given: Any) -> Any:
    p = GAME.params(**{"rounds": len(meta_rounds), "turns": len(meta_rounds[0]), **given})[1]
    return metrics.outcome(p, after(p, *meta_rounds))


MATCHES = [
    # game, meta-rounds: gains, efficiency, fairness, mutual cooperation in the last one
    ("prisoners-dilemma", [["CC"] * 4], (0.6, 0.6), 1.0, 1.0, True),
    ("prisoners-dilemma", [["DD"] * 4], (0.2, 0.2), 0.0, 1.0, False),  # sums 6, 5, 5, 2: the least
    ("prisoners-dilemma", [["DC"] * 4], (1.0, 0.0), 0.75, 0.0, False),  # (5 - 2) / (6 - 2)
    ("prisoners-dilemma", [["DD", "DD"], ["CC", "CC"]], (0.4, 0.4), 0.5, 1.0, True),
    ("prisoners-dilemma", [["CC", "CC"], ["CC", "CD"]], (0.45, 0.7), 0.9375, 0.9375, False),
    ("prisoners-dilemma", [["C-"]], (0.3, 0.0), -0.125, 0.91, False),  # (1.5 - 2) / (6 - 2)
    ("prisoners-dilemma", [["--", "--"]], (0.0, 0.0), -0.5, 1.0, False),
    ("stag-hunt", [["CC", "CC"], ["CD", "DD"]], (11 / 16, 14 / 16), 0.65, 1 - (3 / 16) ** 2, False),  # (25 - 12) / 20
    ("matching-pennies", [["CC", "CC"]], (1.0, 0.0), 1.0, 0.0, True),  # nothing can be lost together
]


def test_metrics_of_a_match() -> None:
    for game, rounds, gains, efficiency, fairness, agreed in MATCHES:
        outcome = ended(*rounds, stage_game=game)
        assert outcome.gains == pytest.approx(gains), (game, rounds)
        assert outcome.efficiency == pytest.approx(efficiency), (game, rounds)
        assert outcome.fairness == pytest.approx(fairness), (game, rounds)
        assert outcome.agreed is agreed, (game, rounds)


def test_fault_13_gains_are_points_a_turn() -> None:
    """Matches of every length are on one scale; the public code compared totals of 10 and of 20 turns."""
    for turns, rounds in product((1, 10, 20, 500), (1, 3)):
        outcome = ended(*[["CC"] * turns] * rounds)
        assert outcome.gains == pytest.approx((0.6, 0.6)), (turns, rounds)
        assert outcome.efficiency == pytest.approx(1.0), (turns, rounds)


def test_meta_rounds_that_were_not_played_count_nothing() -> None:
    p = GAME.params(rounds=4, turns=2)[1]
    half = metrics.outcome(p, after(p, ["CC", "CC"], ["CC", "CC"]))
    assert (half.gains, half.efficiency, half.agreed) == (pytest.approx((0.3, 0.3)), 0.5, False)
    assert metrics.outcome(p, rules.initial(p)) == ((0.0, 0.0), 0.0, 1.0, False)


def test_a_seat_with_the_same_number_everywhere_gains_nothing() -> None:
    outcome = ended(["DD"], payoffs=(((1, 7), (1, 8)), ((1, 9), (1, 10))))
    assert outcome.gains == (0.0, 1.0)
