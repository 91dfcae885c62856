"""What the pages of an oTree project say, and what is due to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from econzoo.people.otree.match import HeldMatches
from econzoo.people.participation.answers import read_answer
from econzoo.people.participation.page_texts import Telling, Told, options_of, texts_in
from econzoo.people.server.site import HERE, Site, texts
from econzoo.people.study import ends
from econzoo.people.study.bonus import bonus_for
from econzoo.people.study.matching import Planned, plan_matches
from econzoo.people.study.study_data import results
from econzoo.people.study.study_file import read_study
from econzoo.people.texts import texts_of

OWN = 0
"""The place of a participant in matches that are told of theirs."""

FULL, ALONE, WITHDRAWN, WRONG_WORD, WRONG_ANSWERS = "full", "alone", "withdrawn", "code word", "quiz"
"""Why somebody does not come to the end as others do."""

ENDS = {
    "": ("study.title_done", "study.thanks", ends.COMPLETED),
    ALONE: ("study.title_done", "study.thanks", ends.TIMED_OUT),
    FULL: ("study.title_full", "study.full", ends.FULL),
    WITHDRAWN: ("study.title_withdrawn", "study.withdrawn", ends.WITHDRAWN),
    WRONG_WORD: ("study.title_excluded", "study.excluded_word", ends.SCREENED_OUT),
    WRONG_ANSWERS: ("study.title_excluded", "study.excluded_quiz", ends.SCREENED_OUT),
}
"""Outcome to the heading and the first sentence of the last page, and to the end that the study's file has for it."""

Sat = Sequence[Sequence[int]]
"""Matches that somebody has sat in, in order: (number in the randomisation table, seat)."""

Rows = Callable[[int], str | None]
"""Number of the plan to the text of a match; None: it has not begun."""


