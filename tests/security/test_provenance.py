"""What tells play from forgeries: asking players and running programs again, a seal, and a run that goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from econzoo.__main__ import main
from econzoo.envs.core.record.record import Record, RecordFile, Turn
from econzoo.evaluate.run.answer_replay import ask_again
from econzoo.evaluate.run.match import play_match
from econzoo.evaluate.run.replay import played_again, replay
from econzoo.evaluate.run.seal import START, check_seal, seal_of, sealed
from econzoo.evaluate.run.table import EnvPool
from econzoo.evaluate.run.tournament import missing, new_design, run

Line = dict[str, Any]


def line_of(record: Record) -> Line:
    return json.loads(record.to_json())


def forged(record: Record, change: Callable[[Line], None]) -> Line:
    """A record with another answer, and everything that follows from it as the rules say: replay finds nothing."""
    given = line_of(record)
    change(given)
    turns = [Turn(**turn) for turn in given["turns"]]
    made = line_of(played_again(Record(**{**given, "turns": turns})))
    assert replay(made) == []
    return made


def found(given: Line) -> list[str]:
    return [str(problem) for problem in ask_again(given, EnvPool()).problems]


def command(*words: object, code: int = 0) -> None:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    assert (end.value.code or 0) == code


# Asking again


@pytest.mark.parametrize(
    ("game", "players"),
    [
        ("bargaining", ["boulware(0.2)", "conceder"]),
        ("bargaining", ["random", "random"]),
        ("negotiation", ["random", "random"]),
        ("persuasion", ["random", "random"]),
        ("matrix", ["random", "tit-for-tat"]),
        ("water_allocation", ["random"] * 5),
        ("survival_auction", ["random"] * 5),
        ("bargaining", ["mock:*", "fair"]),
    ],
)
def test_whoever_has_played_answers_the_same_again(game: str, players: list[str]) -> None:
    record = play_match(game, players, seed=3)
    asked = ask_again(line_of(record), EnvPool())
    assert asked.problems == []
    assert asked.answers == sum(players[turn.seat] != "mock:*" for turn in record.turns) > 0


def test_an_early_offer_that_was_changed_in_reply_and_move_is_found() -> None:
    """Boulware asks for $9,000 first; the forger lets it ask for $5,000, which `fair` takes at once."""

    def change(given: Line) -> None:
        given["turns"][0]["reply"]["gain"] = 5000.0
        del given["turns"][1:]
        given["turns"].append({**given["turns"][0], "seat": 1, "reply": {"kind": "accept"}})

    record = play_match("bargaining", ["boulware(0.2)", "fair"])
    offer = record.turns[0].reply["gain"]
    assert offer > 5000.0
    (problem,) = found(forged(record, change))
    assert problem.startswith("turn 1, answer of boulware(0.2): expected ")
    assert "5000.0" in problem


def test_an_answer_of_a_random_player_that_it_did_not_draw_is_found() -> None:
    def change(given: Line) -> None:
        given["turns"][-1]["reply"]["kind"] = "defect"

    record = play_match("matrix", ["random", "random"], seed=5, rounds=3)
    changed = next(t for t in reversed(record.turns) if t.reply["kind"] != "defect")

    def other(given: Line) -> None:
        given["turns"][record.turns.index(changed)]["reply"]["kind"] = "defect"

    (problem,) = found(forged(record, other))
    assert problem.startswith(f"turn {record.turns.index(changed) + 1}, answer of random: ")


def test_what_cannot_be_asked_is_told_and_not_asked(monkeypatch) -> None:
    """Neither people nor models, nor files that are gone; no connection is opened for a record."""
    import socket

    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("a connection was opened"))
    record = play_match("bargaining", ["fair", "fair"])
    for spec in (
        "human",
        "openai:m@http://127.0.0.1:9/v1",
        "hf:some/model",
        "ppo:/no/such",
        "program:/no/such",
        "nobody",
    ):
        given = line_of(record) | {"players": [spec, "fair"]}
        asked = ask_again(given, EnvPool())
        assert asked.left_out == (spec,)
        assert asked.problems == []


def test_a_match_from_elsewhere_is_not_asked_again() -> None:
    given = line_of(play_match("bargaining", ["fair", "fair"])) | {"source": {"format": "glee", "id": "1"}}
    assert ask_again(given, EnvPool()) == ([], 0, ("a match that was played elsewhere",))


def test_the_command_says_what_was_asked(tmp_path: Path, capsys) -> None:
    path = tmp_path / "records.jsonl"
    RecordFile(path).append(play_match("bargaining", ["boulware(0.2)", "fair"]))
    RecordFile(path).append(play_match("bargaining", ["mock:*", "fair"], seed=1, horizon=1))
    command("replay", path, "--again")
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "2 matches replayed: every one as recorded"
    assert told[0].startswith("not asked again: mock:*, in 1 match")
    assert told[1].endswith("asked for again")
    command("replay", path)
    assert "again" not in capsys.readouterr().out


# Programs


@pytest.fixture(scope="module")
def programs() -> Record:
    pytest.importorskip("pydantic_monty")
    return play_match("program_matrix", ["tit-for-tat", "defect"], rounds=1, turns=3)


def test_programs_of_a_record_are_run_again(programs: Record) -> None:
    assert ask_again(line_of(programs), EnvPool()).problems == []


def test_swapped_programs_are_found(programs: Record) -> None:
    """The two sources change places, and the rulings stay: replay takes rulings as they are."""

    def change(given: Line) -> None:
        first, second = given["turns"][0], given["turns"][1]
        first["reply"], second["reply"] = second["reply"], first["reply"]

    (problem,) = found(forged(programs, change))
    assert problem.startswith("turn 1, answer of tit-for-tat: ")


def test_rulings_that_the_programs_do_not_give_are_found(programs: Record) -> None:
    """Tit-for-tat against always D is C, D, D and $2 to $7; the forger lets both play D from the first turn on."""
    assert programs.payoffs == [2.0, 7.0]

    def change(given: Line) -> None:
        given["rulings"][0]["moves"] = [[1, 0.0]] * 6
        for result in given["rulings"][0]["results"]:
            result |= {"moves": "DDD", "against": "DDD", "payoff": 3.0}

    made = forged(programs, change)
    assert made["payoffs"] == [3.0, 3.0]
    assert [problem.split(":")[0] for problem in found(made)] == ["payoffs", "rulings"]


# Seals


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    for seed in range(4):
        RecordFile(path).append(play_match("bargaining", ["random", "fair"], seed=seed))
    return path


def test_a_seal_grows_with_its_file(file: Path) -> None:
    first = sealed(file)
    assert first.lines == 4
    assert sealed(file) == first
    RecordFile(file).append(play_match("bargaining", ["random", "fair"], seed=4))
    second = sealed(file)
    assert (second.lines, second.hash != first.hash) == (5, True)
    assert seal_of(file).read_text().split()[3] == first.hash
    assert check_seal(file, second.hash) == second


def _changed(lines: list[str]) -> list[str]:
    return [lines[0], lines[1].replace('"seconds":0', '"seconds":1'), *lines[2:]]


FORGERIES: dict[str, tuple[Callable[[list[str]], list[str]], int]] = {
    "seconds changed, which replay does not check": (_changed, 2),
    "a line left out": (lambda lines: [lines[0], *lines[2:]], 2),
    "the last line left out": (lambda lines: lines[:-1], 4),
    "two lines in another order": (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
    "a line put in": (lambda lines: [*lines[:3], lines[0], lines[3]], 4),
    "no line left": (lambda lines: [], 1),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_sealed_file_that_was_changed_is_found_at_the_line(name: str, file: Path, capsys) -> None:
    forge, line = FORGERIES[name]
    last = sealed(file).hash
    file.write_text("".join(f"{one}\n" for one in forge(file.read_text().splitlines())))
    for check in (lambda: sealed(file), lambda: check_seal(file, last)):
        with pytest.raises(ValueError, match=rf"line {line}: seal: .*not as it was when it was sealed"):
            check()
    command("replay", file, code=1)
    assert f"{file}, line {line}, seal: expected" in capsys.readouterr().out


def test_a_file_that_was_sealed_anew_is_found_by_the_hash_kept_elsewhere(file: Path) -> None:
    kept = sealed(file).hash
    file.write_text("".join(f"{one}\n" for one in _changed(file.read_text().splitlines())))
    seal_of(file).unlink()
    anew = sealed(file)
    assert anew.hash != kept
    with pytest.raises(ValueError, match=f"is sealed with {anew.hash}, not with '{kept}'"):
        check_seal(file, kept)


def test_the_command_seals_and_checks_the_hash_kept_elsewhere(file: Path, capsys) -> None:
    command("replay", file, "--seal")
    kept = capsys.readouterr().out.split()[0]
    assert kept == sealed(file).hash
    command("replay", file, "--expect", kept, "--json")
    assert json.loads(capsys.readouterr().out) == [{"file": str(file), "lines": 4, "hash": kept}]
    command("replay", file, "--expect", START, code=1)
    command("replay", file, "--seal", "--again", code=1)
    assert "--again is not allowed with --seal" in capsys.readouterr().err


def test_an_empty_file_and_one_without_a_seal(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.touch()
    assert sealed(path) == (0, START)
    with pytest.raises(ValueError, match="is not sealed; to seal it: econzoo replay --seal"):
        check_seal(path, START)


# Runs that go on


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run(plan(), tmp_path / "run", jobs=1)
    return tmp_path / "run"


def plan():
    return new_design("bargaining", ["fair", "random"], seeds=2)


def rewrite(folder: Path, change: Callable[[list[str]], list[str]]) -> None:
    path = folder / "records.jsonl"
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))


def test_a_whole_folder_is_complete(folder: Path) -> None:
    assert missing(plan(), folder) == []


def test_a_folder_of_another_version_of_the_rules_is_not_complete(folder: Path, capsys) -> None:
    other = [('"version":0', '"version":1'), ('"rules":0', '"rules":1')]
    for was, now in other:
        rewrite(folder, lambda lines, was=was, now=now: [line.replace(was, now) for line in lines])
    with pytest.raises(ValueError, match=r"records\.jsonl, line 1: match: .*version 1 of the rules; this is version 0"):
        missing(plan(), folder)
    words = ("tournament", "bargaining", "fair", "random", "--seeds", 2, "--jobs", 1, "--out", folder)
    command(*words, code=1)
    told = capsys.readouterr()
    assert "matches are in" not in told.out
    assert len(told.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("was", "now", "problem"),
    [
        ('"payoffs":[', '"payoffs":[1', "payoffs: expected"),
        ('"seed":', '"seed":7', "id: expected"),
        ('"status":"finished"', '"status":"truncated"', "status: expected"),
    ],
)
def test_a_folder_with_a_line_that_does_not_replay_is_not_complete(
    was: str, now: str, problem: str, folder: Path
) -> None:
    rewrite(folder, lambda lines: [lines[0], lines[1].replace(was, now, 1), *lines[2:]])
    with pytest.raises(ValueError, match=rf"records\.jsonl, line 2: (match|{problem})"):
        run(plan(), folder, jobs=1)


@pytest.mark.parametrize("line", ['{"id": ["x"]}', "[" * 100_000, '{"id":"0123456789abcdef"}', "\0", "17"])
def test_lines_that_are_no_records_of_the_plan_count_for_nothing(line: str, folder: Path) -> None:
    """The match whose line is gone is played again."""
    rewrite(folder, lambda lines: [line, *lines[1:]])
    assert len(missing(plan(), folder)) == 1


# Records of odd form


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": -1}, 'seed: expected "a whole number from 0 to 2**63 - 1", found -1'),
        ({"payoffs": "1"}, 'payoffs: expected "a list of 2 values, each a number", found "1"'),
        ({"payoffs": [1.0]}, 'payoffs: expected "a list of 2 values, each a number", found [1.0]'),
        ({"players": []}, 'players: expected "a list of texts, at least one", found []'),
        ({"metrics": [1]}, 'metrics: expected "an object", found [1]'),
        ({"rulings": [{"moves": [["C"]]}]}, "ruling 1, moves: expected"),
        ({"rulings": [{"moves": [], "results": 5}]}, 'ruling 1, results: expected "a list of objects", found 5'),
        ({"game": "chess"}, 'game: expected "one that is known here", found "unknown game'),
        ({"versions": "new"}, "versions: expected"),
        ({"forfeit": 7}, 'forfeit: expected "null or a seat from 0 to 1", found 7'),
    ],
)
def test_a_record_of_another_form_is_told_by_its_field(change: Line, told: str) -> None:
    given = line_of(play_match("bargaining", ["fair", "fair"])) | change
    (problem,) = map(str, replay(given))
    assert problem.startswith(told)
    with pytest.raises(ValueError, match=r"^not a record: "):
        Record.from_json(json.dumps(given))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seat": 9}, 'turn 1, seat: expected "from 0 to 1", found 9'),
        ({"error": True}, 'turn 1, error: expected "a code and a text, or null", found true'),
        ({"action": [1]}, 'turn 1, action: expected "an object or null", found [1]'),
        ({"calls": [{"purpose": 1}]}, 'turn 1, call 1, purpose: expected "text", found 1'),
    ],
)
def test_so_is_one_of_its_turns(change: Line, told: str) -> None:
    given = line_of(play_match("bargaining", ["fair", "fair"]))
    given["turns"][0] |= change
    assert list(map(str, replay(given))) == [told]
