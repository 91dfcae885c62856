"""The way of participants through a study: the steps that they take, and where each of them leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from econzoo.people.participation.answers import MAX_ANSWER_LENGTH, read_answers
from econzoo.people.participation.arrivals import Arrival
from econzoo.people.participation.page_names import (
    ADVANCE,
    CONSENT,
    DEBRIEFING,
    DONE,
    EXCLUDED,
    FULL,
    INSTRUCTIONS,
    OPERATOR,
    PLAY,
    PRACTICE,
    QUESTIONNAIRE,
    QUIZ,
    SKIPPED,
    SURVEY,
    WAITING,
    WITHDRAWN,
)
from econzoo.people.participation.seating import Seating, exclude
from econzoo.people.participation.study_matches import answer_statements, event_statement
from econzoo.people.server.site import texts
from econzoo.people.study.bonus import bonus_so_far
from econzoo.people.study.declaration import Study
from econzoo.people.study.ends import WRONG_ANSWERS, WRONG_WORD
from econzoo.people.study.stages import STAGE_EVENT, Stage, answers_kind
from econzoo.people.study.study_data import ALONE, Participant
from econzoo.people.table.store import Statement
from econzoo.people.table.terms import ENDED

if TYPE_CHECKING:
    from econzoo.people.participation.participants import Participants
    from econzoo.people.table.tables import Tables

FormValues = Mapping[str, str]
"""What was typed, by the name of its input."""

Problems = dict[str, str]
"""What is wrong with it, by the name of the input; empty: nothing, and the step was taken."""


class Course:
    """Takes participants from page to page; whatever is sent twice, or too late, changes nothing.

    Args:
        study: The study.
        store: Its participants.
        tables: Where matches are played.
        options: Of the matches of each game.

    Attributes:
        study: As given.
        store: As given.
        seating: Who plays when.
    """

    def __init__(
        self, study: Study, store: Participants, tables: Tables, options: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self.study, self.store = study, store
        self.seating = Seating(study, store, tables, options, self._end_waiting)
        self._steps = {
            CONSENT: self._consent,
            INSTRUCTIONS: self._instructions,
            QUIZ: self._quiz,
            PRACTICE: self._end_practice,
            SURVEY: self._survey,
            PLAY: self._next_match,
            QUESTIONNAIRE: self._questionnaire,
            DEBRIEFING: self._end_debriefing,
        }

    # -- coming ------------------------------------------------------------------------------------------------

    def come(self, arrival: Arrival) -> Participant:
        """Who comes with a link: where they were, or at the beginning."""
        study = self.study
        attempts = study.attention.attempts if study.attention else 0, study.quiz_attempts if study.quiz else 0
        with self.seating.lock:
            source = study.recruitment.source
            draws = study.payment.has_draw
            one = self.store.add_participant(source, arrival.id, arrival.label, attempts, arrival.extra, draws)
            if one.page == CONSENT and self.seating.is_full:
                self.store.move(one, FULL)
        return one

    # -- steps -------------------------------------------------------------------------------------------------

    def step(self, one: Participant, page: str, given: FormValues) -> Problems:
        """Takes the step that a page asks for, unless the participant has left that page.

        Args:
            one: Who.
            page: That was answered.
            given: The answers.
        """
        with self.seating.lock:
            there = self.store.participant(one.token)
            if there is None or there.page != page or page not in self._steps:
                return {}
            problems = self._steps[page](there, given)
            now = self.store.participant(one.token)
        if page == PLAY or (now is not None and now.page == WAITING):  # no other step lets a match begin
            self.seating.settle()
        return problems

    def _consent(self, one: Participant, given: FormValues) -> Problems:
        if given.get("consent") == "no":
            self.withdraw(one)
            return {}
        if given.get("consent") != "yes":
            return {"consent": texts().say("study.choose")}
        ticked = read_answers(self.study.boxes, "box", given)
        if not ticked.problems:
            self.store.move(one, INSTRUCTIONS, *answer_statements(one, CONSENT, ticked.values))
        return ticked.problems

    def _instructions(self, one: Participant, given: FormValues) -> Problems:
        wanted = self.study.attention
        typed = given.get("word", "")[:MAX_ANSWER_LENGTH]
        if wanted is None:
            return self._finish_instructions(one)
        attempt = wanted.attempts - one.attention_left + 1
        if given.get("attempt") != str(attempt):
            return {}
        if not typed.strip():
            return {"word": texts().say("study.word_missing")}
        kept = answer_statements(one, "attention", {0: typed}, attempt)
        if typed.strip().casefold() == wanted.code_word.strip().casefold():
            return self._finish_instructions(one, *kept)
        left = one.attention_left - 1
        reason = {} if left else {"excluded_reason": WRONG_WORD}
        self.store.move(one, INSTRUCTIONS if left else EXCLUDED, *kept, attention_left=left, **reason)
        return {"word": texts().say("study.word_wrong", count=left)} if left else {}

    def _finish_instructions(self, one: Participant, *kept: Statement) -> Problems:
        if self.study.quiz:
            self.store.move(one, QUIZ, *kept)
        else:
            self._enter_stage(one, 0, *kept)
        return {}

    def _quiz(self, one: Participant, given: FormValues) -> Problems:
        attempt = self.study.quiz_attempts - one.quiz_left + 1
        if given.get("attempt") != str(attempt):
            return {}
        chosen = read_answers(self.study.quiz, "quiz", given)
        if chosen.problems:
            return chosen.problems
        kept = answer_statements(one, "quiz", chosen.values, attempt)
        wrong = [item for item, question in enumerate(self.study.quiz) if not question.accepts(chosen.values[item])]
        if not wrong:
            self._enter_stage(one, 0, *kept)
            return {}
        left = one.quiz_left - 1  # below 0, and never 0 again, where attempts are not counted
        reason = {} if left else {"excluded_reason": WRONG_ANSWERS}
        self.store.move(one, QUIZ if left else EXCLUDED, *kept, quiz_left=left, **reason)
        said = texts().say("study.quiz_wrong", count=left) if left > 0 else texts().say("survey.quiz_again")
        return {f"quiz.{item}": said for item in wrong} if left else {}

    def explanations(self, one: Participant) -> dict[str, str]:
        """Why the answers of the last attempt at the quiz are wrong, by the name of the input."""
        last = self.study.quiz_attempts - one.quiz_left
        kept = [(item, answer) for item, attempt, answer in self.store.answers_of(one, "quiz") if attempt == last]
        told = {f"quiz.{item}": self.study.quiz[item].explain(answer) for item, answer in kept}
        return {name: why for name, why in told.items() if why}

    # -- stages ------------------------------------------------------------------------------------------------

    def _enter_stage(self, one: Participant, number: int, *kept: Statement, **changed: Any) -> None:
        """Takes somebody to a stage, from 0; behind the last one to the questionnaire."""
        stages = self.study.stages
        if number == len(stages):
            self.store.move(one, QUESTIONNAIRE if self.study.questionnaire else DEBRIEFING, *kept, **changed)
            return
        reached = [*kept, event_statement(one, STAGE_EVENT, stage=number + 1)] if len(stages) > 1 else kept
        if stages[number].kind == SURVEY or self.study.introduces_game(number):
            self.store.move(one, SURVEY, *reached, **changed)
        else:
            self._begin_stage(one, stages[number], *reached, **changed)

    def _begin_stage(self, one: Participant, stage: Stage, *kept: Statement, **changed: Any) -> None:
        """Begins a stage of matches, or of practice."""
        if stage.kind == PRACTICE:
            self.seating.begin_practice(one, stage, *kept, **changed)
        else:
            self._admit(one, *kept, **changed)

    def _is_at_stage(self, one: Participant, given: FormValues) -> bool:
        """Whether a form is that of the stage where somebody is, and was not sent before."""
        return given.get("stage") == str(self.store.current_stage(one))

    def _survey(self, one: Participant, given: FormValues) -> Problems:
        if not self._is_at_stage(one, given):
            return {}
        number = self.store.current_stage(one)
        stage = self.study.stages[number]
        if stage.kind != SURVEY:  # the rules of its game were read
            self._begin_stage(one, stage)
            return {}
        told = read_answers(stage.items, "item", given)
        if not told.problems:
            self._enter_stage(one, number + 1, *answer_statements(one, answers_kind(number), told.values))
        return told.problems

    def _end_practice(self, one: Participant, given: FormValues) -> Problems:
        if self._is_at_stage(one, given) and self.may_go_on(one):
            self._enter_stage(one, self.store.current_stage(one) + 1)
        return {}

    def _admit(self, one: Participant, *kept: Statement, **changed: Any) -> None:
        """Lets somebody into the waiting room; who comes too late has the fee, where partial pay was promised."""
        if one.place is None and self.seating.is_full:
            self.store.move(one, FULL, *kept, **self._fee_code(one))
        else:
            self.store.move(one, WAITING, *kept, waits_since=self.seating.current_seconds(), **changed)

    def _fee_code(self, one: Participant) -> dict[str, str]:
        """A completion code, for which the fee is paid, to who does not come to the end."""
        due = self.study.payment.partial and one.completion_code is None
        return {"completion_code": self.store.new_code()} if due else {}

    # -- matches and after -------------------------------------------------------------------------------------

    def _next_match(self, one: Participant, given: FormValues) -> Problems:
        """From a match that is over to the next one, or on; the number tells which match was meant."""
        if given.get("match") != str(one.repetition) or not self.may_go_on(one):
            return {}
        seat, live = self.seating.seat(one), self.seating.live_match(one)
        if seat is not None and live is not None:
            live.leave(seat.seat, ENDED)  # of a match that is over, nothing
        if not self.study.ends_stage(one.repetition):
            self.store.move(one, WAITING, repetition=one.repetition + 1, waits_since=self.seating.current_seconds())
        else:
            self._end_matches(one)
        return {}

    def may_go_on(self, one: Participant) -> bool:
        """Whether the current match of somebody is over, or stands still, or is played for nobody else."""
        seat, live = self.seating.seat(one), self.seating.live_match(one)
        if seat is None or live is None:
            return False
        return live.is_over or bool(live.trouble) or live.is_deserted(seat.seat)

    def _end_matches(self, one: Participant, *kept: Statement) -> None:
        """From the last match of a stage to the next stage; the bonus is known when all matches are over."""
        last = one.repetition + 1 == self.study.matching.repetitions
        bonus = {"bonus_cents": self.bonus(one)} if last else {}
        number = self.study.stage_of(one.repetition) + 1
        self._enter_stage(one, number, *kept, repetition=one.repetition + 1, **bonus)

    def _end_waiting(self, one: Participant, why: str) -> None:
        """Nobody else came for somebody who waited, no place is left, or all matches are behind them."""
        if why == ALONE:
            self.store.move(one, DEBRIEFING, event_statement(one, ALONE), bonus_cents=self.bonus(one))
        elif why == FULL:
            self.store.move(one, FULL, **self._fee_code(one))
        elif one.repetition < self.study.matching.repetitions:
            self._end_matches(one, event_statement(one, SKIPPED))
        else:  # an older version has let somebody wait behind the last match
            self._enter_stage(one, len(self.study.stages), bonus_cents=self.bonus(one))

    def bonus(self, one: Participant) -> int:
        """The bonus for the matches so far."""
        return bonus_so_far(self.study, self.store, self.seating.own_matches(one), one).cents

    def _questionnaire(self, one: Participant, given: FormValues) -> Problems:
        told = read_answers(self.study.questionnaire, "item", given)
        if not told.problems:
            self.store.move(one, DEBRIEFING, *answer_statements(one, "questionnaire", told.values))
        return told.problems

    def _end_debriefing(self, one: Participant, given: FormValues) -> Problems:
        code = one.completion_code or self.store.new_code()
        self.store.move(one, DONE, completion_code=code, bonus_cents=self.bonus(one))
        return {}

    # -- leaving -----------------------------------------------------------------------------------------------

    def withdraw(self, one: Participant) -> None:
        """Ends the participation; who was admitted keeps the fee, where partial pay was promised, and has a bonus."""
        with self.seating.lock:
            there = self.store.participant(one.token)
            if there is None or there.page == WITHDRAWN:
                return
            played = {"bonus_cents": self.bonus(there)} if there.is_admitted else {}
            fee = self._fee_code(there) if there.is_admitted and there.page != EXCLUDED else {}
            self.store.move(there, WITHDRAWN, withdrawn=there.page, **played, **fee)
        self.seating.settle()

    def exclude(self, one: Participant, reason: str) -> bool:
        """Excludes a participant, see `exclude`; the others go on at once."""
        with self.seating.lock:
            done = exclude(self.study, self.store, self.seating.own_matches(one), one, reason)
        self.seating.settle()
        return done

    # -- the operator ------------------------------------------------------------------------------------------

    def advance(self, one: Participant) -> bool:
        """Ends the time of somebody who waits, is asked, or looks at the end of a match: what follows then does so now.

        Returns:
            Whether there was anything to end.
        """
        with self.seating.lock:
            there = self.store.participant(one.token)
            done = there is not None and not self.store.is_paused and self._end_time(there)
        self.seating.settle()
        return done

    def _end_time(self, one: Participant) -> bool:
        told, seating = event_statement(one, ADVANCE, by=OPERATOR), self.seating
        if one.page == WAITING:
            return self.store.move(one, WAITING, told, waits_since=seating.current_seconds() - self.study.time.waiting)
        if one.page != PLAY:
            return False
        if over := self.may_go_on(one):
            self._next_match(one, {"match": str(one.repetition)})
        live, seat = seating.live_match(one), seating.seat(one)
        done = over or (live is not None and seat is not None and live.end_time(seat.seat))
        if done:
            self.store.add_events(told)
        return done
