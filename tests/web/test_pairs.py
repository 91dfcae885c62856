"""Two players side by side on the same match: which pairs there are, where they differ, and the raw calls behind it."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import phrase

from econzoo.baselines import log_call, open_call_log, read_call_log, without_call_log
from econzoo.baselines.call_log import CALLS_FOLDER, hide_secret
from econzoo.baselines.models import Call, Completion
from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.run import play_match
from econzoo.people.server import new_site
from econzoo.people.table.listing import FileList
from econzoo.people.table.pairs import DIFFERENT, WITH_ERRORS, find_pairs, mark_words, rows_of, steps_of
from econzoo.people.table.public_view import describe_turns
from econzoo.people.table_server import build_folder_app

TOKEN = "a token of an operator"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> \u202ekcab {{ 7 * 7 }}\n<b>line</b>"


@pytest.fixture
def operator(tmp_path: Path) -> TestClient:
    """A browser that has signed in."""
    client = TestClient(build_folder_app(tmp_path / "server", site=new_site(token=TOKEN)))
    client.get("/operator", params={"token": TOKEN})
    return client


def offering(gain: int, words: str = "", wrong: str = "") -> str:
    """A model that offers so, perhaps after a wrong answer."""
    return "mock:" + "|".join(
        [*([wrong] if wrong else []), json.dumps({"kind": "offer", "gain": gain, "message": words})]
    )


def played(folder: Path, *players: str, seeds: int = 2, **params: object) -> Path:
    """A folder in which each player has made offers to the acceptor."""
    with open_call_log(folder / "records.jsonl"):
        records = [
            play_match("bargaining", [who, "acceptor"], seed, **params) for who in players for seed in range(seeds)
        ]
    folder.mkdir(exist_ok=True)
    (folder / "records.jsonl").write_text("".join(one.to_json() + "\n" for one in records))
    return folder


def show(client: TestClient, page: str, **given: object) -> str:
    answer = client.get(f"/transcripts/{page}", params=given)
    assert answer.status_code == 200, answer.text
    return html.unescape(answer.text)


def links(text: str, page: str) -> list[str]:
    return re.findall(rf'href="(/transcripts/{page}\?[^"]*)"', text)


# Which pairs


def test_pairs_differ_in_one_player_only(tmp_path):
    a, b = f"a={offering(5000)}", f"b={offering(4000)}"
    pairs = find_pairs(FileList(str(played(tmp_path / "one", a, b))).entries())[("a", "b")]
    assert sorted((pair.left.seed, pair.seat) for pair in pairs) == [(0, 0), (1, 0)]
    for pair in pairs:
        assert [player for _, player in pair.others] == ["acceptor"]
        assert [one.seats[pair.seat][1] for one in (pair.left, pair.right)] == ["a", "b"]
        assert pair.left.table == pair.right.table


def test_matches_of_other_settings_and_seeds_are_no_pairs(tmp_path):
    one = FileList(str(played(tmp_path / "one", f"a={offering(5000)}", seeds=1))).entries()
    other = FileList(str(played(tmp_path / "other", f"b={offering(5000)}", seeds=1, horizon=3))).entries()
    assert ("a", "b") not in find_pairs([*one, *other])


def test_two_folders_are_set_side_by_side_also_with_the_same_player(tmp_path, operator):
    one = played(tmp_path / "one", f"a={offering(5000)}")
    other = played(tmp_path / "other", f"a={offering(4000)}")
    text = show(operator, "pairs", file=one, other=other)
    assert phrase("pairs.found", some=2, count=2) in text
    assert len(links(text, "compare")) == 2


def test_pairs_are_filtered_by_outcome_and_errors(tmp_path, operator):
    players = [f"a={offering(5000)}", f"b={offering(5000, wrong='What')}", f"c={offering(4500)}"]
    folder = played(tmp_path / "one", *players)
    counts = {
        ("b", DIFFERENT): 0,
        ("b", WITH_ERRORS): 2,
        ("c", DIFFERENT): 2,
        ("c", WITH_ERRORS): 0,
    }
    for (other, shown), some in counts.items():
        text = show(operator, "pairs", file=folder, of=json.dumps(["a", other]), show=shown)
        assert phrase("pairs.found", some=some, count=2) in text, (other, shown)
        assert ("no_json" in text) == (shown == WITH_ERRORS and some > 0)


def test_a_folder_without_pairs_says_so(tmp_path, operator):
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "records.jsonl").write_text(play_match("bargaining", ["fair", "fair"], 1).to_json() + "\n")
    assert phrase("pairs.none") in show(operator, "pairs", file=folder)
    assert operator.get("/transcripts/pairs", params={"file": str(tmp_path / "missing")}).status_code == 422


# Turn by turn


def compared(record: Record, other: Record) -> list:
    return rows_of(*(steps_of(one, describe_turns(one)) for one in (record, other)))


def test_turns_stand_side_by_side_by_round_and_seat_and_retries_with_their_move():
    a = play_match("bargaining", [offering(5000, "Half", wrong="What"), "acceptor"], 1)
    b = play_match("bargaining", [offering(4000, "Half!"), "acceptor"], 1)
    first, second = compared(a, b)
    assert [step.code for step in first.left] == ["no_json", ""]
    assert [step.code for step in first.right] == [""]
    assert (first.is_different, second.is_different) == (True, False)
    assert (first.has_errors, second.has_errors) == (True, False)
    assert [(step.first_call, step.calls) for step in first.left] == [(0, 1), (1, 1)]
    assert [(step.first_call, step.calls) for step in second.left] == [(0, 0)]


def test_calls_before_a_reply_belong_to_its_turn(tmp_path):
    folder = played(tmp_path / "one", "mock:*?reasoning=k-level(1)", seeds=1)
    (record,) = read_record_file(folder / "records.jsonl")
    steps = [one for one in steps_of(record, describe_turns(record)) if one.turn.seat == 0]
    numbers = [number for one in steps for number in range(one.first_call, one.first_call + one.calls)]
    assert [one.calls for one in steps] == [len(one.turn.calls) + 1 for one in steps]
    assert max(one.calls for one in steps) > 1
    assert numbers == [one.number for one in read_call_log(folder, record.id)]


def test_words_that_the_other_message_lacks_are_marked():
    left, right = mark_words("I offer half of the pie", "I offer most of the pie")
    assert left == [("I offer", False), (" half", True), (" of the pie", False)]
    assert right == [("I offer", False), (" most", True), (" of the pie", False)]
    assert mark_words("same", "same") == ([("same", False)], [("same", False)])
    assert mark_words("one thing", "") == ([("one thing", True)], [])
    assert mark_words("wholly other words", "nothing in common") == (
        [("wholly other words", True)],
        [("nothing in common", True)],
    )


def test_the_page_of_a_pair_marks_differences_and_folds_thoughts(tmp_path, operator):
    a, b = f"a={offering(5000, 'I want half of it')}", f"b={offering(4000, 'I want most of it', wrong='What')}"
    folder = played(tmp_path / "one", a, b, seeds=1)
    listed = links(show(operator, "pairs", file=folder, of=json.dumps(["a", "b"])), "compare")
    text = html.unescape(operator.get(next(one for one in listed if one.endswith("seat=0"))).text)
    assert phrase("compare.differs") in text
    assert "<mark> half</mark>" in text
    assert "<mark> most</mark>" in text
    assert "<b>no_json</b>" in text
    assert re.search(rf"<details><summary>{phrase('turn.prompt_and_reply')}</summary>", text)
    rows = re.compile(r'<li id="r\d+-\d+"')
    query = next(one for one in listed if one.endswith("seat=0"))
    pages = {shown: operator.get(f"{query}&show={shown}").text for shown in ("all", DIFFERENT)}
    counts = {shown: len(rows.findall(page)) for shown, page in pages.items()}
    assert counts == {"all": 2, DIFFERENT: 1}


def test_what_is_not_the_same_in_both_matches_is_told(tmp_path, operator):
    file = tmp_path / "two.jsonl"
    records = [
        play_match("bargaining", ["fair", "fair"], 1),
        play_match("bargaining", ["fair", "acceptor"], 2, horizon=3),
    ]
    file.write_text("".join(one.to_json() + "\n" for one in records))
    text = show(operator, "compare", **{"file": file, "line": 1, "other": file, "with": 2, "seat": 0})
    for name, one, other in (("seed", "1", "2"), ("horizon", "12", "3"), ("Bob", "fair", "acceptor")):
        assert phrase("compare.unequal", what=name, left=one, right=other) in text


def test_matches_of_two_games_are_refused(tmp_path, operator):
    file = tmp_path / "two.jsonl"
    records = [play_match("bargaining", ["fair", "fair"], 1), play_match("matrix", ["random", "random"], 2, rounds=1)]
    file.write_text("".join(one.to_json() + "\n" for one in records))
    query = {"file": str(file), "line": "1", "other": str(file), "with": "2"}
    assert operator.get("/transcripts/compare", params=query).status_code == 422
    assert operator.get("/transcripts/compare", params=query | {"with": "9"}).status_code == 404


def test_hostile_words_are_shown_as_words(tmp_path, operator):
    a, b = f"a={offering(5000, HOSTILE)}", f"b={offering(4000, HOSTILE)}"
    file = played(tmp_path / "one", a, b, seeds=1) / "records.jsonl"
    listed = operator.get("/transcripts/pairs", params={"file": str(file), "of": json.dumps(["a", "b"])}).text
    pages = [listed, *(operator.get(html.unescape(one)).text for one in links(listed, "compare"))]
    pages.append(operator.get("/transcripts/calls", params={"file": str(file), "line": "1"}).text)
    for text in pages:
        assert "<img src=x" not in text
        assert "<script>alert" not in text
        assert "\u202e" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)
    assert len(pages) > 2


def test_failed_attempts_stand_at_the_turn_where_they_happened(tmp_path, operator):
    folder = played(tmp_path / "one", f"a={offering(5000)}", f"b={offering(4000)}", seeds=1)
    record = next(one for one in read_record_file(folder / "records.jsonl") if one.labels[0] == "a")
    busy, cut = {"status": 429, "error": "slow down"}, {"error": "the connection was cut"}
    call = Call(record.id, 0, 0, [{"role": "user", "content": "?"}], None, 0)
    with open_call_log(folder / "records.jsonl"):
        log_call(call, TimeoutError("no reply"), 5.0, 1.0)
        log_call(call, Completion("a", 1, 1, 1.0, raw={"attempts": [busy, cut, busy]}), 7.0, 1.0)
    (link,) = links(show(operator, "pairs", file=folder, of=json.dumps(["a", "b"])), "compare")
    text = html.unescape(operator.get(link).text)
    told = [re.sub(r"<[^>]*>", "", one) for one in re.findall(r'<p class="codes attempt">(.*?)</p>', text)]
    counts = [phrase("calls.attempts", count=count) for count in (1, 2, 1)]
    reasons = ["TimeoutError: no reply", "429 slow down", "the connection was cut"]
    assert told == [f"{count}: {reason}" for count, reason in zip(counts, reasons, strict=True)]


def test_a_forged_log_is_refused_in_one_line(tmp_path, operator):
    folder = played(tmp_path / "one", f"a={offering(5000)}", f"b={offering(4000)}", seeds=1)
    (record, _) = read_record_file(folder / "records.jsonl")
    parts = ["word " * 20, *({"$text": [{"$part": n}] * 2} for n in range(60))]
    place = {"match": record.id, "seat": 0, "number": 0, "started": 1.0, "seconds": 1.0}
    line = json.dumps({**place, "parts": parts, "request": {"$part": 60}})
    (folder / CALLS_FOLDER / "z.log.gz").write_bytes(gzip.compress(line.encode() + b"\n"))
    for page, given in (("calls", {}), ("compare", {"other": str(folder / "records.jsonl"), "with": "2"})):
        answer = operator.get(
            f"/transcripts/{page}", params={"file": str(folder / "records.jsonl"), "line": "1", **given}
        )
        assert (answer.status_code, "grows without end" in answer.text) == (422, True)


# Raw calls


def test_raw_calls_are_one_click_behind_their_turn(tmp_path, operator):
    folder = played(tmp_path / "one", f"a={offering(5000, wrong='What')}", f"b={offering(4000)}", seeds=1)
    listed = links(show(operator, "pairs", file=folder, of=json.dumps(["a", "b"])), "compare")
    text = html.unescape(operator.get(next(one for one in listed if one.endswith("seat=0"))).text)
    (first, second, *_) = [one for one in links(text, "calls") if "first" in one]
    one, other = (html.unescape(operator.get(link).text) for link in (first, second))
    assert ("What" in one, phrase("calls.count", count=1) in one) == (True, True)
    assert '"gain\\": 5000' in other.replace('gain": 5000', 'gain\\": 5000')


def test_the_replay_of_a_record_leads_to_its_calls(tmp_path, operator):
    file = played(tmp_path / "one", f"a={offering(5000)}", seeds=1) / "records.jsonl"
    text = html.unescape(operator.get("/transcripts/replay", params={"file": str(file), "line": 1}).text)
    (link,) = links(text, "calls")
    assert phrase("calls.request") in operator.get(link).text


def test_without_a_log_there_is_no_link_and_no_page(tmp_path, operator):
    with without_call_log():
        file = played(tmp_path / "one", f"a={offering(5000)}", seeds=1) / "records.jsonl"
    assert not (file.parent / CALLS_FOLDER).exists()
    assert links(operator.get("/transcripts/replay", params={"file": str(file), "line": 1}).text, "calls") == []
    assert operator.get("/transcripts/calls", params={"file": str(file), "line": 1}).status_code == 404


def test_a_key_is_on_no_page(tmp_path, operator):
    hide_secret("a secret of the client")
    file = played(tmp_path / "one", f"a={offering(5000, 'a secret of the client')}", seeds=1) / "records.jsonl"
    text = show(operator, "calls", file=file, line=1)
    assert ("[key]" in text, "secret of the client" in text) == (True, False)


@pytest.mark.parametrize("page", ["pairs", "compare", "calls"])
def test_only_the_operator_sees_them(tmp_path, page):
    visitor = TestClient(build_folder_app(tmp_path))
    assert visitor.get(f"/transcripts/{page}", follow_redirects=False).status_code == 303


# The list


def test_matches_are_found_by_error_and_kind_of_move(tmp_path, operator):
    folder = played(tmp_path / "one", f"a={offering(5000, wrong='What')}", f"b={offering(4000)}", seeds=1)
    text = {given: operator.get(f"/transcripts?file={folder}&{given}").text for given in ("error=no_json", "error=any")}
    assert all(phrase("transcripts.some", some=1, count=2) in one for one in text.values())
    assert phrase("transcripts.some", some=0, count=2) in operator.get(f"/transcripts?file={folder}&error=timeout").text
    assert phrase("transcripts.some", some=0, count=2) in operator.get(f"/transcripts?file={folder}&kind=reject").text


def test_failed_matches_are_in_the_list_with_their_reason(tmp_path, operator):
    ended, broken = play_match("bargaining", ["fair", "fair"], 1), play_match("bargaining", ["fair", "fair"], 2)
    broken.status, broken.reason = "failed", "the server is on fire"
    again = Record.from_json(ended.to_json())
    again.status, again.reason = "failed", "only once"
    (tmp_path / "records.jsonl").write_text(ended.to_json() + "\n")
    (tmp_path / "records.jsonl.failed").write_text("".join(one.to_json() + "\n" for one in (again, broken, broken)))
    text = operator.get(f"/transcripts?file={tmp_path / 'records.jsonl'}&outcome=failed").text
    assert phrase("transcripts.some", some=1, count=2) in text
    assert "the server is on fire" in text
    (link,) = re.findall(r'<th scope="row"><a href="([^"]*)"', text)
    assert operator.get(html.unescape(link)).status_code == 200
