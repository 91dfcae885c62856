"""Randomisation table of a study, and the tables of its export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import exact_decimal, format_exact
from econzoo.envs.core.faces import LEFT
from econzoo.evaluate.run import format_value
from econzoo.people.study.attrition import AssignedParticipant, arm_rows
from econzoo.people.study.bonus import DRAW, compute_bonus, has_common_unit
from econzoo.people.study.declaration import Study
from econzoo.people.study.ends import TIMEOUT_EVENTS
from econzoo.people.study.items import Item, Question
from econzoo.people.study.matching import PlannedMatch, arms_by_place
from econzoo.people.study.roster import count_decisions, count_timeouts, payoff_for_bonus
from econzoo.people.study.stages import answers_kind
from econzoo.people.study.study_data import ENTRY, FORGOTTEN_PREFIX, TIMED_PAGES, Participant, Result, StoredAnswer
from econzoo.people.study.study_data import StoredEvent, StoredMatch, StoredStudy, page_attention

Row = dict[str, Any]
"""Column to value; None: empty cell."""


class StudyTables:
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
        """Yield a row per participant."""
        for one in self._data.participants:
            yield self._participant(one, list(self._finished_results(one)))

    def _participant(self, one: Participant, ended: Sequence[Result]) -> Row:
        seed = self._draw_seed(one)
        bonus = compute_bonus(self._data.study, ended, seed or "")
        # Decimals add up exactly, as in the bonus.
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
            "end": one.end(any(each.kind in TIMEOUT_EVENTS for each in self._events.get(one.token, []))) or None,
            "matches": len(ended),
            **self._participation(one),
            "payoff": format_exact(float(sum(counted))) if has_common_unit(self._data.study) else None,
            "draw_seed": seed,
            "paid_units": " ".join(".".join(map(str, unit)) for unit in bonus.paid_units),
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
        """Return the columns about moves and dropout."""
        ended = [(match.record, match.people.index(one.token)) for match in self._own_matches(one) if match.record]
        return {
            "decisions": sum(count_decisions(record, seat) for record, seat in ended),
            "timeouts": sum(count_timeouts(record, seat) for record, seat in ended),
            "left": sum(match.people.index(one.token) in match.absent_seats for match in self._own_matches(one)),
            "left_at": max((each.at for each in self._leave_events(one.token)), default=None),
            "completed": int(self._has_completed(one)),
        }

    def _own_matches(self, one: Participant) -> list[StoredMatch]:
        return [match for match in self._data.matches if one.token in match.people]

    def _leave_events(self, token: str | None) -> list[StoredEvent]:
        return [each for each in self._events.get(token or "", []) if each.kind == LEFT]

    def _has_completed(self, one: Participant) -> bool:
        """Whether a participant reached the end, played all matches and left none."""
        own = self._own_matches(one)
        left = any(match.people.index(one.token) in match.absent_seats for match in own)
        return one.page == "done" and len(own) == self._data.study.matching.repetitions and not left

    def arms(self) -> Iterator[Row]:
        """Yield a row per arm and game, with attrition."""
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
        """Yield the payoffs of a participant in a game, including default and substitute moves."""
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
        """Return the fee; None: unknown, because the participant was forgotten with the completion code."""
        if one.external_id.startswith(FORGOTTEN_PREFIX):
            return None
        due = self._data.study.payment.fee_cents if one.is_paid else 0
        return format_cents(due)

    def _draw_seed(self, one: Participant) -> str | None:
        """Return the payment seed of a participant; None: no draw."""
        return next((each.details["seed"] for each in self._events.get(one.token, []) if each.kind == DRAW), None)

    def _finished_results(self, one: Participant) -> Iterator[Result]:
        """Yield the finished matches of a participant."""
        for match in self._own_matches(one):
            if match.record is not None:
                seat = match.people.index(one.token)
                yield Result(
                    match.planned_match, match.record, seat, payoff_for_bonus(match.record, seat, match.absent_seats)
                )

    def payments(self, approved: bool = True) -> Iterator[tuple[str, str]]:
        """Yield (id, amount) of every bonus due: approved ones, or else those awaiting approval."""
        for one in self._data.participants:
            if one.due_cents and one.approved == approved:
                yield self._id_of(one), format_cents(one.due_cents)

    def payouts(self) -> Iterator[Row]:
        """Yield fee, bonus and total of every paid participant."""
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
        """Yield a row per seat of every match that has begun."""
        names = setting_labels(self._data.study)
        for match in self._data.matches:
            for seat in range(len(match.people)):
                plan = {
                    "match": match.record.id if match.record else None,
                    "planned_match": match.planned_match.number + 1,
                    "arm": match.planned_match.arm,
                    "game": self._data.study.settings[match.planned_match.setting].game,
                    "setting": names[match.planned_match.setting],
                    "repetition": match.planned_match.repetition + 1,
                    "group": match.planned_match.group + 1,
                }
                yield plan | self._seat_columns(match, seat)

    def _seat_columns(self, match: StoredMatch, seat: int) -> Row:
        record, token = match.record, match.people[seat]
        taken = [one["player"] for one in (record.replacements or () if record else ()) if one["seat"] == seat]
        left = [
            each.at
            for each in self._leave_events(token)
            if each.details["planned_match"] == match.planned_match.number + 1
        ]
        return {
            "seat": seat,
            "participant": self._numbers[token] if token else None,
            "player": record.players[seat] if record else None,
            "replacements": ", ".join(taken) or None,
            "decisions": count_decisions(record, seat) if record else None,
            "timeouts": count_timeouts(record, seat) if record else None,
            "left": int(seat in match.absent_seats) if token else None,
            "left_at": left[-1] if left else None,
            "others_left": int(bool(match.absent_seats - {seat})),
            "status": record.status if record else None,
            "payoff": record.payoffs[seat] if record and record.has_result else None,
        }

    def answers(self) -> Iterator[Row]:
        """Yield a row per answer on a page."""
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
            return {
                "question": study.attention.sentence_with_word,
                "item_kind": None,
                "answer": one.answer,
                "right": right,
            }
        pages: dict[str, Sequence[Item]] = {
            "consent": study.boxes,
            "quiz": study.quiz,
            "questionnaire": study.questionnaire,
        }
        pages |= {answers_kind(number): stage.items for number, stage in enumerate(study.stages)}
        items = pages.get(one.kind, ())
        if one.item >= len(items):
            return {"question": None, "item_kind": None, "answer": one.answer, "right": None}
        item = items[one.item]
        checked = int(item.accepts(one.answer)) if isinstance(item, Question) else None
        return {"question": item.question, "item_kind": item.kind, "answer": one.answer, "right": checked}

    def events(self) -> Iterator[Row]:
        """Yield a row per event, except identifying link parameters."""
        # Events of the whole study have no participant.
        numbers = {**self._numbers, "": None}
        for one in self._data.events:
            if one.participant in numbers and (self._identified or one.kind != ENTRY):
                details = json.dumps(one.details) if one.details else None
                yield {"participant": numbers[one.participant], "at": one.at, "kind": one.kind, "details": details}


def format_cents(cents: int) -> str:
    """Return hundredths of a currency in units: ``"1.05"``."""
    return f"{cents / 100:.2f}"


# The randomisation table


def setting_labels(study: Study) -> list[str]:
    return [_setting_label(study, place) for place in range(len(study.settings))]


def _setting_label(study: Study, place: int) -> str:
    one = study.settings[place]
    facts, seat = find_game(one.game).facts, one.person_seat
    given = " ".join(f"{name}={format_value(value)}" for name, value in one.params.items()) or "as usual"
    label = given if seat is None else f"{given}, participant: {facts.role_with_part(facts.roles[seat])}"
    return f"{one.game}: {label}" if len(study.games) > 1 else label


def table_heads(study: Study, table: Sequence[PlannedMatch]) -> list[str]:
    """Return the columns of the randomisation table; with several games one is the game."""
    seats, several = max(len(one.players) for one in table), ["game"] * (len(study.games) > 1)
    people = [f"seat_{seat}" for seat in range(seats)]
    return ["planned_match", "arm", *several, "setting", "repetition", "group", *people, "seed"]


def table_rows(study: Study, table: Sequence[PlannedMatch]) -> Iterator[list[str | int]]:
    """Yield the rows of the randomisation table; places are ``P1``, ``P2``, ..."""
    names, seats = setting_labels(study), max(len(one.players) for one in table)
    for one in table:
        players = [f"P{who + 1}" if isinstance(who, int) else who for who in one.players]
        players += [""] * (seats - len(players))
        game = [study.settings[one.setting].game] * (len(study.games) > 1)
        name, match, group = names[one.setting], one.repetition + 1, one.group + 1
        yield [one.number + 1, one.arm, *game, name, match, group, *players, one.seed]
