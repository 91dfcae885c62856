"""The oTree project of a study: that it is whole, and that its app is answered as it must be, without oTree."""

from __future__ import annotations

import json
import py_compile
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("markupsafe", reason="the texts of pages need markupsafe")

from participant import PEOPLE, PROGRAM, file_of, study_in
from visitor import phrase

import econzoo
from econzoo.__main__ import main
from econzoo.envs.core import PACKAGE
from econzoo.envs.core import game as find_game
from econzoo.evaluate.run import replay
from econzoo.people.otree import write_project
from econzoo.people.otree.course import ALONE, AWAY_SECONDS, FULL, WITHDRAWN, WRONG_WORD, OTreeStudy, PageUpdate
from econzoo.people.study import MINIMUM_WAIT, example_study
from refusals import refuses, says

WRITABLE = [game for game in econzoo.games() if not find_game(game).actions.source]

MODEL = '[[arms]]\nname = "model"\nseats = ["person", "openai:gpt-5"]\n'


class Session:
    """What oTree keeps of a session, and its participants, for tests.

    Args:
        folder: Of the study's file.
        **given: What is not as usual in it.
    """

    def __init__(self, folder: Path, **given: Any) -> None:
        (folder / "study.toml").write_text(file_of(**given), encoding="utf-8")
        self.begin(OTreeStudy(folder / "study.toml"))

    def begin(self, course: OTreeStudy) -> Session:
        """With nobody there."""
        self.course, self.room = course, dict[str, Any]()
        self.sat: dict[int, Any] = {}
        self.rows: dict[int, str] = {}
        self.now = 1000.0
        return self

    def say(self, id: int, data: Any = None, repetition: int = 0) -> dict[str, Any]:
        """What the page of a participant shows after it has spoken."""
        return self.turned(id, data, repetition).pages[id]

    def turned(self, id: int, data: Any = None, repetition: int = 0) -> PageUpdate:
        """All that follows, kept as the app keeps it."""
        turned = self.course.handle_poll(self.room, id, repetition, data or {}, self.rows.get, self.now)
        self.room, self.sat = turned.room, {**self.sat, **turned.played_seats}
        if turned.text is not None and turned.number is not None:
            self.rows[turned.number] = turned.text
        return turned

    def move(self, id: int, kind: str = "C", repetition: int = 0) -> dict[str, Any]:
        """Plays a move."""
        number = self.say(id, repetition=repetition)["number"]
        return self.say(id, {"move": {"kind": kind, "number": str(number)}}, repetition)


@pytest.fixture
def session(tmp_path: Path) -> Any:
    """Makes sessions of studies."""
    return lambda **given: Session(tmp_path, **given)