class StudyWords:
    """A study as its pages tell it.

    Args:
        path: Its file.

    Attributes:
        study: The study.
        plan: All matches.
    """

    def __init__(self, path: str | Path) -> None:
        self.study = read_study(path)
        self.plan = plan_matches(self.study)
        self._site = Site(texts=texts_in(self.study, texts_of(self.study.texts)))
        self._options = options_of(self.study, self._site.texts)

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """In the language of the study."""
        before = HERE.set(self._site)
        try:
            yield
        finally:
            HERE.reset(before)

    def say(self, name: str, /, **fields: Any) -> str:
        """A text of the pages."""
        return self._site.texts.say(name, **fields)

    # -- money --------------------------------------------------------------------------------------------

    def bonus(self, sat: Sat | None, rows: Rows, code: str) -> float:
        """The bonus for the matches so far, in units of the currency; 0: not admitted.

        Args:
            sat: Matches of the participant; None: they were not admitted.
            rows: What is kept of matches.
            code: Of the participant; what is drawn depends on it and on the study's seed.
        """
        if sat is None:
            return 0.0
        found = results(self._kept(sat, rows), self._own(sat), OWN)
        seed = f"{self.study.matching.seed}/{code}"
        return bonus_for(self.study, found, seed).cents / 100

    def _own(self, sat: Sat) -> list[Planned]:
        """Matches in which the participant has the place `OWN`, and nobody else has one."""
        plan = {number: self.plan[number] for number, _ in sat}
        return [
            plan[number]._replace(players=tuple(OWN if at == seat else "" for at in range(len(plan[number].players))))
            for number, seat in sat
        ]

    @property
    def fee(self) -> float:
        """For taking part."""
        return self.study.payment.fee_cents / 100

    def _kept(self, sat: Sat, rows: Rows) -> HeldMatches:
        return HeldMatches({number: text for number, _ in sat if (text := rows(number)) is not None})

    def _telling(self, texts: Mapping[int, str]) -> Telling:
        return Telling(self.study, HeldMatches(texts), self._options)

    def due(self, outcome: str, sat: Sat | None, rows: Rows, code: str) -> tuple[float, float]:
        """Fee and bonus of somebody by the rules of the study."""
        partial = self.study.payment.partial and (sat is not None or outcome == FULL)
        whole = sat is not None and outcome in ("", ALONE)
        return (self.fee if whole or partial else 0.0), self.bonus(sat, rows, code)

    # -- texts of pages ----------------------------------------------------------------------------------------

    def words(self, page: str) -> dict[str, Any]:
        """What a page says, by name."""
        study, say = self.study, self.say
        with self._speaking():
            telling = self._telling({})
            first, *rules = telling.rules
            hidden = [study.attention.shown] if study.attention else []
            return {
                "title": say(f"study.title_{page}") if page != "play" else "",
                "consent": study.words.consent.strip(),
                "kept_title": say("study.kept"),
                "kept": study.words.kept.strip(),
                "pay_title": say("study.pay"),
                "pay": telling.pay,
                "instructions": study.words.instructions.strip(),
                "rules_title": say("seat.rules"),
                "rules": [" ".join([first, *hidden]), *rules],
                "rules_hint": say("study.rules_hint"),
                "programs": say("study.programs") if telling.programs else "",
                "debriefing": study.words.debriefing.strip(),
                "who": say("study.who"),
                "withdraw": say("study.withdraw"),
                "withdraw_hint": say("study.withdraw_hint"),
                "send": say("study.send"),
                "go_on": say("study.go_on"),
            }

    def others(self, sat: Sat | None, rows: Rows) -> list[str]:
        """Who the others were in the matches of somebody, line by line."""
        with self._speaking():
            telling = Telling(self.study, self._kept(sat or [], rows), self._options)
            return [" ".join(_told(match)) for match in telling.matches(self._own(sat or []), OWN)]

    def end(self, outcome: str, sat: Sat | None, rows: Rows, code: str) -> dict[str, Any]:
        """What the last page says."""
        say, pay = self.say, self._telling({})
        fee, bonus = self.due(outcome, sat, rows, code)
        kept = self._kept(sat or [], rows)
        left = any(seat in kept.left(kept.matches()[number]) for number, seat in sat or [])
        with self._speaking():
            sums = [(say("study.fee"), fee), (say("study.bonus"), bonus), (say("study.sum"), fee + bonus)]
            title, lead, end = ENDS[outcome]
            back = ends.way_back(self.study.ends, ends.TIMED_OUT if left and not outcome else end, code if fee else "")
            return {
                "title": say(title),
                "lead": say(lead),
                "sums": [f"{name}: {pay.money(amount)}" for name, amount in sums] if fee or bonus else [],
                "code": back.code,
                "code_title": say("study.code" if fee else "study.back_code"),
                "link": back.url,
                "link_title": say("study.return" if back.sends else "study.return_alone"),
            }

    def wrong(self, item: int, answer: str) -> str:
        """What is wrong with an answer of the questionnaire; empty: nothing."""
        with self._speaking():
            return read_answer(self.study.questionnaire[item], "", {"": answer}).wrong

    def quiz_lead(self, left: int) -> str:
        """What follows wrong answers to the quiz, with so many attempts left."""
        with self._speaking():
            return self._telling({}).quiz_lead(left)

    def quiz_wrong(self, left: int, question: int, answer: str) -> str:
        """That answers were wrong, how often they may be tried again, and why this one was wrong if it was."""
        with self._speaking():
            told = self._telling({}).quiz_wrong(left)
        return " ".join(filter(None, [told, self.study.quiz[question].explain(answer)]))

    def accepts(self, typed: str) -> bool:
        """Whether somebody has typed the code word."""
        return self.study.attention is None or self.study.attention.accepts(typed)


def _told(match: Told) -> Iterator[str]:
    yield texts().say("study.which", match=match.number)
    for other in match.others:
        programs = ", ".join(other.programs)
        name = "was_both" if other.person and programs else "was_person" if other.person else "was_program"
        yield texts().say(f"study.{name}", role=other.role, **({"program": programs} if programs else {}))
