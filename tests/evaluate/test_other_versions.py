"""Records of versions of a game's texts and numeric face that are not here any more: all that happened is checked."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.baselines.random_and_mock import MockPlayer
from econzoo.envs.core import registry
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.streams import STREAM_VERSION
from econzoo.envs.core.contract.versions import FORM_VERSION, REPLY_VERSION
from econzoo.envs.core.record.record import Record, read_record_file
from econzoo.evaluate.analyses.glee_metrics import metrics_of
from econzoo.evaluate.analyses.summary.summary import summarize
from econzoo.evaluate.run.records import read_records as records_of
from econzoo.evaluate.run.replay import other_versions, replay
from econzoo.evaluate.run.resuming import resume
from econzoo.evaluate.run.table import EnvPool
from econzoo.evaluate.run.tournament import missing_matches, new_design, run
from goldens.commands import RECORDS
from goldens.commands import run as run_command
from refusals import refuses, says

FILES = sorted(path.stem for path in RECORDS.glob("*.jsonl") if '"versions"' not in path.read_text(encoding="utf-8"))
"""Kept records from before records said of which versions they are."""
Change = Callable[..., Game]


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch) -> Change:
    """Changes fields of a game for the length of a test, e.g. its versions."""

    def changed(name: str, **fields: Any) -> Game:
        game = replace(econzoo.game(name), **fields)
        monkeypatch.setitem(registry._LOADED_GAMES, name, game)
        return game

    return changed


NUMERIC = econzoo.game("bargaining").numeric_version
NOW = {"rules": 0, "texts": FORM_VERSION, "numeric": NUMERIC, "replies": REPLY_VERSION, "streams": STREAM_VERSION}
OLD_REPLIES = f"replies of version 0, now {REPLY_VERSION}"
OLD_TEXTS = f"texts of version 0, now {FORM_VERSION + 1}"
"""After a change of the texts of one game."""
OLD_NUMBERS = f"numeric face of version 0, now {NUMERIC}"


def kept(name: str) -> list[dict[str, Any]]:
    """The kept records of a file as dictionaries of their lines, which have no versions."""
    return [json.loads(line) for line in (RECORDS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def on(face: str, game: str = "bargaining") -> dict[str, Any]:
    """A kept match with all seats on a face, in which somebody gives answers that are no moves."""
    return next(given for given in kept(game) if set(given["faces"]) == {face} and any(given["errors"]))


def read() -> dict[str, Any]:
    """A kept match of bargaining in words, with errors."""
    return on("text")


def fresh() -> dict[str, Any]:
    """A match of bargaining in words as it is played now, with errors."""
    proposer = MockPlayer("proposer", "I want it all.", '{"kind": "offer", "gain": 6000}')
    answerer = MockPlayer("answerer", "Never.", '{"kind": "accept"}')
    return json.loads(econzoo.play("bargaining", [proposer, answerer], seed=1).to_json())


def reworded(given: dict[str, Any]) -> dict[str, Any]:
    """A record of other wording: each word that was read, and in replies that were moves, those that said so."""
    turns = []
    for turn in given["turns"]:
        face, code = given["faces"][turn["seat"]], turn["error"] and turn["error"][0]
        asked = turn["prompt"] and "Your move, please."
        said = "as agreed" if code is None and face != "structured" else turn["reply"]
        turns.append({**turn, "prompt": asked, "reply": said, "error": turn["error"] and [code, "That was no move."]})
    return {**given, "rules": [rules and "You know this game." for rules in given["rules"]], "turns": turns}


# Replay


def test_kept_matches_come_out_the_same_whatever_was_read_and_however_it_was_answered(change: Change) -> None:
    for name in FILES:
        for game in {given["game"] for given in kept(name)}:
            change(game, text_version=1, numeric_version=1)
        pool = EnvPool()
        for given in kept(name):
            assert replay(reworded(given), pool) == [], given["id"]
            changed = [OLD_TEXTS, "numeric face of version 0, now 1", OLD_REPLIES]
            assert other_versions(given) == changed, given["id"]


def test_other_words_of_the_same_version_are_problems() -> None:
    fields = {problem.field for problem in replay(reworded(fresh()))}
    assert fields >= {"rules", "prompt", "action"}


def test_everything_else_is_compared(change: Change) -> None:
    change("bargaining", text_version=1)
    wrongs: list[Callable[[dict[str, Any]], object]] = [
        lambda given: given["payoffs"].reverse(),
        lambda given: given["metrics"].update(efficiency=0.123),
        lambda given: given["turns"][-1].update(action={"kind": "reject"}),
        lambda given: given["turns"][0].update(default=True),
        lambda given: given["turns"][1].update(error=None),
        lambda given: given.update(status="forfeited"),
        lambda given: given["errors"].reverse(),
        lambda given: given["chance"].append(1.0),
    ]
    for number, wrong in enumerate(wrongs):
        given = read()
        assert replay(given) == [], number
        wrong(given)
        assert replay(given), number


def test_of_replies_that_were_read_otherwise_every_word_is_compared_but_what_they_meant() -> None:
    """An offer inside of a sentence was one when replies were of version 0."""
    given = fresh()
    number, turn = next((i, one) for i, one in enumerate(given["turns"]) if one["action"])
    given["turns"][number] = aside = {**turn, "reply": f"I could say {turn['reply']}."}
    now, given = given, {**given, "versions": {**NOW, "replies": 0}}
    assert replay(given) == []
    assert other_versions(given) == [OLD_REPLIES]
    assert replay(now), "now it is none"
    aside["prompt"] += " "
    assert [problem.field for problem in replay(given)] == ["prompt"]


def test_of_an_error_on_a_face_without_versions_the_code_is_compared(change: Change) -> None:
    given = on("structured")
    change("bargaining", text_version=1)
    turn = next(turn for turn in given["turns"] if turn["error"])
    turn["error"][1] = "That was no move."
    assert replay(given) == []
    turn["error"][0] = "many_json"
    assert [problem.field for problem in replay(given)] == ["error"]


def test_a_move_that_the_rules_forbid_is_a_problem_whatever_the_record_says(change: Change) -> None:
    given = on("numeric")
    change("bargaining", numeric_version=1)
    given["turns"][0]["action"]["gain"] = 2 * given["params"]["money"]
    assert any("out_of_range" in str(problem) for problem in replay(given))


def test_a_number_on_another_grid_is_the_amount_that_was_played(change: Change) -> None:
    given, rules = on("numeric"), econzoo.game("bargaining").rules
    narrow = dataclasses.replace(rules, span=lambda params, state, seat: ((0.0, params.money / 2),))
    change("bargaining", rules=narrow, numeric_version=0)
    assert any(problem.field == "action" for problem in replay(given)), "the same number means another amount"
    change("bargaining", rules=narrow, numeric_version=1)
    assert replay(given) == []


def test_faces_of_the_same_version_are_decoded_as_ever(change: Change) -> None:
    change("bargaining", numeric_version=1)
    given = fresh()
    assert replay(given) == []
    assert {problem.field for problem in replay(reworded(given))} >= {"rules", "prompt", "action"}


def test_other_rules_are_an_error_all_the_same(change: Change) -> None:
    change("bargaining", version=1, text_version=1)
    (problem,) = replay(read())
    says(problem.found, "version 0", "version 1")


# What is told


def test_new_records_name_their_versions_and_keep_their_ids(change: Change) -> None:
    before = econzoo.play("bargaining", ["fair", "fair"], seed=1)
    assert before.versions == NOW
    change("bargaining", text_version=2, numeric_version=NUMERIC + 1)
    after = econzoo.play("bargaining", ["fair", "fair"], seed=1)
    assert json.loads(after.to_json())["versions"] == {**NOW, "texts": FORM_VERSION + 2, "numeric": NUMERIC + 1}
    assert after.id == before.id


def test_versions_that_are_none_are_refused() -> None:
    for versions in [
        5,
        [0, 0, 0],
        {"rules": 0},
        {"rules": 0, "texts": -1, "numeric": 0},
        {"rules": 1, "texts": 0, "numeric": 0},
    ]:
        given = {**read(), "versions": versions}
        assert "versions: expected" in str(replay(given)[0]), versions
        with refuses(ValueError, "versions"):
            Record.from_json(json.dumps(given))


def test_a_record_of_a_newer_release_is_told_as_such() -> None:
    for name in ["texts", "numeric", "replies", "streams"]:
        record = econzoo.play("bargaining", ["fair", "fair"])
        given = {**json.loads(record.to_json()), "versions": {**NOW, name: 99}}
        (problem,) = replay(given)
        says(problem, f"versions.{name}", NOW[name], "newer", 99)
        with refuses(ValueError, f"versions.{name}", NOW[name], "newer"):
            Record.from_json(json.dumps(given))


def test_so_are_newer_rules_and_a_newer_form() -> None:
    record = econzoo.play("bargaining", ["fair", "fair"])
    given = json.loads(record.to_json())
    (newer,) = replay({**given, "version": 3, "versions": {**NOW, "rules": 3}})
    says(newer.found, "version 3", "version 0", "newer")
    says(replay({**given, "schema": 3})[0], "schema", "1, 2", "newer", 3)


def test_the_command_counts_other_versions_and_ends_well(change: Change) -> None:
    file, count = RECORDS / "bargaining.jsonl", len(kept("bargaining"))
    change("bargaining", text_version=1)
    *others, last, code = run_command(f"replay {file}").splitlines()[1:]
    for told, other in zip(others, (OLD_TEXTS, OLD_NUMBERS, OLD_REPLIES), strict=True):
        says(told, count, other)
    says(last, count)
    assert code == "exit code 0"
    said = run_command(f"replay {file} --json")
    assert json.loads(said[said.index("{") : said.rindex("}") + 1])["versions"] == {
        OLD_TEXTS: count,
        OLD_NUMBERS: count,
        OLD_REPLIES: count,
    }


# Who else reads records


def test_metrics_and_summaries_take_them(change: Change, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.write_bytes((RECORDS / "bargaining.jsonl").read_bytes())
    metrics = [metrics_of(record, "glee-code") for record in read_record_file(file) if record.status == "finished"]
    change("bargaining", text_version=1, numeric_version=1)
    ended = [record for record in read_record_file(file) if record.status == "finished"]
    assert repr([metrics_of(record, "glee-code") for record in ended]) == repr(metrics)
    summary = summarize(records_of(file).verify())
    assert all("paused" in bad.reason for bad in summary.unreadable)
    assert summary.unreadable


def test_a_paused_match_does_not_go_on_in_other_words(change: Change) -> None:
    paused = next(record for record in read_record_file(RECORDS / "bargaining.jsonl") if record.status == "paused")
    change("bargaining", text_version=1)
    with refuses(ValueError, "bargaining", OLD_TEXTS):
        resume(paused)


def test_a_tournament_does_not_go_on_in_other_words(change: Change, tmp_path: Path) -> None:
    design = new_design("bargaining", ["fair", "greedy"], seeds=1)
    run(design, tmp_path, jobs=1)
    change("bargaining", numeric_version=NUMERIC + 1)
    with refuses(ValueError, "versions", f"'numeric': {NUMERIC}", f"'numeric': {NUMERIC + 1}"):
        run(new_design("bargaining", ["fair", "greedy"], seeds=2), tmp_path, jobs=1)


def test_a_tournament_from_before_versions_goes_on(
    change: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as nothing has risen since."""
    change("bargaining", numeric_version=0)
    for name in ("FORM_VERSION", "REPLY_VERSION", "STREAM_VERSION"):
        monkeypatch.setattr(f"econzoo.envs.core.contract.game.{name}", 0)
    design = new_design("bargaining", ["fair", "greedy"], seeds=1)
    run(design, tmp_path, jobs=1)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    del manifest["versions"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    run(more := new_design("bargaining", ["fair", "greedy"], seeds=2), tmp_path, jobs=1)
    assert missing_matches(more, tmp_path) == []
