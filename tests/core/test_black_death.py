"""Seats that leave a game before its end and stay among the agents (``black_death=True``)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from toy_players import Counts

import econzoo
from econzoo.envs.core import game as find_game
from econzoo.wrappers import RecordMatch, SingleAgentEnv
from toy_games import LOWEST_BID, register_temporarily

DEADLY: dict[str, dict[str, Any]] = {
    "water_allocation": {"supply": (10, 10), "days": 12},
    "survival_auction": {"days": 12},
    "guess_average": {"players": 6, "health": 2, "rounds": 12},
    "lowest_bid": {"players": 5},
}


@pytest.fixture(params=list(DEADLY))
def table(request: pytest.FixtureRequest) -> Any:
    """A game in which seats drop out, and parameters with which they do so on different days."""
    with register_temporarily(LOWEST_BID):
        yield request.param, DEADLY[request.param]


def lowest(env: Any, agent: str) -> int:
    """An action that keeps nobody alive for long: a low amount, the lower the seat."""
    return env.possible_agents.index(agent)


def aec_matches(table: Any, **options: Any) -> tuple[Any, list[tuple[str, float]], list[int]]:
    """Plays a match; gives the environment, what each agent got by `last`, and how many agents there were."""
    name, params = table
    env = econzoo.make(name, **params, **options)
    env.reset(seed=3)
    paid, count = dict.fromkeys(env.possible_agents, 0.0), []
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        if not (terminated or truncated):
            count.append(len(env.agents))
        env.step(None if terminated or truncated else lowest(env, agent))
    return env, sorted(paid.items()), count


def test_the_number_of_agents_stays_and_payoffs_do_too(table: Any) -> None:
    usual, paid, counts = aec_matches(table)
    staying, paid_when_staying, all_along = aec_matches(table, black_death=True)
    seats = len(usual.possible_agents)
    assert min(counts) < seats, "somebody leaves early"
    assert set(all_along) == {seats}
    assert paid_when_staying == paid
    assert (staying.payoffs, staying.events) == (usual.payoffs, usual.events)


def test_who_has_left_is_not_asked_again_and_gets_nothing_more(table: Any) -> None:
    name, params = table
    env = econzoo.make(name, **params, black_death=True)
    env.reset(seed=3)
    left: dict[str, float] = {}
    while not env.over:
        agent = env.agent_selection
        assert agent not in left
        env.step(lowest(env, agent))
        for other in env.agents:
            alive = env.game.rules.alive(env.params, env.game_state, env.possible_agents.index(other))
            if other in left and not env.over:
                assert env.rewards[other] == 0.0
            elif not alive and not env.over:
                left[other] = env.rewards[other]
                assert env.rewards[other] == env.seat_reward(env.possible_agents.index(other))
                assert not env.terminations[other]
    assert left, "somebody leaves early"
    assert all(env.terminations.values()), "all terminate with the last"
    assert all("payoff" in info for info in env.infos.values())


def test_parallel_view(table: Any) -> None:
    """The rewards of all steps add up to the same, while those who have left play the no-op."""
    for on_error in ["default", "raise"]:
        name, params = table
        usual, staying = (
            econzoo.make_parallel(name, **params, on_error=on_error, **more) for more in ({}, {"black_death": True})
        )
        totals: list[dict[str, float]] = []
        for env in (usual, staying):
            env.reset(seed=3)
            total = dict.fromkeys(env.possible_agents, 0.0)
            while env.agents:
                actions = {agent: lowest(env, agent) for agent in env.agents}
                if env is staying:
                    assert env.agents == env.possible_agents, on_error
                    legal = {agent: env.aec.legal(agent).kinds for agent in env.agents}
                    actions = {a: n if any(legal[a]) else env.action_space(a).n - 1 for a, n in actions.items()}
                _, rewards, *_ = env.step(actions)
                for agent, reward in rewards.items():
                    total[agent] += reward
            totals.append(total)
        assert totals[0] == totals[1], on_error
        assert (usual.aec.payoffs, usual.aec.events) == (staying.aec.payoffs, staying.aec.events), on_error
        assert not any(staying.aec.errors), "what who has left passes is not judged"


def test_unusable_answers_cost_who_is_in_the_game_only(table: Any) -> None:
    """One unusable answer makes the parallel view play seat by seat: with the same result."""
    name, params = table
    both = ({"black_death": stays, "on_error": "default"} for stays in (False, True))
    envs = [econzoo.make_parallel(name, **params, **options) for options in both]
    for env in envs:
        env.reset(seed=3)
        while env.agents:
            env.step(dict.fromkeys(env.agents, -1))
    assert envs[0].aec.errors == envs[1].aec.errors
    assert envs[0].aec.payoffs == envs[1].aec.payoffs


def test_records_are_the_same(table: Any) -> None:
    name, params = table
    records = []
    for more in ({}, {"black_death": True}):
        made = econzoo.make(name, **params, **more)
        env = RecordMatch(made, [*made.possible_agents])
        env.reset(seed=3)
        for agent in env.agent_iter():
            env.step(None if env.terminations[agent] or env.truncations[agent] else lowest(env, agent))
        turns = [replace(turn, seconds=0.0) for turn in env.record.turns]
        records.append(replace(env.record, seconds=0.0, turns=turns))
    assert records[0] == records[1]


def test_one_learner_is_paid_the_same_at_the_end_of_the_match(table: Any) -> None:
    name, params = table
    game, totals = find_game(name), []
    for stays in (False, True):
        env = SingleAgentEnv(game, Counts(), seat=0, black_death=stays, **params)
        env.reset(seed=3)
        total, over = 0.0, False
        while not over:
            _, reward, over, _, info = env.step(0)
            total += reward
        totals.append((total, info["payoff"]))
    assert totals[0] == totals[1]


def test_a_flat_view_of_constant_size_is_one_array(table: Any) -> None:
    """What libraries with one policy for all seats stack: as many rows in every step."""
    name, params = table
    env = econzoo.make_parallel(name, **params, flat=True, black_death=True)
    observations, infos = env.reset(seed=3)
    shape = np.stack(list(observations.values())).shape
    while env.agents:
        masks = np.stack([info["action_mask"] for info in infos.values()])
        assert masks.any(axis=1).all()
        observations, _, _, _, infos = env.step(dict(zip(env.agents, masks.argmax(axis=1), strict=True)))
        assert np.stack(list(observations.values())).shape == shape
