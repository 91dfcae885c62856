"""A model that simulates the others is asked nothing that depends on what its seat may not know."""

from __future__ import annotations

from typing import Any

import pytest

import econzoo
from conformance.secrets_table import SECRETS, Secret
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.record.record import Record

SIMULATING = "mock:*?reasoning=k-level(2)&memory=table&tools=calculator&tool_calls=1"


def played(game: Game, secret: Secret, params: dict[str, Any]) -> Record:
    """A match in which all answer at random by schema and seed, whatever they read."""
    seats = game.seats(game.params(**params)[1])
    players = [SIMULATING if seat == secret.seat else "mock:*" for seat in range(seats)]
    # Whatever is hidden by a length is told by then.
    brief = {name: min(params[name], 9) for name in ("rounds", "max_rounds") if name in params}
    return econzoo.play(game.name, players, seed=3, **{**params, **brief})


def asked(record: Record, secret: Secret) -> list[list[str]]:
    """Everything that the seat's model was asked, turn by turn, for as long as the secret is one."""
    turns = [turn for turn in record.turns[: secret.steps] if turn.seat == secret.seat]
    return [[*[call["prompt"] for call in turn.calls], str(turn.prompt)] for turn in turns]


def test_simulations_keep_secrets(registered_game: Game) -> None:
    compared = 0
    for secret in SECRETS.get(registered_game.name, []):
        if any(secret.chance):
            continue  # nature's moves differ: another match, not the same one with a secret
        one, other = (asked(played(registered_game, secret, params), secret) for params in (secret.one, secret.other))
        shared = min(len(one), len(other)) if secret.steps < 100 else max(len(one), len(other))
        assert one[:shared] == other[:shared], f"a simulation tells {secret.what}"
        compared += sum(len(questions) > 1 for questions in one[:shared])
    if not compared:
        pytest.skip("nothing is hidden but nature's moves, or nothing at all")
