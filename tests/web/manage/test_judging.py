"""Judging in the browser: several judges, each by a link, who do not see who played."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="the report needs the extra evaluate")

from operating import Operator
from starlette.testclient import TestClient
from visitor import find_problems, phrase

import econzoo
from econzoo.evaluate.analyses.judging import load_rubric, read_judgements, read_ratings
from econzoo.people.table import listing
from econzoo.people.table_server import build_folder_app
from refusals import says

pytestmark = pytest.mark.slow

RUBRIC = load_rubric("alympics")
PLAYERS = ("fair", "boulware(0.2)")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "matches" / "records.jsonl"
    path.parent.mkdir()
    made = [econzoo.play("bargaining", list(PLAYERS), seed=seed, horizon=2 + seed) for seed in range(2)]
    path.write_text("".join(record.to_json() + "\n" for record in made), encoding="utf-8")
    return path


@pytest.fixture
def judged(operator: Operator, records: Path) -> Operator:
    """A judging of two matches by Ann and Ben."""
    operator.post("/judge", source=str(records), judges="Ann\nBen", rubric="alympics")
    assert operator.path.startswith("/judge/of/")
    operator.home, operator.links = operator.path, links(operator.text)
    return operator


def links(text: str) -> list[str]:
    return ["/judge/" + token for token in re.findall(r'value="http://testserver/judge/([\w-]+)"', text)]


def asked(text: str) -> list[str]:
    """Dimensions that a page asks."""
    return list(dict.fromkeys(re.findall(r'name="score\.(\w+)"', text)))


def scored(text: str, score: str, **more: str) -> dict[str, str]:
    player = re.search(r'name="player" value="(\d+)"', text)[1]
    return {"player": player, **{f"score.{key}": score for key in asked(text)}, **more}


def judge_all(client: TestClient, link: str, scores: str) -> str:
    """Gives each player a score in turn; returns the last page."""
    for score in scores:
        text = client.get(link).text
        text = client.post(link, data=scored(text, score)).text
    return text


def test_two_judges_and_how_far_they_agree(judged):
    ann, ben = judged.links
    client = TestClient(build_folder_app(judged.folder))
    assert phrase("judge.all_done") in judge_all(client, ann, "3333")
    assert phrase("judge.player", place=3, count=4) in judge_all(client, ben, "44")
    judged.look(judged.home)
    assert f"Ann {phrase('manage.ended_of', ended=4, count=4)}" in judged.told
    assert f"Ben {phrase('manage.ended_of', ended=2, count=4)}" in judged.told
    assert re.search(r"Information utilisation IU 2 ", judged.told)  # of two players there are two scores
    made = read_judgements(next(judged.folder.glob("judgings/*/judgements.jsonl")), RUBRIC)
    assert sorted(one.judge for one in made) == ["human(name='Ann')"] * 4 + ["human(name='Ben')"] * 2
    assert {one.player for one in made} == {*PLAYERS}
    assert all(one.seconds >= 0 and one.form == "whole" for one in made)


def test_a_judge_does_not_see_who_played(judged):
    client = TestClient(build_folder_app(judged.folder))
    for number in range(1, 5):
        text = client.get(f"{judged.links[0]}?player={number}").text
        assert "boulware" not in text
        assert not re.search(r"\bfair\b", text.replace("fair share", ""))
        assert "records.jsonl" not in text
        assert str(judged.folder) not in text


def test_every_judge_has_an_order_of_their_own_that_stays(judged):
    client = TestClient(build_folder_app(judged.folder))
    pages = [[client.get(f"{link}?player={n}").text for n in range(1, 5)] for link in judged.links]
    told = [[re.search(r"<pre.*?</pre>.*?<pre.*?</pre>", one, re.DOTALL)[0] for one in some] for some in pages]
    assert sorted(told[0]) == sorted(told[1])
    assert told[0] != told[1]
    again = TestClient(build_folder_app(judged.folder)).get(f"{judged.links[0]}?player=1").text
    assert again == pages[0][0]


def test_a_missing_answer_keeps_the_others(judged):
    client, link = TestClient(build_folder_app(judged.folder)), judged.links[0]
    given = scored(client.get(link).text, "5", **{"reason.logical_reasoning": "Thinks <b>ahead</b>"})
    del given["score.strategic_effectiveness"]
    answer = client.post(link, data=given)
    assert answer.status_code == 422
    assert phrase("judge.choose_each", count=1) in answer.text
    assert "Thinks &lt;b&gt;ahead&lt;/b&gt;" in answer.text
    assert answer.text.count('value="5" checked') == len(asked(answer.text)) - 1
    assert client.post(link, data=given | {"score.strategic_effectiveness": "6"}).status_code == 422
    given["score.strategic_effectiveness"] = "none"
    assert phrase("judge.done_so_far", done=1, count=4) in client.post(link, data=given).text


def test_a_judge_may_change_a_score(judged):
    client, link = TestClient(build_folder_app(judged.folder)), judged.links[0]
    judge_all(client, link, "2")
    text = client.get(f"{link}?player=1").text
    assert text.count('value="2" checked') == len(asked(text))
    client.post(link, data=scored(text, "4"))
    (one,) = read_judgements(next(judged.folder.glob("judgings/*/judgements.jsonl")), RUBRIC)
    assert set(one.scores.values()) == {4}


def test_a_sheet_is_brought_in_and_stands_beside_the_others(judged, tmp_path):
    client = TestClient(build_folder_app(judged.folder))
    judge_all(client, judged.links[0], "3333")
    sheet = judged.client.get(f"{judged.home}/ratings.csv").text
    (tmp_path / "sheet.csv").write_text(sheet, encoding="utf-8")
    assert len(read_ratings(tmp_path / "sheet.csv", RUBRIC).ratings) == 4 * len(asked(client.get(judged.links[1]).text))
    judged.post(judged.home, sheet=sheet.replace("Ann", "Cara"))
    assert phrase("judge.sheets_of", count=1) in judged.told
    assert "Cara" in judged.told
    judged.post(judged.home, sheet=sheet.replace(",3,", ",9,", 1))
    assert judged.status == 422
    says(find_problems(judged.text), "row 2", "score", 9)
    judged.post(judged.home, sheet=sheet)
    says(find_problems(judged.text), "Ann")
    assert phrase("judge.sheets_of", count=1) in judged.told


def test_the_report_is_that_of_the_command(judged):
    judge_all(TestClient(build_folder_app(judged.folder)), judged.links[0], "3333")
    judged.look(judged.home)
    told = judged.client.get(f"{judged.home}/report.csv").text
    assert told.startswith("by,who,dimension,n,missing,mean")
    assert "<html" in judged.client.get(f"{judged.home}/report.html").text
    assert json.loads(judged.client.get(f"{judged.home}/judgements.jsonl").text.splitlines()[0])["rubric"] == "alympics"


def test_what_is_not_allowed_makes_no_links(operator, records):
    for given, *told in (
        ({"source": "/nowhere"}, "/nowhere"),
        ({"source": ""}, phrase("judge.no_records", source="")),
        ({"source": "\0"},),
        ({"judges": ""}, 1, 50, 60),
        ({"judges": "Ann\nAnn"}, 1, 50, 60),
        ({"rubric": "nothing"}, "nothing", "alympics"),
        ({"seats": "Zoe"}, "Zoe", "Alice", "Bob"),
        ({"limit": "some"}, "some", 1, "1e8"),
        ({"limit": "0"}, 0, 1, "1e8"),
        ({"seed": "some"}, "some", 0),
    ):
        text = operator.post("/judge", **{"source": str(records), "judges": "Ann"} | given)
        assert operator.status == 422, given
        says(find_problems(text), *told)
        assert not (operator.folder / "judgings").exists(), given


def test_links_are_secrets(judged):
    stranger = TestClient(build_folder_app(judged.folder))
    assert stranger.get("/judge/guessed").status_code == 404
    assert stranger.post("/judge/guessed", data={"player": "1"}).status_code == 404
    for path in ("/judge", judged.home, f"{judged.home}/ratings.csv"):
        assert stranger.get(path, follow_redirects=False).status_code == 303
    assert stranger.post(judged.home, data={"sheet": ""}).status_code == 403
    (kept,) = judged.folder.glob("judgings/*/judging.json")
    assert kept.stat().st_mode & 0o077 == 0
    assert min(len(link.rpartition("/")[2]) for link in judged.links) == 24


def test_a_folder_of_very_many_folders_is_not_searched(operator, records, monkeypatch):
    monkeypatch.setattr(listing, "MAX_FOLDERS", 3)
    for number in range(4):
        (records.parent / f"f{number}").mkdir()
    operator.post("/judge", source=str(records.parent), judges="Ann")
    assert operator.status == 422
    says(find_problems(operator.text), records.parent, 3)
    operator.post("/judge", source=str(records), judges="Ann")
    assert operator.path.startswith("/judge/of/")
