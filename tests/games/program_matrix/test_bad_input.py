"""What the open-source game of two moves refuses, and in which words."""

from __future__ import annotations

import math
from typing import Any

import pytest

import econzoo
from econzoo.envs.families.open_source.interfaces import MATRIX
from games.program_matches import sandboxed, tape

pytestmark = sandboxed

GAME = "program_matrix"
C = tape(MATRIX, "C")
FENCED = f"```python\n{C}```"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stage_game", "prisoners_dilemma"),
        ("payoffs", [[1.0]]),
        *[("rounds", value) for value in (0, -1, 1001, 1.5, "3", None, True)],
        *[("turns", value) for value in (0, 10_001, 2.5, "10", None, False)],
        *[("noise", value) for value in (-0.01, 0.51, math.nan, "0.1", None, True)],
        *[("seconds", value) for value in (0, 0.001, 61, math.inf, math.nan, "1", None, True)],
        *[("memory", value) for value in (0, 4097, 1.5, None)],
        *[("recursion", value) for value in (9, 1001, 10.5)],
        *[("output", value) for value in (-1, 10**7 + 1)],
        *[("simulations", value) for value in (-1, 10**5 + 1, 0.5)],
        *[("depth", value) for value in (-1, 101)],
        *[("on_no_program", value) for value in ("defect", "c", "", None, 0, "UP")],
        *[("on_syntax_error", "Forfeit"), ("on_wrong_return", 1), ("on_exception", "STAY"), ("on_limit", True)],
    ],
)
def test_parameters_that_cannot_be_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^program_matrix: {name}=.* is not allowed; allowed: ") as told:
        econzoo.make(GAME, **{name: value})
    assert "\n" not in str(told.value)


def test_policies_that_are_allowed_are_told() -> None:
    with pytest.raises(ValueError, match="allowed: 'forfeit' or 'random' or 'C' or 'D'"):
        econzoo.make(GAME, on_limit="cooperate")


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(ValueError, match=r"^program_matrix: unknown parameter 'on_error_in_play'; allowed: "):
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
    (None, "not_an_object"),
    ([C], "not_an_object"),
]


@pytest.mark.parametrize(("answer", "code"), WRONG, ids=[f"{code}-{i}" for i, (_, code) in enumerate(WRONG)])
def test_answers_that_are_no_program_are_asked_for_again(answer: Any, code: str) -> None:
    env = econzoo.make(GAME, face="structured")
    env.reset(seed=0)
    env.step(answer)
    info = env.infos["player_0"]
    assert (info["error_code"], info["attempt"], env.moves) == (code, 1, 0)
    assert "\n" not in info["error"]
    env.step({"program": C})
    assert (env.agent_selection, env.defaults) == ("player_1", [0, 0])


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


@pytest.mark.parametrize(("reply", "code"), REPLIES, ids=[f"{code}-{i}" for i, (_, code) in enumerate(REPLIES)])
@pytest.mark.parametrize("face", ["text", "chat"])
def test_replies_that_are_no_program(face: str, reply: str, code: str) -> None:
    env = econzoo.make(GAME, face=face)
    env.reset(seed=0)
    env.step(reply)
    assert env.infos["player_0"]["error_code"] == code
    assert env.infos["player_0"]["error"] in env.last()[0]["text"]


@pytest.mark.parametrize("action", [-1, 10_000, 0.5, True, None, "cooperate", C])
def test_numbers_that_are_no_program(action: Any) -> None:
    env = econzoo.make_raw(GAME, reasks=1)
    env.reset(seed=0)
    env.step(action)
    assert env.infos["player_0"]["error_code"] in ("out_of_range", "wrong_type")


def test_fault_9_an_unusable_answer_is_never_a_move() -> None:
    """It is no program: all its turns are forfeited, which the result says, and it is counted."""
    env = econzoo.make_parallel(GAME, face="text", reasks=0, rounds=1, turns=3)
    env.reset(seed=0)
    env.step({"player_0": "I always defect.", "player_1": FENCED})
    first = env.aec.events[0].fact
    assert (first.moves, first.failure) == ("---", "no program")
    assert (env.aec.errors, env.aec.defaults) == ([1, 0], [1, 0])
