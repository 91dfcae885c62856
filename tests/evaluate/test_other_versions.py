"""Records, paused matches and folders of other versions are refused, and both versions are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.baselines import PausedMatch
from econzoo.baselines.random_and_mock import MockPlayer
from econzoo.envs.core import registry
from econzoo.envs.core.contract import Game, Versions
from econzoo.envs.core.record import Record, RecordFile
from econzoo.evaluate.run import new_design, read_records, replay, resume, run
from goldens.commands import run as run_command
from refusals import refuses, says

FIRST = {"rules": 0, "texts": 1, "numeric": 1, "replies": 1, "streams": 1}
Change = Callable[..., Game]


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch) -> Change:
    """Changes the versions of bargaining for the length of a test."""

    def changed(**fields: Any) -> Game:
        game = replace(econzoo.game("bargaining"), **fields)
        monkeypatch.setitem(registry._LOADED_GAMES, game.name, game)
        return game

    return changed


def played() -> Record:
    return econzoo.play("bargaining", ["fair", "greedy"], seed=1)


def test_all_games_are_of_the_first_versions() -> None:
    assert {name: econzoo.game(name).versions for name in econzoo.games()} == dict.fromkeys(
        econzoo.games(), Versions(**FIRST)
    )


def test_records_name_their_versions_and_ids_have_that_of_the_rules_alone(change: Change) -> None:
    first = played()
    assert json.loads(first.to_json())["versions"] == FIRST
    change(text_version=2, numeric_version=3)
    other = played()
    assert other.versions == {**FIRST, "texts": 2, "numeric": 3}
    assert other.id == first.id
    change(version=1)
    assert played().id != first.id


@pytest.mark.parametrize("number", [0, 1])
def test_a_record_of_any_other_version_does_not_replay(number: int) -> None:
    given = json.loads(played().to_json())
    for name, installed in FIRST.items():
        other = installed + 1 if number else installed - 1
        if other < 0:
            continue
        (problem,) = replay({**given, "versions": {**FIRST, name: other}})
        assert problem == (None, f"versions.{name}", installed, other)


def test_versions_that_are_none_are_refused() -> None:
    for versions in (None, 5, [0, 1, 1, 1, 1], {"rules": 0}, {**FIRST, "texts": -1}, {**FIRST, "colours": 1}):
        given = {**json.loads(played().to_json()), "versions": versions}
        assert replay(given)[0].field == "versions", versions
        with refuses(ValueError, "versions"):
            Record.from_json(json.dumps(given))


def test_analyses_leave_them_out_and_the_command_says_why(change: Change, tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "records.jsonl")
    file.append(played())
    change(text_version=2)
    file.append(econzoo.play("bargaining", ["fair", "greedy"], seed=2))
    found = read_records(tmp_path).verify()
    assert [record.seed for record in found] == [2]
    says(found.unreadable[0].reason, "versions.texts: expected 2, found 1")
    *_, code = told = run_command(f"replay {file.path}").splitlines()
    says(told[1], "line 1", "versions.texts: expected 2, found 1")
    assert code == "exit code 1"


def test_a_paused_match_does_not_go_on(change: Change) -> None:
    class Pausing(MockPlayer):
        def act(self, observation: Any, info: dict[str, Any]) -> Any:
            raise PausedMatch

    paused = econzoo.play("bargaining", ["fair", Pausing("pausing", "")], seed=1)
    assert paused.status == "paused"
    change(text_version=2)
    with refuses(ValueError, "bargaining", "texts of version 1, here 2"):
        resume(paused)


def test_a_tournament_does_not_go_on(change: Change, tmp_path: Path) -> None:
    run(new_design("bargaining", ["fair", "greedy"], seeds=1), tmp_path, jobs=1)
    change(numeric_version=2)
    with refuses(ValueError, "versions", "'numeric': 1", "'numeric': 2"):
        run(new_design("bargaining", ["fair", "greedy"], seeds=2), tmp_path, jobs=1)


def test_records_and_manifests_of_another_format_are_refused_with_both_numbers(tmp_path: Path) -> None:
    run(design := new_design("bargaining", ["fair", "greedy"], seeds=1), tmp_path, jobs=1)
    line = json.loads((tmp_path / "records.jsonl").read_text().splitlines()[0])
    for number in (2, 0, "x", None, [3], True):
        with refuses(ValueError, "format", number, 1):
            Record.from_json(json.dumps({**line, "format": number}))
        (problem,) = replay({**line, "format": number})
        assert (problem.field, problem.expected, problem.found) == ("format", 1, number)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    with refuses(ValueError, path, "format 2", "format 1"):
        run(design, tmp_path, jobs=1)
