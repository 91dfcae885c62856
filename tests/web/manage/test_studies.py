"""Studies on the page of an operator who has several: how far each is, who is where, payments, what may be done."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import sqlite3
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from markupsafe import escape
from operating import Operator, row
from participant import Lab, play, study_in
from starlette.testclient import TestClient
from visitor import find_problems, phrase

from econzoo.envs.core.record import Record
from econzoo.people.manage import Studies, runs
from econzoo.people.manage.monitor import MAX_TEXT_LENGTH
from econzoo.people.study import Study
from econzoo.people.table import game_title
from econzoo.people.table_server import build_folder_app

pytestmark = pytest.mark.slow

GAME = str(escape(game_title("matrix")))
HOME = "/manage/study/pilot"
THERE = "http://127.0.0.1:8799/lab"


@pytest.fixture(scope="module")
def of_four(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A study of four: two are done, one waits, one reads the instructions, a fifth was excluded; it has stopped."""
    folder = tmp_path_factory.mktemp("lab")
    lab = Lab(folder, study_in(folder, participants=4))
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    for one in (ann, ben):
        one.next().tell().finish()
    lab.guest("cleo").agree().read("elm").read("elm")
    lab.ann, lab.ben, lab.dan = ann, ben, lab.ready("dan")
    lab.guest("eve").agree()
    lab.running.close()
    return lab


@pytest.fixture
def lab(new, of_four) -> Lab:
    """The same, which goes on in a folder of its own."""
    lab = new(participants=4)
    lab.running.close()
    shutil.copytree(of_four.folder, lab.folder, dirs_exist_ok=True)
    lab.start()
    for name in ("ann", "ben", "dan"):
        setattr(lab, name, guest := lab.guest())
        guest.open(getattr(of_four, name).path)
    return lab


@pytest.fixture
def operator(lab: Lab) -> Operator:
    """Who manages the folder in which the study lies; its own server is not asked."""
    return Operator(lab.folder)


def runs_elsewhere(lab: Lab) -> None:
    """As its server says when it starts; this process stands for it."""
    runs.record_server(lab.folder / "pilot", THERE)


def both_cooperated(lab: Lab) -> int:
    """The bonus of ann and of ben, by hand: two rounds at 3 points each, EUR 0.10 a point, within 0.25 and 1.50."""
    assert [one.payoffs for one in records(lab)] == [[6.0, 6.0]]
    return 60


def records(lab: Lab) -> list[Record]:
    return [Record.from_json(line) for line in lab.store.record_lines()]


def standing(ended: int, of: int, kind: str, **at: int) -> str:
    """How far a study is, as the list tells it, and how many participants are on which page."""
    where = "".join(f" {phrase(f'monitor.at_{page}')}: {count}" for page, count in at.items())
    return f"{phrase('manage.finished_of', count=ended, of=of)} {phrase(f'manage.kind_{kind}')}{where}"


def test_the_list_tells_how_far_a_study_is(lab, operator):
    cents = both_cooperated(lab)
    assert [one.kept.bonus_cents for one in (lab.ann, lab.ben)] == [cents, cents]
    operator.look("/manage")
    assert f"{GAME} {standing(2, 4, 'down', instructions=1, waiting=1, done=2, excluded=1)}" in operator.told
    assert phrase("manage.bonuses", sum="EUR 1.20", approved="EUR 0.00") in operator.told
    lab.store.approve(lab.ann.kept)
    assert phrase("manage.bonuses", sum="EUR 1.20", approved="EUR 0.60") in Operator(lab.folder).told


def test_a_study_goes_from_planned_to_done(new):
    lab = new()
    assert standing(0, 2, "planned") in Operator(lab.folder).told
    ann, ben = lab.ready("ann"), lab.ready("ben")
    assert standing(0, 2, "down", play=2) in Operator(lab.folder).told
    runs_elsewhere(lab)
    assert standing(0, 2, "running", play=2) in Operator(lab.folder).told
    play(ann, ben)
    ann.next().tell().finish()
    ben.leave()
    assert standing(1, 2, "done", done=1, withdrawn=1) in Operator(lab.folder).told


