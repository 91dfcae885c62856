"""A participant of a study, for tests: a browser without JavaScript that goes from page to page."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from visitor import Visitor, phrase

from econzoo.people.server import new_site
from econzoo.people.study import Participant, Study
from econzoo.people.study.study_file import parse_study
from econzoo.people.study_server import RunningStudy, build_app, prepare_folder, without_return_links

WORD, RIGHT, WRONG = "maple", "the payoffs", "the weather"

FILE = """
name = "pilot"
game = "matrix"
texts = "{texts}"
quiz_attempts = {attempts}
[settings]
rounds = 2
{arms}
[matching]
participants = {participants}
repetitions = {repetitions}
partners = "{partners}"
seed = 3
[words]
consent = "You take part of your own will."
instructions = "Choose with care."
debriefing = "We asked how people choose."
kept = "Your answers, for ten years. Ask NAME."
[attention]
code_word = "maple"
sentence = "The code word is {{code_word}}."
attempts = {attempts}
[[quiz]]
question = "What counts?"
options = ["the payoffs", "the weather"]
answer = "the payoffs"
[[questionnaire]]
question = "How old are you?"
kind = "number"
[[questionnaire]]
question = "Who were the others?"
kind = "choice"
options = ["people", "I do not know"]
[[questionnaire]]
question = "Why?"
kind = "text"
[payment]
currency = "EUR"
fee = 2.00
rate = 0.10
floor = 0.25
cap = 1.50
partial = {partial}
[recruitment]
source = "{source}"
{ends}[time]
move = {move}
waiting = 300
alone = "{alone}"
[leaving]
policy = "{leaving}"
missed = {missed}
away = {away}
"""

PEOPLE = '[[arms]]\nname = "people"\nseats = ["person", "person"]\n'
PROGRAM = '[[arms]]\nname = "program"\nseats = ["person", "tit-for-tat"]\nblinded = true\n'

USUAL = {
    "texts": "en",
    "arms": PEOPLE,
    "participants": 2,
    "repetitions": 1,
    "partners": "partner",
    "attempts": 2,
    "partial": "true",
    "source": "links",
    "url": "",
    "move": 0,
    "alone": "pay",
    "leaving": "default",
    "missed": 2,
    "away": 60,
}

ANSWERS = {"item.0": "41", "item.1": "people", "item.2": "I liked it."}


def file_of(**given: Any) -> str:
    """The text of a study in which some things are not as usual."""
    chosen = {**USUAL, **given}
    url = chosen["url"]
    return FILE.format(**chosen, ends=f'[ends.completed]\nurl = "{url}"\n' if url else "")


def study_in(folder: Path, text: str = "", **given: Any) -> Study:
    """A study of the text, or of the usual one."""
    return parse_study(text or file_of(**given), folder / "study.toml")


PATIENCE = 20.0
"""Seconds that a match may take, on a busy machine."""


class Lab:
    """A study that runs in this process; time passes when it is told to.

    Args:
        folder: Of the study.
        study: The study.
        demo: Whether it is only shown.
    """

    def __init__(self, folder: Path, study: Study, demo: bool = False) -> None:
        self.study, self.folder, self.demo = study, folder, demo
        self.start()

    def start(self) -> None:
        """Begins to run it, or goes on with it, as a process does."""
        site = new_site(token="an operator's token", texts=self.study.texts)._replace(demo=self.demo)
        shown = without_return_links(self.study) if self.demo else self.study
        self.running = RunningStudy(shown, prepare_folder(self.study, self.folder / self.study.name), site)
        self.app = build_app(self.running, site)
        self.course, self.store = self.running.course, self.running.course.store

    def settle(self) -> None:
        """What the clock does."""
        self.course.seating.settle()

    def start_again(self) -> None:
        """Stops it, and goes on."""
        self.running.close()
        self.start()

    def guest(self, label: str = "", **asked: str) -> Guest:
        """Somebody with a browser of their own, who has come if a label, or what the link says, is given."""
        guest = Guest(TestClient(self.app))
        guest.lab = self
        return guest.enter(**({"label": label} if label else asked)) if label or asked else guest

    def ready(self, label: str) -> Guest:
        """Somebody who has come as far as the waiting room."""
        return self.guest(label).agree().read().answer()


class Guest(Visitor):
    """A participant."""

    lab: Lab

    def enter(self, **asked: str) -> Guest:
        """Opens the link of the study."""
        self._take(response := self.client.get(f"/study/{self.lab.study.name}", params=asked))
        self.path = response.url.path
        return self

    @property
    def token(self) -> str:
        """The secret of the personal link."""
        return self.path.rpartition("/")[2]

    @property
    def kept(self) -> Participant:
        """What is kept of them."""
        found = self.lab.store.participant(self.token)
        assert found is not None
        return found

    @property
    def over(self) -> bool:
        """Whether they may go on from the match; while others are awaited there is nothing to play either."""
        return any(form.action.endswith("/play") for form in self.page.forms)

    @property
    def where(self) -> str:
        """The page on which they are."""
        return self.kept.page

    def send(self, step: str, given: Mapping[str, str]) -> Guest:
        """Posts to a page, with what its form has hidden."""
        forms = [form for form in self.page.forms if form.action.endswith(f"/{step}")]
        hidden = {one.name: one.value for form in forms for one in form.inputs if one.kind == "hidden"}
        self._take(self.client.post(f"{self.path}/{step}", data={**hidden, **given}))
        return self

    def agree(self) -> Guest:
        """Consents, and ticks all that there is to tick."""
        boxes = [one.name for form in self.page.forms for one in form.inputs if one.name.startswith("box.")]
        return self.send("consent", {**dict.fromkeys(boxes, "yes"), "consent": "yes"})

    def read(self, word: str = WORD) -> Guest:
        """Reads the instructions."""
        return self.send("instructions", {"word": word})

    def answer(self, chosen: str = RIGHT) -> Guest:
        """Answers the quiz."""
        return self.send("quiz", {"quiz.0": chosen})

    def next(self) -> Guest:
        """Goes on from a match that is over."""
        return self.send("play", {})

    def tell(self, **given: str) -> Guest:
        """Answers the questionnaire."""
        return self.send("questionnaire", {**ANSWERS, **given})

    def finish(self) -> Guest:
        """Has read the debriefing."""
        return self.send("debriefing", {})

    def leave(self) -> Guest:
        """Withdraws."""
        return self.send("withdraw", {})

    def see(self) -> Guest:
        """Loads the page again."""
        self.look()
        return self


def play(*guests: Guest, kind: str = "C", words: str = "") -> None:
    """Plays a match to its end; everybody makes the same move whenever they can. Programs think in threads."""
    end = time.monotonic() + PATIENCE
    while not all('<h2 id="end">' in guest.see().text for guest in guests):
        assert time.monotonic() < end, "the match does not end"
        for guest in guests:
            if guest.see().page.move_forms:
                guest.move(kind, words=words)


def tells(guest: Guest, name: str, **fields: str) -> bool:
    """Whether a page says this of somebody."""
    return any(phrase(name, role=role, **fields) in guest.text for role in ("Player A", "Player B"))
