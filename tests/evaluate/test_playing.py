"""``econzoo play``: a person pauses, goes on in another process, and the record is that of one match."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from econzoo.__main__ import main
from econzoo.baselines import Player, player
from econzoo.evaluate.commands.play import open_output_run
from econzoo.evaluate.run import concurrency_of, new_match, play_lines, play_match, play_matches
from refusals import says


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command in an empty folder with lines typed; returns what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments, typed="", code=0):
        out, errors = io.StringIO(), io.StringIO()
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            main(list(map(str, arguments)))
        assert ended.value.code == code, out.getvalue() + errors.getvalue()
        return out.getvalue() if code == 0 else errors.getvalue()

    return command


MATCH = ("play", "bargaining", "human", "boulware(0.2)", "-p", "horizon=5", "--seed", "3")


def status(path):
    return json.loads(path.read_text())["status"]


def timeless(line):
    record = json.loads(line)
    return {**record, "seconds": 0, "turns": [{**turn, "seconds": 0} for turn in record["turns"]]}


def test_pausing_tells_where_the_match_is_and_how_to_go_on(run, tmp_path):
    told = run(*MATCH, typed="9000\n\npause\n")
    (kept,) = tmp_path.iterdir()
    assert kept.name.startswith("bargaining-")
    assert kept.name.endswith(".match.json")
    says(told, "round 2", kept, f"econzoo play --resume {kept}")
    assert "payoffs" not in told
    assert status(kept) == "paused"
    says(run("replay", kept), "1 match")


def test_in_parts_and_in_one_go(run, tmp_path):
    run(*MATCH, "--out", "whole.jsonl", typed="9000\n\nr\n8000\nMine!\nr\n7000\n\n")
    told = run(*MATCH, "--save", "kept.json", "--out", "parts.jsonl", typed="9000\n\nr\npause\n")
    assert "econzoo play --resume kept.json --out parts.jsonl" in told
    assert not (tmp_path / "parts.jsonl").exists()
    told = run("play", "--resume", "kept.json", "--out", "parts.jsonl", typed="8000\nMine!\nquit\np\n")
    says(told, "Paused", "round 4")
    assert status(tmp_path / "kept.json") == "paused"
    told = run("play", "--resume", "kept.json", "--out", "parts.jsonl", typed="r\n7000\n\n")
    assert "So far:" in told
    says(told, "1 record", "parts.jsonl")
    whole, parts = ((tmp_path / f"{name}.jsonl").read_text().splitlines() for name in ("whole", "parts"))
    assert [timeless(line) for line in parts] == [timeless(line) for line in whole]
    assert timeless((tmp_path / "kept.json").read_text()) == timeless(whole[0])
    says(run("play", "--resume", "kept.json", code=1), "finished", "paused")


def test_pausing_twice_keeps_both(run, tmp_path):
    for _ in range(2):
        run(*MATCH, typed="pause\n")
    assert len(list(tmp_path.glob("bargaining-*.match.json"))) == 2


def test_matches_that_were_not_played_are_named(run, tmp_path):
    told = run("play", "bargaining", "human", "fair", "--matches", 4, "--out", "m.jsonl", typed="5000\n\npause\n")
    says(told, "2 to 3")
    assert len((tmp_path / "m.jsonl").read_text().splitlines()) == 1
    says(told, "deal", "Alice 5,000.00")


def test_as_json_only_what_has_ended(run):
    command = ("play", "bargaining", "human", "fair", "--matches", 2, "--json")
    told = run(*command, typed="5000\n\npause\n")
    assert told.count('{"game"') == 1
    assert json.loads(told[told.index('{"game"') :])["status"] == "finished"


REFUSED = [
    (["play", "--resume", "nothing.json"], ("nothing.json",)),
    (["play", "--resume", "."], ("folder", "file")),
    (["play", "--resume", "kept.json", "bargaining"], ("game", "--resume")),
    (["play", "--resume", "kept.json", "--seed", "3"], ("seed", "--resume")),
    (["play", "--resume", "kept.json", "-p", "horizon=3"], ("param", "--resume")),
    (["play", "--resume", "junk.json"], ("junk.json", "line 1", "JSON")),
    (["play", "--resume", "empty.json"], ("empty.json", "0 matches")),
    (["play", "--resume", "changed.json"], ("changed.json", "id")),
    ([*MATCH, "--save", "kept.json"], ("kept.json", "new file")),
]


def test_what_cannot_go_on_is_said_in_one_line(run, tmp_path):
    run(*MATCH, "--save", "kept.json", typed="pause\n")
    kept = (tmp_path / "kept.json").read_text()
    (tmp_path / "junk.json").write_text("hello\n")
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "changed.json").write_text(kept.replace('"seed":3', '"seed":4'))
    for arguments, named in REFUSED:
        told = run(*arguments, code=1)
        says(told, *named)
        assert len(told.splitlines()) == 1, arguments
        assert (tmp_path / "kept.json").read_text() == kept, arguments


def test_a_file_with_records_of_other_versions_takes_no_more(run, tmp_path):
    """Those who are compared must meet the same luck, and what does not replay proves nothing."""
    record = play_match("bargaining", ["fair", "fair"])
    record.versions["streams"] = 0
    (tmp_path / "m.jsonl").write_text(record.to_json() + "\n")
    run(*MATCH, "--save", "kept.json", typed="pause\n")
    for words in (("bargaining", "fair", "fair"), ("--resume", "kept.json")):
        told = run("play", *words, "--out", "m.jsonl", code=1)
        says(told, "m.jsonl", "line 1", "versions.streams", 0, 1, "--repair")
    run("play", "matrix", "defector", "grudger", "--out", "m.jsonl", code=1)
    assert (tmp_path / "m.jsonl").read_text() == record.to_json() + "\n"


def test_an_interrupted_command_leaves_no_file_that_it_made_for_nothing(tmp_path):
    for before in [None, "", "{}\n"]:
        path = tmp_path / "records.jsonl"
        if before is not None:
            path.write_text(before)
        with contextlib.suppress(KeyboardInterrupt), open_output_run(path, "first"):
            raise KeyboardInterrupt
        assert (path.read_text() if path.exists() else None) == before, before


def test_an_interrupted_command_keeps_the_records_of_matches_that_have_ended(tmp_path):
    path = tmp_path / "records.jsonl"
    with contextlib.suppress(KeyboardInterrupt), open_output_run(path, "first") as run:
        run.append([play_match("bargaining", ["fair", "fair"]).to_json()])
        raise KeyboardInterrupt
    assert status(path) == "finished"


def test_a_game_or_a_file_is_needed(run):
    says(run("play", code=2), "--resume FILE")


def test_the_story_of_many_seats_tells_results_and_leaves_sealed_moves_closed(run):
    seats = ["human", "random", "random", "random", "random"]
    told = run("play", "water_allocation", *seats, "-p", "days=3", typed="30\nquit\ny\n")
    says(told, "water_allocation", "seed 0", "Alex (human)", "Bob (random)", "Cindy (random)")
    rounds = [line for line in told.splitlines() if line.startswith("  round")]
    assert len(rounds) == 5
    assert all("health" in line for line in rounds)
    told = run("play", "water_allocation", "random", *seats[:4], "-p", "days=3", typed="quit\ny\n")
    (sealed,) = [line for line in told.splitlines() if line.startswith("  round")]
    assert "health" not in sealed


class Together(Player):
    """A player that takes half, and remembers how many questions it gets at once."""

    def __init__(self, concurrency: int) -> None:
        super().__init__(f"together({concurrency})")
        self.face, self._calls, self.asked = "structured", concurrency, []

    @property
    def batch_key(self):
        return "together"

    @property
    def concurrency(self):
        return self._calls

    @classmethod
    def act_batch(cls, players, observations, infos):
        players[0].asked.append(len(players))
        offers = ["offer" in one["legal_actions"] for one in observations]
        return [{"kind": "offer", "gain": 5000.0} if one else {"kind": "accept"} for one in offers]


def test_as_many_matches_are_open_as_keep_the_calls_of_a_player_busy():
    for concurrency, concurrent, most in [(8, None, 32), (64, None, 64), (64, 5, 5), (200, None, 150)]:
        one = Together(concurrency)
        matches = [new_match("bargaining", [one.spec, "fair"], seed, messages=False) for seed in range(150)]
        known = {one.spec: one, "fair": player("fair", "bargaining")}
        assert len(list(play_matches(matches, known.__getitem__, concurrent))) == 150
        assert max(one.asked) == most, (concurrency, concurrent)
        one.asked.clear()
        assert len(list(play_lines(matches, "bargaining", known.__getitem__, 1, concurrent))) == 150
        assert max(one.asked) == most, "in a run as well"


def test_the_concurrency_of_a_spec_is_that_of_its_player_and_judge():
    for spec in ("openai:m@http://127.0.0.1:9?concurrency=64", "http://127.0.0.1:9?concurrency=64"):
        assert player(spec).concurrency == 64
    assert player("fair", "bargaining").concurrency == 0
    assert concurrency_of("openai:m@http://127.0.0.1:9?concurrency=64", None) == 64
    assert concurrency_of("openai:m@http://127.0.0.1:9?concurrency=64", 3) == 3
    assert concurrency_of("mock:hello", None) == 1
