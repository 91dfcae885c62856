"""The randomisation table of a study, and the tables of its export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from econzoo.envs.core.contract.validation import exact_decimal, format_exact
from econzoo.envs.core.faces.finish import LEFT
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.settings import format_value
from econzoo.people.study.attrition import AssignedParticipant, arm_rows
from econzoo.people.study.bonus import DRAW, compute_bonus, has_common_unit
from econzoo.people.study.declaration import Study
from econzoo.people.study.ends import TIMEOUT_EVENTS, participant_end
from econzoo.people.study.items import Item, Question
from econzoo.people.study.matching import PlannedMatch, arms_by_place
from econzoo.people.study.roster import count_decisions, count_timeouts, payoff_for_bonus
from econzoo.people.study.stages import answers_kind
from econzoo.people.study.study_data import (
    ENTRY,
    FORGOTTEN_PREFIX,
    TIMED_PAGES,
    Participant,
    Result,
    StoredAnswer,
    StoredEvent,
    StoredMatch,
    StoredStudy,
    page_attention,
)

Row = dict[str, Any]
"""A row by its columns; None is an empty cell."""


class StudyTables:
    """The tables.

    Args:
        kept: What the study has kept.
        id_of: What stands in place of who a participant is.
        identified: Whether labels, completion codes and what came with a link are told.
    """

    def __init__(self, kept: StoredStudy, id_of: Callable[[Participant], str], identified: bool) -> None:
        self._data, self._id_of, self._identified = kept, id_of, identified
        self._numbers = {one.token: number for number, one in enumerate(kept.participants, start=1)}

    @cached_property
    def _arm_names(self) -> list[str]:
        return arms_by_place(self._data.study, self._data.added_places)

    @cached_property
    def _groups(self) -> dict[int, int]:
        return {who: one.group + 1 for one in self._data.table for who in one.places}

    # -- participants ------------------------------------------------------------------------------------------

    def participants(self) -> Iterator[Row]:
        """A row for everybody who has come."""
        for one in self._data.participants:
            yield self._participant(one, list(self._finished_results(one)))

    def _participant(self, one: Participant, ended: Sequence[Result]) -> Row:
        seed = self._draw_seed(one)
        bonus = compute_bonus(self._data.study, ended, seed or "")
        counted = [exact_decimal(each.payoff) for each in ended if each.payoff is not None]
        return {
            "participant": self._numbers[one.token],
            "id": self._id_of(one),
            "source": one.source,
            "label": one.label if self._identified else None,
            "place": None if one.place is None else one.place + 1,
            "arm": None if one.place is None else self._arm_names[one.place],
            "group": None if one.place is None else self._groups[one.place],
            **{name: getattr(one, name) for name in ("page", "attention_left")},
            "quiz_left": one.quiz_left if self._data.study.quiz_attempts else None,
            **{name: getattr(one, name) for name in ("excluded_reason", "withdrawn")},
            "end": participant_end(one, any(told.kind in TIMEOUT_EVENTS for told in self._events.get(one.token, [])))
            or None,
            "matches": len(ended),
            **self._participation(one),
            "payoff": format_exact(float(sum(counted))) if has_common_unit(self._data.study) else None,
            "draw_seed": seed,
            "paid_for": " ".join(".".join(map(str, unit)) for unit in bonus.paid_units),
            "paid_payoff": format_exact(float(bonus.points)) if has_common_unit(self._data.study) else None,
            "worth": format_exact(float(bonus.worth)),
            "fee": self._fee(one),
            "bonus": None if one.bonus_cents is None else format_cents(one.bonus_cents),
            "currency": self._data.study.payment.real_currency,
            "approved": int(one.approved),
            "completion_code": one.completion_code if self._identified else None,
            "created": one.created,
            "finished": one.finished,
            **self._attention_columns(one),
            "forgotten": int(one.external_id.startswith(FORGOTTEN_PREFIX)),
        }

    def _participation(self, one: Participant) -> Row:
        """Moves of a participant, and whether they have left matches."""
        ended = [(match.record, match.people.index(one.token)) for match in self._own_matches(one) if match.record]
        return {
            "decisions": sum(count_decisions(record, seat) for record, seat in ended),
            "timeouts": sum(count_timeouts(record, seat) for record, seat in ended),
            "left": sum(match.people.index(one.token) in match.absent_seats for match in self._own_matches(one)),
            "left_at": max((told.at for told in self._leave_events(one.token)), default=None),
            "completed": int(self._has_completed(one)),
        }

    def _own_matches(self, one: Participant) -> list[StoredMatch]:
        return [match for match in self._data.matches if one.token in match.people]

    def _leave_events(self, token: str | None) -> list[StoredEvent]:
        """That a participant has left matches."""
        return [told for told in self._events.get(token or "", []) if told.kind == LEFT]

    def _has_completed(self, one: Participant) -> bool:
        """Whether a participant has come to the end, and left none of as many matches as there are."""
        own = self._own_matches(one)
        left = any(match.people.index(one.token) in match.absent_seats for match in own)
        return one.page == "done" and len(own) == self._data.study.matching.repetitions and not left

    def arms(self) -> Iterator[Row]:
        """A row for each arm and game: who completed, beside everybody who was assigned."""
        study = self._data.study
        for game in study.games:
            everybody = [
                AssignedParticipant(self._arm_names[one.place], self._has_completed(one), [*self._payoffs(one, game)])
                for one in self._data.participants
                if one.place is not None
            ]
            for row in arm_rows([arm.name for arm in study.arms], everybody):
                yield {"game": game, **row._asdict()}

    def _payoffs(self, one: Participant, game: str) -> Iterator[float]:
        """Of the matches of a participant in a game, whoever made the moves."""
        for match in self._own_matches(one):
            if match.record is not None and match.record.has_result and match.record.game == game:
                yield match.record.payoffs[match.people.index(one.token)]

    def _attention_columns(self, one: Participant) -> Row:
        found = page_attention(self._events.get(one.token, []))
        seconds = {f"seconds_{page}": found.seconds.get(page) for page in TIMED_PAGES}
        return {"views": found.views, "hidden": found.hidden, **seconds}

    @cached_property
    def _events(self) -> dict[str, list[StoredEvent]]:
        found: dict[str, list[StoredEvent]] = {}
        for one in self._data.events:
            found.setdefault(one.participant, []).append(one)
        return found

    def _fee(self, one: Participant) -> str | None:
        """The fee of a participant; of who was forgotten, with the code, it is not known any more."""
        if one.external_id.startswith(FORGOTTEN_PREFIX):
            return None
        due = self._data.study.payment.fee_cents if one.is_paid else 0
        return format_cents(due)

    def _draw_seed(self, one: Participant) -> str | None:
        """The seed of the draw of what a participant is paid for; None: nothing is drawn."""
        return next((each.details["seed"] for each in self._events.get(one.token, []) if each.kind == DRAW), None)

    def _finished_results(self, one: Participant) -> Iterator[Result]:
        """Matches of a participant that have ended."""
        for match in self._own_matches(one):
            if match.record is not None:
                seat = match.people.index(one.token)
                yield Result(
                    match.planned_match, match.record, seat, payoff_for_bonus(match.record, seat, match.absent_seats)
                )

    def payments(self, approved: bool = True) -> Iterator[tuple[str, str]]:
        """(id, amount) of every bonus of who was given a code and was not excluded.

        Args:
            approved: Whether of those that the operator has approved, or of those that wait for it.
        """
        for one in self._data.participants:
            if one.due_cents and one.approved == approved:
                yield self._id_of(one), format_cents(one.due_cents)

    def payouts(self) -> Iterator[Row]:
        """Fee, bonus and their sum of everybody who was given a code and was not excluded, as a laboratory pays it."""
        payment = self._data.study.payment
        for one in self._data.participants:
            if one.is_paid:
                yield {
                    "participant": self._numbers[one.token],
                    "id": self._id_of(one),
                    "label": one.label if self._identified else None,
                    "fee": format_cents(payment.fee_cents),
                    "bonus": format_cents(one.due_cents),
                    "total": format_cents(payment.fee_cents + one.due_cents),
                    "currency": payment.real_currency,
                    "approved": int(one.approved),
                }

    # -- seats, answers, events --------------------------------------------------------------------------------

    def seats(self) -> Iterator[Row]:
        """A row for every seat of a match that has begun."""
        names = setting_labels(self._data.study)
        for match in self._data.matches:
            for seat in range(len(match.people)):
                plan = {
                    "match": match.record.id if match.record else None,
                    "planned": match.planned_match.number + 1,
                    "arm": match.planned_match.arm,
                    "game": self._data.study.settings[match.planned_match.setting].game,
                    "setting": names[match.planned_match.setting],
                    "repetition": match.planned_match.repetition + 1,
                    "group": match.planned_match.group + 1,
                }
                yield plan | self._seat_columns(match, seat)

    def _seat_columns(self, match: StoredMatch, seat: int) -> Row:
        record, token = match.record, match.people[seat]
        taken = [one["by"] for one in (record.replaced or () if record else ()) if one["seat"] == seat]
        left = [
            told.at for told in self._leave_events(token) if told.details["planned"] == match.planned_match.number + 1
        ]
        return {
            "seat": seat,
            "participant": self._numbers[token] if token else None,
            "player": record.players[seat] if record else None,
            "replaced_by": ", ".join(taken) or None,
            "decisions": count_decisions(record, seat) if record else None,
            "timeouts": count_timeouts(record, seat) if record else None,
            "left": int(seat in match.absent_seats) if token else None,
            "left_at": left[-1] if left else None,
            "others_left": int(bool(match.absent_seats - {seat})),
            "status": record.status if record else None,
            "payoff": record.payoffs[seat] if record and record.has_result else None,
        }

    def answers(self) -> Iterator[Row]:
        """A row for every answer on a page."""
        for one in self._data.answers:
            if one.participant in self._numbers:
                yield {
                    "participant": self._numbers[one.participant],
                    "kind": one.kind,
                    "item": one.item + 1,
                    "attempt": one.attempt,
                    **self._question_columns(one),
                    "at": one.at,
                }

    def _question_columns(self, one: StoredAnswer) -> Row:
        study = self._data.study
        if one.kind == "attention" and study.attention:
            right = int(study.attention.accepts(one.answer))
            return {"question": study.attention.sentence_with_word, "form": None, "answer": one.answer, "right": right}
        pages: dict[str, Sequence[Item]] = {
            "consent": study.boxes,
            "quiz": study.quiz,
            "questionnaire": study.questionnaire,
        }
        pages |= {answers_kind(number): stage.items for number, stage in enumerate(study.stages)}
        asked = pages.get(one.kind, ())
        if one.item >= len(asked):
            return {"question": None, "form": None, "answer": one.answer, "right": None}
        item = asked[one.item]
        told = int(item.accepts(one.answer)) if isinstance(item, Question) else None
        return {"question": item.question, "form": item.kind, "answer": one.answer, "right": told}

    def events(self) -> Iterator[Row]:
        """A row for every event, but for what came with a link, which says who somebody is."""
        numbers = {**self._numbers, "": None}
        for one in self._data.events:
            if one.participant in numbers and (self._identified or one.kind != ENTRY):
                told = json.dumps(one.details) if one.details else None
                yield {"participant": numbers[one.participant], "at": one.at, "kind": one.kind, "told": told}


def format_cents(cents: int) -> str:
    """Hundredths of a currency in its units: ``"1.05"``."""
    return f"{cents / 100:.2f}"


# The randomisation table


def setting_labels(study: Study) -> list[str]:
    """What the settings are called."""
    return [_setting_label(study, place) for place in range(len(study.settings))]


def _setting_label(study: Study, place: int) -> str:
    one = study.settings[place]
    facts, role = find_game(one.game).facts, one.role
    given = " ".join(f"{name}={format_value(value)}" for name, value in one.params.items()) or "as usual"
    told = given if role is None else f"{given}, participant: {facts.role_with_part(facts.roles[role])}"
    return f"{one.game}: {told}" if len(study.games) > 1 else told


def table_heads(study: Study, table: Sequence[PlannedMatch]) -> list[str]:
    """Columns of the randomisation table; the game is one where there are several."""
    seats, several = max(len(one.players) for one in table), ["game"] * (len(study.games) > 1)
    people = [f"seat_{seat}" for seat in range(seats)]
    return ["match", "arm", *several, "setting", "repetition", "group", *people, "seed"]


def table_rows(study: Study, table: Sequence[PlannedMatch]) -> Iterator[list[str | int]]:
    """Rows of the randomisation table; places are ``P1``, ``P2``, ..."""
    names, seats = setting_labels(study), max(len(one.players) for one in table)
    for one in table:
        players = [f"P{who + 1}" if isinstance(who, int) else who for who in one.players]
        players += [""] * (seats - len(players))
        game = [study.settings[one.setting].game] * (len(study.games) > 1)
        name, match, group = names[one.setting], one.repetition + 1, one.group + 1
        yield [one.number + 1, one.arm, *game, name, match, group, *players, one.seed]
