"""The loops in which libraries made for PettingZoo play, by hand: every seat is paid what its match was worth.

Each loop does in a few lines what a wrapper or a tutorial does, without the library. Where a game lets seats leave
before its end, a loop that cannot bear it names the argument to add.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

import econzoo
from refusals import refuses

DEADLY: dict[str, dict[str, Any]] = {
    "water_allocation": {"supply": (10, 10), "days": 12},
    "survival_auction": {"days": 12},
    "guess_average": {"players": 6, "health": 2, "rounds": 12},
}
SHORT: dict[str, dict[str, Any]] = {game: {"rounds": 1} for game in ("program_matrix", "program_coin", "public_goods")}
ADD_BLACK_DEATH = r"black_death=True"

rng = np.random.default_rng(1)


def games() -> Iterator[tuple[str, dict[str, Any]]]:
    """All games of several seats that can be played here, with parameters under which seats leave early."""
    for name in econzoo.games():
        game = econzoo.game(name)
        if game.facts.seats > 1 and not (game.referee and game.referee.unavailable()):
            yield name, {**DEADLY, **SHORT}.get(name, {})


def drawn(mask: Any) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def ended(env: Any, agent: str) -> bool:
    return bool(env.terminations[agent] or env.truncations[agent])


def as_rllib(env: Any) -> tuple[dict[str, float], bool]:
    """RLlib's `PettingZooEnv`: after each step who has ended leaves. Gives what was paid and if the end was told."""
    paid, over = dict.fromkeys(env.possible_agents, 0.0), False
    env.reset(seed=1)
    while not over:
        env.step(drawn(env.observe(env.agent_selection)["action_mask"]))
        terminated, truncated = [], []
        while env.agents:
            agent = env.agent_selection
            _, reward, is_terminated, is_truncated, _ = env.last()
            paid[agent] += reward
            terminated.append(is_terminated)
            truncated.append(is_truncated)
            if not ended(env, agent):
                break
            env.step(None)
        over = not env.agents
    return paid, all(terminated) or all(truncated)


def as_tianshou(env: Any) -> dict[str, float]:
    """tianshou's `PettingZooEnv` in a collector: a match is over when `last` says that an agent's is."""
    paid, over = dict.fromkeys(env.possible_agents, 0.0), False
    env.reset(seed=1)
    while not over:
        env.step(drawn(env.last()[0]["action_mask"]))
        over = any(env.last()[2:4])
        for agent, reward in env.rewards.items():
            paid[agent] += reward
    return paid


def as_action_mask_tutorial(env: Any) -> None:
    """The Gymnasium wrapper of PettingZoo's tutorial for MaskablePPO: over when the seat that has moved has ended."""
    env.reset(seed=1)
    over = False
    while not over:
        agent = env.agent_selection
        mask = env.observe(agent)["action_mask"]
        env.step(drawn(mask if mask.any() else np.ones_like(mask)))
        over = ended(env, agent)


def as_cleanrl(env: Any) -> dict[str, float]:
    """CleanRL's tutorial: observations stacked to one array, and a match is over when any agent has ended."""
    paid, over = dict.fromkeys(env.possible_agents, 0.0), False
    observations, infos = env.reset(seed=1)
    (features,) = env.observation_space(env.possible_agents[0]).shape
    while not over:
        assert np.stack([observations[agent] for agent in env.possible_agents]).shape == (len(paid), features)
        actions = {agent: drawn(infos[agent]["action_mask"]) for agent in env.agents}
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for agent, reward in rewards.items():
            paid[agent] += reward
        over = any(terminated.values()) or any(truncated.values())
    return paid


def worth(env: Any) -> dict[str, float]:
    """The objective's value of the match that was played, by agent."""
    return {agent: pytest.approx(env.seat_reward(seat)) for seat, agent in enumerate(env.possible_agents)}


