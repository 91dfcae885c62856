"""Texts and payments of an oTree project."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from econzoo.people.otree.otree_match import ParticipantMatches
from econzoo.people.participation.answers import read_answer
from econzoo.people.participation.page_texts import MatchOpponents, StudyTexts, adapt_texts, match_options
from econzoo.people.server.site import CURRENT_SITE, Site, texts
from econzoo.people.study import ends
from econzoo.people.study.bonus import compute_bonus
from econzoo.people.study.matching import PlannedMatch, plan_matches
from econzoo.people.study.study_data import participant_results
from econzoo.people.study.study_file import read_study
from econzoo.people.texts import load_texts

OWN_PLACE = 0
"""Place of the participant in their own matches."""

FULL, ALONE, WITHDRAWN, WRONG_WORD, WRONG_ANSWERS = "full", "alone", "withdrawn", "code word", "quiz"
"""Reasons for an early end."""

LAST_PAGES = {
    "": ("study.title_done", "study.thanks", ends.COMPLETED),
    ALONE: ("study.title_done", "study.thanks", ends.TIMED_OUT),
    FULL: ("study.title_full", "study.full", ends.FULL),
    WITHDRAWN: ("study.title_withdrawn", "study.withdrawn", ends.WITHDRAWN),
    WRONG_WORD: ("study.title_excluded", "study.excluded_word", ends.SCREENED_OUT),
    WRONG_ANSWERS: ("study.title_excluded", "study.excluded_quiz", ends.SCREENED_OUT),
}
"""Outcome to (heading, first sentence, end) of the last page."""

PlayedSeats = Sequence[Sequence[int]]
"""(number in the randomisation table, seat) of a participant's matches, in order."""

MatchTexts = Callable[[int], str | None]
"""Planned number to the text of a match; None: not begun."""


