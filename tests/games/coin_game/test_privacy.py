"""Sealed steps: nobody learns of the steps and words of a round before both have chosen, nor of coins to come."""

from __future__ import annotations

from itertools import product
from typing import Any

import econzoo
from econzoo.testing.playing import FACES, encode, freeze
from games.sealed import shown


def started(face: str, placement: Any, **params: Any) -> Any:
    env = econzoo.make("coin_game", face=face, render_mode="ansi", **params)
    env.reset(seed=0, options={"placement": placement})
    return env


def choose(env: Any, index: int, words: str = "") -> None:
    said = words if env.face(env.agent_selection).name != "numeric" else ""
    env.step(encode(env, env.agent_selection, env.game.actions.make(index, message=said)))


def test_steps_and_words_of_the_round_are_sealed() -> None:
    for face, rounds in product(FACES, (0, 2)):
        pairs = []
        for kind, words in ((0, "I go up."), (3, "I take yours.")):
            env = started(face, [(0, 0), (1, 1), (2, 2), (0, 2)])
            for number in range(2 * rounds):
                choose(env, number % 4, "Hello.")
            choose(env, kind, words)
            pairs.append(env)
        assert shown(pairs[0]) == shown(pairs[1]), (face, rounds)
        for env in pairs:
            choose(env, 1)
        assert shown(pairs[0]) != shown(pairs[1]), (face, rounds)


def test_where_coins_will_come_back_is_not_known_before() -> None:
    for face in FACES:
        one, other = (started(face, [(0, 0), (2, 2), (0, 1), (2, 1), where, where]) for where in ((1, 1), (0, 2)))
        assert shown(one) == shown(other), face
        for env in (one, other):
            choose(env, 3)
            choose(env, 2)
        assert freeze(one.observe("player_1")) != freeze(other.observe("player_1")), face
