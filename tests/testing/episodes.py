"""Episodes: reproducible, independent, copyable, and with exact bookkeeping."""

from __future__ import annotations

import copy
import math
import pickle
import random
from itertools import product
from typing import Any

import numpy as np

from econzoo.envs.core.contract import Game, Objective
from econzoo.testing.playing import POLICIES, Choose, expect_value_error, has_ended, make_env, make_parallel_env
from econzoo.testing.playing import observe_turn, play, play_on, positions_of, random_policy, typed_events
from econzoo.testing.suite import check

GUIDE = "The rules"
REMEDY = "let rules be pure functions of their arguments: no module state, randomness or clock"


SEEDS = range(4)


@check(GUIDE, REMEDY)
def the_same_seed_gives_the_same_episode(game: Game, face: str) -> None:
    for seed in SEEDS:
        one = play(make_env(game, face=face), random_policy(seed), seed)
        two = play(make_env(game, face=face), random_policy(seed), seed)
        assert one == two
        assert len(one) >= len(make_env(game).possible_agents)


@check(GUIDE, REMEDY)
def a_seeded_reset_starts_over_in_one_instance(game: Game, face: str) -> None:
    env = make_env(game, face=face)
    one = play(env, random_policy(1), seed=5)
    play(env, random_policy(2), seed=6)
    assert play(env, random_policy(1), seed=5) == one
    env.reset(seed=9)  # also from the middle of an episode
    env.step(random_policy(3)(env, env.agent_selection))
    assert play(env, random_policy(1), seed=5) == one


@check(GUIDE, REMEDY)
def an_unseeded_reset_goes_on_with_the_generator(game: Game) -> None:
    def three(env: Any) -> list[Any]:
        return [(play(env, random_policy(0), seed), env.chance_draws) for seed in (3, None, None)]

    assert three(make_env(game)) == three(make_env(game)), "reset(seed=None) must continue the private generator"


CHANCE_SEEDS = range(12)
"""Seeds that are tried where one alone may draw the likeliest every time."""


@check(GUIDE, "let chance() give more than one outcome; if nature needs other parameters, give them in `Cases.chance`")
def chance_is_drawn_by_the_seed(game: Game) -> None:
    """Different seeds give different chance moves for equal moves of seats."""
    if not game.facts.chance or game.referee:
        return
    env, moved = make_env(game, **game.cases.chance), False
    for policy in range(POLICIES):
        drawn = set()
        for seed in CHANCE_SEEDS:
            play(env, random_policy(policy), seed)
            drawn.add(tuple(env.chance_draws))
        if len(drawn) > 1:
            return
        moved |= any(drawn)
    problem = "always drew the same" if moved else "never moved"
    raise AssertionError(f"nature {problem}, with {len(CHANCE_SEEDS)} seeds against each of {POLICIES} random players")


@check(GUIDE, "say in `GameFacts.chance` whether nature moves; give parameters that it needs in `Cases.chance`")
def chance_replays_from_the_record(game: Game, face: str) -> None:
    params = game.cases.chance
    env, moving = make_env(game, face=face, **params), game.facts.chance and not game.referee
    for policy in range(4, 4 + POLICIES):
        one = play(env, random_policy(policy), seed=8)
        if env.chance_draws or not moving:
            break
    drawn, state = list(env.chance_draws), env.game_state
    assert bool(drawn) == moving, f"chance={game.facts.chance}, and nature drew {drawn}"
    again, script = make_env(game, face=face, **params), {"chance": drawn, "rulings": list(env.rulings)}
    assert play(again, random_policy(policy), seed=77, options=script) == one
    assert (again.game_state, again.chance_draws) == (state, drawn)


@check(GUIDE, REMEDY)
def interleaved_instances_do_not_disturb_each_other(game: Game, face: str) -> None:
    alone = [play(make_env(game, face=face), random_policy(seed), seed) for seed in (1, 2)]
    envs = [make_env(game, face=face) for _ in alone]
    for env, seed in zip(envs, (1, 2), strict=True):
        env.reset(seed=seed)
    movers: list[Choose] = [random_policy(1), random_policy(2)]
    together: tuple[list[Any], list[Any]] = ([], [])
    while any(env.agents for env in envs):
        for env, choose, turns in zip(envs, movers, together, strict=True):
            if env.agents:
                turns.append(observe_turn(env))
                env.step(None if has_ended(env) else choose(env, env.agent_selection))
    assert list(together) == alone


@check(GUIDE, REMEDY)
def global_generators_are_left_alone(game: Game, face: str) -> None:
    def globally() -> tuple[Any, bytes]:
        return random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002

    previous = globally()
    play(make_env(game, face=face), random_policy(3), seed=3)
    assert globally() == previous


