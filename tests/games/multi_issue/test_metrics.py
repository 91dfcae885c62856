"""Gains, efficiency and fairness of divisions of 3 books, 2 hats and 1 ball, worth 1, 3, 1 and 2, 1, 2."""

from __future__ import annotations

import pytest

from econzoo.envs.games.multi_issue import GAME
from econzoo.envs.games.multi_issue.metrics import outcome, pareto_efficient
from econzoo.envs.games.multi_issue.rules import State


def test_agreements() -> None:
    for first, gains, efficiency, fairness, efficient in [
        # The best sum of points is 14: hats to Alice, all else to Bob.
        ((0.0, 2.0, 0.0), (0.6, 0.8), 1.0, 1 - 4 * (6 / 14 - 0.5) ** 2, True),
        ((1.0, 2.0, 0.0), (0.7, 0.6), 13 / 14, 1 - 4 * (7 / 13 - 0.5) ** 2, True),
        ((3.0, 2.0, 1.0), (1.0, 0.0), 10 / 14, 0.0, True),
        # A book and a hat to Alice: with two hats instead both had more.
        ((1.0, 1.0, 0.0), (0.4, 0.7), 11 / 14, 1 - 4 * (4 / 11 - 0.5) ** 2, False),
        ((3.0, 0.0, 1.0), (0.4, 0.2), 6 / 14, 1 - 4 * (4 / 6 - 0.5) ** 2, False),
    ]:
        _, p = GAME.params()
        state = State(5, first, 0, True, True)
        found = outcome(p, state)
        assert found.gains == pytest.approx(gains), (first, efficiency, fairness)
        assert (found.efficiency, found.fairness) == pytest.approx((efficiency, fairness)), first
        assert found.agreed, (first, efficiency, fairness)
        assert pareto_efficient(p, state) == efficient, (first, efficiency, fairness)


def test_delay_costs_efficiency_but_not_fairness() -> None:
    """Turn 3 at half a turn: a quarter is left, of an efficient division."""
    _, p = GAME.params(delta=0.5)
    state = State(3, (0.0, 2.0, 0.0), 0, True, True)
    assert outcome(p, state).gains == (0.15, 0.2)
    assert outcome(p, state).efficiency == 0.25
    assert outcome(p, state).fairness == pytest.approx(1 - 4 * (6 / 14 - 0.5) ** 2)
    assert pareto_efficient(p, state)


def test_without_agreement() -> None:
    _, p = GAME.params()
    left = State(2, (0.0, 2.0, 0.0), 0, False, True)
    assert outcome(p, left) == ((0.0, 0.0), 0.0, 1.0, False)
    assert not pareto_efficient(p, left)