@pytest.mark.slow
def test_every_seat_is_paid_what_its_match_is_worth() -> None:
    """RLlib needs no argument; the others need ``black_death=True`` where seats leave early, and bear it elsewhere."""
    for name, params in games():
        for options in ({}, {"black_death": True}):
            env = econzoo.make(name, **params, **options)
            assert as_rllib(env) == (worth(env), True), name
        assert as_tianshou(env) == worth(env), name
        as_action_mask_tutorial(env)
        parallel = econzoo.make_parallel(name, **params, flat=True, black_death=True)
        assert as_cleanrl(parallel) == worth(parallel.aec), name


@pytest.mark.slow
def test_the_library_is_told_the_end_of_a_match_that_is_cut() -> None:
    """RLlib ends an episode when all that ended in a step were terminated, or all were cut: never some of each."""
    for name, params in games():
        for cut in (1, 5):
            for stays in (False, True):
                env = econzoo.make(name, **params, max_cycles=cut, black_death=stays)
                assert as_rllib(env)[1], (name, cut)


@pytest.mark.filterwarnings("error")
def test_a_loop_that_stops_at_the_first_death_is_told_what_to_add() -> None:
    """At the next `reset`; one that plays to the end, or stops at another moment, is told nothing."""
    for name, params in DEADLY.items():
        env, parallel = econzoo.make(name, **params), econzoo.make_parallel(name, **params, flat=True)
        assert not any(as_tianshou(env).values()), "who lives on has not been paid"
        with pytest.warns(UserWarning, match=rf"^{name}: reset\(\) .*{ADD_BLACK_DEATH}$"):
            env.reset()
        env.step(0)
        env.reset()
        as_rllib(env)
        env.reset()
        as_cleanrl(parallel)
        with pytest.warns(UserWarning, match=ADD_BLACK_DEATH):
            parallel.reset()
        while parallel.agents:
            parallel.step(dict.fromkeys(parallel.agents, 0))
        parallel.reset()


def test_an_action_of_who_has_left_is_refused_with_the_argument_to_add() -> None:
    for name, params in DEADLY.items():
        env = econzoo.make(name, **params)
        as_tianshou(env)
        with refuses(ValueError, name, None, 3, "black_death=True"):
            env.step(3)
    bargaining = econzoo.make("bargaining", max_cycles=1)
    as_tianshou(bargaining)
    with refuses(ValueError, None, "player_0", 3) as refused:
        bargaining.step(3)
    assert "black_death" not in str(refused.value)


def test_who_takes_an_observation_for_an_array_is_told_what_to_add() -> None:
    """SuperSuit and RLlib show the space in their errors; CleanRL's files and Stable-Baselines3 ask for its size."""
    for name, _ in games():
        for env in (econzoo.make(name), econzoo.make_parallel(name, mask="info")):
            space = env.observation_space("player_0")
            assert "flat=True" in f"{space}", name
            with pytest.warns(UserWarning, match="flat=True"):
                assert space.shape is None
            with pytest.warns(UserWarning, match="flat=True"):
                size = spaces.flatdim(space)
            assert size == sum(part.shape[0] for part in space.values())
        flat = econzoo.make(name, flat=True).observation_space("player_0")
        assert "flat=True" not in f"{flat}"
        assert flat.shape == (spaces.flatdim(flat),)


@pytest.mark.filterwarnings("error")
def test_the_space_is_a_plain_dict_in_all_else() -> None:
    """No warning in what Gymnasium does with a Dict."""
    space = econzoo.make("matrix").observation_space("player_0")
    same = spaces.Dict(dict(space.spaces))
    for other in (pickle.loads(pickle.dumps(space)), deepcopy(space), same):
        assert space == other
        assert other == space
        assert repr(other) == repr(space)
    seen = space.sample()
    assert (spaces.flatten(space, seen) == spaces.flatten(same, seen)).all()
    assert spaces.flatten_space(space) == spaces.flatten_space(same)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert spaces.flatdim(space) == spaces.flatdim(same)
