"""A participant: reads, agrees, answers, waits with an open page, plays, and comes to the code, or leaves."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from econzoo.people.bots.filling import filled, programs
from econzoo.people.bots.html import HtmlForm, Page, problems
from econzoo.people.bots.manners import (
    BETWEEN,
    CLOSES,
    INSTRUCTIONS,
    MATCH,
    OTHER,
    QUESTIONNAIRE,
    QUIZ,
    STAGES,
    WAITING,
    WITHDRAWS,
)
from econzoo.people.bots.story import PRACTISED, Story
from econzoo.people.bots.visiting import NoAnswerError, Taken
from econzoo.people.study.declaration import Study
from econzoo.people.study.stages import PRACTICE

NO_STEPS = ("withdraw", "check", "leave")
"""Forms that lead to no other page."""

SLACK = 10.0
"""Seconds beyond a limit that a busy machine may take."""

MOST_TRIES = 25
"""Answers to one question before somebody gives up."""

LOOK = 0.5
"""Seconds between two thoughts of who waits."""

MATCH_OF = re.compile(r"of=([a-z]+)\.(\d+)")


class Browser(Protocol):
    """Shows pages; see `econzoo.people.bots.visiting.Visit`."""

    page: Page
    path: str
    status: int
    late: bool
    taken: list[Taken]

    @property
    def where(self) -> str:
        """Address of that part of the page which changes."""

    def visit(self, path: str, what: str = "page") -> None:
        """Opens a page."""

    def reload(self) -> None:
        """Loads the page again."""

    def submit(self, form: HtmlForm, given: Mapping[str, str], twice: bool = False) -> bool:
        """Sends a form; returns True, as it was answered."""

    def news(self, seconds: float) -> bool:
        """Waits for news of the page, and shows them."""

    def leave(self) -> None:
        """Closes the page."""

    def close(self) -> None:
        """Closes the browser."""


class Pace(NamedTuple):
    """How fast everything goes.

    Attributes:
        think: Seconds before a move, on average; twice that on other pages.
        limit: Of a move in the study as it is served, in seconds; 0: none.
        waiting: Likewise of the waiting room.
        clock: Of the test.
    """

    think: float
    limit: float
    waiting: float
    clock: Callable[[], float]


class DeadEndError(Exception):
    """Somebody cannot go on; says why."""


class Participant:
    """A participant.

    Args:
        story: Of theirs; it is written here.
        browser: That they have.
        study: In which they take part: code word and right answers are known.
        pace: How fast.
        luck: Decides.
    """

    def __init__(self, story: Story, browser: Browser, study: Study, pace: Pace, luck: random.Random) -> None:
        self.story, self._browser, self._study, self._pace, self._luck = story, browser, study, pace, luck
        self._manner, self._match, self._erred = story.manner, 0, set[str]()
        self._tries, self._asked = 0, ("", 0, "")

    def take_part(self, link: str) -> None:
        """Takes part, from the link to the last page.

        Args:
            link: Path of the entry, with who they are.
        """
        try:
            self._try(lambda: self._browser.visit(link, "entry"))
            while not (self.story.ended or self.story.left):
                self._act()
        except DeadEndError as told:
            self.story.wrong.append(str(told))
        finally:
            self.story.taken = self._browser.taken
            self._browser.close()

    # -- pages -------------------------------------------------------------------------------------------------

    def _act(self) -> None:
        """Does what the page asks for."""
        self._check()
        stage, form = self._stage()
        asked = stage, self._match, _hidden(form).get("number", "") if form else ""
        self._tries, self._asked = self._tries if asked == self._asked else 0, asked
        self._stay(stage)
        if self._leaves(stage, form):
            self._go_away()
        elif form is None and stage in (WAITING, MATCH):
            self._wait(stage)
        elif form is None:
            self.story.ended, self.story.shown = True, dict(self._browser.page.by_test_id)
        elif stage == MATCH:
            self._move()
        else:
            self._answer(stage, form)

    def _check(self) -> None:
        """Keeps what must not come."""
        if self._browser.status >= 400 and self._browser.status != 422:
            what = self._browser.taken[-1].what
            said = " ".join(re.sub("<[^>]*>", " ", self._browser.page.raw.partition("<main")[2]).split())[:200]
            raise DeadEndError(f"{what} was answered {self._browser.status}: {said}")

    def _stage(self) -> tuple[str, HtmlForm | None]:
        """Where they are, and the form that leads on, if there is one."""
        page = self._browser.page
        if found := MATCH_OF.search(self._browser.where):
            self._match = PRACTISED if found[1] == PRACTICE else int(found[2])
        if page.moves:
            return MATCH, page.moves[0]
        forms = [form for form in page.forms if form.step not in NO_STEPS]
        if forms:
            step = forms[0].step
            return (step if step in STAGES else OTHER), forms[0]
        where = self._browser.where
        return (WAITING if "of=waiting" in where else MATCH if where else "end"), None

    def _stay(self, stage: str) -> None:
        if stage != "end":
            self.story.stay(stage, self._match, self._pace.clock())

    def _think(self, times: float = 1.0) -> None:
        """Takes a while, with the page open."""
        time.sleep(self._pace.think * times * self._luck.uniform(0.5, 1.5))

    # -- leaving -----------------------------------------------------------------------------------------------

    def _leaves(self, stage: str, form: HtmlForm | None) -> bool:
        return stage == self._manner.leaves and (form is not None or stage == WAITING)

    def _go_away(self) -> None:
        """Leaves as their manner is, or is away for a while."""
        way, self._manner = self._manner.way, self._manner._replace(leaves="")
        self._think()
        self._stay(self._stage()[0])
        if way == WITHDRAWS:
            self._try(self._browser.reload)  # of a page with news only the part with them is at hand
            if form := next((one for one in self._browser.page.forms if one.step == "withdraw"), None):
                self._try(partial(self._browser.submit, form, _hidden(form)))
            return
        self._leave()
        if way == CLOSES:
            self.story.left = True
            return
        time.sleep(self._luck.uniform(0.3, 1.2) * self._pace.waiting)
        self._try(self._browser.reload)

    def _leave(self) -> None:
        """Closes the page."""
        self._browser.leave()
        self.story.away = True

    # -- waiting -----------------------------------------------------------------------------------------------

    def _wait(self, stage: str) -> None:
        """Until there is news: for others, or for their moves."""
        limit = self._pace.waiting if stage == WAITING else self._patience
        began = self._pace.clock()
        while not self._try(lambda: self._browser.news(LOOK)):
            self._stay(stage)
            waited = self._pace.clock() - (self.story.stays[-1].began if stage == WAITING else began)
            if waited > limit + SLACK:
                where = "in the waiting room" if stage == WAITING else "for the others in a match"
                raise DeadEndError(
                    f"has waited {waited:.0f} s {where}, where nothing happens; the limit is {limit:.0f} s"
                )
        if not self.story.away:
            self._stay(stage)

    @property
    def _patience(self) -> float:
        """Seconds that moves of others may take: all of them may be late, one after the other."""
        study = self._study
        seats = max(len(study.seats(arm, one)) for arm in study.arms for one in range(len(study.settings)))
        return max(2 * SLACK, seats * self._pace.limit)

    # -- answers -----------------------------------------------------------------------------------------------

    def _answer(self, stage: str, form: HtmlForm) -> None:
        """Answers a page, if they err with something wrong first."""
        self._think(2.0 if stage != BETWEEN else 1.0)
        self._stay(stage)
        if stage == BETWEEN and (payoff := self._browser.page.by_test_id.get("payoff")):
            self.story.payoffs[self._match] = payoff.strip()
        button = form.buttons[0] if form.buttons else ""
        known = self._wrong(stage) if self._errs(stage) else self._known()
        given = filled(self._browser.page, form, button, self._luck, known, self._tries)
        self._tried(stage)
        self._try(lambda: self._browser.submit(form, given, self._manner.doubles))
        if stage == QUESTIONNAIRE and self._browser.status == 200:
            kept = [one.name for one in form.inputs if one.kind in ("radio", "textarea")]
            self.story.answers |= {name: given[name] for name in kept if name in given}

    def _known(self) -> dict[str, str]:
        """What the file says is right."""
        right = {f"quiz.{item}": written(one.answer) for item, one in enumerate(self._study.quiz)}
        return {**right, "word": self._study.attention.code_word if self._study.attention else ""}

    def _wrong(self, stage: str) -> dict[str, str]:
        self._erred.add(stage)
        first = self._study.quiz[0] if stage == QUIZ else None
        if first is None:
            return {"word": "a guess"}
        others = [one for one in first.options if one != first.answer] or [written(float(first.answer) + 1)]
        return {**self._known(), "quiz.0": others[0]}

    def _errs(self, stage: str) -> bool:
        """Whether they give a wrong answer, after which there is another attempt."""
        study, word = self._study, self._study.attention
        again = {INSTRUCTIONS: bool(word and word.attempts > 1), QUIZ: bool(study.quiz) and study.quiz_attempts != 1}
        return self._manner.errs and stage not in self._erred and again.get(stage, False)

    def _tried(self, stage: str) -> None:
        self._tries += 1
        if self._tries > MOST_TRIES:
            raise DeadEndError(f"finds no answer to the page {stage}: {problems(self._browser.page.raw)}")

    # -- moves -------------------------------------------------------------------------------------------------

    def _move(self) -> None:
        """Makes a move: any of those that the page offers, with whatever fits."""
        browser, match = self._browser, self._match
        if self._manner.reloads and not self._tries:
            self._try(browser.reload)
        self._think()
        self._stay(MATCH)
        forms = browser.page.moves
        if not forms:
            return
        form, button = self._luck.choice([(form, button) for form in forms for button in form.buttons])
        given = filled(browser.page, form, button, self._luck, {**self._program(), **_meant(form)}, self._tries)
        if self._manner.offline and MATCH not in self._erred:
            self._lose_connection()
        self._tried(MATCH)
        answered = self._try(lambda: browser.submit(form, given, self._manner.doubles), lost=False)
        if answered and browser.status == 422:
            return
        if not answered or browser.late or self._manner.doubles:
            self.story.unsure[match] += 1
        else:
            self.story.moves[match].append(given["kind"])

    def _program(self) -> dict[str, str]:
        """A program that can be played, by the class of its input, where moves are programs."""
        found = programs(self._study, None if self._match == PRACTISED else self._match)
        return {"source": self._luck.choice(found)} if found else {}

    def _lose_connection(self) -> None:
        """For a while, longer or shorter than a move may take; what was typed is sent afterwards."""
        self._erred.add(MATCH)
        self._leave()
        time.sleep(self._luck.uniform(0.2, 1.5) * (self._pace.limit or 2 * self._pace.think))

    # -- the server --------------------------------------------------------------------------------------------

    def _try(self, ask: Callable[[], object], lost: bool = True) -> bool:
        """Asks the server; where it is gone, waits until it is back, and looks at the page that is shown then.

        Args:
            ask: What is asked.
            lost: What is returned then.

        Returns:
            What was answered.
        """
        try:
            return bool(ask())
        except NoAnswerError as error:
            told, self.story.away = error, True
        until = self._pace.clock() + 6 * SLACK
        while self._pace.clock() < until:
            time.sleep(LOOK)
            try:
                if self._browser.path:
                    self._browser.reload()
                else:
                    ask()
                return lost
            except NoAnswerError as error:
                told = error
        raise DeadEndError(f"gets no answer from the server: {told}")


def _meant(form: HtmlForm) -> dict[str, str]:
    """The numbers in a form, if it asks whether they are meant."""
    return {one.name: one.value for one in form.inputs if one.kind == "decimal"} if "sure" in _hidden(form) else {}


def _hidden(form: HtmlForm) -> dict[str, str]:
    return {one.name: one.value for one in form.inputs if one.kind == "hidden" and one.name}


def written(value: str | float) -> str:
    """An answer as it is typed."""
    return value if isinstance(value, str) else f"{value:.12g}"
