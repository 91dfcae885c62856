"""Options of the numeric face: location of the mask, observations as a plain Box, no-op of waiting agents."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any
from unittest import SkipTest

import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo.test import api_test, parallel_api_test, seed_test

from econzoo.envs.core.contract import Game, turns_of
from econzoo.testing.pettingzoo_api import check_parallel_seeds, max_cycles_of
from econzoo.testing.playing import choices, expect_value_error, freeze, has_ended, ignore_warnings, make_env
from econzoo.testing.playing import make_parallel_env, no_op, play, random_policy
from econzoo.testing.suite import Case, check

GUIDE = "The rules"
REMEDY = "make legal() say for every seat whether it is to move"


MASK_PLACES: tuple[dict[str, Any], ...] = (
    {"mask": "both"},
    {"mask": "observation"},
    {"mask": "info"},
    {"flat": True},
    {"flat": True, "mask": "info"},
)
COMBINATIONS = [{**place, "black_death": stays} for place, stays in product(MASK_PLACES, (False, True))]
FEW_COMBINATIONS = ({"mask": "observation", "black_death": True}, {"flat": True, "mask": "info"})


def label(options: dict[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in options.items())


def features_and_masks(observation: Any, info: dict[str, Any]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the features, and the mask from every location."""
    if isinstance(observation, np.ndarray):
        return observation, [info["action_mask"]] if "action_mask" in info else []
    masks = [place["action_mask"] for place in (observation, info) if "action_mask" in place]
    return observation["observation"], masks


