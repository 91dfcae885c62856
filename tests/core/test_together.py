"""Moves made at once: `step_together` and the parallel view are the same as a `step` for every agent in order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import econzoo
from econzoo.envs.constructors import make_raw
from econzoo.testing.playing import encode, freeze, has_ended, random_policy, typed_events
from refusals import refuses
from toy_games import LOWEST_BID, PENNIES, register_temporarily

GAMES = ("pennies", "lowest_bid", "water_allocation", "guess_average", "survival_auction")
FACES = ("numeric", "structured", "text", "chat")


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with register_temporarily(PENNIES, LOWEST_BID):
        yield


def bookkeeping(env: Any) -> Any:
    """All that an environment keeps about a match."""
    kept = (env.game_state, typed_events(env), env.chance_draws, env.moves, env.errors, env.defaults)
    kept += (env.forfeiting_seat,)
    dicts = (env.rewards, env._cumulative_rewards, env.terminations, env.truncations)
    return *kept, *map(freeze, dicts), env.pending, list(env.agents), env.agent_selection


def after_the_dead(env: Any) -> None:
    while env.agents and has_ended(env):
        env.step(None)


def test_a_round_at_once_is_a_step_for_everybody() -> None:
    for case in product(GAMES, FACES, enumerate(("open", "scrambled"))):
        game, face, (seed, channel) = case
        one, two = (make_raw(game, face=face, channel=channel) for _ in range(2))
        one.reset(seed=seed)
        two.reset(seed=seed)
        choose = random_policy(seed)
        while one.agents:
            assert bookkeeping(one) == bookkeeping(two), case
            actions = {agent: choose(one, agent) for agent in one.agents}
            assert two.step_together(actions), case
            for agent in list(one.agents):
                one.step(actions[agent])
            assert bookkeeping(one) == bookkeeping(two), case
            for env in (one, two):
                after_the_dead(env)
        assert not two.agents, case


def test_a_round_with_an_unusable_answer_is_not_played() -> None:
    for game in GAMES:
        env = make_raw(game, face="structured")
        env.reset(seed=0)
        choose, before = random_policy(0), bookkeeping(env)
        actions = {agent: choose(env, agent) for agent in env.agents}
        last = env.agents[-1]
        for wrong in (None, {}, "nonsense", {"bid": -1}, 10**9):
            assert not env.step_together({**actions, last: wrong}), (game, wrong)
            assert bookkeeping(env) == before, (game, wrong)
        del actions[last]
        assert not env.step_together(actions), game
        assert bookkeeping(env) == before, game


def test_a_missing_answer_is_refused_before_anything_is_played() -> None:
    """The call can be made again, as if the first had not been made."""
    for game in GAMES:
        for place in (0, 1, -1):
            env, other = (econzoo.make_parallel(game, face="structured") for _ in range(2))
            env.reset(seed=0)
            other.reset(seed=0)
            choose = random_policy(0)
            actions = {agent: choose(env.aec, agent) for agent in env.agents}
            without = env.agents[place]
            with refuses(ValueError, game, without):
                env.step({agent: action for agent, action in actions.items() if agent != without})
            assert bookkeeping(env.aec) == bookkeeping(other.aec), (game, place)
            assert freeze(env.step(actions)) == freeze(other.step(actions)), (game, place)
            assert bookkeeping(env.aec) == bookkeeping(other.aec), (game, place)


def test_unusable_answers_count_alike_in_both_views() -> None:
    for game in GAMES:
        for policy in ("default", "forfeit"):
            aec = make_raw(game, face="structured", max_retries=1, on_error=policy)
            parallel = econzoo.make_parallel(game, face="structured", max_retries=1, on_error=policy)
            aec.reset(seed=3)
            _, infos = parallel.reset(seed=3)
            choose, rounds = random_policy(3), 0
            while parallel.agents:
                actions, rounds = {}, rounds + 1
                for agent in list(parallel.agents):
                    after_the_dead(aec)
                    assert freeze(aec.infos[agent]) == freeze(infos[agent]), (game, policy)
                    actions[agent] = {"zzz": 1} if (rounds, agent) == (2, parallel.agents[-1]) else choose(aec, agent)
                    while not aec.over and aec.agent_selection == agent and agent not in aec.pending:
                        before = aec.moves
                        aec.step(actions[agent])
                        if aec.moves != before:
                            break
                *_, infos = parallel.step(actions)
                assert aec.game_state == parallel.aec.game_state, (game, policy)
                assert (aec.errors, aec.defaults) == (parallel.aec.errors, parallel.aec.defaults), (game, policy)
                infos = {agent: infos[agent] for agent in parallel.agents}
            assert sum(aec.errors) == 2 * (rounds >= 2), (game, policy)


def test_answers_of_agents_that_have_left_are_not_used() -> None:
    for game in GAMES:
        one, two = (econzoo.make_parallel(game, face="structured") for _ in range(2))
        one.reset(seed=1)
        two.reset(seed=1)
        choose = random_policy(1)
        while one.agents:
            actions = {agent: choose(one.aec, agent) for agent in one.agents}
            gone = {agent: {"bid": 7.0} for agent in one.possible_agents if agent not in one.agents}
            assert freeze(one.step(actions)) == freeze(two.step({**gone, **actions, "nobody": None})), game
        assert one.step({}) == two.step({}) == ({}, {}, {}, {}, {}), game


def test_answers_must_be_by_agent() -> None:
    for actions in [None, [], 5, "all"]:
        env = econzoo.make_parallel("water_allocation")
        env.reset(seed=0)
        with refuses(ValueError, "actions", repr(actions)):
            env.step(actions)
        assert env.aec.moves == 0, actions


def test_the_result_of_a_round_goes_with_every_move_of_it() -> None:
    for name in ["water_allocation", "guess_average", "survival_auction"]:
        env = make_raw(name, face="structured")
        env.reset(seed=2)
        choose, rules = random_policy(2), env.game.rules
        while not env.over:
            before, agents = env.game_state, [a for a in env.agents if not env.terminations[a]]
            assert env.step_together({agent: choose(env, agent) for agent in agents}), name
            events = env.events[-len(agents) :]
            assert [f"player_{event.seat}" for event in events] == agents, name
            assert {event.round for event in events} == {before.round}, name
            for event in events:
                assert type(event.fact) is rules.Result, name
                status = rules.status(env.params, env.game_state, event.seat)
                assert event.fact.health == status.health, name
                assert (
                    env._info(event.seat, env._legal_moves.none(env.game_state, event.seat)).items()
                    >= status._asdict().items()
                ), name
            after_the_dead(env)


def test_a_structured_event_is_the_move_with_its_result() -> None:
    env = econzoo.make("guess_average", face="structured", players=2)
    env.reset(seed=0)
    for number in (10, 20):
        env.step({"number": number})
    (first, _) = env.observe("player_0")["history"]
    result = {"mean": 15.0, "target": 12.0, "won": 1, "health": 10}
    assert first == {"seat": 0, "round": 1, "moment": 1, "number": 10.0, **result}


def test_numbers_play_what_words_play() -> None:
    """The nearest whole number to a step of the grid, upwards from a half, is what every face plays."""
    for face in FACES:
        env = econzoo.make("guess_average", face=face, grid=3, low=1, high=4, players=2)
        env.reset(seed=0)
        legal = env.legal("player_0")
        numeric = econzoo.make("guess_average", grid=3, low=1, high=4, players=2).face("player_0")
        moves = [numeric.decode(step, legal) for step in range(3)]
        assert [move.number for move in moves] == [1.0, 3.0, 4.0]  # 2.5 goes up
        assert [env.face("player_0").decode(encode(env, "player_0", move), legal) for move in moves] == moves