def test_the_page_of_a_study_tells_who_is_where(lab, operator):
    operator.look("/manage")
    operator.look(re.search(r'href="([^"]*/manage/study/[^"]*)"', operator.text)[1])
    assert operator.path == HOME
    assert f"{phrase('monitor.admitted', count=3, of=4)} {phrase('monitor.matches', going=0, ended=1)}" in operator.told
    done, out, room, read = (phrase(f"monitor.at_{page}") for page in ("done", "excluded", "waiting", "instructions"))
    when = r"\d\d-\d\d \d\d:\d\d \d / \d"
    assert re.fullmatch(rf"1 ann people {done} {when} EUR 0.60 EUR 2.60", row(operator.text, 1))
    assert re.fullmatch(rf"3 cleo {out}: code word {when} \S \S", row(operator.text, 3))
    assert re.fullmatch(rf"4 dan {room} {when} \S \S", row(operator.text, 4))
    assert re.fullmatch(rf"5 eve {read} {when} \S \S", row(operator.text, 5))
    own = TestClient(lab.app)
    own.get("/operator?token=an operator's token")
    live = own.get(HOME).text
    for number in range(1, 6):  # as on the study's own page, which knows besides whose page is open
        assert [word for word in row(operator.text, number).split() if word not in row(live, number).split()] == []


def test_where_no_server_runs_there_are_no_links_but_the_command(lab, operator):
    operator.look(HOME)
    file = lab.folder / "pilot" / "study.toml"
    assert f"econzoo serve {file.parent}" in operator.told
    assert lab.ann.token not in operator.text
    assert "/study/pilot?label" not in operator.text


def test_where_its_server_runs_the_page_leads_there_and_changes_nothing(lab, operator):
    runs_elsewhere(lab)
    operator.look(HOME)
    assert f'<a href="{THERE}/manage/study/pilot">' in operator.text
    assert f'value="{THERE}/study/pilot?label=LABEL"' in operator.text
    assert f'<a href="{THERE}/p/{lab.ann.token}">' in operator.text
    assert re.findall(r'<form [^>]*action="([^"]*)"', operator.text) == ["/operator/out"]
    operator.post(HOME, do="approve", number="1")
    assert operator.status == 409
    assert phrase("monitor.only_there", address=THERE) in operator.text
    assert lab.ann.kept.approved == 0
    asked, refused = SimpleNamespace(path_params={"name": "pilot"}), pytest.raises(sqlite3.OperationalError)
    with Studies(lab.folder).find(asked) as one, refused as told:
        one.store.approve(lab.ann.kept)
    assert "readonly" in str(told.value)  # in SQLite's words


def test_a_server_that_has_ended_is_not_taken_for_one_that_runs(lab, operator):
    runs_elsewhere(lab)
    run = runs.load_last(lab.folder / "pilot")
    runs._write(lab.folder / "pilot", run._replace(command=["another", "program"]))
    assert phrase("manage.kind_down") in Operator(lab.folder).told
    runs._write(lab.folder / "pilot", run._replace(url='javascript:alert(1)//"'))
    operator.look(HOME)
    assert "javascript" not in operator.text
    (lab.folder / "pilot" / "run.json").write_text('{"pid": 1', encoding="utf-8")
    assert phrase("manage.kind_down") in Operator(lab.folder).told


def test_payments_are_approved_without_the_server(lab, operator):
    operator.post(HOME, do="approve", number="1")
    assert (operator.path, lab.ann.kept.approved, lab.ben.kept.approved) == (HOME, 1, 0)
    operator.post(HOME, do="approve", number="5")
    assert (operator.status, find_problems(operator.text)) == (422, phrase("monitor.not_paid"))
    operator.post(HOME, do="approve_all")
    assert (lab.ann.kept.approved, lab.ben.kept.approved) == (1, 1)
    operator.post(HOME, do="revoke", number="1")
    assert (lab.ann.kept.approved, lab.ben.kept.approved) == (0, 1)


