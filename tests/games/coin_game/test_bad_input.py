"""What the Coin Game refuses, and in which words."""

from __future__ import annotations

import math
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.games.coin_game.rules import MAX_SIZE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("size", value) for value in (1, 0, -3, MAX_SIZE + 1, 2.5, 3.0, "3", None, True)],
        *[("rounds", value) for value in (0, 10_001, 1.5, None, math.inf)],
        *[("known", value) for value in (1, 0, "yes", None)],
        *[("messages", value) for value in (1, None)],
    ],
)
def test_parameters_that_cannot_be_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^coin_game: {name}=.* is not allowed; allowed: "):
        econzoo.make("coin_game", **{name: value})


PLACEMENTS = [
    5,
    "0, 1",
    {"A": (0, 0)},
    [(0, 0), (0, 3)],
    [(0, -1)],
    [(0, 0, 0)],
    [(0.5, 1)],
    [(True, 1)],
    [0, 1, 2],
    [None],
]


@pytest.mark.parametrize("value", PLACEMENTS, ids=repr)
def test_placements_that_cannot_be_are_refused(value: Any) -> None:
    env = econzoo.make("coin_game")
    with pytest.raises(ValueError, match=r"^coin_game: placement=.* is not allowed; allowed: pairs \(row, column\)"):
        env.reset(options={"placement": value})


@pytest.mark.parametrize("move", [9.0, -1.0, 0.5])
def test_chance_moves_are_cells(move: float) -> None:
    env = econzoo.make("coin_game")
    with pytest.raises(ValueError, match=r"chance move .* is not allowed; allowed: 0\.0, 1\.0"):
        env.reset(options={"chance": [0.0, move]})


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"kind": "stay"}, "unknown_kind"),
        ({"kind": "UP"}, "unknown_kind"),
        ({"kind": "up", "steps": 1}, "unknown_key"),
        ({"kind": "up", "message": 5}, "wrong_type"),
        ({"kind": "up", "message": "x" * 501}, "message_too_long"),
        ({}, "missing_key"),
        ("up", "not_an_object"),
        (None, "not_an_object"),
    ],
)
def test_answers_that_are_no_step(answer: Any, code: str) -> None:
    env = econzoo.make("coin_game", face="structured")
    env.reset(seed=0)
    found = env.face("player_0").decode(answer, env.legal("player_0"))
    assert isinstance(found, Invalid)
    assert found.code == code


def test_words_are_refused_where_there_are_none() -> None:
    env = econzoo.make("coin_game", face="structured", messages=False)
    env.reset(seed=0)
    found = env.face("player_0").decode({"kind": "up", "message": "hello"}, env.legal("player_0"))
    assert isinstance(found, Invalid)
    assert found.code == "message_not_allowed"


def test_an_unusable_answer_may_stand_for_a_step_up_and_is_counted() -> None:
    env = econzoo.make("coin_game", face="structured", reasks=0, on_error="default")
    env.reset(options={"placement": [(1, 1), (0, 0), (2, 2), (2, 1)]})
    env.step({"kind": "stay"})
    env.step({"kind": "right"})
    assert env.game_state.player == (1, 1)
    assert (env.errors, env.defaults) == ([1, 0], [1, 0])
