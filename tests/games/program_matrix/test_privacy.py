"""A program is sealed until both are submitted; what will be played with them is known to nobody before."""

from __future__ import annotations

from itertools import product
from typing import Any

import econzoo
from econzoo.envs.families.open_source.library import names
from econzoo.envs.games.program_matrix import ACTIONS
from econzoo.testing.playing import FACES, encode
from games.program_matches import program, ruled, sandboxed
from games.sealed import shown

pytestmark = sandboxed

ONE, OTHER = (ACTIONS.make(0, (float(names("matrix").index(name)),)) for name in ("cooperate", "defect"))


def match(face: str, seed: int = 3, **params: Any) -> Any:
    env = econzoo.make("program_matrix", face=face, render_mode="ansi", turns=3, **params)
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
        assert shown(one) == shown(other), (face, before)
        submit(one, ONE)
        submit(other, ONE)
        assert shown(one) != shown(other), (face, before)


def test_what_comes_is_seen_by_nobody() -> None:
    """Slips of the meta-round and of later ones are drawn by the seed, and nothing tells it."""
    for face in FACES:
        one, other = match(face, 1, noise=0.5, rounds=2), match(face, 2, noise=0.5, rounds=2)
        submit(one, ONE)
        submit(other, ONE)
        assert shown(one) == shown(other), face


def test_when_all_is_over_both_see_the_same() -> None:
    for face in ("structured", "text", "chat"):
        env = match(face, rounds=2)
        submit(env, ONE, OTHER)
        for seat, agent in enumerate(env.possible_agents):
            told = repr(env.observe(agent))
            assert 'return "D"' in told or "return \\'D\\'" in told or 'return \\"D\\"' in told, face
            view = env.view(seat)
            assert {view.own_last, view.other_last} == {0.0, 15.0}, face
        imagined = env.game.perspective.infer_view
        assert imagined(env.view(0), 1) == env.view(1), face
        assert imagined(env.view(1), 0) == env.view(0), face


def test_a_program_is_not_told_what_only_the_match_knows() -> None:
    """Neither the seed, nor the length, nor which meta-round it is, nor the points: no such name is there."""
    for name in ("seed", "turns", "rounds", "noise", "score", "params", "state", "history", "econzoo", "os", "sys"):
        looks = program_matrix(f"return 'C' if {name} else 'D'")
        first = ruled("program_matrix", [looks, looks], turns=1).results[0]
        assert (first.moves, first.failure) == ("-", "exception")
        assert f"name '{name}' is not defined" in first.problem


def program_matrix(line: str) -> str:
    from econzoo.envs.families.open_source import MATRIX

    return program(MATRIX, line)
