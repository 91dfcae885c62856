"""Metrics of water allocation: gains, efficiency and fairness of towns that a person can count through."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.families.survival.metrics import jain
from econzoo.envs.games.water_allocation import GAME, metrics, rules


def ended(health: tuple[int, ...], died: tuple[int, ...], days: int = 20, **public: Any) -> tuple[Any, Any]:
    """Parameters and last position of a town."""
    _, p = GAME.params(residents=[(f"No. {i}", 1, 1.0) for i in range(len(died))], days=days, **public)
    last = days if 0 in died else max(died)
    return p, rules.initial(p)._replace(round=last, supply=10.0, health=health, died=died, over=True)


TABLE = [
    # health, day of death, reward: gains, efficiency, fairness of the days lived, survival of all
    ((10, 8), (0, 0), "survival", (1.0, 1.0), 1.0, 1.0, True),
    ((10, -2), (0, 11), "survival", (1.0, 0.0), 0.5, 30**2 / (2 * (20**2 + 10**2)), False),
    ((-2, -2), (4, 4), "survival", (0.0, 0.0), 0.0, 1.0, False),  # three days each
    ((-1, -1), (1, 1), "survival", (0.0, 0.0), 0.0, 1.0, False),  # nobody lived for a day
    ((10, 0), (0, 1), "survival", (1.0, 0.0), 0.5, 0.5, False),  # one of two lived
    ((10, 4), (0, 0), "health", (1.0, 0.4), 0.7, 1.0, True),
    ((10, -5), (0, 20), "health", (1.0, 0.0), 0.5, 39**2 / (2 * (20**2 + 19**2)), False),  # dead on the last day
    ((3, -5), (0, 11), "days", (1.0, 0.5), 0.75, 30**2 / (2 * (20**2 + 10**2)), False),
    ((-2, -2, -2, 1), (2, 3, 4, 0), "days", (0.05, 0.1, 0.15, 1.0), 0.325, 26**2 / (4 * (1 + 4 + 9 + 400)), False),
]


def test_metrics_of_the_last_day() -> None:
    for health, died, reward, gains, efficiency, fairness, agreed in TABLE:
        outcome = metrics.outcome(*ended(health, died, reward=reward))
        assert outcome.gains == pytest.approx(gains, abs=1e-15), (health, died, reward)
        assert outcome.efficiency == pytest.approx(efficiency, abs=1e-15), (health, died, reward)
        assert outcome.fairness == pytest.approx(fairness, abs=1e-15), (health, died, reward)
        assert outcome.agreed == agreed, (health, died, reward)


def test_objectives_of_a_town_with_one_survivor() -> None:
    """Ben dies with the last day, so that everything is decided when he is paid off."""
    for objective, rewards in [
        ("self_gain", [1.0, 0.0]),
        ("payoff", [1.0, 0.0]),
        ("efficiency", [0.5, 0.5]),
        ("0.5*self_gain + 0.5*efficiency", [0.75, 0.25]),
    ]:
        town = {"residents": [("Ada", 1, 1.0), ("Ben", 2, 1.0)], "supply": (1, 1), "days": 4}
        env = econzoo.make_parallel("water_allocation", face="structured", objective=objective, **town)
        env.reset(seed=0)
        for _ in range(4):
            _, told, *_ = env.step({agent: {"bid": 0.0} for agent in env.agents})
        assert [told[agent] for agent in env.possible_agents] == rewards, objective


def test_jains_index() -> None:
    for values, index in [
        ([1, 1, 1, 1], 1.0),
        ([4, 0, 0, 0], 0.25),
        ([2, 2, 0, 0], 0.5),
        ([0, 0], 1.0),
        ([1, 2, 3], 36 / 42),
        ([7], 1.0),
    ]:
        assert jain(values) == pytest.approx(index, abs=1e-15)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=9), st.integers(1, 5))
def test_jains_index_lies_between_one_nth_and_one_whatever_the_unit(values: list[int], unit: int) -> None:
    index = jain(values)
    assert 1 / len(values) - 1e-12 <= index <= 1 + 1e-12
    assert jain([unit * value for value in values]) == pytest.approx(index)
    assert jain(sorted(values)) == pytest.approx(index)
