"""What the open-source coin game refuses, and in which words."""

from __future__ import annotations

import econzoo
from econzoo.envs.families.open_source import COIN_GAME, MATRIX
from games.parameters import refuses_each
from games.program_matches import sandboxed, tape
from refusals import refuses, says

pytestmark = sandboxed


def test_parameters_that_cannot_be_are_refused() -> None:
    wrong = {
        "size": (1, 21, 2.5, "3", None, True),
        "rounds": (0, 1001, 1.5),
        "turns": (0, 10_001, None),
        "seconds": (0, 61, "1"),
        "on_limit": ("C", "STAY", "up", None),
    }
    refuses_each("program_coin", wrong)


def test_there_is_no_noise() -> None:
    with refuses(ValueError, "program_coin", "noise", "size", "rounds", "turns"):
        econzoo.make("program_coin", noise=0.1)


def test_answers_that_are_no_program_are_asked_for_again() -> None:
    for answer, code in [
        ({"program": tape(MATRIX, "C")}, "no_program"),  # a program for the other game has four parameters
        ({"program": "UP"}, "no_program"),
        ({"program": ""}, "empty"),
        ({"kind": "up"}, "unknown_kind"),
        ("UP", "not_an_object"),
    ]:
        env = econzoo.make("program_coin", face="structured")
        env.reset(seed=0)
        env.step(answer)
        assert (env.infos["player_0"]["error_code"], env.moves) == (code, 0), answer
        env.step({"program": tape(COIN_GAME, ["UP"])})
        assert env.agent_selection == "player_1", answer


def test_a_program_for_the_other_game_is_told_what_is_wanted() -> None:
    env = econzoo.make("program_coin", face="text")
    env.reset(seed=0)
    env.step(f"```python\n{tape(MATRIX, 'C')}```")
    says(env.infos["player_0"]["error"], "strategy_function", 5, "state")
