"""What the open-source coin game refuses, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

import econzoo
from econzoo.envs.families.open_source.interfaces import COIN_GAME, MATRIX
from games.program_matches import sandboxed, tape

pytestmark = sandboxed


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("size", value) for value in (1, 21, 2.5, "3", None, True)],
        *[("rounds", value) for value in (0, 1001, 1.5)],
        *[("turns", value) for value in (0, 10_001, None)],
        *[("seconds", value) for value in (0, 61, "1")],
        *[("on_limit", value) for value in ("C", "STAY", "up", None)],
    ],
)
def test_parameters_that_cannot_be_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^program_coin: {name}=.* is not allowed; allowed: ") as told:
        econzoo.make("program_coin", **{name: value})
    assert "\n" not in str(told.value)


def test_there_is_no_noise() -> None:
    with pytest.raises(ValueError, match=r"^program_coin: unknown parameter 'noise'; allowed: size, rounds, turns"):
        econzoo.make("program_coin", noise=0.1)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"program": tape(MATRIX, "C")}, "no_program"),  # a program for the other game has four parameters
        ({"program": "UP"}, "no_program"),
        ({"program": ""}, "empty"),
        ({"kind": "up"}, "unknown_kind"),
        ("UP", "not_an_object"),
    ],
)
def test_answers_that_are_no_program_are_asked_for_again(answer: Any, code: str) -> None:
    env = econzoo.make("program_coin", face="structured")
    env.reset(seed=0)
    env.step(answer)
    assert (env.infos["player_0"]["error_code"], env.moves) == (code, 0)
    env.step({"program": tape(COIN_GAME, ["UP"])})
    assert env.agent_selection == "player_1"


def test_a_program_for_the_other_game_is_told_what_is_wanted() -> None:
    env = econzoo.make("program_coin", face="text")
    env.reset(seed=0)
    env.step(f"```python\n{tape(MATRIX, 'C')}```")
    assert (
        "strategy_function must have exactly 5 parameters: def strategy_function(state, "
        in env.infos["player_0"]["error"]
    )