@pytest.mark.parametrize("unseen", [False, True], ids=["stopped", "unseen"])
def test_who_is_excluded_without_the_server_leaves_when_it_runs_again(new, unseen):
    """With the bonus of the matches so far, as on the study's own page; a server that is not seen follows as well."""
    lab = new(repetitions=2)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    for one in (ann, ben):
        one.next()
    lab.settle()
    assert (ann.see().where, ben.see().where) == ("play", "play")
    if not unseen:
        lab.running.close()
    operator = Operator(lab.folder)
    operator.post(HOME, do="exclude", number="1")
    assert (operator.status, find_problems(operator.text)) == (422, phrase("monitor.no_reason", most=MAX_TEXT_LENGTH))
    operator.post(HOME, do="exclude", number="1", text="came <b>twice</b>")
    assert f"ann people {phrase('monitor.at_excluded')}: came &lt;b&gt;twice&lt;/b&gt;" in operator.told
    if not unseen:
        lab.start()
    ann, ben = lab.guest("ann"), lab.guest("ben")
    lab.settle()
    assert (ann.where, ann.kept.excluded_reason, ann.kept.bonus_cents) == ("excluded", "came <b>twice</b>", 60)
    play(ben)


def test_the_export_is_downloaded_with_ids_hashed_or_not(operator):
    for query, known in (("", False), ("?identified=yes", True)):
        files = zipfile.ZipFile(io.BytesIO(operator.client.get(f"{HOME}/export.zip{query}").content))
        rows = list(csv.DictReader(io.StringIO(files.read("participants.csv").decode())))
        assert ({row["id"] for row in rows} == {"ann", "ben", "cleo", "dan", "eve"}) == known


def test_looking_changes_nothing_in_the_folder(lab, operator):
    folder = lab.folder / "pilot"
    lab.running.close()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if "-" not in path.name}
    for path in ("/manage", "/manage/table", HOME, f"{HOME}/table"):
        operator.look(path)
        assert operator.status == 200
    assert {path.name: path.read_bytes() for path in folder.iterdir() if "-" not in path.name} == before


def test_a_study_that_never_ran_is_planned(tmp_path):
    write(tmp_path / "later", study_in(tmp_path))
    operator = Operator(tmp_path)
    assert f"later {GAME} {phrase('monitor.title', study='pilot')} {standing(0, 2, 'planned')}" in operator.told
    operator.look("/manage/study/later")
    assert (operator.status, phrase("monitor.nobody") in operator.told) == (200, True)
    assert operator.client.get("/manage/study/later/export.zip").status_code == 422
    assert [path.name for path in (tmp_path / "later").iterdir()] == ["study.toml"]


def write(folder: Path, study: Study, text: str = "") -> None:
    folder.mkdir()
    (folder / "study.toml").write_text(text or study.source, encoding="utf-8")


def test_broken_folders_are_told_and_the_others_shown(lab):
    """Half a file, another one, no database, half a database, and one of another version."""
    for name, text in (("half", lab.study.source[:300]), ("other", "x = [1"), ("binary", "\0")):
        write(lab.folder / name, lab.study, text)
    (lab.folder / "a-file").write_text("x", encoding="utf-8")
    for name, content in (("empty", b""), ("no-database", b"not a database, but long enough" * 100)):
        write(lab.folder / name, lab.study)
        (lab.folder / name / "table.sqlite").write_bytes(content)
    write(lab.folder / "old", lab.study)
    with sqlite3.connect(lab.folder / "old" / "table.sqlite") as db:
        db.execute("CREATE TABLE participants (token TEXT)")
    operator = Operator(lab.folder)
    found = {one.name: one for one in Studies(lab.folder).list_all()}
    assert sorted(name for name, one in found.items() if one.status) == ["empty", "pilot"]
    assert {*found} == {"half", "other", "binary", "empty", "no-database", "old", "pilot"}
    other = f"{lab.folder / 'old' / 'table.sqlite'} has format 0"
    for name, why in (("no-database", "file is not a database"), ("old", other)):  # the former in SQLite's words
        assert f"{name} {phrase('manage.unreadable', why=why)}" in operator.told
    assert standing(2, 4, "down") in operator.told
    for name in ("half", "no-database", "old"):
        operator.look(f"/manage/study/{name}")
        assert (operator.status, phrase("manage.unreadable", why="") in operator.told) == (409, True), name
    operator.look("/manage/study/empty")
    assert operator.status == 200


