"""What the open-source game of two moves refuses, and in which words."""

from __future__ import annotations

import math
from itertools import product

import econzoo
from econzoo.envs.families.open_source import MATRIX
from games.parameters import refuses_each
from games.program_matches import sandboxed, tape
from refusals import refuses

pytestmark = sandboxed

GAME = "program_matrix"
C = tape(MATRIX, "C")
FENCED = f"```python\n{C}```"


def test_parameters_that_cannot_be_are_refused() -> None:
    wrong = {
        "stage_game": ("prisoners_dilemma",),
        "payoffs": ([[1.0]],),
        "rounds": (0, -1, 1001, 1.5, "3", None, True),
        "turns": (0, 10_001, 2.5, "10", None, False),
        "noise": (-0.01, 0.51, math.nan, "0.1", None, True),
        "seconds": (0, 0.001, 61, math.inf, math.nan, "1", None, True),
        "memory": (0, 4097, 1.5, None),
        "recursion": (9, 1001, 10.5),
        "output": (-1, 10**7 + 1),
        "simulations": (-1, 10**5 + 1, 0.5),
        "depth": (-1, 101),
        "on_no_program": ("defect", "c", "", None, 0, "UP"),
        **{"on_syntax_error": ("Forfeit",), "on_wrong_return": (1,), "on_exception": ("STAY",), "on_limit": (True,)},
    }
    refuses_each(GAME, wrong)


def test_policies_that_are_allowed_are_told() -> None:
    with refuses(ValueError, "on_limit", "cooperate", "forfeit", "random", "C", "D"):
        econzoo.make(GAME, on_limit="cooperate")


def test_an_unknown_parameter_is_named() -> None:
    with refuses(ValueError, "program_matrix", "on_error_in_play"):
        econzoo.make(GAME, on_error_in_play="D")


WRONG = [
    ({}, "missing_key"),
    ({"source": C}, "unknown_key"),
    ({"program": C, "message": "hi"}, "unknown_key"),
    ({"program": C, "language": "python"}, "unknown_key"),
    ({"program": 5}, "wrong_type"),
    ({"program": None}, "wrong_type"),
    ({"program": ["C"]}, "wrong_type"),
    ({"program": b"C"}, "wrong_type"),
    ({"program": ""}, "empty"),
    ({"program": " \n\t"}, "empty"),
    ({"program": C + "#" * 20_000}, "too_long"),
    ({"program": "I would like to cooperate"}, "syntax_error"),
    ({"program": FENCED}, "syntax_error"),
    ({"program": "import os\n" + C}, "syntax_error"),
    ({"program": "x = eval('1')\n" + C}, "syntax_error"),
    ({"program": C + "\x00"}, "syntax_error"),
    ({"program": "(" * 5000 + C}, "syntax_error"),
    ({"program": "strategy_function = lambda a, b, c, d: 'C'"}, "no_program"),
    ({"program": "def strategy_function(a, b, c):\n    return 'C'"}, "no_program"),
    ({"program": "def strategy_function(a, b, c, *d):\n    return 'C'"}, "no_program"),
    ({"program": "async def strategy_function(a, b, c, d):\n    return 'C'"}, "no_program"),
    ({"program": "class A:\n    def strategy_function(a, b, c, d):\n        return 'C'"}, "no_program"),
    ({"program": C, "kind": "offer"}, "unknown_kind"),
    (C, "not_an_object"),
]


def test_answers_that_are_no_program_are_asked_for_again() -> None:
    for answer, code in WRONG:
        env = econzoo.make(GAME, face="structured")
        env.reset(seed=0)
        env.step(answer)
        info = env.infos["player_0"]
        assert (info["error_code"], info["attempt"], env.moves) == (code, 1, 0), answer
        assert "\n" not in info["error"], answer
        env.step({"program": C})
        assert (env.agent_selection, env.defaults) == ("player_1", [0, 0]), answer


REPLIES = [
    ("", "empty"),
    ("I defect.", "no_program"),  # fault 9: words that say D are no D
    ("D", "no_program"),
    ("def strategy(a, b, c, d):\n    return 'C'", "no_program"),
    (f"{FENCED}\nfor example\n```\nx = 1\n```", "no_program"),
    (f"<think>I could write\n{FENCED}", "thinking"),
    (f"Here it is:\n{C}", "no_program"),
    ("```python\n```", "empty"),
    ("```python\ndef strategy_function(a, b, c, d)\n    return 'C'\n```", "syntax_error"),
    (f"<think>{FENCED}</think>", "empty"),
    ('{"program": 5}', "wrong_type"),
    ('{"program": ', "bad_json"),
    ("x" * 100_001, "too_long"),
    ("```python\n" + C + "#" * 20_000 + "\n```", "too_long"),
]


def test_replies_that_are_no_program() -> None:
    for (reply, code), face in product(REPLIES, ("text", "chat")):
        env = econzoo.make(GAME, face=face)
        env.reset(seed=0)
        env.step(reply)
        assert env.infos["player_0"]["error_code"] == code, (reply, face)
        assert env.infos["player_0"]["error"] in env.last()[0]["text"], (reply, face)


def test_numbers_that_are_no_program() -> None:
    for action in (-1, 10_000, 0.5, True, None, "cooperate", C):
        env = econzoo.make_raw(GAME, max_retries=1)
        env.reset(seed=0)
        env.step(action)
        assert env.infos["player_0"]["error_code"] in ("out_of_range", "wrong_type"), action


def test_fault_9_an_unusable_answer_is_never_a_move() -> None:
    """It is no program: all its turns are forfeited, which the result says, and it is counted."""
    env = econzoo.make_parallel(GAME, face="text", max_retries=0, rounds=1, turns=3)
    env.reset(seed=0)
    env.step({"player_0": "I always defect.", "player_1": FENCED})
    first = env.aec.events[0].fact
    assert (first.moves, first.failure) == ("---", "no program")
    assert (env.aec.errors, env.aec.defaults) == ([1, 0], [1, 0])
