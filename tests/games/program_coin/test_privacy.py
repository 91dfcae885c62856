"""A program is sealed until both are submitted, and nobody knows the board that it will meet."""

from __future__ import annotations

from itertools import product
from typing import Any

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


def test_a_program_is_sealed_until_both_are_submitted() -> None:
    for face, before in product(FACES, ((), (ONE, OTHER))):
        one, other = match(face), match(face)
        submit(one, *before, ONE)
        submit(other, *before, OTHER)
        assert shown(one) == shown(other), before
        submit(one, ONE)
        submit(other, ONE)
        assert shown(one) != shown(other) or face == "numeric", before


def test_the_board_is_drawn_when_both_programs_are_in() -> None:
    for face in FACES:
        one, other = match(face, 1), match(face, 2)
        submit(one, OTHER)
        submit(other, OTHER)
        assert shown(one) == shown(other), face
        submit(one, OTHER)
        submit(other, OTHER)
        assert one.rulings != other.rulings, face


def test_both_know_the_same_when_a_meta_round_is_over() -> None:
    env = match("structured")
    submit(env, OTHER, ONE)
    imagined = env.game.perspective.infer_view
    assert imagined(env.view(0), 1) == env.view(1)
    assert imagined(env.view(1), 0) == env.view(0)
