"""PettingZoo's own tests on every game and face, and its registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from typing import Any
from unittest import SkipTest

import pettingzoo
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test

from econzoo.envs.core import format_count, pettingzoo_id
from econzoo.envs.core.contract import Game, turns_of
from econzoo.envs.core.env import ParallelGameEnv
from econzoo.testing.playing import freeze, game_module, ignore_warnings, make_env, make_parallel_env, make_raw_env
from econzoo.testing.playing import random_policy
from econzoo.testing.suite import check

GUIDE = "The rules"
REMEDY = "ensure that every match ends and that positions determine who moves"

LENGTH_REMEDY = (
    "give `Cases.long` parameters with which no match ends early, or in `Cases.max_moves` the most that there are"
)

PETTINGZOO_CYCLES = 4
"""Moves of every seat after which PettingZoo's test cuts a match."""


def skip_short_matches(game: Game, cycles: int) -> None:
    """Skip a check that needs matches with more than these moves per seat."""
    if 0 < game.cases.max_moves <= cycles * len(make_env(game, **game.cases.long).possible_agents):
        raise SkipTest(f"no match has more than {format_count(game.cases.max_moves, 'move')}")


@check(GUIDE, REMEDY, maker=(make_env, make_raw_env))
def api(game: Game, face: str, maker: Callable[..., Any]) -> None:
    """PettingZoo's `api_test` passes."""
    with ignore_warnings():
        api_test(maker(game, face=face), num_cycles=60)


@check(GUIDE, REMEDY)
def api_in_every_setting(game: Game, setting: dict[str, Any]) -> None:
    """PettingZoo's `api_test` passes in every setting."""
    with ignore_warnings():
        api_test(make_env(game, **setting), num_cycles=20)


@check(GUIDE, REMEDY)
def seeds(game: Game, face: str) -> None:
    """PettingZoo's `seed_test` passes."""
    with ignore_warnings():
        seed_test(partial(make_env, game, face=face), num_cycles=30)


@check(GUIDE, REMEDY)
def parallel_api(game: Game, face: str) -> None:
    """PettingZoo's `parallel_api_test` passes."""
    with ignore_warnings():
        parallel_api_test(make_parallel_env(game, face=face), num_cycles=60)


@check(GUIDE, REMEDY)
def parallel_seeds(game: Game, face: str) -> None:
    """A seed reproduces the whole match, whatever was played until then."""
    check_parallel_seeds(game, face=face)


def check_parallel_seeds(game: Game, **options: Any) -> None:
    """Assert that a seed repeats a whole match; PettingZoo 1.27's `parallel_seed_test` compares only the first step."""
    fresh, used = make_parallel_env(game, **options), make_parallel_env(game, **options)
    for seed in range(3):
        steps = [*observe_parallel_steps(fresh, seed)]
        used.reset()  # one that is broken off, and of any seed
        used.step({agent: random_policy(9)(used.aec, agent) for agent in used.aec.awaited_agents})
        with ignore_warnings():  # that it is broken off
            assert [*observe_parallel_steps(used, seed)] == steps
        assert [*observe_parallel_steps(used, seed)] == steps


def observe_parallel_steps(env: Any, seed: int) -> Iterator[Any]:
    """Yield the frozen results of each step of a random match."""
    yield freeze(env.reset(seed=seed))
    choose = random_policy(seed)
    while env.agents:
        yield freeze(env.step({agent: choose(env.aec, agent) for agent in env.aec.awaited_agents}))


@check(GUIDE, REMEDY)
def rendering(game: Game, face: str) -> None:
    """PettingZoo's `render_test` passes, and ``render_mode="human"`` prints the match."""
    with ignore_warnings(), redirect_stdout(StringIO()) as printed:
        render_test(partial(make_env, game, face=face))
    assert game.name in printed.getvalue(), "nothing was printed that names the game"


@check("Cases", LENGTH_REMEDY)
def max_cycles(game: Game) -> None:
    """PettingZoo's `max_cycles_test` passes: a match runs until ``max_cycles`` truncates it."""
    max_cycles_of(game)


def max_cycles_of(game: Game, **options: Any) -> None:
    """Run PettingZoo's test on a game with enough moves.

    It assumes that every seat moves in a step of the parallel view, which sequential moves violate.
    """
    skip_short_matches(game, PETTINGZOO_CYCLES)
    if turns_of(game, game.params(**game.cases.long)[1]).has_waiting_seats:
        raise SkipTest("sequential moves; see `edges.a_cut_is_truncated_and_pays_nothing`")
    with ignore_warnings():
        max_cycles_test(game_module(game, **options, **game.cases.long))


@check(GUIDE, REMEDY)
def the_makers_make_all_three_views(game: Game) -> None:
    """`make`, `make_raw` and `make_parallel` return the checked, raw and parallel environments."""
    there = game_module(game)
    assert (there.env().api, there.raw_env().api) == ("aec", "raw")
    assert isinstance(there.parallel_env(), ParallelGameEnv)
    assert there.env().game is game


@check(GUIDE, REMEDY)
def made_by_its_registered_name(game: Game) -> None:
    """`pettingzoo.make` finds the game by its id."""
    if not hasattr(pettingzoo, "aec_registry"):
        raise SkipTest("PettingZoo < 1.27 has no registry")
    id = pettingzoo_id(game.name, game.version)
    env = pettingzoo.make("aec", id, face="structured")
    assert env.unwrapped.game is game
    env.reset(seed=1)
    assert env.unwrapped.face(env.agent_selection).name == "structured"
    parallel = pettingzoo.make("parallel", id)
    observations, _ = parallel.reset(seed=1)
    assert list(observations) == env.possible_agents
