"""Metrics of the survival auction, of matches that a person can count through."""

from __future__ import annotations

from typing import Any

import pytest

from econzoo.envs.games.survival_auction import GAME, metrics, rules


def ended(health: tuple[int, ...], died: tuple[int, ...], **public: Any) -> tuple[Any, Any]:
    """Parameters and last position of a match of ten days."""
    _, p = GAME.params(players=len(died), **public)
    last = 10 if 0 in died else max(died)
    return p, rules.initial(p)._replace(round=last, health=health, died=died, over=True)


TABLE = [
    # health, day of death, reward: gains, efficiency, fairness of the days lived, survival of all
    ((8, 10), (0, 0), "survival", (1.0, 1.0), 1.0, 1.0, True),
    ((3, -2), (0, 4), "survival", (1.0, 0.0), 0.5, 13**2 / (2 * (100 + 9)), False),
    ((3, -2), (0, 10), "survival", (1.0, 0.0), 0.5, 19**2 / (2 * (100 + 81)), False),  # dead on the last day
    ((-2, -2, -2), (4, 4, 4), "survival", (0.0,) * 3, 0.0, 1.0, False),
    ((3, -2), (0, 4), "health", (0.3, 0.0), 0.15, 13**2 / (2 * (100 + 9)), False),
    ((10, -2), (0, 6), "days", (1.0, 0.5), 0.75, 15**2 / (2 * (100 + 25)), False),
    ((-2, -4), (4, 9), "days", (0.3, 0.8), 0.55, 11**2 / (2 * (9 + 64)), False),
]


def test_metrics_of_the_last_day() -> None:
    for health, died, reward, gains, efficiency, fairness, agreed in TABLE:
        outcome = metrics.outcome(*ended(health, died, reward=reward))
        assert outcome.gains == pytest.approx(gains, abs=1e-15), (health, died, reward)
        assert outcome.efficiency == pytest.approx(efficiency, abs=1e-15), (health, died, reward)
        assert outcome.fairness == pytest.approx(fairness, abs=1e-15), (health, died, reward)
        assert outcome.agreed == agreed, (health, died, reward)
