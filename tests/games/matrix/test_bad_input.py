"""What games of two moves refuse, and in which words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.games.matrix import Cooperate, Defect

PAIR = (1.0, 1.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("stage_game", value) for value in ("prisoners_dilemma", "hawk-dove", "", None, 1, ["chicken"])],
        *[("payoffs", value) for value in (1.0, "chicken", [], [[PAIR, PAIR]], [[PAIR], [PAIR]], [PAIR, PAIR])],
        *[("payoffs", [[PAIR, PAIR], [PAIR, (1.0, bad)]]) for bad in (math.nan, math.inf, 1e10, "1", None, True)],
        ("payoffs", [[PAIR, PAIR], [PAIR, (1.0, 1.0, 1.0)]]),
        ("payoffs", {"CC": PAIR}),
        *[("rounds", value) for value in (0, -1, 10_001, 1.5, "10", None, True)],
        *[("known", value) for value in (1, 0, "yes", None)],
        *[("noise", value) for value in (-0.01, 0.51, 1, math.nan, "0.1", None, True)],
        *[("messages", value) for value in (1, None)],
    ],
)
def test_parameters_that_cannot_be_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^matrix: {name}=.* is not allowed; allowed: ") as told:
        econzoo.make("matrix", **{name: value})
    assert "\n" not in str(told.value)


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(ValueError, match=r"^matrix: unknown parameter 'turns'; allowed: stage_game, payoffs, rounds"):
        econzoo.make("matrix", turns=10)


@pytest.mark.parametrize(
    "payoffs",
    [
        [[[3, 3], [0, 5]], [[5, 0], [1, 1]]],
        (((3, 3), (0, 5)), ((5, 0), (1, 1))),
        np.array([[[3, 3], [0, 5]], [[5, 0], [1, 1]]]),
        None,
    ],
    ids=["lists", "tuples", "array", "none"],
)
def test_payoffs_of_every_form_are_taken(payoffs: Any) -> None:
    env = econzoo.make("matrix", payoffs=payoffs)
    assert env.params.table == (3, 0, 5, 1, 3, 5, 0, 1)
    assert all(type(x) is float for x in env.params.table)


WRONG = [
    ({"kind": "cooperate"}, "unknown_kind"),
    ({"kind": "c"}, "unknown_kind"),
    ({"kind": 0}, "unknown_kind"),
    ({"kind": None}, "unknown_kind"),
    ({}, "missing_key"),
    ({"move": "C"}, "missing_key"),
    ({"kind": "C", "amount": 1}, "unknown_key"),
    ({"kind": "C", "message": 5}, "wrong_type"),
    ({"kind": "C", "message": "x" * 501}, "message_too_long"),
    ("C", "not_an_object"),
    (None, "not_an_object"),
]


@pytest.mark.parametrize(("answer", "code"), WRONG, ids=[str(answer)[:30] for answer, _ in WRONG])
def test_answers_that_are_no_move_are_asked_for_again(answer: Any, code: str) -> None:
    env = econzoo.make("matrix", face="structured")
    env.reset(seed=0)
    env.step(answer)
    info = env.infos["player_0"]
    assert (info["error_code"], info["attempt"], env.moves) == (code, 1, 0)
    assert env.agent_selection == "player_0"


def test_words_where_there_are_none() -> None:
    env = econzoo.make("matrix", face="structured", messages=False)
    env.reset(seed=0)
    env.step({"kind": "C", "message": "hello"})
    assert env.infos["player_0"]["error_code"] == "message_not_allowed"
    env.step({"kind": "C", "message": ""})
    assert env.agent_selection == "player_1"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("C", "no_json"),
        ("I cooperate.", "no_json"),
        ("", "empty"),
        ('{"kind": "C"} or {"kind": "D"}', "many_json"),
        ('{"kind": "cooperate"}', "unknown_kind"),
        ('["C"]', "no_json"),
    ],
)
@pytest.mark.parametrize("face", ["text", "chat"])
def test_replies_that_are_no_choice(face: str, reply: str, code: str) -> None:
    env = econzoo.make("matrix", face=face)
    env.reset(seed=0)
    env.step(reply)
    assert env.infos["player_0"]["error_code"] == code
    assert env.infos["player_0"]["error"] in env.last()[0]["text"]


@pytest.mark.parametrize("action", [2, -1, 0.5, True, None, "C"])
def test_numbers_that_are_no_choice(action: Any) -> None:
    env = econzoo.make_raw("matrix", reasks=1)
    env.reset(seed=0)
    env.step(action)
    assert env.infos["player_0"]["error_code"] in ("out_of_range", "wrong_type")


def test_an_unusable_answer_is_never_cooperation() -> None:
    """Where one is replaced, it is by D, and counted."""
    env = econzoo.make_parallel("matrix", face="structured", reasks=0, on_error="default")
    env.reset(seed=0)
    env.step({"player_0": {"kind": "sure, let us cooperate"}, "player_1": {"kind": "C"}})
    assert [type(event.action) for event in env.aec.events] == [Defect, Cooperate]
    assert (env.aec.errors, env.aec.defaults) == ([1, 0], [1, 0])


@pytest.mark.parametrize("chance", [[4.0], [-1.0], [0.5], ["both"], [None]])
def test_nature_has_four_moves(chance: list[Any]) -> None:
    env = econzoo.make("matrix", noise=0.1)
    with pytest.raises(ValueError, match=r"chance move .* is not allowed; allowed: 0.0, 1.0, 2.0, 3.0"):
        env.reset(seed=0, options={"chance": chance})
