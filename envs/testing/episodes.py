"""Whole episodes: repeatable to the bit, independent of each other, copyable, and with exact bookkeeping."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import Game
from econzoo.testing.playing import (
    POLICIES,
    Choose,
    at_random,
    ended,
    go_on,
    happened,
    look,
    made,
    made_parallel,
    play,
    positions_of,
    refused,
)
from econzoo.testing.suite import check

GUIDE = "The rules"
REMEDY = "let rules be functions of their arguments alone: no module state, no dice, no clock"


SEEDS = range(4)


@check(GUIDE, REMEDY)
def the_same_seed_gives_the_same_episode(game: Game, face: str) -> None:
    for seed in SEEDS:
        one = play(made(game, face=face), at_random(seed), seed)
        two = play(made(game, face=face), at_random(seed), seed)
        assert one == two
        assert len(one) >= len(made(game).possible_agents)


@check(GUIDE, REMEDY)
def a_seeded_reset_starts_over_in_one_instance(game: Game, face: str) -> None:
    env = made(game, face=face)
    one = play(env, at_random(1), seed=5)
    play(env, at_random(2), seed=6)
    assert play(env, at_random(1), seed=5) == one
    env.reset(seed=9)  # also from the middle of an episode
    env.step(at_random(3)(env, env.agent_selection))
    assert play(env, at_random(1), seed=5) == one


@check(GUIDE, REMEDY)
def an_unseeded_reset_goes_on_with_the_generator(game: Game) -> None:
    def three(env: Any) -> list[Any]:
        return [(play(env, at_random(0), seed), env.chance_draws) for seed in (3, None, None)]

    assert three(made(game)) == three(made(game)), "reset(seed=None) must continue the private generator"


LUCKS = range(12)
"""Seeds that are tried where one alone may draw the likeliest every time."""


@check(GUIDE, "let chance() give more than one outcome; if nature needs other parameters, give them in `Cases.chance`")
def chance_is_drawn_by_the_seed(game: Game) -> None:
    """Of matches in which seats move alike, two seeds draw two different episodes of chance."""
    if not game.facts.chance or game.referee:
        return
    env, moved = made(game, **game.cases.chance), False
    for policy in range(POLICIES):
        drawn = set()
        for seed in LUCKS:
            play(env, at_random(policy), seed)
            drawn.add(tuple(env.chance_draws))
        if len(drawn) > 1:
            return
        moved |= any(drawn)
    told = "always drew the same" if moved else "never moved"
    raise AssertionError(f"nature {told}, with {len(LUCKS)} seeds against each of {POLICIES} random players")


@check(GUIDE, "say in `GameFacts.chance` whether nature moves; give parameters that it needs in `Cases.chance`")
def chance_replays_from_the_record(game: Game, face: str) -> None:
    params = game.cases.chance
    env, moving = made(game, face=face, **params), game.facts.chance and not game.referee
    for policy in range(4, 4 + POLICIES):
        one = play(env, at_random(policy), seed=8)
        if env.chance_draws or not moving:
            break
    drawn, state = list(env.chance_draws), env.game_state
    assert bool(drawn) == moving, f"chance={game.facts.chance}, and nature drew {drawn}"
    again, script = made(game, face=face, **params), {"chance": drawn, "rulings": list(env.rulings)}
    assert play(again, at_random(policy), seed=77, options=script) == one
    assert (again.game_state, again.chance_draws) == (state, drawn)


@check(GUIDE, REMEDY)
def interleaved_instances_do_not_disturb_each_other(game: Game, face: str) -> None:
    alone = [play(made(game, face=face), at_random(seed), seed) for seed in (1, 2)]
    envs = [made(game, face=face) for _ in alone]
    for env, seed in zip(envs, (1, 2), strict=True):
        env.reset(seed=seed)
    movers: list[Choose] = [at_random(1), at_random(2)]
    together: tuple[list[Any], list[Any]] = ([], [])
    while any(env.agents for env in envs):
        for env, choose, turns in zip(envs, movers, together, strict=True):
            if env.agents:
                turns.append(look(env))
                env.step(None if ended(env) else choose(env, env.agent_selection))
    assert list(together) == alone


@check(GUIDE, REMEDY)
def global_generators_are_left_alone(game: Game, face: str) -> None:
    def globally() -> tuple[Any, bytes]:
        return random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002

    before = globally()
    play(made(game, face=face), at_random(3), seed=3)
    assert globally() == before


def pickled(env: Any) -> Any:
    """A copy by way of bytes."""
    return pickle.loads(pickle.dumps(env))


@check(GUIDE, REMEDY, clone=(copy.deepcopy, pickled))
def a_copy_in_the_middle_goes_on_alike(game: Game, face: str, clone: Any) -> None:
    for steps in (0, min(3, game.cases.most_moves or 3)):
        env = made(game, face=face)
        play(env, at_random(6), seed=6, limit=steps)
        other = clone(env)
        rest = go_on(env, at_random(7))
        assert rest, "the episode went on after the copy was made"
        assert go_on(other, at_random(7)) == rest
        assert (other.game_state, happened(other), other.chance_draws) == (
            env.game_state,
            happened(env),
            env.chance_draws,
        )
        assert play(other, at_random(8), seed=None) == play(env, at_random(8), seed=None)


@check(GUIDE, REMEDY)
def an_environment_is_copied_before_its_first_reset(game: Game, face: str) -> None:
    env = pickle.loads(pickle.dumps(made(game, face=face)))
    assert env.game is game
    assert play(env, at_random(1), seed=1) == play(made(game, face=face), at_random(1), seed=1)


@check(GUIDE, "let payoffs() and observe() give something for every seat in every position")
def dictionaries_keep_to_the_agents(game: Game, setting: dict[str, Any]) -> None:
    env = made(game, **setting)
    for _ in positions_of(env, at_random(2), 2):
        for name in ("rewards", "_cumulative_rewards", "terminations", "truncations", "infos"):
            assert list(getattr(env, name)) == env.agents, name
        for flag in [*env.terminations.values(), *env.truncations.values()]:
            assert type(flag) is bool, "terminations and truncations are real booleans"
        assert all(type(reward) in (int, float) for reward in env.rewards.values())  # PettingZoo clears to 0
        assert all(type(info) is dict for info in env.infos.values())
        assert env.agent_selection in env.agents


@check("Metrics", "let payoffs() and outcome() depend on nothing but the position")
def rewards_add_up_to_the_objective_and_come_at_the_end(game: Game, setting: dict[str, Any]) -> None:
    for objective in ("payoff", "self_gain", "0.5*fairness + 2*efficiency"):
        env = made(game, objective=objective, **setting)
        env.reset(seed=3)
        choose, agents = at_random(3), list(env.agents)
        received, told = dict.fromkeys(agents, 0.0), {}
        while env.agents:
            agent, (_, reward, *_, info) = env.agent_selection, env.last()
            if ended(env):
                told[agent] = (reward, info["payoff"])
            else:
                assert reward == 0.0
            env.step(None if ended(env) else choose(env, agent))
            for name, value in env.rewards.items():
                received[name] += value
        goal = env.options.objective
        for seat, agent in enumerate(agents):
            wanted = goal.reward(env.payoffs, env.outcome(), seat)
            if objective in ("payoff", "self_gain"):
                assert received[agent] == told[agent][0] == wanted
            assert told[agent] == (received[agent], env.payoffs[seat])


@check("Metrics", "let payoffs() be finite floats, and efficiency and fairness in outcome() at most 1")
def payoffs_are_feasible(game: Game, setting: dict[str, Any]) -> None:
    for seed in SEEDS:
        env = made(game, **setting)
        play(env, at_random(seed), seed)
        outcome = env.outcome()
        assert len(env.payoffs) == len(outcome.gains) == len(env.possible_agents)
        assert np.isfinite(env.payoffs).all()
        assert all(type(x) is float for x in env.payoffs), "payoffs are written as floats"
        assert not outcome.efficiency > 1 + 1e-12
        assert not outcome.fairness > 1 + 1e-12


@check("Metrics", "list DEFINITIONS in metrics.py", definition=("mine", "Paper"))
def a_definition_of_the_metrics_that_the_game_does_not_have_is_refused(game: Game, definition: str) -> None:
    with refused(f"metrics='{definition}' is not allowed; allowed: paper"):
        made(game).outcome(definition)


@check(GUIDE, "let legal() be all False for who waits, and for nobody else")
def the_parallel_view_plays_the_same_game(game: Game, face: str) -> None:
    for seed in SEEDS:
        aec = made(game, face=face)
        play(aec, at_random(seed), seed)
        parallel = made_parallel(game, face=face)
        observations, infos = parallel.reset(seed=seed)
        choose, env = at_random(seed), parallel.aec
        total = dict.fromkeys(parallel.agents, 0.0)
        while parallel.agents:
            assert list(observations) == list(infos) == parallel.agents
            movers = [agent for agent in parallel.agents if any(env.legal(agent).kinds)]
            agents = list(parallel.agents)
            step = parallel.step({agent: choose(env, agent) for agent in movers})
            assert all(list(part) == agents for part in step), "every answer of step() has the agents as keys"
            observations, rewards, *flags, infos = step
            assert all(type(flag) is bool for part in flags for flag in part.values())
            for agent, reward in rewards.items():
                total[agent] += reward
            observations, infos = ({a: part[a] for a in parallel.agents} for part in (observations, infos))
        assert (env.game_state, env.payoffs) == (aec.game_state, aec.payoffs)
        seats = range(len(total))
        wanted = [aec.options.objective.reward(aec.payoffs, aec.outcome(), seat) for seat in seats]
        assert list(total.values()) == wanted
