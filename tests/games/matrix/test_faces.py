"""Games of two moves in every way of playing: in turn, at once, many at once, recorded and replayed, by a learner."""

from __future__ import annotations

from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

import econzoo
from econzoo.envs import matrix_v0
from econzoo.evaluate.run import replay
from econzoo.testing.playing import FACES, freeze, has_ended, random_policy

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"noise": 0.3, "rounds": 6},
    {"known": False, "stage_game": "chicken", "noise": 0.1},
    {"payoffs": [[[1, 2], [3, 4]], [[5, 6], [-7, 8]]], "messages": False},
)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo() -> None:
    for params, face in product(SETTINGS, FACES):
        api_test(matrix_v0.env(face=face, **params), num_cycles=40)
        api_test(matrix_v0.raw_env(face=face, **params), num_cycles=40)
        parallel_api_test(matrix_v0.parallel_env(face=face, **params), num_cycles=40)


def test_both_views_show_the_same_match() -> None:
    for params, face in product(SETTINGS, FACES):
        for seed in range(3):
            aec, parallel = matrix_v0.env(face=face, **params), matrix_v0.parallel_env(face=face, **params)
            aec.reset(seed=seed)
            observations, _ = parallel.reset(seed=seed)
            choose = random_policy(seed)
            while parallel.agents:
                actions = {}
                for agent in parallel.agents:
                    assert freeze(aec.last()[0]) == freeze(observations[agent]), (params, face)
                    actions[agent] = choose(aec, agent)
                    aec.step(actions[agent])
                observations, *_ = parallel.step(actions)
                assert aec.events == parallel.aec.events, (params, face)
            assert (aec.game_state, aec.payoffs) == (parallel.aec.game_state, parallel.aec.payoffs), (params, face)


def test_the_history_tells_what_came_out_and_what_it_paid() -> None:
    env = matrix_v0.env(face="structured", noise=0.1)
    env.reset(seed=0, options={"chance": [2.0]})
    env.step({"kind": "C", "message": "hello"})
    env.step({"kind": "C"})
    assert env.observe("player_0")["history"] == (
        {"seat": 0, "round": 1, "moment": 1, "kind": "C", "message": "hello", "own": 0.0, "other": 1.0, "payoff": 0.0},
        {"seat": 1, "round": 1, "moment": 1, "kind": "D", "own": 1.0, "other": 0.0, "payoff": 5.0},
    )


def test_infos_at_the_end_tell_payoffs() -> None:
    env = matrix_v0.env(face="structured", rounds=1, objective="payoff")
    env.reset(seed=0)
    env.step({"kind": "D"})
    env.step({"kind": "C"})
    assert [env.infos[agent]["payoff"] for agent in env.agents] == [5.0, 0.0]
    assert env.rewards == {"player_0": 5.0, "player_1": 0.0}
    assert all(env.terminations.values())


def test_matches_are_recorded_and_replayed() -> None:
    for params in SETTINGS:
        record = econzoo.play("matrix", ["random", "random"], seed=4, **params)
        assert replay(record) == [], params
        rounds = params.get("rounds", 10)
        assert (record.status, len(record.turns)) == ("finished", 2 * rounds), params
        assert len(record.chance) == (rounds if params.get("noise") else 0)


def test_a_record_keeps_what_was_chosen_and_a_change_of_nature_is_found() -> None:
    record = econzoo.play("matrix", ["random", "random"], seed=4, noise=0.4, rounds=8)
    env = matrix_v0.env(face="structured", noise=0.4, rounds=8)
    env.reset(seed=4, options={"chance": record.chance})
    for turn in record.turns:
        env.step(turn.action)
    assert list(env.payoffs) == record.payoffs
    record.chance[0] = 3.0 - record.chance[0]
    assert replay(record) != []


def test_gymnasium_has_a_learner_in_each_seat() -> None:
    for seat, face in product((0, 1), FACES):
        env = gymnasium.make(
            "econzoo/Matrix-v0", opponent="random", seat=seat, face=face, stage_game="stag-hunt", rounds=3, noise=0.1
        )
        choices = {"numeric": 0, "structured": {"kind": "C"}}
        env.reset(seed=1)
        over, steps = False, 0
        while not over:
            _, reward, over, _, info = env.step(choices.get(face, '{"kind": "C"}'))
            steps += 1
        assert steps == 3, (seat, face)
        assert 0.0 <= reward <= 1.0, (seat, face)
        assert info["payoff"] in range(13), (seat, face)


@pytest.mark.usefixtures("interpreted")
def test_many_at_once() -> None:
    envs = econzoo.make_vec(
        "matrix",
        num_envs=16,
        seat=1,
        opponent=lambda observations, masks, rng: rng.integers(0, 2, len(masks)),
        stage_game="chicken",
        rounds=5,
    )
    envs.reset(seed=1)
    ends, gained = 0, []
    for _ in range(30):
        _, rewards, terminations, *_ = envs.step(np.zeros(16, int))
        ends += int(np.sum(terminations))
        gained += list(rewards[terminations])
    assert ends >= 16 * 5
    assert all(0.25 <= gain <= 0.75 for gain in gained), "C pays 1 or 3 of 4 in chicken"
    assert len(set(gained)) > 3


def test_a_match_may_be_stopped_after_some_rounds() -> None:
    env = matrix_v0.env(face="structured", max_cycles=3)
    env.reset(seed=0)
    while not all(has_ended(env) for _ in env.agents):
        env.step({"kind": "C"})
    assert env.payoffs == (9.0, 9.0)
    assert all(env.truncations.values())


def test_words_that_are_lost_leave_the_choices() -> None:
    env = matrix_v0.env(face="structured", channel="off")
    env.reset(seed=0)
    env.step({"kind": "D", "message": "I play C"})
    env.step({"kind": "C"})
    assert "message" not in env.observe("player_1")["history"][0]
    assert env.payoffs[0] == 5.0
