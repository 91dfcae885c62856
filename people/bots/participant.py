"""A bot participant: consents, answers, waits, plays and reaches the completion code, or leaves."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from econzoo.people.bots.bot_behaviour import CLOSES, INSTRUCTIONS, MATCH, MATCH_END, OTHER_PAGE, QUESTIONNAIRE, QUIZ
from econzoo.people.bots.bot_behaviour import STAGES, WAITING, WITHDRAWS
from econzoo.people.bots.form_filling import fill_form, programs
from econzoo.people.bots.html_page import HtmlForm, Page, find_problems
from econzoo.people.bots.http_browser import NoAnswerError, PageLoad
from econzoo.people.bots.story import PRACTICE_MATCH, Story
from econzoo.people.study import PRACTICE, Study

FORMS_WITHOUT_STEP = ("withdraw", "check", "leave")
"""Forms that do not lead to another page."""

SLACK = 10.0
"""Tolerance of time limits in seconds, for busy machines."""

MAX_TRIES = 25
"""Maximum attempts at one question."""

POLL_INTERVAL = 0.5
"""Seconds between checks while waiting."""

MATCH_PATTERN = re.compile(r"of=([a-z]+)\.(\d+)")


class Browser(Protocol):
    """Browser interface; see `econzoo.people.bots.http_browser.HttpBrowser`."""

    page: Page
    path: str
    status: int
    was_late: bool
    page_loads: list[PageLoad]

    @property
    def fragment_path(self) -> str:
        """URL of the updated part of the page."""

    def visit(self, path: str, what: str = "page") -> None:
        """Open a page."""

    def reload(self) -> None:
        """Reload the page."""

    def submit(self, form: HtmlForm, given: Mapping[str, str], twice: bool = False) -> bool:
        """Submit a form; return True, since it was answered."""

    def wait_for_update(self, seconds: float) -> bool:
        """Wait for an update of the page and load it."""

    def leave(self) -> None:
        """Close the page."""

    def close(self) -> None:
        """Close the browser."""


class Pace(NamedTuple):
    """Pace of a test.

    Attributes:
        think: Mean seconds per move; twice that on other pages.
        limit: Time limit of a move as served, in seconds; 0: none.
        waiting: Time limit of the waiting room as served, in seconds.
    """

    think: float
    limit: float
    waiting: float
    clock: Callable[[], float]


class DeadEndError(Exception):
    """A bot cannot continue."""


class Participant:
    """A bot participant."""

    def __init__(self, story: Story, browser: Browser, study: Study, pace: Pace, rng: random.Random) -> None:
        self.story, self._browser, self._study, self._pace, self._rng = story, browser, study, pace, rng
        self._behaviour, self._match, self._error_stages = story.behaviour, 0, set[str]()
        self._tries, self._current_question = 0, ("", 0, "")

    def take_part(self, link: str) -> None:
        """Take part from the entry link to the last page."""
        try:
            self._ask_server(lambda: self._browser.visit(link, "entry"))
            while not (self.story.has_ended or self.story.has_left):
                self._act()
        except DeadEndError as error:
            self.story.problems.append(str(error))
        finally:
            self.story.page_loads = self._browser.page_loads
            self._browser.close()

    # -- pages -------------------------------------------------------------------------------------------------

    def _act(self) -> None:
        self._check_status()
        stage, form = self._find_stage()
        # Attempts are counted for each question, within a match by its number.
        question = stage, self._match, _hidden_inputs(form).get("number", "") if form else ""
        self._tries, self._current_question = self._tries if question == self._current_question else 0, question
        self._record_stay(stage)
        if self._is_leaving(stage, form):
            self._go_away()
        elif form is None and stage in (WAITING, MATCH):
            self._wait(stage)
        elif form is None:
            self.story.has_ended, self.story.final_page_texts = True, dict(self._browser.page.by_test_id)
        elif stage == MATCH:
            self._make_move()
        else:
            self._answer(stage, form)

    def _check_status(self) -> None:
        """Raise for an error page."""
        # 422: a form with errors, which the bot corrects.
        if self._browser.status >= 400 and self._browser.status != 422:
            what = self._browser.page_loads[-1].purpose
            message = " ".join(re.sub("<[^>]*>", " ", self._browser.page.raw.partition("<main")[2]).split())[:200]
            raise DeadEndError(f"got status {self._browser.status} for {what}: {message}")

    def _find_stage(self) -> tuple[str, HtmlForm | None]:
        """Return the current stage and its form, if any."""
        page = self._browser.page
        if found := MATCH_PATTERN.search(self._browser.fragment_path):
            self._match = PRACTICE_MATCH if found[1] == PRACTICE else int(found[2])
        if page.move_forms:
            return MATCH, page.move_forms[0]
        forms = [form for form in page.forms if form.step not in FORMS_WITHOUT_STEP]
        if forms:
            step = forms[0].step
            return (step if step in STAGES else OTHER_PAGE), forms[0]
        where = self._browser.fragment_path
        return (WAITING if "of=waiting" in where else MATCH if where else "end"), None

    def _record_stay(self, stage: str) -> None:
        if stage != "end":
            self.story.record_stay(stage, self._match, self._pace.clock())

    def _pause(self, times: float = 1.0) -> None:
        time.sleep(self._pace.think * times * self._rng.uniform(0.5, 1.5))

    # -- leaving -----------------------------------------------------------------------------------------------

    def _is_leaving(self, stage: str, form: HtmlForm | None) -> bool:
        return stage == self._behaviour.leaves_at and (form is not None or stage == WAITING)

    def _go_away(self) -> None:
        """Leave for good or for a while, according to the behaviour."""
        way, self._behaviour = self._behaviour.way_to_leave, self._behaviour._replace(leaves_at="")
        self._pause()
        self._record_stay(self._find_stage()[0])
        if way == WITHDRAWS:
            self._ask_server(self._browser.reload)  # after an update only a part of the page is loaded
            if form := next((one for one in self._browser.page.forms if one.step == "withdraw"), None):
                self._ask_server(partial(self._browser.submit, form, _hidden_inputs(form)))
            return
        self._leave()
        if way == CLOSES:
            self.story.has_left = True
            return
        time.sleep(self._rng.uniform(0.3, 1.2) * self._pace.waiting)
        self._ask_server(self._browser.reload)

    def _leave(self) -> None:
        self._browser.leave()
        self.story.is_away = True

    # -- waiting -----------------------------------------------------------------------------------------------

    def _wait(self, stage: str) -> None:
        """Wait for an update: for partners, or for others' moves."""
        limit = self._pace.waiting if stage == WAITING else self._wait_limit
        began = self._pace.clock()
        while not self._ask_server(lambda: self._browser.wait_for_update(POLL_INTERVAL)):
            self._record_stay(stage)
            # The limit of the waiting room is that of the whole stay: its page may have updates before a match.
            waited = self._pace.clock() - (self.story.stays[-1].began if stage == WAITING else began)
            if waited > limit + SLACK:
                where = "in the waiting room" if stage == WAITING else "for the others in a match"
                raise DeadEndError(f"was stuck: waited {waited:.0f} s {where}, beyond the limit of {limit:.0f} s")
        if not self.story.is_away:
            self._record_stay(stage)

    @property
    def _wait_limit(self) -> float:
        """Maximum seconds for moves of others, if all are late in sequence."""
        study = self._study
        seats = max(len(study.seats(arm, one)) for arm in study.arms for one in range(len(study.settings)))
        return max(2 * SLACK, seats * self._pace.limit)

    # -- answers -----------------------------------------------------------------------------------------------

    def _answer(self, stage: str, form: HtmlForm) -> None:
        """Answer a page, first wrongly if the behaviour says so."""
        self._pause(2.0 if stage != MATCH_END else 1.0)
        self._record_stay(stage)
        if stage == MATCH_END and (payoff := self._browser.page.by_test_id.get("payoff")):
            self.story.payoffs[self._match] = payoff.strip()
        button = form.buttons[0] if form.buttons else ""
        known = self._wrong_answers(stage) if self._is_error_due(stage) else self._right_answers()
        given = fill_form(self._browser.page, form, button, self._rng, known, self._tries)
        self._count_try(stage)
        self._ask_server(lambda: self._browser.submit(form, given, self._behaviour.doubles))
        if stage == QUESTIONNAIRE and self._browser.status == 200:
            names = [one.name for one in form.inputs if one.kind in ("radio", "textarea")]
            self.story.answers |= {name: given[name] for name in names if name in given}

    def _right_answers(self) -> dict[str, str]:
        """Return the correct answers of the study file."""
        right = {f"quiz.{item}": format_answer(one.answer) for item, one in enumerate(self._study.quiz)}
        return {**right, "word": self._study.attention.code_word if self._study.attention else ""}

    def _wrong_answers(self, stage: str) -> dict[str, str]:
        self._error_stages.add(stage)
        first = self._study.quiz[0] if stage == QUIZ else None
        if first is None:
            return {"word": "a guess"}
        others = [one for one in first.options if one != first.answer] or [format_answer(float(first.answer) + 1)]
        return {**self._right_answers(), "quiz.0": others[0]}

    def _is_error_due(self, stage: str) -> bool:
        """Whether to give a wrong answer now, with another attempt left."""
        study, word = self._study, self._study.attention
        # 0 quiz attempts: unlimited.
        again = {INSTRUCTIONS: bool(word and word.attempts > 1), QUIZ: bool(study.quiz) and study.quiz_attempts != 1}
        return self._behaviour.errs and stage not in self._error_stages and again.get(stage, False)

    def _count_try(self, stage: str) -> None:
        self._tries += 1
        if self._tries > MAX_TRIES:
            raise DeadEndError(f"found no valid answer on page {stage}: {find_problems(self._browser.page.raw)}")

    # -- moves -------------------------------------------------------------------------------------------------

    def _make_move(self) -> None:
        """Make a random move with random valid values."""
        browser, match = self._browser, self._match
        if self._behaviour.reloads and not self._tries:
            self._ask_server(browser.reload)
        self._pause()
        self._record_stay(MATCH)
        forms = browser.page.move_forms
        # The question can be gone: its time is over, or others ended the match.
        if not forms:
            return
        form, button = self._rng.choice([(form, button) for form in forms for button in form.buttons])
        given = fill_form(
            browser.page, form, button, self._rng, {**self._choose_program(), **_numbers_to_confirm(form)}, self._tries
        )
        if self._behaviour.offline and MATCH not in self._error_stages:
            self._lose_connection()
        self._count_try(MATCH)
        answered = self._ask_server(lambda: browser.submit(form, given, self._behaviour.doubles), lost=False)
        if answered and browser.status == 422:
            return
        # The server may have played the answer or not: it was lost, late, or one of two.
        if not answered or browser.was_late or self._behaviour.doubles:
            self.story.uncertain_moves[match] += 1
        else:
            self.story.moves[match].append(given["kind"])

    def _choose_program(self) -> dict[str, str]:
        """Return a random program, in games whose moves are programs."""
        choices = programs(self._study, None if self._match == PRACTICE_MATCH else self._match)
        return {"source": self._rng.choice(choices)} if choices else {}

    def _lose_connection(self) -> None:
        """Go offline for a while, possibly beyond the time limit; the form is sent afterwards."""
        self._error_stages.add(MATCH)
        self._leave()
        time.sleep(self._rng.uniform(0.2, 1.5) * (self._pace.limit or 2 * self._pace.think))

    # -- the server --------------------------------------------------------------------------------------------

    def _ask_server(self, ask: Callable[[], object], lost: bool = True) -> bool:
        """Send a request; if the server is down, wait until it is back, reload the page and return `lost`."""
        try:
            return bool(ask())
        except NoAnswerError as error:
            last_error, self.story.is_away = error, True
        # A minute, for a restart on a busy machine.
        until = self._pace.clock() + 6 * SLACK
        while self._pace.clock() < until:
            time.sleep(POLL_INTERVAL)
            try:
                # Without a path the entry itself failed.
                if self._browser.path:
                    self._browser.reload()
                else:
                    ask()
                return lost
            except NoAnswerError as error:
                last_error = error
        raise DeadEndError(f"got no response from the server: {last_error}")


def _numbers_to_confirm(form: HtmlForm) -> dict[str, str]:
    """Return the numbers of a form that asks for confirmation."""
    return (
        {one.name: one.value for one in form.inputs if one.kind == "decimal"} if "sure" in _hidden_inputs(form) else {}
    )


def _hidden_inputs(form: HtmlForm) -> dict[str, str]:
    return {one.name: one.value for one in form.inputs if one.kind == "hidden" and one.name}


def format_answer(value: str | float) -> str:
    """Return an answer as typed."""
    return value if isinstance(value, str) else f"{value:.12g}"
