"""The operator's list of matches: found by game, player, outcome and words; files of the disk; what is downloaded."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

import econzoo
from econzoo.envs.core.record import Record, clear_result
from econzoo.envs.families.open_source.match_referee import Referee
from econzoo.evaluate.run import play_match, replay

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import find_problems, phrase

from econzoo.people.server import new_site
from econzoo.people.table import listing, transcript_pages
from econzoo.people.table_server import build_folder_app
from refusals import says

TOKEN = "a token of an operator"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> \u202ekcab {{ 7 * 7 }}\n<b>line</b>"
ADDRESSES = [
    "/transcripts",
    "/transcripts.csv",
    "/transcripts.jsonl",
    "/transcripts/replay?file=x&line=1",
    "/transcripts/record.jsonl?file=x&line=1",
]


@pytest.fixture
def operator(tmp_path: Path) -> TestClient:
    """A browser that has signed in."""
    client = TestClient(build_folder_app(tmp_path, site=new_site(token=TOKEN)))
    client.get("/operator", params={"token": TOKEN})
    return client


def said(words: str, *players: str, **params: object) -> Record:
    """A match in which the first player says something."""
    reply = json.dumps({"kind": "offer", "gain": 5000, "message": words})
    first = f"mock({reply!r})"
    return play_match("bargaining", [first, *(players or ("acceptor",))], 1, **params)


def links(text: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="([^"]*)"', text)


def found(text: str) -> str:
    return re.search(r'data-testid="found">([^<]*)<', text)[1]


# Who may


def test_only_the_operator_sees_transcripts(visit):
    for address in ADDRESSES:
        answer = visit().client.get(address, follow_redirects=False)
        assert answer.status_code == 303, address
        assert answer.headers["location"].startswith("/operator?to=")


# What is found


def test_matches_are_found_by_game_player_outcome_and_words(operator, keep):
    keep(said("Half and half?"))
    keep(said("Take it or leave it", 'mock(\'{"kind":"reject"}\')', horizon=1))
    keep(play_match("matrix", ["tit-for-tat", "random"], 1, rounds=2))
    counts = {
        "game=matrix": 1,
        "player=TIT-FOR": 1,
        "outcome=no+deal": 1,
        "text=HALF": 1,
        "text=leave+it&outcome=deal": 0,
        "game=nothing": 0,
    }
    assert found(operator.get("/transcripts").text) == phrase("transcripts.all", count=3)
    for query, some in counts.items():
        told = found(operator.get(f"/transcripts?{query}").text)
        assert told == phrase("transcripts.some", some=some, count=3), query


def test_the_words_that_were_looked_for_lead_to_their_turn(operator, keep):
    id = keep(said("Shall we say half and half?"))
    text = operator.get("/transcripts?text=half").text
    assert "Shall we say <mark>half</mark> and half?" in text
    assert f'href="/replay/{id}?turn=1#now"' in text


def test_the_newest_match_stands_first_and_long_lists_have_pages(operator, keep, monkeypatch):
    monkeypatch.setattr(transcript_pages, "PAGE_SIZE", 2)
    ids = [keep(said(f"number {number}")) for number in range(5)]
    pages = [links(operator.get(f"/transcripts?text=number&page={number}").text) for number in (1, 2, 3)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [link for page in pages for link in page] == [f"/replay/{id}" for id in reversed(ids)]
    assert 'href="?text=number&amp;page=3"' in operator.get("/transcripts?text=number&page=2").text


def test_a_match_that_goes_on_can_be_watched(operator):
    operator.post("/", data={"game": "bargaining", "seat": "0", "player.0": "fair", "player.1": "human"})
    (link,) = links(operator.get("/transcripts?outcome=goes+on").text)
    assert link.startswith("/watch/")
    assert operator.get(link).status_code == 200


# Files of the disk


def test_a_file_of_the_disk_is_opened_and_its_matches_replayed(operator, tmp_path):
    file = tmp_path / "some" / "records.jsonl"
    file.parent.mkdir()
    records = [said("one"), play_match("matrix", ["random", "random"], 2, rounds=2)]
    file.write_text("\n".join([records[0].to_json(), "{}", "", records[1].to_json(), "[1", ""]), encoding="utf-8")
    for path in (file, file.parent):
        text = operator.get("/transcripts", params={"file": str(path)}).text
        assert found(text) == phrase("transcripts.all", count=2)
        assert phrase("transcripts.unreadable", count=2) in text
        assert re.findall(rf"{phrase('transcripts.line', line='')}(\d): <bdi>", text) == ["2", "5"]
        assert [link.rpartition("line=")[2] for link in links(text)] == ["1", "4"]
        replayed = operator.get(links(text)[1].replace("&amp;", "&"))
        assert f'data-testid="verdict">{phrase("replay.verified")}' in replayed.text
        keys = re.findall(rf'href="([^"]*)" aria-label="{phrase("replay.back")}"', replayed.text)
        back = operator.get(f"/transcripts/replay{keys[0].replace('&amp;', '&')}").text
        assert phrase("replay.at", at=3, of=4) in back


def test_what_cannot_be_opened_is_told_in_words_and_stays_typed(operator, tmp_path):
    (empty := tmp_path / "empty").mkdir()
    for path, *named in (
        ("missing.jsonl", "missing.jsonl"),
        ("\0",),
        ("/dev/zero", "/dev/zero"),
        (str(empty), "*.jsonl", empty),
    ):
        answer = operator.get("/transcripts", params={"file": path})
        assert answer.status_code == 422, path
        assert find_problems(answer.text)
        says(find_problems(answer.text), *named)
        assert operator.get("/transcripts.csv", params={"file": path}).status_code == 422
        assert operator.get("/transcripts/replay", params={"file": path, "line": "1"}).status_code == 422


def test_a_folder_of_very_many_folders_is_not_searched(operator, tmp_path, monkeypatch):
    monkeypatch.setattr(listing, "MAX_FOLDERS", 3)
    for number in range(4):
        (tmp_path / f"f{number}").mkdir()
    answer = operator.get("/transcripts", params={"file": str(tmp_path)})
    assert answer.status_code == 422
    says(find_problems(answer.text), tmp_path, 3)


def test_a_file_that_is_too_large_is_not_read(operator, tmp_path, monkeypatch):
    file = tmp_path / "large.jsonl"
    file.write_text(said("one").to_json() + "\n", encoding="utf-8")
    monkeypatch.setattr(listing, "MAX_BYTES", 100)
    says(find_problems(operator.get("/transcripts", params={"file": str(file)}).text), file, 100)
    assert operator.get("/transcripts/replay", params={"file": str(file), "line": "1"}).status_code == 422


def test_a_line_that_is_not_there_is_not_found(operator, tmp_path):
    file = tmp_path / "one.jsonl"
    file.write_text(said("one").to_json() + "\n", encoding="utf-8")
    for line in ("2", "0", "-1", "x", "9" * 30):
        assert operator.get("/transcripts/replay", params={"file": str(file), "line": line}).status_code == 404, line


def test_programs_of_a_record_from_anywhere_are_not_run(operator, tmp_path, monkeypatch):
    """A record that lacks what the referee found could only be replayed by running them."""
    game = econzoo.game("program_matrix")
    name, kind = game.actions.source
    program = next(iter(kind.library()))
    given = json.loads(play_match("matrix", ["random", "random"], 1, rounds=1).to_json())
    move = {name: program}
    turns = [{**given["turns"][0], "seat": seat, "action": move, "reply": program} for seat in (0, 1)]
    given |= {"game": "program_matrix", "params": {"rounds": 1}, "turns": turns}
    given |= {"versions": game.versions._asdict()}
    monkeypatch.setattr(Referee, "ruling", lambda *given: pytest.fail("a program was run"))
    file = tmp_path / "programs.jsonl"
    file.write_text(json.dumps(given) + "\n", encoding="utf-8")
    answer = operator.get("/transcripts/replay", params={"file": str(file), "line": "1"})
    assert phrase("replay.not_verified") in answer.text
    says(answer.text, "rulings")


def test_a_record_that_can_be_none_of_its_game_is_told_so(operator, tmp_path):
    given = json.loads(said("one").to_json())
    given["params"]["colour"] = "red"
    file = tmp_path / "odd.jsonl"
    file.write_text(json.dumps(given) + "\n", encoding="utf-8")
    assert phrase("transcripts.unreadable", count=1) in operator.get("/transcripts", params={"file": str(file)}).text
    answer = operator.get("/transcripts/replay", params={"file": str(file), "line": "1"})
    assert answer.status_code == 422
    says(answer.text, "colour", "horizon")


def test_a_record_whose_moves_cannot_be_shown_is_no_error_of_the_server(operator, tmp_path):
    given = json.loads(said("one").to_json())
    given["turns"][0]["action"]["message"] = None
    file = tmp_path / "odd.jsonl"
    file.write_text(json.dumps(given) + "\n", encoding="utf-8")
    assert operator.get("/transcripts/replay", params={"file": str(file), "line": "1"}).status_code == 422
    assert operator.get("/transcripts.csv", params={"file": str(file)}).text.count("\n") == 1


# Hostile words, and downloads


def test_hostile_words_are_inert_in_lists_replays_and_films(operator, keep):
    id = keep(said(HOSTILE))
    for path in ("/transcripts?text=script", f"/transcripts?text={HOSTILE[:20]}", f"/replay/{id}", f"/watch/{id}?at=1"):
        text = operator.get(path).text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text.replace("<mark>", "").replace("</mark>", "")
        assert "<img src=x" not in text
        assert "<script>" not in text
        assert "<b>line" not in text
        assert "\u202e" not in text
        assert "{{ 7 * 7 }}" in text


def test_no_word_is_a_formula_in_a_spreadsheet(operator, keep):
    for sign in "=+-@":
        keep(said(f'{sign}1+1\n,"x"'))
    answer = operator.get("/transcripts.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["message"] for row in rows} == {*(f'\'{sign}1+1\n,"x"' for sign in "=+-@"), ""}
    assert [row["move"] for row in rows] == ["offer 5,000.00", "accept"] * 4
    assert [float(row["payoff"]) for row in rows] == [5000.0, 5000.0] * 4


def test_the_records_that_are_downloaded_replay(operator, keep):
    records = [said("one"), play_match("matrix", ["random", "random"], 2, rounds=2)]
    for record in records:
        keep(record)
    lines = operator.get("/transcripts.jsonl?game=matrix").text.splitlines()
    assert lines == [records[1].to_json()]
    assert [replay(json.loads(line)) for line in lines] == [[]]


def test_matches_are_ordered_by_errors_gains_and_seconds(operator, tmp_path):
    """Ties stay in the order of the records; what has no value is last; other orders are none."""
    kinds = [("fair", 5.0, None), ("mute=mock:hello", 1.0, None), ("greedy", 3.0, None), ("fair", 4.0, "failed")]
    records = []
    for at, (who, seconds, status) in enumerate(kinds):
        record = play_match("bargaining", [who, "acceptor"], at)
        record.seconds, record.status = seconds, status or record.status
        if status:
            clear_result(record)
        records.append(record)
    file = tmp_path / "records.jsonl"
    file.write_text("".join(one.to_json() + "\n" for one in records))
    orders = {
        ("", ""): [0, 1, 2, 3],
        ("errors", ""): [1, 3, 0, 2],
        ("seconds", ""): [0, 3, 2, 1],
        ("gain", "greedy"): [2],
        ("low_gain", "acceptor"): [1, 2, 0, 3],
        ("nonsense", ""): [0, 1, 2, 3],
    }
    for (sort, player), seeds in orders.items():
        text = operator.get("/transcripts", params={"file": str(file), "sort": sort, "player": player}).text
        assert [int(one) for one in re.findall(r"line=(\d)", "".join(links(text)))] == [seed + 1 for seed in seeds], (
            sort
        )
