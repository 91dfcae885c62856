"""The page of a run that goes on: what has ended, failed and is under way, and that it changes with the files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import phrase

from econzoo.baselines import call_log_files, log_call, log_start, open_call_log
from econzoo.baselines.models import Call, Completion
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import new_design, play_match, run
from econzoo.people.server import new_site
from econzoo.people.table import run_watch
from econzoo.people.table.run_watch import RunWatch
from econzoo.people.table_server import build_folder_app, build_run_app

TOKEN = "a token of an operator"
WRONG = "mock:hello"


def lines(*records: Record) -> str:
    return "".join(one.to_json() + "\n" for one in records)


def a_run(folder: Path, *players: str, seeds: int = 2) -> Path:
    run(new_design("bargaining", players, seeds=seeds, opponents=["fair"]), folder)
    return folder


def tile(text: str, name: str) -> str:
    return re.search(rf"<dt>{phrase(name)}</dt><dd[^>]*>([^<]*)</dd>", text)[1]


# What it counts


def test_players_have_their_outcomes_errors_and_spending(tmp_path):
    seen = RunWatch(a_run(tmp_path, f"mute={WRONG}", "fair")).refresh()
    totals = {one.label: one for one in seen.totals}
    assert len(seen.done) == seen.planned_count
    mute = totals["mute"]
    assert (mute.forfeits, mute.invalid, mute.replies) == (mute.matches, 3 * mute.matches, 3 * mute.matches)
    assert mute.codes == {"no_json": 3 * mute.matches}
    assert (mute.mean_gain, totals["fair"].invalid) == (0.0, 0)
    assert seen.spending.tokens == mute.tokens > 0
    assert seen.is_over
    assert seen.under_way == 0


def test_only_complete_lines_are_read_and_each_once(tmp_path):
    file = tmp_path / "records.jsonl"
    one, other = (play_match("bargaining", ["fair", "fair"], seed) for seed in (1, 2))
    file.write_text(lines(one) + lines(other)[:50])
    seen = RunWatch(tmp_path)
    assert [len(seen.refresh().done) for _ in range(2)] == [1, 1]
    file.write_text(lines(one, other))
    assert len(seen.refresh().done) == 2
    assert seen.players["fair"].matches == 2


def test_what_has_been_read_is_not_read_again(tmp_path):
    """A folder is read as a whole at the first look only: what stood in its files may change."""
    file = tmp_path / "records.jsonl"
    file.write_text(lines(play_match("bargaining", ["fair", "fair"], 1)))
    call = Call("m", 0, 0, [], None, 0)
    with open_call_log(tmp_path / "records.jsonl"):
        log_call(call, TimeoutError("first"), 5.0, 1.0)
        seen = RunWatch(tmp_path).refresh()
        read = file.stat().st_size
        with file.open("r+") as spoiled:
            spoiled.write("#" * (read - 1))
        with file.open("a") as more:
            more.write(lines(play_match("bargaining", ["fair", "fair"], 2)))
        (log,) = call_log_files(tmp_path)
        with log.open("r+b") as spoiled:
            spoiled.write(b"#" * log.stat().st_size)
        log_call(call, TimeoutError("second"), 5.0, 1.0)
        seen.refresh()
    assert len(seen.done) == 2
    assert [one.text for one in seen.errors] == ["second", "first"]


def test_a_failed_match_counts_until_it_has_finished(tmp_path):
    record = play_match("bargaining", ["fair", "fair"], 1)
    failed = Record.from_json(record.to_json())
    failed.status, failed.reason = "failed", "the server is on fire"
    (tmp_path / "records.jsonl.failed").write_text(lines(failed))
    seen = RunWatch(tmp_path).refresh()
    assert [one.text for one in seen.failures] == ["the server is on fire"]
    (tmp_path / "records.jsonl").write_text(lines(record))
    assert seen.refresh().failures == []


def test_calls_of_unfinished_matches_are_paid_and_under_way(tmp_path):
    reply = {"cost": 0.25, "prompt_tokens": 10, "completion_tokens": 5}
    calls = [["m1", 0, 0, "a"], ["m1", 0, 1, "b"], ["m1", 0, 1, "b"], ["m2", 1, 0, "c"]]
    (tmp_path / "records.jsonl.calls").write_text(
        "".join(json.dumps({"call": call, "reply": reply}) + "\n" for call in calls)
    )
    seen = RunWatch(tmp_path).refresh()
    assert seen.spending == (0.75, 45)
    assert seen.under_way == 2


def test_calls_in_flight_and_failed_attempts_are_those_of_the_log(tmp_path):
    calls = [Call("m", 0, number, [{"role": "user", "content": "?"}], None, 0) for number in range(3)]
    seen = RunWatch(tmp_path)
    with open_call_log(tmp_path / "records.jsonl"):
        for call in calls:
            log_start(call, 5.0)
        assert len(seen.refresh().open_calls) == 3
        log_call(calls[0], Completion("a", 1, 1, 1.0, raw={"attempts": [{"status": 429}] * 2}), 5.0, 1.0)
        log_call(calls[1], TimeoutError("no reply " * 20), 5.0, 1.0)
        assert [one.number for one in seen.refresh().open_calls] == [2]
        assert seen.retries == 2
        assert [(one.code, one.text) for one in seen.errors] == [("TimeoutError", "no reply " * 20)]
    assert seen.refresh().open_calls == []


def test_calls_of_a_killed_run_are_not_in_flight(tmp_path):
    with open_call_log(tmp_path / "records.jsonl"):
        log_start(Call("m", 0, 0, [], None, 0), 5.0)
        (path,) = call_log_files(tmp_path)
        held = path.read_bytes()
    path.write_bytes(held)  # without its end, and nobody writes it
    assert RunWatch(tmp_path).refresh().open_calls == []


def test_the_same_error_again_and_again_stands_there_once(tmp_path):
    seen = RunWatch(a_run(tmp_path, f"mute={WRONG}", seeds=1)).refresh()
    assert {(one.code, one.times) for one in seen.errors} == {("no_json", 3)}


def test_runs_of_a_suite_are_counted_together(tmp_path):
    for name in ("one", "two"):
        a_run(tmp_path / name, "fair", seeds=1)
    seen = RunWatch(tmp_path).refresh()
    assert (
        len(seen.done)
        <= seen.planned_count
        == sum(len(RunWatch(tmp_path / name).refresh().done) for name in ("one", "two"))
    )


# The page


@pytest.fixture
def signed_in(tmp_path: Path):
    """Signs a browser in at the server of a folder."""

    def browser(folder: Path) -> TestClient:
        (home := tmp_path / "home").mkdir()
        client = TestClient(build_run_app(folder, home, site=new_site(token=TOKEN)))
        client.get("/operator", params={"token": TOKEN})
        return client

    return browser


def test_the_page_changes_with_the_files(tmp_path, signed_in):
    folder = a_run(tmp_path / "run", "fair", f"mute={WRONG}", seeds=1)
    client = signed_in(folder)
    text = client.get("/").text
    assert phrase("run.over") in text
    count = int(tile(text, "run.done"))
    state = re.search(r'id="state" data-state="([^"]*)"', text)[1]
    more = play_match("bargaining", ["fair", "boulware(0.2)"], 99)
    with open(folder / "records.jsonl", "a") as file:
        file.write(lines(more))
    table = client.get("/run/table", params={"file": str(folder)}).text
    assert int(tile(table, "run.done")) == count + 1
    assert re.search(r'id="state" data-state="([^"]*)"', table)[1] != state
    assert "boulware(0.2)" in table


def test_a_run_without_news_says_so(tmp_path, signed_in, monkeypatch):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "records.jsonl").write_text(lines(play_match("bargaining", ["fair", "fair"], 1)))
    assert phrase("run.going") in (client := signed_in(folder)).get("/").text
    monkeypatch.setattr(run_watch, "QUIET_SECONDS", -1.0)
    assert phrase("run.quiet", span="0 s").split(" 0")[0] in client.get("/").text


def test_the_server_of_a_run_has_its_matches_and_nothing_to_play(tmp_path, signed_in):
    folder = a_run(tmp_path / "run", "fair", seeds=1)
    before = sorted(path.name for path in folder.iterdir())
    client = signed_in(folder)
    text = client.get("/").text
    for link in re.findall(r'href="(/[^"]*)"', text):
        assert client.get(link.replace("&amp;", "&")).status_code == 200, link
    assert client.post("/", data={"game": "bargaining"}).status_code == 405
    assert sorted(path.name for path in folder.iterdir()) == before


def test_hostile_names_are_shown_as_names(tmp_path, signed_in):
    folder = a_run(tmp_path / "run", "mock:<script>alert(1)</script><b>x</b>", seeds=1)
    text = signed_in(folder).get("/").text
    assert "<b>x</b>" not in text
    assert "<script>alert" not in text


@pytest.mark.parametrize("page", ["", "/table", "/events"])
def test_only_the_operator_sees_a_run(tmp_path, page):
    visitor = TestClient(build_folder_app(tmp_path))
    assert visitor.get(f"/run{page}", params={"file": str(tmp_path)}, follow_redirects=False).status_code == 303


def test_a_folder_that_is_not_there_is_told(tmp_path, signed_in):
    answer = signed_in(tmp_path).get("/run", params={"file": str(tmp_path / "missing")})
    assert answer.status_code == 422
    assert "missing" in answer.text


@pytest.mark.slow
def test_the_command_serves_a_run_and_writes_nothing_there(tmp_path):
    folder = a_run(tmp_path / "run", "fair", seeds=1)
    before = sorted(path.name for path in folder.iterdir())
    command = [sys.executable, "-m", "econzoo", "serve", str(folder), "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            for _ in range(50):
                try:
                    page = urllib.request.urlopen(url).read().decode()
                    break
                except OSError:
                    time.sleep(0.1)
            assert phrase("operator.title") in page
        finally:
            server.terminate()
    assert sorted(path.name for path in folder.iterdir()) == before