@pytest.mark.parametrize("game", WRITABLE)
def test_a_project_is_written_for_every_game_and_compiles(game: str, tmp_path: Path) -> None:
    home = write_project(study_in(tmp_path, example_study(game, "study.toml")), tmp_path / "project")
    for path in home.rglob("*.py"):
        py_compile.compile(str(path), str(tmp_path / "compiled.pyc"), doraise=True)
    assert (home / "_static").is_dir()
    assert OTreeStudy(home / "study.toml").study.games == (game,)
    left = [path.name for path in home.rglob("*") if path.is_file() and re.search(r"\$[a-z_]+\b", path.read_text())]
    assert left == []


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bargaining.toml").write_text(example_study("bargaining", "bargaining.toml"), encoding="utf-8")
    command = ["study", "export", "bargaining.toml", "--format", "otree", "--out", "bargaining_otree"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert not ended.value.code
    says(" ".join(capsys.readouterr().out.split()), "bargaining_otree/README.md")
    assert Path("bargaining_otree", "econzoo_study", "tests.py").is_file()


def test_no_element_has_the_id_that_is_otrees(tmp_path: Path) -> None:
    home = write_project(study_in(tmp_path), tmp_path / "project")
    pages = [*home.rglob("*.html"), *home.rglob("*.js")]
    assert len(pages) > 8
    assert not [path for path in pages if re.search(r"""id=["']form["']|innerHTML""", path.read_text())]
    says(" ".join((home / "README.md").read_text().split()), "cite", f"after {AWAY_SECONDS:g} seconds")
    assert (home / "requirements.txt").read_text() == f"otree>=6,<7\n./econzoo-{version(PACKAGE)}-py3-none-any.whl\n"


def test_texts_with_quotes_and_line_breaks_stay_what_they_are(tmp_path: Path) -> None:
    text = file_of().replace('question = "Why?"', 'question = "\'\'\'\\\\ \\"Why\\"?\\nSay it: $x {{ 1 }}"')
    home = write_project(study_in(tmp_path, text), tmp_path / "project")
    app = (home / "econzoo_study" / "__init__.py").read_text()
    assert repr("'''\\ \"Why\"?\nSay it: $x {{ 1 }}") in app
    compile(app, "app", "exec")


@pytest.mark.parametrize(("given", "line"), [({"arms": MODEL}, 10), ({"alone": "hf:smollm2"}, 52)])
def test_a_model_has_no_seat(given: dict[str, str], line: int, tmp_path: Path) -> None:
    with refuses(ValueError, f"line {line}", "openai:gpt-5" if "arms" in given else "hf:smollm2"):
        write_project(study_in(tmp_path, **given), tmp_path / "project")
    assert not (tmp_path / "project").exists()


def test_a_folder_with_something_in_it_is_not_written_to(tmp_path: Path) -> None:
    with refuses(ValueError, Path(__file__).parent):
        write_project(study_in(tmp_path), Path(__file__).parent)


def test_two_participants_play_and_the_record_replays(session: Any) -> None:
    lab = session()
    assert lab.say(1)["state"] == "waiting"
    assert lab.say(2)["forms"]
    for _ in range(2):
        lab.move(1, "C")
        lab.move(2, "D")
    (text,) = lab.rows.values()
    record = lab.course.record(text)
    assert replay(record) == []
    assert record.players == ["human", "human"]
    pages = [lab.say(1), lab.say(2)]
    assert [page["over"] for page in pages] == [True, True]
    assert {lab.course.bonus(lab.sat[id], lab.rows.get, "abc") for id in (1, 2)} == {0.25, 1.0}  # 10 cents a point


def test_the_other_page_is_told_at_once_and_nothing_hidden(session: Any) -> None:
    lab = session()
    lab.say(1), lab.say(2)
    number = lab.say(1)["number"]
    pages = lab.turned(1, {"move": {"kind": "C", "number": str(number)}}).pages
    assert set(pages) == {1, 2}
    other = dict(pages[2])
    assert "cooperate" not in json.dumps({**other, "rules": [], "forms": []}).casefold()


def test_a_wrong_answer_is_told_and_not_kept(session: Any) -> None:
    lab = session()
    lab.say(1), lab.say(2)
    before = dict(lab.rows)
    number = lab.say(1)["number"]
    assert "X" in lab.say(1, {"move": {"kind": "X", "number": str(number)}})["problems"][""]
    assert lab.say(1, {"move": {"kind": "C", "number": "7"}})["problems"][""] == phrase("table.late")
    for said in ("nonsense", {"move": "C"}, {"move": {}}, ["C"], 3):
        lab.say(1, said)
    assert {number: json.loads(text)["moves"] for number, text in lab.rows.items()} == {
        number: json.loads(text)["moves"] for number, text in before.items()
    }


def test_a_match_is_the_same_from_its_text_in_another_process(session: Any) -> None:
    lab = session()
    lab.say(1), lab.say(2)
    lab.move(1)
    lab.course = OTreeStudy(lab.course.study.path)
    lab.move(2, "D")
    assert lab.say(1)["number"] == 1
    assert lab.say(1)["forms"]


def test_who_withdraws_leaves_the_match_and_the_other_goes_on(session: Any) -> None:
    lab = session(leaving="tit-for-tat")
    lab.say(1), lab.say(2)
    turned = lab.turned(1, {"withdraw": True})
    assert (turned.outcome, turned.pages[1]["over"]) == (WITHDRAWN, True)
    for _ in range(2):
        lab.move(2)
    assert lab.say(2)["over"]
    (text,) = lab.rows.values()
    assert [one["player"] for one in lab.course.record(text).replacements] == ["tit-for-tat"]
    assert lab.course.amounts_due(WITHDRAWN, lab.sat[1], lab.rows.get, "abc") == (2.0, 0.25)
    told = [phrase("study.was_both", role=role, program="tit-for-tat") for role in ("Player A", "Player B")]
    assert any(one in lab.course.other_players(lab.sat[2], lab.rows.get)[0] for one in told)


def test_who_is_away_is_not_matched_and_nobody_waits_for_ever(session: Any) -> None:
    lab = session()
    lab.say(1)
    lab.now += AWAY_SECONDS + 1
    assert lab.say(2)["state"] == "waiting"
    assert lab.say(1)["forms"]  # they are back
    late = session()
    late.say(1)
    late.now += 301
    turned = late.turned(1)
    assert (turned.outcome, turned.pages[1]["over"]) == (ALONE, True)
    assert late.course.amounts_due(ALONE, late.sat[1], late.rows.get, "abc") == (2.0, 0.25)


def test_who_is_there_is_matched_and_nobody_waits_for_who_has_gone(session: Any) -> None:
    """One withdraws before the match, and three come later: the first two of them play, the third waits."""
    lab = session(participants=4)
    lab.say(1)
    assert lab.turned(1, {"withdraw": True}).played_seats == {1: []}
    for id in (2, 3, 4):
        lab.say(id)
    assert [bool(lab.say(id).get("forms")) for id in (2, 3, 4)] == [True, True, False]
    assert lab.sat == {1: [], 2: [[0, 0]], 3: [[0, 1]], 4: []}


def test_who_has_closed_the_page_has_left_and_the_match_goes_on(session: Any) -> None:
    """The default action is played for them from then on; they are neither paid for it nor said to have completed."""
    lab = session()
    lab.say(1), lab.say(2)
    lab.move(2)
    lab.now += max(60, AWAY_SECONDS)
    assert lab.say(2)["forms"]
    lab.move(2)
    assert lab.say(2)["over"]
    (text,) = lab.rows.values()
    assert replay(lab.course.record(text)) == []
    assert lab.course.bonus(lab.sat[1], lab.rows.get, "abc") == lab.course.study.payment.floor
    assert lab.say(1)["over"]


def test_a_program_takes_the_place_of_who_does_not_come(session: Any) -> None:
    lab = session(alone="tit-for-tat")
    lab.say(1)
    lab.now += 301
    assert lab.say(1)["forms"]
    (text,) = lab.rows.values()
    assert sorted(lab.course.record(text).players) == ["human", "tit-for-tat"]


def test_nothing_tells_a_program_before_the_debriefing(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [5000.0]
    monkeypatch.setattr("econzoo.people.otree.otree_match.time.time", lambda: clock[0])
    lab = session(arms=PROGRAM, participants=1)
    assert lab.say(1)["state"] == "waiting"  # as if somebody else were to come
    lab.now += MINIMUM_WAIT[1]
    assert lab.say(1)["forms"]
    lab.move(1)
    assert not lab.say(1)["forms"]
    assert phrase("study.others_move", count=1) in lab.say(1)["waiting"]
    clock[0] += 8
    page = lab.say(1)
    assert page["forms"]
    assert "tit-for-tat" not in json.dumps(page)
    assert "tit-for-tat" in lab.course.other_players(lab.sat[1], lab.rows.get)[0]


def test_who_comes_after_all_places_are_taken_is_told(session: Any) -> None:
    lab = session()
    lab.say(1), lab.say(2)
    turned = lab.turned(3)
    assert (turned.outcome, turned.played_seats[3], turned.pages[3]["over"]) == (FULL, None, True)
    assert lab.course.amounts_due(FULL, None, lab.rows.get, "abc") == (2.0, 0.0)
    assert lab.course.amounts_due(WRONG_WORD, None, lab.rows.get, "abc") == (0.0, 0.0)


def test_the_pages_speak_the_language_of_the_study(session: Any) -> None:
    lab = session(texts="de", arms=PEOPLE)
    assert lab.course.page_texts("consent")["title"] == phrase("study.title_consent", "de")
    assert phrase("study.wait", "de") in lab.say(1)["waiting"]
    assert lab.course.last_page("", [], lab.rows.get, "abc")["sums"][0].endswith("2,00")


def test_words_of_others_are_text_and_nothing_else(tmp_path: Path) -> None:
    text = example_study("bargaining", "study.toml").replace("messages = [true, false]", "messages = true")
    text = text.replace("participants = 24", "participants = 4").replace('"stranger"', '"partner"')
    text = text.replace("repetitions = 3", "repetitions = 1").replace("blinded = true", "blinded = false")
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    course = OTreeStudy(tmp_path / "study.toml")
    lab = Session.__new__(Session).begin(course)
    for id in range(4):
        lab.say(id)
    numbers = [number for (number, _), *_ in lab.sat.values()]
    first, second = [id for id in range(4) if numbers.count(lab.sat[id][0][0]) == 2]
    asked = first if lab.say(first).get("forms") else second
    hostile = "\u202e<img src=x onerror=alert(1)>\x1b[2J"
    move = {"kind": "offer", "number": "0", "move.gain": "5000", "move.words": hostile}
    keys = [one["key"] for one in lab.say(asked)["forms"][0]["inputs"]]
    move = {**move, **dict(zip(keys, ("5000", hostile), strict=True))}
    assert not lab.say(asked, {"move": move}).get("problems")
    read = json.dumps(lab.say(first if asked == second else second)["talk"], ensure_ascii=False)
    assert "<img src=x" in read
    assert "\u202e" not in read
