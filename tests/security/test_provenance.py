"""What tells play from forgeries: asking players and running programs again, a seal, and a run that goes on."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from econzoo.__main__ import main
from econzoo.envs.core.record import Record, RecordFile
from econzoo.envs.core.record.record import Turn
from econzoo.evaluate.formats import convert
from econzoo.evaluate.run import EnvPool, ask_again, check_seal, missing_matches, new_design, play_match
from econzoo.evaluate.run import recompute_record, replay, run, seal_records
from econzoo.evaluate.run.seal import START, seal_path
from refusals import refuses, says

Line = dict[str, Any]


def line_of(record: Record) -> Line:
    return json.loads(record.to_json())


def forged(record: Record, change: Callable[[Line], None]) -> Line:
    """A record with another answer, and everything that follows from it as the rules say: replay finds nothing."""
    given = line_of(record)
    change(given)
    turns = [Turn(**turn) for turn in given["turns"]]
    made = line_of(recompute_record(Record(**{**given, "turns": turns})))
    assert replay(made) == []
    return made


def found(given: Line) -> list[str]:
    return [str(problem) for problem in ask_again(given, EnvPool()).problems]


def command(*words: object, code: int = 0) -> None:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    assert (end.value.code or 0) == code


# Asking again


def test_whoever_has_played_answers_the_same_again() -> None:
    for game, players in [
        ("bargaining", ["boulware(0.2)", "conceder"]),
        ("bargaining", ["random", "random"]),
        ("negotiation", ["random", "random"]),
        ("persuasion", ["random", "random"]),
        ("matrix", ["random", "tit-for-tat"]),
        ("water_allocation", ["random"] * 5),
        ("survival_auction", ["random"] * 5),
        ("bargaining", ["mock:*", "fair"]),
    ]:
        record = play_match(game, players, seed=3)
        asked = ask_again(line_of(record), EnvPool())
        assert asked.problems == [], players
        assert asked.answers == sum(players[turn.seat] != "mock:*" for turn in record.turns) > 0, players


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
    says(problem, "turn 1", "boulware(0.2)", offer, 5000.0)


def test_an_answer_of_a_random_player_that_it_did_not_draw_is_found() -> None:
    def change(given: Line) -> None:
        given["turns"][-1]["reply"]["kind"] = "defect"

    record = play_match("matrix", ["random", "random"], seed=5, rounds=3)
    changed = next(t for t in reversed(record.turns) if t.reply["kind"] != "defect")

    def other(given: Line) -> None:
        given["turns"][record.turns.index(changed)]["reply"]["kind"] = "defect"

    (problem,) = found(forged(record, other))
    says(problem, f"turn {record.turns.index(changed) + 1}", "random")


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
        assert asked.skipped_players == (spec,)
        assert asked.problems == []


def test_a_match_from_elsewhere_is_not_asked_again() -> None:
    given = line_of(play_match("bargaining", ["fair", "fair"])) | {"source": {"format": "glee", "id": "1"}}
    asked = ask_again(given, EnvPool())
    assert (asked.problems, asked.answers, len(asked.skipped_players)) == ([], 0, 1)


def test_the_command_says_what_was_asked(tmp_path: Path, capsys) -> None:
    path = tmp_path / "records.jsonl"
    RecordFile(path).append(play_match("bargaining", ["boulware(0.2)", "fair"]))
    RecordFile(path).append(play_match("bargaining", ["mock:*", "fair"], seed=1, horizon=1))
    command("replay", path, "--again")
    told = capsys.readouterr().out.splitlines()
    says(told[-1], "2 matches")
    says(told[0], "mock:*", "1 match")
    says(told[1], "again")
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
    says(problem, "turn 1", "tit-for-tat")


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
    first = seal_records(file)
    assert first.lines == 4
    assert seal_records(file) == first
    RecordFile(file).append(play_match("bargaining", ["random", "fair"], seed=4))
    second = seal_records(file)
    assert (second.lines, second.hash != first.hash) == (5, True)
    assert seal_path(file).read_text().split()[3] == first.hash
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


def test_a_sealed_file_that_was_changed_is_found_at_the_line(file: Path, capsys) -> None:
    last, lines = seal_records(file).hash, file.read_text().splitlines()
    for forge, line in FORGERIES.values():
        file.write_text("".join(f"{one}\n" for one in forge(lines)))
        for check in (lambda: seal_records(file), lambda: check_seal(file, last)):
            with refuses(ValueError, f"line {line}", "seal"):
                check()
        command("replay", file, code=1)
        says(capsys.readouterr().out, file, f"line {line}", "seal")


def test_a_file_that_was_sealed_anew_is_found_by_the_hash_kept_elsewhere(file: Path) -> None:
    kept = seal_records(file).hash
    file.write_text("".join(f"{one}\n" for one in _changed(file.read_text().splitlines())))
    seal_path(file).unlink()
    anew = seal_records(file)
    assert anew.hash != kept
    with refuses(ValueError, anew.hash, kept):
        check_seal(file, kept)


def test_the_command_seals_and_checks_the_hash_kept_elsewhere(file: Path, capsys) -> None:
    command("replay", file, "--seal")
    kept = capsys.readouterr().out.split()[0]
    assert kept == seal_records(file).hash
    command("replay", file, "--expect", kept, "--json")
    assert json.loads(capsys.readouterr().out) == [{"file": str(file), "lines": 4, "hash": kept}]
    command("replay", file, "--expect", START, code=1)
    command("replay", file, "--seal", "--again", code=1)
    says(capsys.readouterr().err, "--again", "--seal")


def test_an_empty_file_and_one_without_a_seal(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.touch()
    assert seal_records(path) == (0, START)
    with refuses(ValueError, path, "econzoo replay --seal"):
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
    assert missing_matches(plan(), folder) == []


def test_a_folder_of_another_version_of_the_rules_is_not_complete(folder: Path, capsys) -> None:
    rewrite(folder, lambda lines: [line.replace('"rules":0', '"rules":1') for line in lines])
    with refuses(ValueError, "records.jsonl", "line 1", "versions.rules", 0, 1):
        missing_matches(plan(), folder)
    words = ("tournament", "bargaining", "fair", "random", "--seeds", 2, "--jobs", 1, "--out", folder)
    command(*words, code=1)
    told = capsys.readouterr()
    assert "matches are in" not in told.out
    assert len(told.err.strip().splitlines()) == 1


def test_a_folder_with_a_line_that_does_not_replay_is_not_complete(folder: Path) -> None:
    whole = (folder / "records.jsonl").read_text().splitlines()
    for was, now, field in [
        ('"payoffs":[', '"payoffs":[1', "payoffs"),
        ('"seed":', '"seed":7', "id"),
        ('"status":"finished"', '"status":"truncated"', "status"),
    ]:
        rewrite(folder, lambda _, was=was, now=now: [whole[0], whole[1].replace(was, now, 1), *whole[2:]])
        with pytest.raises(ValueError, match=rf"records\.jsonl, line 2: (match|{field})"):
            run(plan(), folder, jobs=1)


def damaged(whole: list[str]) -> dict[str, str]:
    """Every way in which a record file was ever damaged: its new text by what happened to the third line."""

    def text(*lines: str) -> str:
        return "".join(f"{one}\n" for one in (*whole[:2], *lines, *whole[3:]))

    def with_values(**values: Any) -> str:
        return text(json.dumps({**json.loads(line), **values}, separators=(",", ":")))

    given = json.loads(line := whole[2])
    turn = {**given["turns"][0], "seat": 7}
    return {
        "cut": text(line[: len(line) // 2]),
        "two in one": text(line + line),
        "half and whole": text(line[:50] + line),
        "no JSON": text("junk"),
        "another JSON": text("17"),
        "a list": text("[]"),
        "deep": text("[" * 100_000),
        "NUL": text("\0" * 40),
        "not UTF-8": text("\udcff" * 3),
        "merge marks": text("<<<<<<< HEAD", line, "=======", line, ">>>>>>> other"),
        "only an id": text(json.dumps({"id": given["id"]})),
        "a path for an id": with_values(id="../../../evil"),
        "an id of no match": with_values(id="0123456789abcdef"),
        "an id of another match": with_values(id=json.loads(whole[0])["id"]),
        "an id of another type": with_values(id=[given["id"]]),
        "another format": with_values(format=99),
        "another version": with_values(versions={**given["versions"], "rules": 17}),
        "another game": with_values(game="matrix"),
        "an unknown game": with_values(game="chess"),
        "another seed": with_values(seed=given["seed"] + 1),
        "another player": with_values(players=["greedy", "greedy"]),
        "another payoff": with_values(payoffs=[given["payoffs"][0] + 1, given["payoffs"][1]]),
        "another status": with_values(status="forfeited"),
        "another error": with_values(errors=[1, 0]),
        "another seat": with_values(turns=[turn, *given["turns"][1:]]),
        "no turns": with_values(turns=[]),
        "one more key": with_values(more=1),
        "one key less": text(json.dumps({name: value for name, value in given.items() if name != "turns"})),
        "a differing double": text(line, line.replace('"payoffs":[', '"payoffs":[1')),
    }


KINDS = [*damaged([play_match("bargaining", ["fair", "fair"]).to_json()] * 3)]


@pytest.mark.parametrize("kind", KINDS)
def test_what_replay_refuses_no_command_goes_on_with(folder: Path, kind: str, capsys, monkeypatch) -> None:
    """Neither a run nor `play --out`, nor before nor behind the lines that are replayed; and the repair helps both."""
    path, whole = folder / "records.jsonl", (folder / "records.jsonl").read_text().splitlines()
    path.write_bytes(before := damaged(whole)[kind].encode(errors="surrogateescape"))
    (folder.parent / "matches.jsonl").write_bytes(before)
    play = ("play", "bargaining", "fair", "random", "--matches", 2, "--out", folder.parent / "matches.jsonl")
    again = ("tournament", "bargaining", "fair", "random", "--seeds", 2, "--jobs", 1, "--out", folder)
    command("replay", folder, code=1)
    capsys.readouterr()
    for words in (again, play):
        command(*words, code=1)
        (told,) = capsys.readouterr().err.strip().splitlines()
        says(told, "line 3" if kind != "a differing double" else "line 4", "--repair")
        assert path.read_bytes() == before
    repair = shlex.split(told.rpartition("what does not: ")[2])
    command(*repair[1:])
    says(capsys.readouterr().err, "set aside", "line")
    mended = Path(repair[-2])
    assert mended.read_text().splitlines() == [
        one for one in whole if one in before.decode(errors="replace").split("\n")
    ]
    assert mended.with_name(f"{mended.name}.torn").read_bytes()
    command("replay", mended)
    command("play", "bargaining", "fair", "random", "--matches", 2, "--out", mended)
    monkeypatch.setattr("econzoo.evaluate.run.records.ALWAYS_REPLAYED", 0)
    without_replay = "payoff", "status", "error", "seat", "turns", "double"
    if not kind.endswith(without_replay):
        with refuses(ValueError, "line 3"):
            missing_matches(plan(), folder)


def test_a_repaired_folder_is_completed(folder: Path, tmp_path: Path) -> None:
    """Matches set aside are played again, calls that were paid come along, and all shards become one file."""
    whole = (folder / "records.jsonl").read_text().splitlines()
    (folder / "records.jsonl").write_text("\n".join([*whole[:2], whole[2][:99], *whole[3:5]]) + "\n")
    (folder / "records-1-of-2.jsonl").write_text("junk\n" + "\n".join(whole[5:]) + "\n")
    (folder / "records.jsonl.calls").write_text("paid\n")
    target = tmp_path / "new" / "records.jsonl"
    done = convert(folder, target, repair=True)
    assert (done.complete, len(done.omissions)) == (True, 2)
    assert target.with_name("records.jsonl.calls").read_text() == "paid\n"
    target.with_name("records.jsonl.calls").unlink()
    assert run(plan(), target.parent, jobs=1) == 1
    assert {*target.read_text().splitlines()} >= {*whole} - {whole[2]}
    assert missing_matches(plan(), target.parent) == []


def test_the_end_of_a_file_is_not_yet_a_line(folder: Path) -> None:
    """It is torn, or another process writes it."""
    path = folder / "records.jsonl"
    whole = path.read_text().splitlines()
    for end in (whole[-1][:200], "\0" * 100, "junk"):
        path.write_text("".join(f"{line}\n" for line in whole[:-1]) + end)
        assert len(missing_matches(plan(), folder)) == 1
        assert run(plan(), folder, jobs=1) == 1
        assert missing_matches(plan(), folder) == []
    path.write_text("\n".join(whole))
    assert missing_matches(plan(), folder) == []


def test_a_sealed_file_that_was_changed_does_not_go_on(folder: Path) -> None:
    path = folder / "records.jsonl"
    seal_records(path)
    rewrite(folder, lambda lines: lines[1:])
    with refuses(ValueError, "line 1", "seal"):
        missing_matches(plan(), folder)


# Records of odd form


def test_a_record_of_another_form_is_told_by_its_field() -> None:
    whole = line_of(play_match("bargaining", ["fair", "fair"]))
    for change, where, *named in [
        ({"seed": -1}, "seed", 0, "2**63", -1),
        ({"payoffs": "1"}, "payoffs", 2, '"1"'),
        ({"payoffs": [1.0]}, "payoffs", 2, [1.0]),
        ({"players": []}, "players", "[]"),
        ({"metrics": [1]}, "metrics", [1]),
        ({"rulings": [{"moves": [["C"]]}]}, "ruling 1, moves"),
        ({"rulings": [{"moves": [], "results": 5}]}, "ruling 1, results", 5),
        ({"game": "chess"}, "game"),
        ({"versions": "new"}, "versions"),
        ({"forfeit": 7}, "forfeit", 0, 1, 7),
    ]:
        (problem,) = map(str, replay(whole | change))
        assert problem.startswith(f"{where}:")
        says(problem, *named)
        with pytest.raises(ValueError, match="record"):
            Record.from_json(json.dumps(whole | change))


def test_so_is_one_of_its_turns() -> None:
    for change, where, *named in [
        ({"seat": 9}, "turn 1, seat", 0, 1, 9),
        ({"error": True}, "turn 1, error", "true"),
        ({"action": [1]}, "turn 1, action", [1]),
        ({"calls": [{"purpose": 1}]}, "turn 1, call 1, purpose", 1),
    ]:
        given = line_of(play_match("bargaining", ["fair", "fair"]))
        given["turns"][0] |= change
        (problem,) = map(str, replay(given))
        assert problem.startswith(f"{where}:")
        says(problem, *named)
