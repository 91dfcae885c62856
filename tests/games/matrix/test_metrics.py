"""Metrics of games of two moves, of matches that a person can count through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.games.matrix import GAME, metrics, rules


def ended(pairs: Sequence[str], **given: Any) -> tuple[rules.Params, rules.State]:
    """Parameters and last position of a match that came out so."""
    p = GAME.params(**{"rounds": len(pairs), **given})[1]
    s = rules.initial(p)
    for pair in pairs:
        s = rules.apply(p, s, tuple([rules.Move("CD".index(letter), (0.0,)) for letter in pair]))
    return p, s


TABLE = [
    # game, moves: gains, efficiency, fairness, mutual cooperation
    ("prisoners-dilemma", ["CC"] * 4, (0.6, 0.6), 1.0, 1.0, True),
    ("prisoners-dilemma", ["DD"] * 4, (0.2, 0.2), 0.0, 1.0, False),  # sums 6, 5, 5, 2: the least
    ("prisoners-dilemma", ["DC"] * 4, (1.0, 0.0), 0.75, 0.0, False),  # (5 - 2) / (6 - 2)
    ("prisoners-dilemma", ["CC", "CC", "CC", "CD"], (0.45, 0.7), 0.9375, 0.9375, False),
    ("prisoners-dilemma", ["DC", "CD"], (0.5, 0.5), 0.75, 1.0, False),
    ("stag-hunt", ["CC"], (1.0, 1.0), 1.0, 1.0, True),
    ("stag-hunt", ["CD"], (0.0, 0.75), 0.0, 1 - 0.75**2, False),
    ("chicken", ["DD", "CC"], (0.375, 0.375), 0.5, 1.0, False),
    ("battle-of-the-sexes", ["CC", "DD"], (0.75, 0.75), 1.0, 1.0, False),
    ("matching-pennies", ["CC", "CC"], (1.0, 0.0), 1.0, 0.0, True),  # nothing can be lost together
]


def test_metrics_of_a_match() -> None:
    for game, pairs, gains, efficiency, fairness, agreed in TABLE:
        outcome = metrics.outcome(*ended(pairs, stage_game=game))
        assert outcome.gains == pytest.approx(gains), (game, pairs)
        assert outcome.efficiency == pytest.approx(efficiency), (game, pairs)
        assert outcome.fairness == pytest.approx(fairness), (game, pairs)
        assert outcome.agreed is agreed, (game, pairs)


def test_rounds_that_were_not_played_count_nothing() -> None:
    outcome = metrics.outcome(*ended(["CC", "CC"], rounds=4))
    assert (outcome.gains, outcome.efficiency, outcome.agreed) == (pytest.approx((0.3, 0.3)), 0.5, False)
    nothing = metrics.outcome(*ended([], rounds=4))
    assert nothing == ((0.0, 0.0), 0.0, 1.0, False)


def test_a_forfeit_keeps_the_points_of_the_rounds_before() -> None:
    env = econzoo.make("matrix", face="structured", max_retries=0, rounds=4)
    env.reset(seed=0)
    for move in ({"kind": "D"}, {"kind": "C"}, {"kind": "defect"}):
        env.step(move)
    assert env.over
    assert env.forfeiting_seat == 0
    assert env.payoffs == (5.0, 0.0)
    assert env.outcome().gains == (0.25, 0.0)


@settings(max_examples=100)
@given(
    numbers=st.lists(st.floats(-1e9, 1e9), min_size=8, max_size=8),
    pairs=st.lists(st.sampled_from(["CC", "CD", "DC", "DD"]), min_size=1, max_size=6),
)
def test_metrics_stay_in_their_range(numbers: list[float], pairs: list[str]) -> None:
    cells = [[numbers[0:2], numbers[2:4]], [numbers[4:6], numbers[6:8]]]
    outcome = metrics.outcome(*ended(pairs, payoffs=cells))
    for value in (*outcome.gains, outcome.efficiency, outcome.fairness):
        assert -1e-12 <= value <= 1 + 1e-12
