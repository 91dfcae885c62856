"""Gymnasium's own checks from every seat, vector environments, and rendering."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from multiprocessing import get_start_method
from typing import Any
from unittest import SkipTest

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from econzoo.envs.core import gymnasium_id
from econzoo.envs.core.contract import Game
from econzoo.envs.core.faces import render_reply
from econzoo.testing.playing import FACES, draw, freeze
from econzoo.testing.suite import Case, check, is_foreign

GUIDE = "The rules"
REMEDY = "ensure that every match ends and that positions determine who moves"


def seats(game: Game) -> range:
    return range(len(game.facts.roles))


def learner(game: Game, **kwargs: Any) -> gymnasium.Env:
    return gymnasium.make(gymnasium_id(game.name, game.version), **{**game.cases.short, **kwargs})


@check(GUIDE, REMEDY, seat=(0, 1))
def gymnasium_checks_every_face_and_seat(game: Game, face: str, seat: int) -> None:
    if seat not in seats(game):
        raise SkipTest("the game has one seat")
    env = learner(game, opponent="random", seat=seat, face=face, disable_env_checker=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about Dict, text and dictionary spaces, which Gymnasium cannot know
        check_env(env.unwrapped, skip_render_check=False)


@check(GUIDE, REMEDY)
def the_spaces_are_those_of_the_seat(game: Game, face: str) -> None:
    for seat in seats(game):
        env = learner(game, opponent="random", seat=seat, face=face)
        observation, _ = env.reset(seed=3)
        over = False
        while not over:
            assert env.observation_space.contains(observation)
            observation, reward, terminated, truncated, info = env.step(action(game, env, seat, face))
            assert type(terminated) is type(truncated) is bool
            over = terminated or truncated
            assert over or reward == 0.0
        assert env.observation_space.contains(observation)
        assert {"payoff", "forfeit", "errors", "defaults"} <= set(info)


def action(game: Game, env: Any, seat: int, face: str) -> Any:
    """Sample a legal move of the learner from its observation."""
    inner = env.unwrapped._env
    agent = inner.possible_agents[seat]
    move = draw(np.random.default_rng(len(inner.events)), game, inner.legal(agent))
    if face == "numeric":
        return inner.face(agent).encode(move, inner.legal(agent))
    if face == "structured":
        return game.actions.to_plain(move)
    return render_reply(game.actions, move)


@check(GUIDE, REMEDY)
def one_seed_determines_the_whole_episode(game: Game, face: str) -> None:
    seat = min(1, seats(game)[-1])

    def episode(env: gymnasium.Env, seed: int) -> list[Any]:
        out: list[Any] = [tuple(map(freeze, env.reset(seed=seed)))]
        while True:
            *rest, info = env.step(action(game, env, seat, face))
            out.append((*map(freeze, rest), freeze(info)))
            if rest[2] or rest[3]:
                return out

    one, two = (learner(game, opponent="random", seat=seat, face=face) for _ in range(2))
    for seed in (1, 2):
        expected = episode(one, seed)
        assert episode(two, seed) == expected
        assert episode(one, seed) == expected, "a second seeded reset in one instance"
    assert len({tuple(episode(one, seed)) for seed in range(4)}) > 1, (
        "the opponent's and nature's randomness follow the seed"
    )


MAKE_OPTIONS: dict[str, dict[str, Any]] = {
    "Dict": {},
    "flat": {"flat": True},
    **{face: {"face": face} for face in FACES if face != "numeric"},
}


@check(GUIDE, REMEDY, way=("Dict", *(Case(way, False) for way in MAKE_OPTIONS if way != "Dict")))
def a_vector_of_games_is_as_many_games(game: Game, way: str) -> None:
    """`gymnasium.make_vec` has by default the same opponents, seats, observations and rewards as `make`."""
    compare_with_single_games(game, "sync", **MAKE_OPTIONS[way])


@check(GUIDE, REMEDY, way=[Case(way, False) for way in MAKE_OPTIONS])
def games_in_processes_of_their_own_are_the_same(game: Game, way: str) -> None:
    """`gymnasium.make_vec` gives the same results with one process per game."""
    if not find_spec(game.package) or (is_foreign(game) and get_start_method() != "fork"):
        raise SkipTest("the game is not registered in other processes")
    compare_with_single_games(game, "async", **MAKE_OPTIONS[way])


def compare_with_single_games(game: Game, mode: str, **made: Any) -> None:
    """Play the games of a vector, and the same games one by one, to the end; compare them."""
    seat, face, number = seats(game)[-1], made.get("face", "numeric"), 3
    made |= {"opponent": "random", "seat": seat, **game.cases.short}
    id = gymnasium_id(game.name, game.version)
    singles = [gymnasium.make(id, **made) for _ in range(number)]
    spawned = {"context": "spawn"} if mode == "async" and game.referee is not None else {}  # programs cannot be forked
    together = gymnasium.make_vec(id, number, mode, vector_kwargs=spawned, **made)
    seen, running = together.reset(seed=5)[0], set(range(number))
    for i in running:
        # Gymnasium gives the games of a vector consecutive seeds.
        check_same_observation(singles[i].reset(seed=5 + i)[0], seen, i)
    while running:
        actions = [
            action(game, env, seat, face) if i in running else idle_action(env, face) for i, env in enumerate(singles)
        ]
        given = np.array(actions) if face == "numeric" else tuple(actions)
        seen, rewards, terminated, truncated, _ = together.step(given)
        for i in sorted(running):
            observation, *results, _ = singles[i].step(actions[i])
            check_same_observation(observation, seen, i)
            assert results == [rewards[i], terminated[i], truncated[i]]
            running -= {i} if terminated[i] or truncated[i] else set()
    together.close()


def idle_action(env: gymnasium.Env, face: str) -> Any:
    """Return any action, for a finished game."""
    return {"numeric": np.zeros(env.action_space.shape or (), np.int64), "structured": {}}.get(face, "")


def check_same_observation(one: Any, several: Any, row: int) -> None:
    """The observation of one game equals its row among those of several."""
    parts = [(one, several)] if isinstance(one, np.ndarray) else [(one[key], several[key]) for key in one]
    assert [freeze(part) for part, _ in parts] == [freeze(rows[row]) for _, rows in parts]


def count_steps(game: Game, env: gymnasium.Env, face: str = "numeric") -> int:
    """Play an episode; return its number of steps."""
    env.reset(seed=1)
    steps, over = 0, False
    while not over:
        _, _, terminated, truncated, _ = env.step(action(game, env, 0, face))
        steps, over = steps + 1, terminated or truncated
    return steps


@check(GUIDE, REMEDY)
def an_episode_in_frames_of_one_size(game: Game) -> None:
    env = learner(game, render_mode="rgb_array_list")
    steps = count_steps(game, env)
    frames: Any = env.render()
    assert len(frames) == steps + 1
    assert {(frame.dtype.name, frame.shape) for frame in frames} == {("uint8", (540, 960, 3))}
    assert len({frame.tobytes() for frame in frames}) == steps + 1, "every step can be seen"
