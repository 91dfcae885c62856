"""Prompts to simulate other seats contain no hidden information."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import SkipTest
from unittest.mock import patch

import econzoo
from econzoo.envs.core.contract import Game, Secret
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.record import Record
from econzoo.testing.suite import check

GUIDE = "Perspectives"
REMEDY = "let infer_view() use the own view only, and return UNKNOWN otherwise"


SIMULATING_PLAYER = "mock:*?reasoning=k-level(2)&memory=table&tools=calculator&tool_calls=1"


def play_simulation(game: Game, secret: Secret, params: Mapping[str, Any]) -> Record:
    """Play a match in which all answer at random from the schema and seed."""
    seats = game.seats(game.params(**params)[1])
    players = [SIMULATING_PLAYER if seat == secret.seat else "mock:*" for seat in range(seats)]
    # Whatever is hidden by a length is revealed by then.
    brief = {name: min(params[name], 9) for name in ("rounds", "max_rounds") if params.get(name)}
    with patch.object(GameEnv, "setting", "the same luck in both"):
        return econzoo.play(game.name, players, seed=3, **{**params, **brief})


def collect_prompts(record: Record, secret: Secret) -> list[list[str]]:
    """Return all prompts of the seat's model, by turn, until the secret is revealed."""
    turns = [turn for turn in record.turns[: secret.steps] if turn.seat == secret.seat]
    return [[*[call["prompt"] for call in turn.calls], str(turn.prompt)] for turn in turns]


@check(GUIDE, REMEDY)
def simulations_keep_secrets(game: Game) -> None:
    compared = 0
    for secret in game.cases.secrets:
        if any(secret.chance) or secret.moves:
            continue  # nature's moves or those of others differ: another match, not the same one with a secret
        one, other = (
            collect_prompts(play_simulation(game, secret, params), secret)
            for params in (secret.first_params, secret.second_params)
        )
        # A secret for good may not even change the number of prompts; one that is told on the way may.
        shared = min(len(one), len(other)) if secret.steps < 100 else max(len(one), len(other))
        assert one[:shared] == other[:shared], f"a simulation reveals {secret.description}"
        compared += sum(len(questions) > 1 for questions in one[:shared])
    if not compared:
        raise SkipTest("nothing is hidden but nature's moves, or nothing at all")
