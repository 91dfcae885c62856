"""Collections that run: what their pages tell, and what the operator can do."""

from __future__ import annotations

import io
import json
import os
import re
import time
import zipfile
from collections import Counter

import pytest
from blank import make_blank
from operating import PAID, SMALL, Operator
from starlette.testclient import TestClient
from visitor import phrase

from econzoo.evaluate.commands.replay import replay_files
from econzoo.people.manage import runs
from econzoo.people.manage.collection import Collection
from econzoo.people.manage.summaries import main, styles_to_attributes
from econzoo.people.server.passwords import FAILURE_WINDOW, MAX_FAILURES
from econzoo.people.table_server import build_folder_app

pytestmark = pytest.mark.slow

PAGES = ["/manage", "/manage/table", "/manage/events", "/manage/new", "/manage/c/x", "/manage/c/x/records.jsonl"]


def test_strangers_see_nothing(tmp_path):
    client = TestClient(build_folder_app(tmp_path))
    for path in PAGES:
        answer = client.get(path, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/operator?to={path}")


def test_nobody_posts_without_the_token_of_the_form(operator):
    stranger = TestClient(build_folder_app(operator.folder))
    for path in ("/manage/new", "/manage/c/x"):
        assert stranger.post(path, data={"csrf": operator.csrf}).status_code == 403, path
        assert operator.client.post(path, data={}).status_code == 403, path
        assert operator.client.post(path, data={"csrf": "guessed"}).status_code == 403, path


def test_a_collection_that_is_not_there_is_not_found(operator):
    for id in ("nothing", "...", ".x", "a%00b", "a%0A"):
        assert operator.client.get(f"/manage/c/{id}").status_code == 404, id


def standing(ended: int, of: int, kind: str) -> str:
    """How far a collection is, as its page tells it."""
    return f"{phrase('manage.ended_of', ended=ended, count=of)} {phrase(f'manage.kind_{kind}')}"


def ids(text: str) -> Counter[str]:
    return Counter(json.loads(line)["id"] for line in text.splitlines())


def test_a_collection_is_played_to_its_end(played, tmp_path):
    played.look(f"/manage/c/{played.id}")
    assert f"{standing(16, 16, 'done')} {phrase('manage.forfeits')} 0" in played.told
    assert played.told.count(f"{played.at(played.id)}/records") > 1  # in the command, and in the log
    assert f"econzoo tournament bargaining --out {played.at(played.id)}/records" in played.told
    records = played.client.get(f"/manage/c/{played.id}/records.jsonl").text
    assert set(ids(records).values()) == {1}
    (tmp_path / "records.jsonl").write_text(records, encoding="utf-8")
    found = replay_files([tmp_path / "records.jsonl"], ask_players=False)
    assert (found.problems, found.to_dict()["matches"]) == ([], 16)
    assert phrase("manage.ended_of", ended=16, count=16) in played.look("/manage")


@pytest.mark.usefixtures("in_process")
def test_the_report_and_tables_are_downloaded(played, monkeypatch):
    make_blank(monkeypatch)
    base = f"/manage/c/{played.id}"
    files = {name: zipfile.ZipFile(io.BytesIO(played.client.get(f"{base}/{name}.zip").content)) for name in DOWNLOADS}
    for name, part in DOWNLOADS.items():
        assert any(one.endswith(part) for one in files[name].namelist())
    assert played.client.get(f"{base}/other.zip").status_code == 404


DOWNLOADS = {"report": "/summary.html", "tables": ".csv"}


def test_tables_and_figures_come_with_the_page(of_small):
    one = of_small.at(of_small.id)
    main(one / "records", one / "results.json")
    text = of_small.look(f"/manage/c/{of_small.id}")
    assert phrase("manage.results_of", count=16) in of_small.told
    assert f"{phrase('manage.ranking')} player gain 95%" in of_small.told
    assert text.count("<svg ") == 2
    assert f'aria-label="{phrase("manage.figure_equilibrium")}"' in text
    assert "style=" not in text


def test_looks_of_a_figure_stand_in_attributes():
    text = "<text style=\"font: bold 10px 'sans'; fill: red\">x</text>"
    svg = f'<svg style="min-width:1px"><style>*{{x:y}}</style>{text}</svg>'
    assert styles_to_attributes(svg) == '<svg><text font-size="10px" font-weight="700" fill="red">x</text></svg>'


def test_a_collection_with_prices_plays_a_few_and_asks(operator):
    id = operator.order(game="bargaining", players="", lineups=f"fair | {PAID}", seeds="5", **{"param.horizon": "1"})
    text = operator.wait(id)
    assert standing(3, 5, "asking") in operator.told
    assert re.search(r"\b2 matches .*\$\d", operator.told)
    assert 'data-agree="yes"' in text
    operator.post(f"/manage/c/{id}", do="agree")
    text = operator.wait(id)
    assert standing(5, 5, "done") in operator.told
    assert 'data-agree="no"' in text


def test_a_collection_whose_matches_fail_has_broken_off_and_asks_nothing(of_small):
    """Though it has prices that nobody has agreed to."""
    folder = of_small.at(of_small.id)
    order = json.loads((folder / "order.json").read_text())
    (folder / "order.json").write_text(json.dumps(order | {"players": ["fair", PAID]}))
    (folder / "records" / "records.jsonl").unlink()
    (folder / runs.LOG).write_text("econzoo: 5 matches in a row failed, the last one: nobody answers\n")
    text = Operator(of_small.folder).look(f"/manage/c/{of_small.id}")
    assert phrase("manage.kind_ended") in text
    assert phrase("manage.why_ended") in text
    assert 'data-agree="no"' in text


def test_a_spent_budget_ends_it_and_a_larger_one_goes_on(operator):
    given = {"game": "bargaining", "players": "", "lineups": f"fair | {PAID}", "seeds": "4", "param.horizon": "1"}
    id = operator.order(**given, max_cost="0.0001")
    operator.wait(id)
    assert re.search(r"econzoo: .*--max-cost", operator.told)
    assert phrase("manage.of_budget", budget="$0.00010") in operator.told
    operator.post(f"/manage/c/{id}", do="agree", max_cost="nothing")
    assert operator.status == 422
    operator.post(f"/manage/c/{id}", do="agree", max_cost="2")
    operator.wait(id)
    assert standing(4, 4, "done") in operator.told
    assert phrase("manage.of_budget", budget="$2.00") in operator.told


def test_what_was_lost_is_played_again_and_nothing_twice(of_small):
    """As after a kill in the middle of a line."""
    path = of_small.at(of_small.id) / "records" / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:9]) + lines[9][:40])
    of_small.look(f"/manage/c/{of_small.id}")
    assert standing(9, 16, "ended") in of_small.told
    of_small.post(f"/manage/c/{of_small.id}", do="resume")
    of_small.wait(of_small.id)
    assert standing(16, 16, "done") in of_small.told
    again = ids("\n".join(line for line in path.read_text().splitlines() if line.endswith("}")))
    assert (len(again), set(again.values())) == (16, {1})


