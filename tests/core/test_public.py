"""How little a new public parameter takes."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.testing import checks_of
from refusals import refuses, says
from toy_games import register_temporarily

TOYS = Path(__file__).resolve().parents[1] / "toy"
STAKE = {
    "rules.py": {
        " Integer, Move\n": " Integer, Move, Real\n",
        '"Rounds."] = 3\n': '"Rounds."] = 3\n    stake: Annotated[float, Real(0.0, 9.0), "Dollars."] = 2.5\n',
        "    rounds: int\n": "    rounds: int\n    stake: float\n",
        "p.rounds, s.shown": "p.rounds, p.stake, s.shown",
    },
    "prompts.toml": {"the sides are {goal}.": "the sides are {goal}. A round is worth ${stake}."},
}
"""Lines of a parameter more: its declaration, the view (field and value), and its sentence."""


def with_stake(folder: Path) -> None:
    """Matching pennies with a parameter more."""
    folder.mkdir()
    for file in (TOYS / "pennies").glob("*.*"):
        text = file.read_text(encoding="utf-8").replace("toy.pennies", "staked").replace('"pennies"', '"staked"')
        for old, new in STAKE.get(file.name, {}).items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (folder / file.name).write_text(text, encoding="utf-8")


def test_a_new_public_parameter_takes_its_declaration_the_view_and_a_sentence(tmp_path, monkeypatch, capsys):
    with_stake(tmp_path / "staked")
    monkeypatch.syspath_prepend(str(tmp_path))
    game = importlib.import_module("staked").GAME
    with register_temporarily():
        econzoo.register_game("staked", "staked:GAME")
        env = econzoo.make("staked", face="structured", stake=4.0)
        env.reset(seed=1)
        assert [env.observe(agent)["stake"] for agent in env.possible_agents] == [4.0, 4.0]
        reading = econzoo.make("staked", face="text", stake=4.0)
        reading.reset(seed=1)
        assert "$4." in reading.observe(reading.agents[0])["text"]
        with refuses(ValueError, "staked", "stake=10.0", 0, 9):
            econzoo.make("staked", stake=10.0)
        with pytest.raises(SystemExit, match="0"):
            main(["show", "staked", "--json"])
        shown = json.loads(capsys.readouterr().out)["parameters"]
        says(shown, "stake", 2.5)
        for check in checks_of(game, ["folder", "privacy"]):
            check()
    del sys.modules["staked"]