def random_actions(env: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Sample a legal action for every agent of a parallel view: the no-op if no other is legal."""
    masks = {agent: env.aec.face(agent).mask(env.aec.legal(agent)) for agent in env.agents}
    return {agent: legal_action(env.action_space(agent), mask, rng) for agent, mask in masks.items()}


def legal_action(space: Any, mask: np.ndarray, rng: np.random.Generator) -> Any:
    """Sample an action that the mask allows, in every part of a composite action."""
    if isinstance(space, Discrete):
        return int(rng.choice(np.flatnonzero(mask)))
    return np.array([rng.choice(np.flatnonzero(part)) for part in np.split(mask, np.cumsum(space.nvec)[:-1])])


def parallel_steps(env: Any, seed: int, limit: int = 60) -> Any:
    """Yield observations, rewards, terminations, truncations and infos of every step of a random match."""
    rng = np.random.default_rng(seed)
    observations, infos = env.reset(seed=seed)
    yield observations, dict.fromkeys(env.agents, 0.0), {}, {}, infos
    for _ in range(limit):
        if not env.agents:
            return
        yield env.step(random_actions(env, rng))


@check(GUIDE, REMEDY, options=[Case(one, True, label(one)) for one in MASK_PLACES])
def the_mask_stands_where_it_is_asked_for(game: Game, options: dict[str, Any]) -> None:
    env, usual = make_env(game, **options), make_env(game)
    where = 1 if options != {"mask": "both"} else 2
    for both in (env, usual):
        both.reset(seed=4)
    choose = random_policy(4, 101)
    while env.agents:
        observation, *_, info = env.last()
        expected, *_, usual_info = usual.last()
        features, masks = features_and_masks(observation, info)
        assert env.observation_space(env.agent_selection).contains(observation)
        assert freeze(features) == freeze(expected["observation"])
        assert [freeze(mask) for mask in masks] == [freeze(usual_info["action_mask"])] * where
        assert isinstance(observation, np.ndarray) == options.get("flat", False)
        if options.get("mask", "both") != "both" and not has_ended(env):
            assert not set(info) - {"action_mask", "newcomer"}, "nothing but the mask before the end"
        action = None if has_ended(env) else choose(usual, usual.agent_selection)
        env.step(action)
        usual.step(action)
    assert env.payoffs == usual.payoffs


@check(GUIDE, REMEDY)
def observations_and_masks_may_be_written_to(game: Game) -> None:
    """Observations and masks are copies: writing to them changes no others."""
    env, untouched = make_env(game), make_env(game)
    choose = random_policy(5, 101)
    for both in (env, untouched):
        both.reset(seed=5)
    while env.agents:
        action = None if has_ended(env) else choose(untouched, untouched.agent_selection)
        observation, *_, info = env.last()
        for array in (observation["observation"], observation["action_mask"], info["action_mask"]):
            array[:] = 1 - array
        assert freeze(env.last()[0]) == freeze(untouched.last()[0])
        env.step(action)
        untouched.step(action)
    for observations, _, _, _, infos in parallel_steps(make_parallel_env(game), 5):
        arrays = [*infos.values(), *observations.values()]
        assert all(part["action_mask"].flags.writeable for part in arrays)


def can_wait(env: Any) -> bool:
    """Whether an agent can be without a move: another moves alone, or it has left and stays."""
    stays = env.aec.options.black_death and env.aec.game.rules.alive is not None
    return len(env.possible_agents) > 1 and (stays or turns_of(env.aec.game, env.aec.params).has_waiting_seats)


@check(GUIDE, REMEDY, black_death=(False, True))
def who_waits_has_the_no_op_and_nothing_else(game: Game, black_death: bool, seeds: range) -> None:
    env = make_parallel_env(game, black_death=black_death, grid=5)
    alone, space = make_env(game, grid=5).action_space("player_0"), env.action_space("player_0")
    moves, waiting = choices(alone), can_wait(env)
    assert all(choices(env.action_space(agent)) == moves + waiting for agent in env.possible_agents)
    length = moves + waiting if isinstance(space, Discrete) else sum(space.nvec)
    steps = (step for seed in seeds for step in parallel_steps(env, seed))
    for observations, _, terminations, truncations, infos in steps:
        for agent, observation in observations.items():
            assert observation["action_mask"].shape == (length,)
            assert freeze(infos[agent]["action_mask"]) == freeze(observation["action_mask"])
            mask = observation["action_mask"][: moves + waiting]
            over = terminations.get(agent, False) or truncations.get(agent, False)
            assert mask.any()
            if waiting:
                assert mask[-1] == (not mask[:-1].any())
                assert mask[-1] or not over


@check(GUIDE, REMEDY)
def a_seat_on_the_move_cannot_pass_by_the_no_op(game: Game) -> None:
    env = make_parallel_env(game)
    if not can_wait(env):
        raise SkipTest("no agent ever waits")
    env.reset(seed=1)
    moving = [any(env.aec.legal(agent).kinds) for agent in env.possible_agents]
    wait = no_op(env.action_space("player_0"))
    env.step(dict.fromkeys(env.agents, wait))
    assert env.aec.errors == list(map(int, moving))
    assert "the no-op is for who waits" in env.aec.last_error.text
    strict = make_parallel_env(game, on_error="raise")
    strict.reset(seed=1)
    with expect_value_error("the no-op is for who waits"):
        strict.step(dict.fromkeys(strict.agents, wait))


@check(GUIDE, REMEDY, options=[Case(one, True, label(one)) for one in FEW_COMBINATIONS])
def pettingzoo_testers(game: Game, options: dict[str, Any]) -> None:
    with ignore_warnings():
        api_test(make_env(game, **options), num_cycles=10)
        parallel_api_test(make_parallel_env(game, **options), num_cycles=10)


@check(GUIDE, REMEDY, options=[Case(one, False, label(one)) for one in COMBINATIONS])
def all_pettingzoo_testers_with_all_combinations(game: Game, options: dict[str, Any]) -> None:
    with ignore_warnings():
        api_test(make_env(game, **options), num_cycles=60)
        parallel_api_test(make_parallel_env(game, **options), num_cycles=60)
        seed_test(partial(make_env, game, **options), num_cycles=30)
        with suppress(SkipTest):
            max_cycles_of(game, **options)
    check_parallel_seeds(game, **options)


@check(GUIDE, REMEDY)
def black_death_changes_no_result(game: Game) -> None:
    for seed in range(3):
        usual, staying = make_env(game, grid=7), make_env(game, grid=7, black_death=True)
        runs = [play(env, random_policy(seed, 7), seed) for env in (usual, staying)]
        assert (usual.events, usual.payoffs, usual.errors) == (staying.events, staying.payoffs, staying.errors)
        moved = [[turn for turn in turns if turn.terminated == freeze(False)] for turns in runs]
        assert moved[0] == moved[1], "who is in the game sees the same"
        ends = [{t.agent: t.reward for t in turns if t.terminated != freeze(False)} for turns in runs]
        assert ends[0] == ends[1], "and is paid the same"