def test_a_process_with_the_number_of_another_one_is_not_the_collections(of_small):
    folder = of_small.at(of_small.id)
    path = folder / "records" / "records.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
    run = runs.load_last(folder)
    (folder / runs.RUN).write_text(json.dumps(run._replace(pid=os.getpid())._asdict()))
    of_small.look(f"/manage/c/{of_small.id}")
    assert standing(5, 16, "ended") in of_small.told
    of_small.post(f"/manage/c/{of_small.id}", do="stop")  # ends nobody
    assert standing(5, 16, "stopped") in of_small.told


def test_a_log_and_names_are_shown_as_text(of_small):
    folder = of_small.at(of_small.id)
    evil = "<img src=x onerror=alert(1)>\x1b[31m\u202e{{ 7 * 7 }}"
    (folder / runs.LOG).write_text(evil + "\n", encoding="utf-8")
    order = json.loads((folder / "order.json").read_text())
    (folder / "order.json").write_text(json.dumps(order | {"title": evil}))
    for path in (f"/manage/c/{of_small.id}", "/manage"):
        text = Operator(of_small.folder).look(path)
        assert "<img src=x" not in text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text
        assert "{{ 7 * 7 }}" in text
        assert not {"\x1b", "\u202e"} & set(text)


def test_a_collection_counts_whole_lines_each_match_once(of_small):
    folder = of_small.at(of_small.id)
    path = folder / "records" / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[0] + lines[1][:50])
    one = Collection(folder)
    assert one.status().counts.finished == 1
    with path.open("ab") as file:
        file.write(lines[1][50:] + b"no record\n")
    assert one.status().counts.finished == 2


def test_the_rate_is_that_of_the_process(of_small, monkeypatch):
    folder = of_small.at(of_small.id)
    run = runs.load_last(folder)._replace(began=time.time() - 120, finished=4)
    (folder / runs.RUN).write_text(json.dumps(run._asdict()))
    monkeypatch.setattr(runs.Run, "is_alive", True)
    now = Collection(folder).status()
    assert now.kind == "running"
    assert now.matches_per_minute == pytest.approx(6, rel=0.01)
    assert now.seconds_left == 0


def test_streams_tell_numbers_only(of_small):
    with of_small.client.stream("GET", f"/manage/c/{of_small.id}/events") as answer:
        first = next(answer.iter_lines())
    assert first == "data: 16.0.7.0"


def test_an_address_with_many_wrong_tokens_has_to_wait(tmp_path):
    client, begun = TestClient(build_folder_app(tmp_path)), time.monotonic()
    told = [client.post("/operator", data={"token": "guessed"}).status_code for _ in range(11)]
    assert told == [403] * 11
    assert time.monotonic() - begun > FAILURE_WINDOW / MAX_FAILURES, "the eleventh waits for its turn"
    assert (
        TestClient(build_folder_app(tmp_path), client=("198.51.100.7", 1)).get("/operator?token=x").status_code == 403
    )


def test_wrong_tokens_are_forgotten_after_a_while():
    from econzoo.evaluate.serving import VisitorLimit

    now = [0.0]
    guesses = VisitorLimit(MAX_FAILURES, FAILURE_WINDOW, lambda: now[0])
    for _ in range(MAX_FAILURES):
        guesses.count("a")
    assert guesses.is_reached("a")
    assert not guesses.is_reached("b")
    now[0] = FAILURE_WINDOW + 1
    assert not guesses.is_reached("a")


def test_a_collection_that_was_never_started_says_so(operator, monkeypatch):
    monkeypatch.setattr(Collection, "start", lambda self, costs_agreed=False: None)
    operator.order(**SMALL)
    operator.look()
    assert standing(0, 16, "waiting") in operator.told
