"""Nobody learns a choice before both have chosen, whose hand will tremble, or a number of rounds that is hidden."""

from __future__ import annotations

from itertools import product
from typing import Any

import econzoo
from econzoo.envs.games.matrix import ACTIONS
from econzoo.testing.playing import FACES, encode, freeze
from games.sealed import shown

C, D = ACTIONS.make(0), ACTIONS.make(1)


def match(face: str, chance: list[float] | None = None, **params: Any) -> Any:
    env = econzoo.make("matrix", face=face, render_mode="ansi", **params)
    env.reset(seed=3, options={"chance": chance} if chance else None)
    return env


def choose(env: Any, *actions: Any) -> None:
    for action in actions:
        env.step(encode(env, env.agent_selection, action))


def test_a_choice_is_sealed_until_both_have_chosen() -> None:
    for face, before in product(FACES, ((), (C, D), (C, D, D, D))):
        one, other = match(face), match(face)
        choose(one, *before, C)
        choose(other, *before, D)
        assert shown(one) == shown(other), (face, before)
        choose(one, C)
        choose(other, C)
        assert shown(one) != shown(other), (face, before)


def test_words_are_sealed_with_the_choice() -> None:
    for face in ("structured", "text", "chat"):
        one, other = match(face), match(face)
        choose(one, ACTIONS.make(0, message="I will cooperate."))
        choose(other, ACTIONS.make(0, message="I will not."))
        assert shown(one) == shown(other), face
        choose(one, C)
        choose(other, C)
        assert shown(one) != shown(other), face


def test_coming_noise_is_seen_by_nobody() -> None:
    for face, slip in product(FACES, (1.0, 2.0, 3.0)):
        one = match(face, [2.0, 0.0, 0.0], noise=0.1, rounds=3)
        other = match(face, [2.0, slip, 0.0], noise=0.1, rounds=3)
        choose(one, C, C)
        choose(other, C, C)
        assert shown(one) == shown(other), (face, slip)
        choose(one, D)
        choose(other, D)
        assert shown(one) == shown(other), "also when the first has chosen"
        choose(one, D)
        choose(other, D)
        assert shown(one) != shown(other), (face, slip)


def test_noise_hides_what_was_chosen() -> None:
    """A D that was chosen and a C that came out as D look the same to the other seat, and to spectators."""
    for face in FACES:
        one = match(face, [0.0, 0.0], noise=0.1, rounds=3)
        other = match(face, [1.0, 0.0], noise=0.1, rounds=3)
        choose(one, D, C)
        choose(other, C, C)
        assert shown(one) == shown(other), face


def test_a_hidden_number_of_rounds_shows_nowhere_before_the_end() -> None:
    for face, noise in product(FACES, (0.0, 0.1)):
        chance = [0.0, 3.0, 1.0] if noise else None
        short = match(face, chance, rounds=3, known=False, noise=noise)
        long = match(face, chance, rounds=9000, known=False, noise=noise)
        for action in (C, C, D, C, D):
            assert shown(short) == shown(long), (face, noise)
            choose(short, action)
            choose(long, action)
        assert shown(short) == shown(long), (face, noise)
        choose(short, C)
        choose(long, C)
        assert shown(short) != shown(long), "now one of them is over"


def test_a_known_number_of_rounds_is_told() -> None:
    for face in FACES:
        assert freeze(match(face, rounds=3).last()[0]) != freeze(match(face, rounds=9000).last()[0])