def pickle_copy(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


@check(GUIDE, REMEDY, clone=(copy.deepcopy, pickle_copy))
def a_copy_in_the_middle_goes_on_alike(game: Game, face: str, clone: Any) -> None:
    for steps in (0, min(3, game.cases.max_moves or 3)):
        env = make_env(game, face=face)
        play(env, random_policy(6), seed=6, limit=steps)
        other = clone(env)
        rest = play_on(env, random_policy(7))
        assert rest, "the episode went on after the copy was made"
        assert play_on(other, random_policy(7)) == rest
        assert (other.game_state, typed_events(other), other.chance_draws) == (
            env.game_state,
            typed_events(env),
            env.chance_draws,
        )
        assert play(other, random_policy(8), seed=None) == play(env, random_policy(8), seed=None)


@check(GUIDE, REMEDY)
def an_environment_is_copied_without_a_reset(game: Game, face: str) -> None:
    env = pickle.loads(pickle.dumps(make_env(game, face=face)))
    assert env.game is game
    assert play(env, random_policy(1), seed=1) == play(make_env(game, face=face), random_policy(1), seed=1)


@check(GUIDE, "let payoffs() and observe() give something for every seat in every position")
def dictionaries_keep_to_the_agents(game: Game, setting: dict[str, Any]) -> None:
    env = make_env(game, **setting)
    for _ in positions_of(env, random_policy(2), 2):
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
        env = make_env(game, objective=objective, **setting)
        env.reset(seed=3)
        choose, agents = random_policy(3), list(env.agents)
        received, final = dict.fromkeys(agents, 0.0), {}
        while env.agents:
            agent, (_, reward, *_, info) = env.agent_selection, env.last()
            if has_ended(env):
                final[agent] = (reward, info["payoff"])
            else:
                assert reward == 0.0
            env.step(None if has_ended(env) else choose(env, agent))
            for name, value in env.rewards.items():
                received[name] += value
        goal = env.options.objective
        for seat, agent in enumerate(agents):
            wanted = goal.reward(env.payoffs, env.outcome(), seat)
            if objective in ("payoff", "self_gain"):
                assert received[agent] == final[agent][0] == wanted
            assert final[agent] == (received[agent], env.payoffs[seat])


@check("Metrics", "let payoffs() be finite floats, and efficiency and fairness in outcome() at most 1")
def payoffs_are_feasible(game: Game, setting: dict[str, Any]) -> None:
    for seed in SEEDS:
        env = make_env(game, **setting)
        play(env, random_policy(seed), seed)
        outcome = env.outcome()
        assert len(env.payoffs) == len(outcome.gains) == len(env.possible_agents)
        assert np.isfinite(env.payoffs).all()
        assert all(type(x) is float for x in env.payoffs), "payoffs are written as floats"
        # "not >", as undefined metrics are NaN; the slack is for sums that round.
        assert not outcome.efficiency > 1 + 1e-12
        assert not outcome.fairness > 1 + 1e-12


OBJECTIVES = (
    "payoff",
    "self_gain",
    "efficiency",
    "fairness",
    "nash_product",
    "inequity(1, 0.5)",
    "self_gain - fairness",
)


@check("Metrics", "let ranges() in metrics.py bound payoffs() and outcome() in every position")
def results_lie_in_their_ranges(game: Game, setting: dict[str, Any]) -> None:
    for seed, definition in product(SEEDS, game.metrics.DEFINITIONS):
        env = make_env(game, metrics=definition, **setting)
        ranges = game.ranges(env.params, definition)
        assert len(ranges.payoffs) == len(ranges.gains) == len(env.possible_agents)
        for _ in positions_of(env, random_policy(seed), seed):
            for seat, objective in product(range(len(env.possible_agents)), map(Objective, OBJECTIVES)):
                value, (low, high) = objective(env.payoffs, env.outcome(), seat), objective.range(ranges, seat)
                # Ranges are computed in another order than values and round differently.
                slack = 1e-9 * max(1.0, abs(value))
                problem = f"{objective.spec} of seat {seat} is {value}, out of [{low}, {high}]"
                assert math.isnan(value) or low - slack <= value <= high + slack, problem


@check("Metrics", "list DEFINITIONS in metrics.py", definition=("mine", "Paper"))
def a_definition_of_the_metrics_that_the_game_does_not_have_is_refused(game: Game, definition: str) -> None:
    with expect_value_error(f"metrics='{definition}'"):
        make_env(game).outcome(definition)


@check(GUIDE, "let legal() be all False for who waits, and for nobody else")
def the_parallel_view_plays_the_same_game(game: Game, face: str) -> None:
    for seed in SEEDS:
        aec = make_env(game, face=face)
        play(aec, random_policy(seed), seed)
        parallel = make_parallel_env(game, face=face)
        observations, infos = parallel.reset(seed=seed)
        choose, env = random_policy(seed), parallel.aec
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
