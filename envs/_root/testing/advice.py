"""What theory tells a player, where a game offers advice: there is some in every position, and it has no secrets."""

from __future__ import annotations

from typing import Any
from unittest import SkipTest

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.streams import SAME_LUCK
from econzoo.testing.playing import at_random, ended, made
from econzoo.testing.suite import check

GUIDE = "The solution"
REMEDY = "let advise() read nothing but the view, and have advice for every position"


def advise_of(game: Game) -> Any:
    if not hasattr(game.solution, "advise"):
        raise SkipTest("the game offers no advice")
    return game.solution.advise


@check(GUIDE, REMEDY)
def there_is_advice_in_every_position(game: Game, setting: dict[str, Any]) -> None:
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


@check(GUIDE, REMEDY)
def advice_at_the_start_tells_no_secret(game: Game) -> None:
    advise = advise_of(game)
    for secret in game.cases.secrets:
        told = []
        for params, chance in zip((secret.one, secret.other), secret.chance, strict=True):
            env = made(game, face="structured", **params)
            env.reset(seed=1, options={"chance": chance, "streams": SAME_LUCK})
            told.append(advise(env.view(secret.seat)))
        assert told[0] == told[1], f"advice tells {secret.what}"
