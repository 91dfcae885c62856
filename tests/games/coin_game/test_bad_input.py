"""What the Coin Game refuses, and in which words."""

from __future__ import annotations

import math

import econzoo
from econzoo.envs.core.contract import Invalid
from econzoo.envs.games.coin_game.rules import MAX_SIZE
from games.parameters import refuses_each
from refusals import refuses


def test_parameters_that_cannot_be_are_refused() -> None:
    wrong = {
        "size": (1, 0, -3, MAX_SIZE + 1, 2.5, 3.0, "3", None, True),
        "rounds": (0, 10_001, 1.5, None, math.inf),
        "known": (1, 0, "yes", None),
        "messages": (1, None),
    }
    refuses_each("coin_game", wrong)


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


def test_placements_that_cannot_be_are_refused() -> None:
    for value in PLACEMENTS:
        env = econzoo.make("coin_game")
        with refuses(ValueError, "coin_game", "placement"):
            env.reset(options={"placement": value})


def test_chance_moves_are_cells() -> None:
    for move in (9.0, -1.0, 0.5):
        env = econzoo.make("coin_game")
        with refuses(ValueError, move, 0.0, 1.0):
            env.reset(options={"chance": [0.0, move]})


def test_answers_that_are_no_step() -> None:
    for answer, code in [
        ({"kind": "stay"}, "unknown_kind"),
        ({"kind": "UP"}, "unknown_kind"),
        ({"kind": "up", "steps": 1}, "unknown_key"),
        ({"kind": "up", "message": 5}, "wrong_type"),
        ({"kind": "up", "message": "x" * 501}, "message_too_long"),
        ({}, "missing_key"),
        ("up", "not_an_object"),
        (None, "not_an_object"),
    ]:
        env = econzoo.make("coin_game", face="structured")
        env.reset(seed=0)
        found = env.face("player_0").decode(answer, env.legal("player_0"))
        assert isinstance(found, Invalid), answer
        assert found.code == code, answer


def test_words_are_refused_where_there_are_none() -> None:
    env = econzoo.make("coin_game", face="structured", messages=False)
    env.reset(seed=0)
    found = env.face("player_0").decode({"kind": "up", "message": "hello"}, env.legal("player_0"))
    assert isinstance(found, Invalid)
    assert found.code == "message_not_allowed"


def test_an_unusable_answer_may_stand_for_a_step_up_and_is_counted() -> None:
    env = econzoo.make("coin_game", face="structured", max_retries=0, on_error="default")
    env.reset(options={"placement": [(1, 1), (0, 0), (2, 2), (2, 1)]})
    env.step({"kind": "stay"})
    env.step({"kind": "right"})
    assert env.game_state.player == (1, 1)
    assert (env.errors, env.defaults) == ([1, 0], [1, 0])
