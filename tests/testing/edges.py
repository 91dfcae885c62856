"""Match ends and space boundaries behave equally in all views and conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unittest import SkipTest

import numpy as np
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

import econzoo
from econzoo.envs.core.contract import Game
from econzoo.testing.gymnasium_api import action, learner, seats
from econzoo.testing.pettingzoo_api import LENGTH_REMEDY, skip_short_matches
from econzoo.testing.playing import POLICIES, check_unknown_options, expect_value_error, freeze, make_env
from econzoo.testing.playing import make_parallel_env, no_op, play, random_policy
from econzoo.testing.suite import check

GUIDE = "The rules"
REMEDY = "ensure that every match ends and that positions determine who moves"

GROUP_OBJECTIVES = ("efficiency", "0.5*self_gain + 0.5*fairness")
"""Objectives that depend on other seats."""


class Episode:
    """Random match in one of the views.

    Attributes:
        rewards: Total reward of each agent.
        early_rewards: Total reward of each agent before the last step.
        ends: Last observation, terminated, truncated and info of each agent.
        masks: Action masks of agents to move, and of all agents at their end.
        env: Environment after the match.
    """

    def __init__(self, agents: list[str], env: Any) -> None:
        self.rewards, self.early_rewards = dict.fromkeys(agents, 0.0), dict.fromkeys(agents, 0.0)
        self.ends: dict[str, tuple[Any, bool, bool, dict[str, Any]]] = {}
        self.masks: list[np.ndarray] = []
        self.env = env


def play_aec(env: Any, choose: Callable[[Any, str], Any], seed: int, inner: Any = None) -> Episode:
    """Play a match of an AEC environment; `inner`: the environment that it wraps, if it is a conversion."""
    env.reset(seed=seed)
    episode, game = Episode(list(env.possible_agents), inner or env), inner or env
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        episode.rewards[agent] += reward
        episode.masks.append(observation["action_mask"])
        if inner is None:
            episode.masks += [env.observe(other)["action_mask"] for other in env.awaited_agents]
            episode.masks += [info["action_mask"]]
        if terminated or truncated:
            episode.ends[agent] = observation, terminated, truncated, info
        else:
            episode.early_rewards[agent] += reward
        env.step(None if terminated or truncated else choose(game, agent))
    return episode


def play_parallel(env: Any, choose: Callable[[Any, str], Any], seed: int, inner: Any) -> Episode:
    """Play a match of a parallel environment; `inner`: the environment that it wraps."""
    observations, infos = env.reset(seed=seed)
    episode = Episode(list(env.possible_agents), inner)
    while env.agents:
        episode.masks += [observations[agent]["action_mask"] for agent in env.agents]
        episode.masks += [infos[agent]["action_mask"] for agent in env.agents if "action_mask" in infos[agent]]
        moves = {agent: choose(inner, agent) for agent in env.agents if any(inner.legal(agent).kinds)}
        observations, rewards, terminations, truncations, infos = env.step(moves)
        over = not env.agents
        for agent, reward in rewards.items():
            episode.rewards[agent] += reward
            episode.early_rewards[agent] += 0.0 if over else reward
            if terminations[agent] or truncations[agent]:
                episode.ends[agent] = observations[agent], terminations[agent], truncations[agent], infos[agent]
                episode.masks.append(observations[agent]["action_mask"])
    return episode


def play_gymnasium(game: Game, seat: int, seed: int, **options: Any) -> Episode:
    """Play a match of the Gymnasium environment against random players."""
    env: Any = learner(game, opponent="random", seat=seat, **options)
    agent = f"player_{seat}"
    observation, info = env.reset(seed=seed)
    episode, over = Episode([agent], env.unwrapped._env), False
    while not over:
        episode.masks += [observation["action_mask"], info["action_mask"], env.unwrapped.action_masks()]
        episode.early_rewards[agent] = episode.rewards[agent]
        idle = episode.env.over or not any(episode.env.legal(agent).kinds)  # the others ended it before the first move
        chosen = env.action_space.sample() if idle else action(game, env, seat, "numeric")
        observation, reward, terminated, truncated, info = env.step(chosen)
        episode.rewards[agent] += reward
        over = terminated or truncated
    episode.ends[agent] = observation, terminated, truncated, info
    episode.masks += [observation["action_mask"], info["action_mask"]]
    return episode


def play_every_view(game: Game, seed: int, **options: Any) -> Iterator[Episode]:
    """Yield one random match in the AEC and parallel views, and one per seat of the Gymnasium environment."""
    yield play_aec(make_env(game, **options), random_policy(seed, 101), seed)
    parallel = make_parallel_env(game, **options)
    yield play_parallel(parallel, random_policy(seed, 101), seed, parallel.aec)
    for seat in {0, seats(game)[-1]}:
        yield play_gymnasium(game, seat, seed, **options)


CUT_GUIDE = "Cases", LENGTH_REMEDY


@check("Cases", "let `Cases.max_moves` be the most that a match can have, or leave it out and give `Cases.long`")
def no_match_has_more_moves_than_the_most(game: Game, setting: dict[str, Any]) -> None:
    most = game.cases.max_moves
    if not most:
        raise SkipTest("the environment declares no maximum")
    for policy in range(POLICIES):
        env = make_env(game, **setting)
        play(env, random_policy(policy), policy)
        assert env.moves <= most, f"a match had {env.moves} moves, and max_moves={most}"


@check(*CUT_GUIDE, cycles=(1, 2), objective=("self_gain", GROUP_OBJECTIVES[1]))
def a_cut_is_truncated_and_pays_nothing(game: Game, cycles: int, objective: str) -> None:
    """``max_cycles`` truncates every view without reward or penalty; the info has the payoffs of the position."""
    skip_short_matches(game, cycles)
    cuts: list[set[int]] = []
    longest = 0
    options = {"max_cycles": cycles, "objective": objective, "penalty": 0.1, **game.cases.long}
    for seed in range(20):
        every = list(play_every_view(game, seed, **options))
        ends, longest = [episode for episode in every if episode.env.is_truncated], max(longest, every[0].env.moves)
        for episode in ends:
            check_cut(episode, cycles)
        cuts += [{episode.env.moves for episode in ends}] if ends else []
        if len(cuts) > 1:
            break
    if not cuts and longest <= cycles * len(every[0].env.possible_agents):
        raise SkipTest(f"no match has more than {longest} moves")
    assert cuts, "no match went on for so long"
    assert game.rules.alive or all(len(moves) == 1 for moves in cuts), "the same number of moves in every view"


def check_cut(episode: Episode, cycles: int) -> None:
    """Assert that truncation paid nobody except departed seats."""
    env = episode.env
    assert env.moves >= cycles * len(env.possible_agents)
    for agent, (observation, terminated, truncated, info) in episode.ends.items():
        seat = env.possible_agents.index(agent)
        left = seat in env.departed_seats and env.options.objective.is_individual
        assert (terminated, truncated) == (left, True) or (left and terminated)
        assert observation is not None
        if not left:
            assert episode.rewards[agent] == 0.0
            assert info["position_payoff"] == env.payoffs[seat]
            assert not {"payoff", "payoffs", "outcome"} & set(info)


@check(*CUT_GUIDE)
def the_record_of_a_cut_has_no_result(game: Game) -> None:
    """The record of a truncated match has status ``truncated``, no result, and the payoffs of the position."""
    skip_short_matches(game, 1)
    players = ["random"] * len(make_env(game, **game.cases.long).possible_agents)
    params = {**game.cases.short, **game.cases.long}
    records = [econzoo.play(game.name, players, seed=seed, max_cycles=1, **params) for seed in range(8)]
    cut = [record for record in records if record.status == "truncated"]
    if not cut and all(len(record.turns) <= len(players) for record in records):
        raise SkipTest(f"no match has more than {len(players)} moves")
    assert cut, "no match went on for so long"
    for record in cut:
        assert not record.has_result
        assert not any(record.payoffs)
        assert {*record.metrics["gains"], record.metrics["efficiency"], record.metrics["fairness"]} == {None}
        assert record.position_payoffs is not None


OUTSIDE_ACTIONS = (10**6, -1, "60", 0.5, 1.0, True, np.array([0]), np.float64(1.0), None)
"""Actions outside every numeric space of one number."""


@check(GUIDE, REMEDY, maker=(make_env, make_parallel_env, learner))
def an_action_outside_the_space_is_refused(game: Game, maker: Callable[..., Any]) -> None:
    """An action outside the space raises before anything is played, in every view, or applies ``on_error`` if given."""
    options = {"opponent": "random"} if maker is learner else {}
    for wrong in OUTSIDE_ACTIONS:
        env, inner = start_match(maker(game, **options))
        previous = inner.moves, inner.game_state
        with expect_value_error("is outside its space; allowed: "):
            give_answer(env, inner, wrong)
        assert (inner.moves, inner.game_state, inner.errors, dict(inner.pending)) == (
            *previous,
            [0] * len(inner.errors),
            {},
        )
        give_answer(env, inner, random_policy(0)(inner, inner.agent_selection))  # and the match can go on
        env, inner = start_match(maker(game, on_error="raise", **options))
        with expect_value_error("outside its space"):
            give_answer(env, inner, wrong)
        for policy in ("default", "forfeit"):
            env, inner = start_match(maker(game, on_error=policy, **options))
            seat = inner.possible_agents.index(inner.agent_selection)
            give_answer(env, inner, wrong)
            assert inner.errors[seat] >= 1
            assert "is outside its space; allowed: " in inner.problems[seat]
            if policy == "default":
                assert inner.defaults[seat] == inner.errors[seat]
            else:
                assert inner.forfeiting_seat is not None
                assert inner.over


@check(GUIDE, REMEDY, maker=(make_env, make_parallel_env, learner))
def reset_takes_the_same_options_in_every_view(game: Game, setting: dict[str, Any], maker: Callable[..., Any]) -> None:
    """Parameters given at `reset` are those of the match and of later ones; unknown names raise."""
    options: dict[str, Any] = {**game.cases.short, **({"opponent": "random"} if maker is learner else {})}
    env, params = maker(game, **options), {**game.cases.short, **setting}
    check_unknown_options(game, env)
    wide, wanted = (game.params(**one)[1] for one in (game.cases.short, params))
    if game.seats(wide) != game.seats(wanted) or game.actions_of(wide).slots != game.actions_of(wanted).slots:
        raise SkipTest("the setting has other seats or numbers of a move")
    observed = freeze(env.reset(seed=1, options={"params": params})), freeze(env.reset(seed=2))
    inner = start_match(env)[1]
    assert inner.public_params == game.params(**params)[0], "the parameters stay for later matches"
    fresh = maker(game, **{**options, **params})
    assert observed == (freeze(fresh.reset(seed=1)), freeze(fresh.reset(seed=2))), "observations of a fresh environment"


@check(GUIDE, REMEDY, maker=(make_env, make_parallel_env, learner))
def what_is_no_action_is_refused_on_every_face(game: Game, face: str, maker: Callable[..., Any]) -> None:
    """None from a living agent, and what is neither text nor an object, raise before anything is played."""
    options = {"face": face, **({"opponent": "random"} if maker is learner else {})}
    wrong = {"numeric": "60", "structured": 60, "text": {"kind": "C"}, "chat": 60}[face]
    for answer in (None, wrong, [], object()):
        env, inner = start_match(maker(game, **options))
        previous = inner.moves, inner.game_state
        with expect_value_error("is outside its space; allowed: "):
            give_answer(env, inner, answer)
        assert (inner.moves, inner.game_state, inner.errors) == (*previous, [0] * len(inner.errors))


def start_match(env: Any) -> tuple[Any, Any]:
    """Return a reset environment, and the environment that it wraps."""
    env.reset(seed=1)
    return env, getattr(env, "aec", None) or getattr(env.unwrapped, "_env", env)


def give_answer(env: Any, inner: Any, wrong: Any) -> None:
    """Give the same answer for all movers."""
    env.step(dict.fromkeys(inner.awaited_agents, wrong) if hasattr(env, "aec") else wrong)


@check(GUIDE, REMEDY, objective=GROUP_OBJECTIVES)
def an_outcome_has_one_value_for_a_group_objective(game: Game, objective: str, seeds: range) -> None:
    """All seats, including departed ones, are paid once, at the end, in every view."""
    for seed in seeds:
        for episode in play_every_view(game, seed, objective=objective, penalty=0.1):
            env = episode.env
            for agent, reward in episode.rewards.items():
                assert reward == env.seat_reward(env.possible_agents.index(agent)), agent
                assert episode.early_rewards[agent] == 0.0
    if game.rules.alive is not None:
        for maker in (make_env, make_parallel_env):
            with expect_value_error(r"invalid black_death=False with objective=.*: expected True"):
                maker(game, objective=objective, black_death=False)


@check(GUIDE, REMEDY)
def no_mask_is_empty_for_who_may_be_asked(game: Game, seeds: range) -> None:
    """Masks are never empty, not even at the end, where some libraries still sample an action."""
    for seed in seeds:
        for stays in (False, True):
            for episode in play_every_view(game, seed, black_death=stays):
                assert all(mask.any() for mask in episode.masks)
        for episode in play_conversions(game, seed):
            assert all(mask.any() for mask in episode.masks)


def play_conversions(game: Game, seed: int) -> Iterator[Episode]:
    """Yield the same match in PettingZoo's conversions of both views, where possible."""
    env = make_env(game)
    if env.metadata["is_parallelizable"]:
        yield play_parallel(aec_to_parallel(env), random_policy(seed, 101), seed, env)
    parallel = make_parallel_env(game)
    idle, choose = no_op(parallel.action_space("player_0")), random_policy(seed, 101)

    def move(inner: Any, agent: str) -> Any:
        return choose(inner, agent) if any(inner.legal(agent).kinds) else idle

    yield play_aec(parallel_to_aec(parallel), move, seed, parallel.aec)


@check(GUIDE, REMEDY)
def conversions_pay_what_the_match_pays(game: Game, seeds: range) -> None:
    """Sums of rewards in PettingZoo's conversions are those of `make`."""
    for seed in seeds:
        for episode in play_conversions(game, seed):
            env = episode.env
            assert list(episode.rewards.values()) == [env.seat_reward(seat) for seat in range(len(env.possible_agents))]
