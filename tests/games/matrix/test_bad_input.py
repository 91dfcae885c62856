"""What games of two moves refuse, and in which words."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

import econzoo
from econzoo.envs.games.matrix import Cooperate, Defect
from games.parameters import refuses_each
from refusals import refuses

PAIR = (1.0, 1.0)


def test_parameters_that_cannot_be_are_refused() -> None:
    wrong = {
        "stage_game": ("prisoners_dilemma", "hawk-dove", "", None, 1, ["chicken"]),
        "payoffs": (
            *(1.0, "chicken", [], {"CC": PAIR}, [[PAIR, PAIR]], [[PAIR], [PAIR]], [PAIR, PAIR]),
            *([[PAIR, PAIR], [PAIR, (1.0, bad)]] for bad in (math.nan, math.inf, 1e10, "1", None, True)),
            [[PAIR, PAIR], [PAIR, (1.0, 1.0, 1.0)]],
        ),
        "rounds": (0, -1, 10_001, 1.5, "10", None, True),
        "known": (1, 0, "yes", None),
        "noise": (-0.01, 0.51, 1, math.nan, "0.1", None, True),
        "messages": (1, None),
    }
    refuses_each("matrix", wrong)


def test_an_unknown_parameter_is_named() -> None:
    with refuses(ValueError, "matrix", "turns", "stage_game", "payoffs", "rounds"):
        econzoo.make("matrix", turns=10)


def test_payoffs_of_every_form_are_taken() -> None:
    for payoffs in [
        [[[3, 3], [0, 5]], [[5, 0], [1, 1]]],
        (((3, 3), (0, 5)), ((5, 0), (1, 1))),
        np.array([[[3, 3], [0, 5]], [[5, 0], [1, 1]]]),
        None,
    ]:
        env = econzoo.make("matrix", payoffs=payoffs)
        assert env.params.table == (3, 0, 5, 1, 3, 5, 0, 1), payoffs
        assert all(type(x) is float for x in env.params.table), payoffs


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
]


def test_answers_that_are_no_move_are_asked_for_again() -> None:
    for answer, code in WRONG:
        env = econzoo.make("matrix", face="structured")
        env.reset(seed=0)
        env.step(answer)
        info = env.infos["player_0"]
        assert (info["error_code"], info["attempt"], env.moves) == (code, 1, 0), answer
        assert env.agent_selection == "player_0", answer


def test_words_where_there_are_none() -> None:
    env = econzoo.make("matrix", face="structured", messages=False)
    env.reset(seed=0)
    env.step({"kind": "C", "message": "hello"})
    assert env.infos["player_0"]["error_code"] == "message_not_allowed"
    env.step({"kind": "C", "message": ""})
    assert env.agent_selection == "player_1"


def test_replies_that_are_no_choice() -> None:
    for (reply, code), face in product(
        [
            ("C", "no_json"),
            ("I cooperate.", "no_json"),
            ("", "empty"),
            ('{"kind": "C"} or {"kind": "D"}', "many_json"),
            ('{"kind": "cooperate"}', "unknown_kind"),
            ('["C"]', "no_json"),
        ],
        ("text", "chat"),
    ):
        env = econzoo.make("matrix", face=face)
        env.reset(seed=0)
        env.step(reply)
        assert env.infos["player_0"]["error_code"] == code, (reply, face)
        assert env.infos["player_0"]["error"] in env.last()[0]["text"], (reply, face)


def test_numbers_that_are_no_choice() -> None:
    for action in (2, -1, 0.5, True, None, "C"):
        env = econzoo.make_raw("matrix", max_retries=1)
        env.reset(seed=0)
        env.step(action)
        assert env.infos["player_0"]["error_code"] in ("out_of_range", "wrong_type"), action


def test_an_unusable_answer_is_never_cooperation() -> None:
    """Where one is replaced, it is by D, and counted."""
    env = econzoo.make_parallel("matrix", face="structured", max_retries=0, on_error="default")
    env.reset(seed=0)
    env.step({"player_0": {"kind": "sure, let us cooperate"}, "player_1": {"kind": "C"}})
    assert [type(event.action) for event in env.aec.events] == [Defect, Cooperate]
    assert (env.aec.errors, env.aec.defaults) == ([1, 0], [1, 0])


def test_nature_has_four_moves() -> None:
    for chance in [[4.0], [-1.0], [0.5], ["both"], [None]]:
        env = econzoo.make("matrix", noise=0.1)
        with refuses(ValueError, *chance, 0.0, 1.0, 2.0, 3.0):
            env.reset(seed=0, options={"chance": chance})
