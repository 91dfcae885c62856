"""State of a running match, as pages and clocks read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from econzoo.envs.core.record.record import Record, Turn
from econzoo.evaluate.run.table import Match, MatchTable
from econzoo.people.table.clocks import Moments, Uptime
from econzoo.people.table.person import Person
from econzoo.people.table.player_threads import Question
from econzoo.people.table.terms import Absence, Terms


class OpenMatch:
    """Current state of a running match.

    Attributes:
        terms: Time limits and absence policy.
        absences: Seats whose players left, failed or were replaced.
        people: People by seat, including replaced ones.
        record: Record of a finished match, or None.
        trouble: Why the match is stuck; empty: it is not.
    """

    terms: Terms
    absences: Sequence[Absence]
    people: dict[int, Person]
    record: Record | None
    trouble: str
    _table: MatchTable
    _question: Question | None
    _uptime: Uptime
    _moments: Moments

    @property
    def match(self) -> Match:
        """Game, parameters, players and seed."""
        return self._table.match

    @property
    def record_so_far(self) -> Record:
        """Record of the match; of a running one, as if paused now."""
        if self.record is not None:
            return self.record
        env, record = self._table.env, self._table.record
        turns = list(record.turns)  # copied first: the chance draws may be ahead of the turns, never behind
        rulings = list(env.rulings) if env.game.referee else None
        return replace(record, turns=turns, chance=list(env.chance_draws), rulings=rulings, status="paused")

    @property
    def turn_count(self) -> int:
        """Number of turns played."""
        return len(self._table.record.turns)

    @property
    def current_round(self) -> int:
        """Current round, from 1."""
        return int(self._table.env.game_state.round)

    @property
    def deserted_seats(self) -> list[int]:
        """Seats whose people have dropped out."""
        return [one.seat for one in self.absences if one.is_deserted and one.seat in self.people]

    def is_deserted(self, seat: int) -> bool:
        """Whether the seat's own person or all other people have dropped out."""
        absent = set(self.deserted_seats)
        return seat in absent or (bool(absent) and self.people.keys() - {seat} <= absent)

    @property
    def visible_turns(self) -> list[Turn]:
        """Turns played, except simultaneous moves that are still pending."""
        table = self._table
        return table.record.turns[: self.turn_count - (0 if table.is_over else len(table.env.pending))]

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.record is not None

    @property
    def awaited_seats(self) -> list[int]:
        """Seats of people with an open question."""
        return [seat for seat, person in self.people.items() if person.open_question is not None]

    @property
    def thinking(self) -> tuple[int, float] | None:
        """(seat, start time) of a non-human player that is thinking, or None."""
        question = self._question
        return None if question is None else (self._table.seat, question.since)

    def seconds_asked(self, seat: int) -> float | None:
        """Seconds since a person could read the open question; None: no question, or the page was never opened."""
        asked, opened = self.people[seat].open_question, self._moments.opening_time(seat)
        return None if asked is None or opened is None else self._uptime.running_clock() - max(asked.since, opened)

    def seconds_left(self, seat: int) -> float | None:
        """Remaining seconds of a person, negative after the deadline; None: no limit or no question."""
        seconds = self.seconds_asked(seat)
        return None if seconds is None or not self.terms.person else self.terms.person - seconds
