"""A match of the trust game is the same in every view, and open to players that have no name."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import econzoo
from econzoo.baselines.base import Player, SeatInfo
from econzoo_trust import players
from econzoo_trust.game import GAME

MOVES = [{"kind": "send", "amount": 10.0}, {"kind": "give_back", "amount": 15.0}]
"""All is sent, and half of what arrives comes back: 15 dollars each, half of all that there is."""


class Even(Player):
    """Sends everything, and gives half of what arrives back."""

    seats = (0, 1)

    def __init__(self) -> None:
        super().__init__("even")

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Remembers where it sits."""
        self.seat, self.rng = seat, np.random.default_rng(seed)

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> dict[str, Any]:
        """The move of its seat."""
        return MOVES[self.seat]


def test_alone() -> None:
    env = econzoo.make("trust", face="structured", rounds=1)
    env.reset(seed=0)
    for move in MOVES:
        env.step(move)
    assert env.payoffs == (15.0, 15.0)
    assert [env.rewards[agent] for agent in env.agents] == [0.5, 0.5]
    assert env.game.solution.equilibrium_payoffs(env.params) == (10.0, 0.0)


def test_in_parallel() -> None:
    env = econzoo.make_parallel("trust", face="structured", rounds=1)
    env.reset(seed=0)
    env.step({"player_0": MOVES[0]})
    _, rewards, terminations, _, infos = env.step({"player_1": MOVES[1]})
    assert rewards == {"player_0": 0.5, "player_1": 0.5}
    assert all(terminations.values())
    assert infos["player_1"]["payoff"] == 15.0


def test_many_at_once() -> None:
    pytest.importorskip("numba")
    envs = econzoo.make_vec("trust", num_envs=2, grid=3, rounds=1)
    envs.reset(seed=0)
    envs.step(np.array([2, 2]))  # all of 0, 5 and 10
    *_, infos = envs.step(np.array([4, 4]))  # half of 0, 15 and 30
    assert infos["payoff"].tolist() == [[15.0, 15.0], [15.0, 15.0]]


def test_with_gymnasium() -> None:
    env = gymnasium.make("econzoo/Trust-v1", opponent="trusting(1, 0.5)", seat=0, face="structured", rounds=1)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(MOVES[0])
    assert (reward, terminated, info["payoff"]) == (0.5, True, 15.0)


def test_with_players_of_any_name() -> None:
    econzoo.register_game("trust", GAME, players=players)
    record = econzoo.play("trust", [Even(), econzoo.player("trusting(1, 0.5)")], seed=1, rounds=1)
    assert record.payoffs == [15.0, 15.0]
    assert record.players == ["even", "trusting(1, 0.5)"]