EVIL = "<img src=x onerror=alert(1)>{{ 7 * 7 }}\u202e'\"?#%&"


def test_hostile_names_are_shown_as_text_and_their_pages_open(new):
    lab = new()
    lab.guest(EVIL.replace("\u202e", ""))
    (lab.folder / "pilot").rename(lab.folder / EVIL.replace("/", ""))
    write(lab.folder / "<b>broken", lab.study, "name = '<script>alert(1)</script>'")
    os.mkdir(os.fsencode(lab.folder) + b"/\xff\n")
    Path(os.fsdecode(os.fsencode(lab.folder) + b"/\xff\n/study.toml")).write_text(lab.study.source, encoding="utf-8")
    operator = Operator(lab.folder)
    link = next(one for one in re.findall(r'href="(/manage/study/[^"]*)"', operator.text) if "img" in one)
    for text in (operator.text, operator.look(link)):
        assert operator.status == 200
        assert not re.search(r"<(img src=x|b>broken|script>)", text)
        assert "&lt;img src=x onerror=alert(1)&gt;{{ 7 * 7 }}" in text
        assert "\u202e" not in text
    assert "1 &lt;img src=x" in operator.told
    operator.post(link, do="approve_all")
    assert (operator.status, operator.client.get(f"{link}/export.zip").status_code) == (200, 200)


def test_other_folders_are_not_found(lab, operator):
    write(lab.folder.parent / "outside", lab.study)
    for name in ("nothing", "%2e%2e", "..%2fpilot", "pilot%00", "pilot%2f..%2fpilot", "*", "..%2foutside"):
        for path in (name, f"{name}/table", f"{name}/export.zip", f"{name}/events"):
            answer = operator.client.get(f"/manage/study/{path}", follow_redirects=False)
            assert answer.status_code in (404, 405), path
        answer = operator.client.post(f"/manage/study/{name}", data={"csrf": operator.csrf})
        assert answer.status_code in (404, 405), name


def test_strangers_see_and_change_nothing(lab, operator):
    stranger = TestClient(build_folder_app(lab.folder))
    for path in (HOME, f"{HOME}/table", f"{HOME}/events", f"{HOME}/export.zip", "/manage/study/nothing"):
        assert stranger.get(path, follow_redirects=False).headers["location"] == f"/operator?to={path}"
    for client, csrf in ((stranger, operator.csrf), (operator.client, ""), (operator.client, "guessed")):
        given = {"csrf": csrf, "do": "exclude", "number": "5", "reason": "x"}
        assert client.post(HOME, data=given).status_code == 403
    assert lab.store.participants()[4].page == "instructions"


def test_streams_tell_numbers_only_and_follow_what_others_write(lab, operator):
    before = operator.look(HOME)
    for path, page in ((f"{HOME}/events", HOME), ("/manage/events", "/manage")):
        with operator.client.stream("GET", path) as answer:
            told = next(answer.iter_lines())
        state = re.search(r'data-state="([\d.]+)"', operator.look(page))[1]
        assert told == f"data: {state}"
    lab.store.approve(lab.ann.kept)
    for page, then in ((HOME, before), ("/manage", operator.text)):
        states = {re.search(r'data-state="([\d.]+)"', text)[1] for text in (then, operator.look(page))}
        assert len(states) == 2


def test_the_pages_speak_german(lab):
    operator = Operator(lab.folder, texts="de")
    assert phrase("manage.bonuses", "de", sum="EUR 1,20", approved="EUR 0,00") in operator.look("/manage")
    assert phrase("monitor.stopped", "de") in operator.look(HOME)
