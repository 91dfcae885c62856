"""Questions of every kind as participants read and answer them, and what is kept of the answers."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import Guest, Lab, file_of, play, study_in
from test_items import png
from visitor import phrase

from econzoo.people.study import export_study, forget

KINDS = """
[[questionnaire]]
question = "Which of these do you own?"
kind = "multiple"
options = ["a car", "a \\"bike\\"", "a <b>boat</b>"]
[[questionnaire]]
question = "Do you take risks?"
kind = "likert"
labels = ["never", "always"]
points = 5
[[questionnaire]]
question = "How much would you give?"
kind = "slider"
least = -1
most = 1
step = 0.1
labels = ["take", "give"]
[[questionnaire]]
question = "In which year were you born?"
kind = "number"
least = 1900
most = 2010
[[questionnaire]]
question = "Look at this map."
kind = "image"
image = "map.png"
alt = "An \\"island\\" & a sea"
[[questionnaire]]
question = "You may ask me again."
kind = "box"
optional = true
[[questionnaire]]
question = "Which word describes it?"
kind = "choice"
options = ["good", "bad"]
optional = true
image = "map.png"
alt = "The same map"
"""

ANSWERS = {"item.3.0": "yes", "item.3.2": "yes", "item.4": "4", "item.5": "0.3", "item.6": "1,984", "item.8": "yes"}
"""Besides those of the usual questionnaire, which come first."""

KEPT = ['["a car", "a <b>boat</b>"]', "4", "0.3", "1984", "yes", ""]
"""The same, as it is kept: the picture asks nothing."""

BOXES = 'consent = "You take part of your own will."\nboxes = ["I am 18 or older.", "I have read it."]'


def with_everything(folder: Path) -> str:
    (folder / "map.png").write_bytes(png())
    file = file_of().replace('consent = "You take part of your own will."', BOXES)
    return file.replace("[payment]", f"{KINDS}[payment]")


@pytest.fixture
def lab(tmp_path: Path, new):
    """A study with a question of every kind."""
    made = Lab(tmp_path, study_in(tmp_path, with_everything(tmp_path)))
    yield made
    made.running.close()


def asked(lab: Lab) -> Guest:
    """Somebody before the questionnaire."""
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    return ann.next()


def exported(lab: Lab) -> list[dict[str, str]]:
    """The rows of answers.csv."""
    done = export_study(lab.running.tables.records.path.parent, lab.folder / "out.zip")
    with zipfile.ZipFile(done.path) as archive:
        return list(csv.DictReader(io.StringIO(archive.read("answers.csv").decode())))


def test_answers_of_every_kind_are_kept_and_exported(lab):
    ann = asked(lab)
    ann.tell(**ANSWERS)
    assert ann.where == "debriefing"
    assert [answer for item, _, answer in lab.store.answers_of(ann.kept, "questionnaire") if item > 2] == KEPT
    rows = [row for row in exported(lab) if row["kind"] == "questionnaire"]
    kinds = ["multiple", "likert", "slider", "number", "box", "choice"]
    assert [row["item_kind"] for row in rows] == ["number", "choice", "text", *kinds]
    assert [row["item"] for row in rows] == ["1", "2", "3", "4", "5", "6", "7", "9", "10"]
    assert json.loads(rows[3]["answer"]) == ["a car", "a <b>boat</b>"]
    consented = [
        (row["question"], row["item_kind"], row["answer"]) for row in exported(lab) if row["kind"] == "consent"
    ]
    assert consented == [("I am 18 or older.", "box", "yes"), ("I have read it.", "box", "yes")] * 2


def test_what_is_missing_or_none_of_the_answers_is_asked_for_again(lab):
    ann = asked(lab)
    for name, given, said in (
        ("item.3.0", None, phrase("study.choose")),
        ("item.4", "6", phrase("survey.point")),
        ("item.5", "0.35", phrase("survey.from_to", least="-1", most="1")),
        ("item.5", "nan", phrase("study.no_number")),
        ("item.5", None, phrase("survey.slide")),
        ("item.6", "2,011", phrase("survey.from_to", least="1900", most="2010")),
        ("item.6", "last year", phrase("study.no_number")),
        ("item.8", "no", phrase("survey.tick")),
        ("item.9", "ugly", phrase("study.choose")),
    ):
        own = {key: value for key, value in ANSWERS.items() if name[:6] != key[:6]}
        ann.tell(**own, **({name: given} if given is not None else {}))
        assert (ann.status, ann.where) == (422, "questionnaire"), name
        assert said in ann.text.split('id="problems"')[1].split("</div>")[0]
    assert lab.store.answers_of(ann.kept, "questionnaire") == []
    ann.tell(**{**ANSWERS, "item.6": "1850"})
    checked = {one["name"] for tag, one in ann.page.elements if tag == "input" and "checked" in one}
    assert {"item.3.0", "item.3.2", "item.4", "item.8"} <= checked, "what was right stays"


def test_names_of_answers_and_pictures_are_text(lab):
    ann = asked(lab)
    assert "<b>boat</b>" not in ann.text
    pictures = [given for tag, given in ann.page.elements if tag == "img"]
    assert [given["alt"] for given in pictures] == ['An "island" & a sea', "The same map"]
    for given in pictures:
        shown = ann.client.get(given["src"])
        assert (shown.headers["content-type"], shown.content) == ("image/png", png())
        assert shown.headers["x-content-type-options"] == "nosniff"


def test_no_other_file_is_shown_as_a_picture(lab):
    ann = lab.guest("ann")
    for name in ("study.toml", "table.sqlite", "operator.token", "..%2Fmap.png", "%2e%2e/map.png", "map.PNG"):
        assert ann.client.get(f"{ann.path}/image/{name}").status_code == 404
    assert ann.client.get("/p/nobody/image/map.png").status_code == 404


def test_pictures_go_with_the_folder(lab, tmp_path):
    (tmp_path / "map.png").unlink()
    frozen = study_in(lab.running.tables.records.path.parent, lab.study.source)
    again = Lab(tmp_path, frozen)
    assert again.running.images == {"map.png": png()}
    again.running.close()


def test_all_boxes_are_ticked_to_consent_but_not_to_decline(lab):
    ann = lab.guest("ann")
    ann.send("consent", {"consent": "yes", "box.0": "yes"})
    assert (ann.status, ann.where) == (422, "consent")
    assert f"I have read it. {phrase('survey.tick')}" in ann.text
    assert lab.store.answers_of(ann.kept, "consent") == []
    ann.send("consent", {"consent": "yes", "box.0": "yes", "box.1": "yes"})
    assert ann.where == "instructions"
    ben = lab.guest("ben").send("consent", {"consent": "no"})
    assert ben.where == "withdrawn"


def test_what_is_forgotten_is_the_questionnaire_and_not_the_consent(lab):
    ann = asked(lab).tell(**ANSWERS)
    forget(lab.running.tables.records.path.parent, "ann")
    assert lab.store.answers_of(ann.kept, "questionnaire") == []
    assert len(lab.store.answers_of(ann.kept, "consent")) == 2


# The quiz

EXPLAINED = 'answer = "the payoffs"\nexplanation = ["", "The weather is <i>not</i> paid."]'
NUMBER = '[[quiz]]\nquestion = "How many rounds?"\nkind = "number"\nanswer = 2\nmost = 10\nexplanation = "Two."\n'


def quiz(attempts: int) -> str:
    file = (
        file_of()
        .replace('answer = "the payoffs"', EXPLAINED)
        .replace("quiz_attempts = 2", f"quiz_attempts = {attempts}")
    )
    return file.replace("[[questionnaire]]", f"{NUMBER}[[questionnaire]]", 1)


def test_a_wrong_answer_is_explained_until_the_next_attempt(new):
    lab = new(text=quiz(3))
    ann = lab.guest("ann").agree().read()
    assert "Two." not in ann.text
    ann.send("quiz", {"quiz.0": "the weather", "quiz.1": "2"})
    assert ann.status == 422
    for text in (ann.text, ann.see().text):  # as long as they read it
        assert "The weather is &lt;i&gt;not&lt;/i&gt; paid." in text
        assert "Two." not in text, "that answer was right"
    ann.send("quiz", {"quiz.0": "the payoffs", "quiz.1": "3"})
    assert "The weather" not in ann.text
    assert "Two." in ann.text
    ann.send("quiz", {"quiz.0": "the payoffs", "quiz.1": "12"})
    assert ann.kept.quiz_left == 1, "a number out of bounds is no attempt"
    ann.send("quiz", {"quiz.0": "the payoffs", "quiz.1": "2"})
    assert ann.where == "waiting"
    rows = [(row["attempt"], row["item"], row["right"]) for row in exported(lab) if row["kind"] == "quiz"]
    assert rows == [*zip("112233", "121212", "011011", strict=True)]


def test_a_quiz_without_end_excludes_nobody(new):
    lab = new(text=quiz(0))
    ann = lab.guest("ann").agree().read()
    assert phrase("survey.quiz_free") in ann.text
    for attempt in range(1, 6):
        ann.send("quiz", {"quiz.0": "the weather", "quiz.1": "2"})
        assert (ann.where, ann.status) == ("quiz", 422)
        assert phrase("survey.quiz_again") in ann.text
        assert len(lab.store.answers_of(ann.kept, "quiz")) == 2 * attempt
    ann.send("quiz", {"quiz.0": "the payoffs", "quiz.1": "2"})
    assert ann.where == "waiting"
