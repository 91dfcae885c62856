"""Progress of participants through a study, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from econzoo.people.participation.answers import MAX_ANSWER_LENGTH, read_answers
from econzoo.people.participation.arrivals import Arrival
from econzoo.people.participation.page_names import ADVANCE, CONSENT, DEBRIEFING, DONE, EXCLUDED, FULL, INSTRUCTIONS
from econzoo.people.participation.page_names import OPERATOR, PLAY, PRACTICE, QUESTIONNAIRE, QUIZ, SKIPPED, SURVEY
from econzoo.people.participation.page_names import WAITING, WITHDRAWN
from econzoo.people.participation.participants import Participants, answer_statements, event_statement
from econzoo.people.participation.seating import Seating, exclude
from econzoo.people.server import texts
from econzoo.people.study import NO_PARTNER, STAGE_EVENT, WRONG_ANSWERS, WRONG_WORD, Participant, Stage, Study
from econzoo.people.study import answers_kind, bonus_so_far
from econzoo.people.table import ENDED, Statement, Tables

FormValues = Mapping[str, str]
"""Name of an input to its value."""

Problems = dict[str, str]
"""Name of an input to its error message; empty: the step was taken."""


class Course:
    """Moves participants from page to page; repeated or late forms have no effect."""

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
        """Return the participant of an entry link, new or returning."""
        study = self.study
        attempts = study.attention.attempts if study.attention else 0, study.quiz_attempts if study.quiz else 0
        # Nobody takes a place between the count and the entry.
        with self.seating.lock:
            source = study.recruitment.source
            draws = study.payment.has_draw
            one = self.store.add_participant(source, arrival.id, arrival.label, attempts, arrival.extra, draws)
            if one.page == CONSENT and self.seating.is_full:
                self.store.move(one, FULL)
        return one

    # -- steps -------------------------------------------------------------------------------------------------

    def step(self, one: Participant, page: str, given: FormValues) -> Problems:
        """Process the form of a page; no effect if the participant has left that page."""
        with self.seating.lock:
            there = self.store.participant(one.token)
            if there is None or there.page != page or page not in self._steps:
                return {}
            problems = self._steps[page](there, given)
            now = self.store.participant(one.token)
        if page == PLAY or (now is not None and now.page == WAITING):  # no other step can begin a match
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
        # A form sent twice must not cost a second attempt.
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
        # As in the instructions.
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
        left = one.quiz_left - 1  # negative if attempts are unlimited
        reason = {} if left else {"excluded_reason": WRONG_ANSWERS}
        self.store.move(one, QUIZ if left else EXCLUDED, *kept, quiz_left=left, **reason)
        message = texts().say("study.quiz_wrong", count=left) if left > 0 else texts().say("survey.quiz_again")
        return {f"quiz.{item}": message for item in wrong} if left else {}

    def explanations(self, one: Participant) -> dict[str, str]:
        """Return input name to explanation of the wrong answers in the last quiz attempt."""
        last = self.study.quiz_attempts - one.quiz_left
        kept = [(item, answer) for item, attempt, answer in self.store.answers_of(one, "quiz") if attempt == last]
        reasons = {f"quiz.{item}": self.study.quiz[item].explain(answer) for item, answer in kept}
        return {name: why for name, why in reasons.items() if why}

    # -- stages ------------------------------------------------------------------------------------------------

    def _enter_stage(self, one: Participant, number: int, *kept: Statement, **changed: Any) -> None:
        """Move a participant to a stage, from 0, or after the last one to the questionnaire."""
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
        """Begin a stage of matches or practice."""
        if stage.kind == PRACTICE:
            self.seating.begin_practice(one, stage, *kept, **changed)
        else:
            self._admit(one, *kept, **changed)

    def _is_at_stage(self, one: Participant, given: FormValues) -> bool:
        """Whether a form belongs to the participant's current stage."""
        return given.get("stage") == str(self.store.current_stage(one))

    def _survey(self, one: Participant, given: FormValues) -> Problems:
        if not self._is_at_stage(one, given):
            return {}
        number = self.store.current_stage(one)
        stage = self.study.stages[number]
        if stage.kind != SURVEY:  # the page showed the rules of a new game
            self._begin_stage(one, stage)
            return {}
        answers = read_answers(stage.items, "item", given)
        if not answers.problems:
            self._enter_stage(one, number + 1, *answer_statements(one, answers_kind(number), answers.values))
        return answers.problems

    def _end_practice(self, one: Participant, given: FormValues) -> Problems:
        if self._is_at_stage(one, given) and self.may_go_on(one):
            self._enter_stage(one, self.store.current_stage(one) + 1)
        return {}

    def _admit(self, one: Participant, *kept: Statement, **changed: Any) -> None:
        """Admit a participant to the waiting room, or pay the fee if the study is full and partial pay applies."""
        if one.place is None and self.seating.is_full:
            self.store.move(one, FULL, *kept, **self._fee_code(one))
        else:
            self.store.move(one, WAITING, *kept, waits_since=self.seating.current_seconds(), **changed)

    def _fee_code(self, one: Participant) -> dict[str, str]:
        """Return a new completion code for a participant who does not complete, if partial pay applies."""
        # A code that somebody has stays the same.
        due = self.study.payment.partial and one.completion_code is None
        return {"completion_code": self.store.new_code()} if due else {}

    # -- matches and after -------------------------------------------------------------------------------------

    def _next_match(self, one: Participant, given: FormValues) -> Problems:
        """Continue after a match; the form has its number."""
        if given.get("match") != str(one.repetition) or not self.may_go_on(one):
            return {}
        seat, live = self.seating.seat(one), self.seating.live_match(one)
        if seat is not None and live is not None:
            live.leave(seat.seat, ENDED)  # no effect if the match is over
        if not self.study.ends_stage(one.repetition):
            self.store.move(one, WAITING, repetition=one.repetition + 1, waits_since=self.seating.current_seconds())
        else:
            self._end_matches(one)
        return {}

    def may_go_on(self, one: Participant) -> bool:
        """Whether the participant's match is over, stuck, or deserted by all others."""
        seat, live = self.seating.seat(one), self.seating.live_match(one)
        if seat is None or live is None:
            return False
        return live.is_over or bool(live.trouble) or live.is_deserted(seat.seat)

    def _end_matches(self, one: Participant, *kept: Statement) -> None:
        """Move from the last match of a stage to the next stage; store the bonus after the last match."""
        last = one.repetition + 1 == self.study.matching.repetitions
        bonus = {"bonus_cents": self.bonus(one)} if last else {}
        number = self.study.stage_of(one.repetition) + 1
        self._enter_stage(one, number, *kept, repetition=one.repetition + 1, **bonus)

    def _end_waiting(self, one: Participant, why: str) -> None:
        """End a wait: no partner arrived (`NO_PARTNER`), no place is left (`FULL`), or the match is skipped."""
        if why == NO_PARTNER:
            self.store.move(one, DEBRIEFING, event_statement(one, NO_PARTNER), bonus_cents=self.bonus(one))
        elif why == FULL:
            self.store.move(one, FULL, **self._fee_code(one))
        else:
            self._end_matches(one, event_statement(one, SKIPPED))

    def bonus(self, one: Participant) -> int:
        """Return the bonus so far, in hundredths."""
        return bonus_so_far(self.study, self.store, self.seating.own_matches(one), one).cents

    def _questionnaire(self, one: Participant, given: FormValues) -> Problems:
        answers = read_answers(self.study.questionnaire, "item", given)
        if not answers.problems:
            self.store.move(one, DEBRIEFING, *answer_statements(one, "questionnaire", answers.values))
        return answers.problems

    def _end_debriefing(self, one: Participant, given: FormValues) -> Problems:
        code = one.completion_code or self.store.new_code()
        self.store.move(one, DONE, completion_code=code, bonus_cents=self.bonus(one))
        return {}

    # -- leaving -----------------------------------------------------------------------------------------------

    def withdraw(self, one: Participant) -> None:
        """Withdraw a participant; once admitted they keep the bonus, and the fee if partial pay applies."""
        with self.seating.lock:
            there = self.store.participant(one.token)
            if there is None or there.page == WITHDRAWN:
                return
            played = {"bonus_cents": self.bonus(there)} if there.is_admitted else {}
            fee = self._fee_code(there) if there.is_admitted and there.page != EXCLUDED else {}
            self.store.move(there, WITHDRAWN, withdrawn=there.page, **played, **fee)
        self.seating.settle()

    def exclude(self, one: Participant, reason: str) -> bool:
        """Exclude a participant, see `exclude`; others continue at once."""
        with self.seating.lock:
            done = exclude(self.study, self.store, self.seating.own_matches(one), one, reason)
        self.seating.settle()
        return done

    # -- the operator ------------------------------------------------------------------------------------------

    def advance(self, one: Participant) -> bool:
        """End the current time limit of a participant (waiting, moving, after a match); return whether one ran."""
        with self.seating.lock:
            there = self.store.participant(one.token)
            done = there is not None and not self.store.is_paused and self._end_time(there)
        self.seating.settle()
        return done

    def _end_time(self, one: Participant) -> bool:
        event, seating = event_statement(one, ADVANCE, by=OPERATOR), self.seating
        if one.page == WAITING:
            # As if the wait had begun so early that its limit is over.
            since = seating.current_seconds() - self.study.time.waiting
            return self.store.move(one, WAITING, event, waits_since=since)
        if one.page != PLAY:
            return False
        if over := self.may_go_on(one):
            self._next_match(one, {"match": str(one.repetition)})
        live, seat = seating.live_match(one), seating.seat(one)
        done = over or (live is not None and seat is not None and live.end_time(seat.seat))
        if done:
            self.store.add_events(event)
        return done
