"""Records: what is written comes back, and what is no record is refused with the reason."""

from __future__ import annotations

import json

import pytest

import econzoo
from econzoo.envs.core.contract import UNPRINTABLE
from econzoo.envs.core.record import Record, RecordFile, encode_reply, read_record_file
from econzoo.envs.core.record.turn import OTHER
from refusals import refuses


@pytest.fixture(scope="module")
def line() -> str:
    return econzoo.play("bargaining", ["boulware(0.2)", "fair"], seed=1, horizon=4).to_json()


def changed(line: str, path: str, value: object) -> str:
    given = json.loads(line)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inner = given
    for part in way:
        inner = inner[part]
    inner[last] = value
    return json.dumps(given)


def test_a_record_comes_back_as_it_was(line):
    assert Record.from_json(line).to_json() == line


def test_a_field_of_the_wrong_kind_is_named(line):
    for path, value in [
        ("id", []),
        ("game", 5),
        ("players", 5),
        ("payoffs", None),
        ("payoffs", ["a", "b"]),
        ("payoffs", [1.0]),
        ("errors", None),
        ("metrics", {}),
        ("metrics.gains", None),
        ("metrics.gains", ["x", "y"]),
        ("metrics.agreed", 1),
        ("status", 5),
        ("forfeit", 9),
        ("seed", -1),
        ("seconds", None),
        ("turns", 5),
        ("turns.0", 5),
        ("turns.0.seat", 2),
        ("turns.0.round", "1"),
        ("turns.0.action", 5),
        ("turns.0.tokens", None),
        ("turns.0.tokens", [1]),
        ("turns.0.cost", "x"),
        ("turns.0.seconds", float("nan")),
        ("turns.0.error", "x"),
        ("turns.0.prompt", 5),
        ("turns.0.default", None),
    ]:
        with pytest.raises(ValueError) as refused:
            Record.from_json(changed(line, path, value))
        assert path.split(".")[-1].rstrip("0123456789") in str(refused.value) or path.startswith("turns"), path


def test_what_is_no_record_is_refused():
    for text in ["", "[1]", '{"format": 1}', "null", "{" * 5000, "\u202e"]:
        with pytest.raises(ValueError):
            Record.from_json(text)


def test_a_torn_line_is_put_aside_and_nothing_else_is_lost(line, tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text(f"{line}\n{line[:100]}")
    RecordFile(path).append(Record.from_json(line))
    assert [record.id for record in read_record_file(path)] == [Record.from_json(line).id] * 2
    assert (tmp_path / "records.jsonl.torn").read_text() == f"{line[:100]}\n"


def test_a_whole_last_line_without_its_end_stays(line, tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text(line)
    RecordFile(path).append(Record.from_json(line))
    assert len(list(read_record_file(path))) == 2


def test_a_file_of_something_else_is_not_touched(tmp_path):
    for text in ["my notes", "my notes\n", "\ufeffmy notes\nand more"]:
        path = tmp_path / "notes.txt"
        path.write_text(text)
        with refuses(ValueError, path):
            RecordFile(path)
        assert path.read_text() == text, text


def test_a_line_that_is_no_record_is_named_with_its_file(line, tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text(f"{line}\nnonsense\n")
    with refuses(ValueError, path, "line 2"):
        list(read_record_file(path))


def test_what_cannot_be_shown_is_kept_by_its_type():
    game = econzoo.game("bargaining")

    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    assert encode_reply(game, Odd()) == {OTHER: ["Odd", "<Odd>"]}
    assert encode_reply(game, 10**5000) == {OTHER: ["int", UNPRINTABLE]}
