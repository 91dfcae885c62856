"""PettingZoo's own tests on every game and face, and its registry."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test

from conformance.playing import LONG, ONE_MOVE, made, made_parallel, made_raw
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.env.checks import CheckedEnv
from econzoo.envs.core.env.parallel import ParallelGameEnv
from econzoo.envs.core.registry import pettingzoo_id
from toy_games import TOYS, module_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # the testers know neither Dict nor text observations


def module(game: Game) -> Any:
    return module_of(game.name) if game.name in TOYS else import_module(f"econzoo.envs.{game.name}_v{game.version}")


@pytest.mark.parametrize("maker", [made, made_raw], ids=["env", "raw_env"])
def test_api(game: Game, face: str, maker: Any) -> None:
    api_test(maker(game, face=face), num_cycles=60)


def test_api_in_every_setting(game: Game, setting: dict[str, Any]) -> None:
    api_test(made(game, **setting), num_cycles=20)


def test_seeds(game: Game, face: str) -> None:
    seed_test(partial(made, game, face=face), num_cycles=30)


def test_parallel_api(game: Game, face: str) -> None:
    parallel_api_test(made_parallel(game, face=face), num_cycles=60)


def test_parallel_seeds(game: Game, face: str) -> None:
    parallel_seed_test(partial(made_parallel, game, face=face), num_cycles=30)


def test_render(game: Game, face: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(partial(made, game, face=face))
    assert game.name in capsys.readouterr().out, "render_mode='human' prints the match"


def test_max_cycles_of_the_module(game: Game) -> None:
    if game.name in ONE_MOVE:
        pytest.skip("one move cannot be cut short")
    long = LONG.get(game.name, {})
    there = module(game)

    class Module:
        parallel_env = staticmethod(partial(there.parallel_env, **long))
        env = staticmethod(partial(there.env, **long))

    max_cycles_test(Module)


def test_module_makes_all_three_views(game: Game) -> None:
    there = module(game)
    assert isinstance(there.env(), CheckedEnv)
    assert not isinstance(there.raw_env(), CheckedEnv)
    assert isinstance(there.parallel_env(), ParallelGameEnv)
    assert there.env().game is game


@pytest.mark.skipif(not hasattr(pettingzoo, "aec_registry"), reason="PettingZoo before 1.27 has no registry")
def test_made_by_its_registered_name(game: Game) -> None:
    id = pettingzoo_id(game.name, game.version)
    env = pettingzoo.make("aec", id, face="structured")
    assert env.unwrapped.game is game
    env.reset(seed=1)
    assert env.unwrapped.face(env.agent_selection).name == "structured"
    parallel = pettingzoo.make("parallel", id)
    observations, _ = parallel.reset(seed=1)
    assert list(observations) == env.possible_agents