class StudyPageTexts:
    """Texts and payments of a study in oTree.

    Args:
        path: Study file.

    Attributes:
        study: The study.
        plan: Randomisation table.
    """

    def __init__(self, path: str | Path) -> None:
        self.study = read_study(path)
        self.plan = plan_matches(self.study)
        self._site = Site(texts=adapt_texts(self.study, load_texts(self.study.texts)))
        self._options = match_options(self.study, self._site.texts)

    @contextmanager
    def _in_study_language(self) -> Iterator[None]:
        """Set the language of the study."""
        before = CURRENT_SITE.set(self._site)
        try:
            yield
        finally:
            CURRENT_SITE.reset(before)

    def say(self, name: str, /, **fields: Any) -> str:
        """Return a page text."""
        return self._site.texts.say(name, **fields)

    # -- money --------------------------------------------------------------------------------------------

    def bonus(self, sat: PlayedSeats | None, rows: MatchTexts, code: str) -> float:
        """Return the bonus so far in units of the currency; 0 if not admitted.

        Args:
            sat: Matches of the participant; None: not admitted.
            rows: Stored texts of matches.
            code: Participant code, which seeds the payment draw together with the study's seed.
        """
        if sat is None:
            return 0.0
        results = participant_results(self._load_matches(sat, rows), self._own_matches(sat), OWN_PLACE)
        seed = f"{self.study.matching.seed}/{code}"
        return compute_bonus(self.study, results, seed).cents / 100

    def _own_matches(self, sat: PlayedSeats) -> list[PlannedMatch]:
        """Return the participant's matches, with `OWN_PLACE` as the only place."""
        plan = {number: self.plan[number] for number, _ in sat}
        return [
            plan[number]._replace(
                players=tuple(OWN_PLACE if at == seat else "" for at in range(len(plan[number].players)))
            )
            for number, seat in sat
        ]

    @property
    def fee(self) -> float:
        """Participation fee in units of the currency."""
        return self.study.payment.fee_cents / 100

    def _load_matches(self, sat: PlayedSeats, rows: MatchTexts) -> ParticipantMatches:
        return ParticipantMatches({number: text for number, _ in sat if (text := rows(number)) is not None})

    def _study_texts(self, texts: Mapping[int, str]) -> StudyTexts:
        return StudyTexts(self.study, ParticipantMatches(texts), self._options)

    def amounts_due(self, outcome: str, sat: PlayedSeats | None, rows: MatchTexts, code: str) -> tuple[float, float]:
        """Return fee and bonus due to a participant."""
        partial = self.study.payment.partial and (sat is not None or outcome == FULL)
        whole = sat is not None and outcome in ("", ALONE)
        return (self.fee if whole or partial else 0.0), self.bonus(sat, rows, code)

    # -- texts of pages ----------------------------------------------------------------------------------------

    def page_texts(self, page: str) -> dict[str, Any]:
        """Return text name to text of a page."""
        study, say = self.study, self.say
        with self._in_study_language():
            telling = self._study_texts({})
            first, *rules = telling.rules
            hidden = [study.attention.sentence_with_word] if study.attention else []
            return {
                "title": say(f"study.title_{page}") if page != "play" else "",
                "consent": study.words.consent.strip(),
                "kept_title": say("study.kept"),
                "kept": study.words.kept.strip(),
                "pay_title": say("study.pay"),
                "pay": telling.pay_sentences,
                "instructions": study.words.instructions.strip(),
                "rules_title": say("seat.rules"),
                "rules": [" ".join([first, *hidden]), *rules],
                "rules_hint": say("study.rules_hint"),
                "programs": say("study.programs") if telling.has_programs else "",
                "debriefing": study.words.debriefing.strip(),
                "who": say("study.who"),
                "withdraw": say("study.withdraw"),
                "withdraw_hint": say("study.withdraw_hint"),
                "send": say("study.send"),
                "go_on": say("study.go_on"),
            }

    def other_players(self, sat: PlayedSeats | None, rows: MatchTexts) -> list[str]:
        """Return a line about the other players for each match of a participant."""
        with self._in_study_language():
            telling = StudyTexts(self.study, self._load_matches(sat or [], rows), self._options)
            return [
                " ".join(_describe_others(match)) for match in telling.matches(self._own_matches(sat or []), OWN_PLACE)
            ]

    def last_page(self, outcome: str, sat: PlayedSeats | None, rows: MatchTexts, code: str) -> dict[str, Any]:
        """Return the values of the last page."""
        say, pay = self.say, self._study_texts({})
        fee, bonus = self.amounts_due(outcome, sat, rows, code)
        kept = self._load_matches(sat or [], rows)
        left = any(seat in kept.absent_seats(kept.matches()[number]) for number, seat in sat or [])
        with self._in_study_language():
            sums = [(say("study.fee"), fee), (say("study.bonus"), bonus), (say("study.sum"), fee + bonus)]
            title, lead, end = LAST_PAGES[outcome]
            back = ends.return_link(
                self.study.ends, ends.TIMED_OUT if left and not outcome else end, code if fee else ""
            )
            return {
                "title": say(title),
                "lead": say(lead),
                "sums": [f"{name}: {pay.format_money(amount)}" for name, amount in sums] if fee or bonus else [],
                "code": back.code,
                "code_title": say("study.code" if fee else "study.back_code"),
                "link": back.url,
                "link_title": say("study.return" if back.has_code_in_url else "study.return_alone"),
            }

    def questionnaire_problem(self, item: int, answer: str) -> str:
        """Return the error message of a questionnaire answer; empty: valid."""
        with self._in_study_language():
            return read_answer(self.study.questionnaire[item], "", {"": answer}).problem

    def quiz_lead(self, left: int) -> str:
        """Return the introduction of the quiz with `left` attempts."""
        with self._in_study_language():
            return self._study_texts({}).quiz_lead(left)

    def quiz_problem(self, left: int, question: int, answer: str) -> str:
        """Return the notice after wrong answers with `left` attempts, and the explanation of this answer."""
        with self._in_study_language():
            notice = self._study_texts({}).quiz_problem(left)
        return " ".join(filter(None, [notice, self.study.quiz[question].explain(answer)]))

    def accepts_code_word(self, typed: str) -> bool:
        """Whether the typed code word is right, or none is required."""
        return self.study.attention is None or self.study.attention.accepts(typed)


def _describe_others(match: MatchOpponents) -> Iterator[str]:
    yield texts().say("study.which", match=match.number)
    for other in match.others:
        programs = ", ".join(other.programs)
        name = "was_both" if other.is_person and programs else "was_person" if other.is_person else "was_program"
        yield texts().say(f"study.{name}", role=other.role, **({"program": programs} if programs else {}))
