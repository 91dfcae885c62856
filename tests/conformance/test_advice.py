"""What theory tells a player, where a game offers advice: there is some in every position, and it has no secrets."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.playing import at_random, ended, made
from conformance.secrets_table import SECRETS
from econzoo.envs.core.contract.game import Game


def advise_of(game: Game) -> Any:
    if not hasattr(game.solution, "advise"):
        pytest.skip("the game offers no advice")
    return game.solution.advise


def test_there_is_advice_in_every_position(game: Game, setting: dict[str, Any]) -> None:
    advise = advise_of(game)
    env = made(game, face="structured", **setting)
    env.reset(seed=1)
    choose = at_random(1)
    while env.agents:
        if not ended(env):
            told = advise(env.seen(env.agent_selection).view)
            lines = told.values() if isinstance(told, dict) else [told]
            assert lines
            assert all(isinstance(line, str) and line.strip() for line in lines)
            assert not {"inf", "-inf", "nan"} & {word.strip("$%,.") for line in lines for word in line.split()}
        env.step(None if ended(env) else choose(env, env.agent_selection))


def test_advice_at_the_start_tells_no_secret(game: Game) -> None:
    advise = advise_of(game)
    for secret in SECRETS.get(game.name, []):
        told = []
        for params, chance in zip((secret.one, secret.other), secret.chance, strict=True):
            env = made(game, face="structured", **params)
            env.reset(seed=1, options={"chance": chance})
            told.append(advise(env.view(secret.seat)))
        assert told[0] == told[1], f"advice tells {secret.what}"
