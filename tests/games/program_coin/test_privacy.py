"""A program is sealed until both are submitted, and nobody knows the board that it will meet."""

from __future__ import annotations

from typing import Any

import pytest

import econzoo
from econzoo.envs.families.open_source.library import names
from econzoo.envs.games.program_coin import ACTIONS
from econzoo.testing.playing import FACES, encode
from games.program_matches import sandboxed
from games.sealed import shown

pytestmark = sandboxed

ONE, OTHER = (ACTIONS.make(0, (float(names("coin_game").index(name)),)) for name in ("cooperative", "greedy"))


def match(face: str, seed: int = 3) -> Any:
    env = econzoo.make("program_coin", face=face, render_mode="ansi", turns=6, rounds=2)
    env.reset(seed=seed)
    return env


def submit(env: Any, *actions: Any) -> None:
    for action in actions:
        env.step(encode(env, env.agent_selection, action))


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("before", [(), (ONE, OTHER)])
def test_a_program_is_sealed_until_both_are_submitted(face: str, before: tuple[Any, ...]) -> None:
    one, other = match(face), match(face)
    submit(one, *before, ONE)
    submit(other, *before, OTHER)
    assert shown(one) == shown(other)
    submit(one, ONE)
    submit(other, ONE)
    assert shown(one) != shown(other) or face == "numeric"


@pytest.mark.parametrize("face", FACES)
def test_the_board_is_drawn_when_both_programs_are_in(face: str) -> None:
    one, other = match(face, 1), match(face, 2)
    submit(one, OTHER)
    submit(other, OTHER)
    assert shown(one) == shown(other)
    submit(one, OTHER)
    submit(other, OTHER)
    assert one.rulings != other.rulings


def test_both_know_the_same_when_a_meta_round_is_over() -> None:
    env = match("structured")
    submit(env, OTHER, ONE)
    imagined = env.game.perspective.imagined
    assert imagined(env.view(0), 1) == env.view(1)
    assert imagined(env.view(1), 0) == env.view(0)
