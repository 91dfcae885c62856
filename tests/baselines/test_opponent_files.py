"""Python files of opponents: what they add, what is refused, and that records run none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import econzoo
from econzoo.baselines import load_files, members, pin_files, player
from econzoo.baselines.opponents import _FAMILIES
from econzoo.envs.core import game_entry, registry
from econzoo.evaluate.run import read_records
from econzoo.evaluate.suites import evaluation_design, play_evaluation
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses

GOOD = """
from econzoo.baselines import Player

class Insists(Player):
    deterministic = True

    def __init__(self, spec, share=0.5):
        super().__init__(spec)
        self.share = share

    def act(self, observation, info):
        if "offer" in observation["legal_actions"]:
            return {"kind": "offer", "gain": self.share * observation["money"]}
        last = [move for move in observation["history"] if move["kind"] == "offer"][-1]
        gains = observation["money"] - last["gain"]
        return {"kind": "accept" if gains >= self.share * observation["money"] else "reject"}

PLAYERS = {"bargaining": {"x-insists": Insists}}
FAMILIES = {"bargaining": {"x-soft": ["x-insists(0.4)", "x-insists"], "x-hard": ["x-insists(0.9)"]}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "own.py"
    path.write_text(GOOD)
    yield path
    _FAMILIES.clear()
    registry._PLAYER_FILES.clear()


def test_a_file_and_its_families_stand_for_their_members(file: Path) -> None:
    assert members("bargaining", ["fair", str(file)]) == ["fair", "x-insists(0.4)", "x-insists", "x-insists(0.9)"]
    assert load_files("bargaining", ["x-hard", "mirror"]) == ["x-insists(0.9)", "mirror"]
    assert members("bargaining", ["x-soft", str(file)])[:2] == ["x-insists(0.4)", "x-insists"]
    record = econzoo.play("bargaining", ["acceptor(0.5)", "x-insists"], seed=0)
    assert record.metrics["gains"][1] == pytest.approx(0.5)


def test_a_bad_file_is_refused_in_one_line_and_leaves_nothing_behind(file: Path) -> None:
    bad = [
        ("PLAYERS = (", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("x = 1", "PLAYERS"),
        ("PLAYERS = {}", "FAMILIES"),
        (GOOD.replace("x-insists(0.9)", "x-insist(0.9)"), "x-hard", "x-insist"),
        (GOOD.replace("x-insists(0.9)", "x-insists(1, 2)"), "x-hard", "x-insists(share=0.5)"),
        (GOOD.replace('["x-insists(0.9)"]', '"x-insists(0.9)"'), "x-hard", "list of specs"),
        (GOOD.replace('"x-insists": Insists', '"fair": Insists'), "'fair'", "taken"),
        (GOOD.replace("x-soft", "mirror"), "'mirror'", "taken"),
        (GOOD.replace("x-soft", "wide"), "'wide'", "taken"),
        (GOOD.replace('FAMILIES = {"bargaining"', 'FAMILIES = {"bargainin"'), "bargainin", "bargaining"),
        (GOOD.replace('FAMILIES = {"bargaining"', 'FAMILIES = {"negotiation"'), "x-insists"),
    ]
    for text, *named in bad:
        file.write_text(text)
        with refuses(ValueError, "own.py", *named):
            members("bargaining", [str(file)])
        assert not registry._PLAYER_FILES, named
    with refuses(FileNotFoundError, "none.py"):
        members("bargaining", [str(file.with_name("none.py"))])
    file.write_text(GOOD)
    with refuses(ValueError, "own.py", "no families of matrix", "bargaining"):
        members("matrix", [str(file)])
    other = file.with_name("other.py")
    other.write_text(GOOD + "#")
    with refuses(ValueError, "other.py", "'x-insists'", "taken"):
        members("bargaining", [str(other)])


def test_workers_know_the_players_of_a_file(file: Path) -> None:
    design = evaluation_design("bargaining", ["fair"], [str(file)], ["ultimatum"], seeds=1)
    alone, apart = (play_evaluation(design, None, jobs) for jobs in (1, 2))
    assert [one.payoffs for one in alone] == [one.payoffs for one in apart]
    registry.ensure_registered("bargaining", game_entry("bargaining"))


def test_the_manifest_has_the_hash_and_a_changed_file_is_refused(file: Path, tmp_path: Path) -> None:
    def play() -> None:
        play_evaluation(evaluation_design("bargaining", ["fair"], [str(file)], ["ultimatum"], seeds=1), out, 1)

    out = tmp_path / "run"
    play()
    play()
    kept = json.loads((out / "manifest.json").read_text())["files"]
    digest = next(iter(_FAMILIES)).digest
    assert kept == {"own.py": digest}
    _FAMILIES.clear()
    registry._PLAYER_FILES.clear()
    file.write_text(GOOD + "#")
    with refuses(ValueError, "x-insists", "has changed"):
        play()
    with refuses(ValueError, "own.py has changed", digest[:12]):
        pin_files("bargaining", [f"{file}@{digest}"])


def test_reading_records_runs_no_file(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    play_evaluation(evaluation_design("bargaining", ["fair"], [str(file)], ["ultimatum"], seeds=1), out, 1)
    _FAMILIES.clear()
    registry._PLAYER_FILES.clear()
    file.write_text("raise SystemExit('it was run')")
    assert len(read_records(out)) == 6
    econzoo.analyze(out)
    with refuses(ValueError, "unknown player", "x-insists"):
        player("x-insists", "bargaining")


def test_a_training_keeps_the_file_and_meets_its_players_on_sequential_environments(file: Path) -> None:
    recipe = PPORecipe("bargaining", opponents=[str(file)])
    assert (recipe.opponents, recipe.algorithm) == (["x-insists(0.4)", "x-insists", "x-insists(0.9)"], "sb3")
    assert recipe.opponent_files == [f"{file}@{next(iter(_FAMILIES)).digest}"]
    again = PPORecipe("bargaining", opponents=recipe.opponents, opponent_files=recipe.opponent_files)
    assert again.to_plain() == recipe.to_plain()
    with refuses(ValueError, "opponents='self'", "x-insists", "no compiled form"):
        PPORecipe("bargaining", opponents=[str(file), "self"])
