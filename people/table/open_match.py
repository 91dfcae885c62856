"""How a match stands that is played now: what pages and clocks ask of it."""

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
    """A match that is played now, as it stands.

    Attributes:
        terms: How long moves may take, and what follows.
        absences: Seats whose players left, failed or were replaced.
        people: The persons by seat, also those who were replaced.
        record: Of the match that has ended, or None.
        trouble: Why the match stands still, if it does; else empty.
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
        """What is played."""
        return self._table.match

    @property
    def record_so_far(self) -> Record:
        """The record; while the match goes on, of what was played until now, as if it were paused."""
        if self.record is not None:
            return self.record
        env, record = self._table.env, self._table.record
        turns = list(record.turns)  # before the draws: these may be ahead of the turns, and never behind
        ruled = list(env.rulings) if env.game.referee else None
        return replace(record, turns=turns, chance=list(env.chance_draws), rulings=ruled, status="paused")

    @property
    def turn_count(self) -> int:
        """How many were played."""
        return len(self._table.record.turns)

    @property
    def current_round(self) -> int:
        """Which one is played, from 1."""
        return int(self._table.env.game_state.round)

    @property
    def deserted_seats(self) -> list[int]:
        """Seats whose people have left."""
        return [one.seat for one in self.absences if one.is_deserted and one.seat in self.people]

    def is_deserted(self, seat: int) -> bool:
        """Whether nobody is there any more for whom a seat plays: its own player has left, or all other people have."""
        gone = set(self.deserted_seats)
        return seat in gone or (bool(gone) and self.people.keys() - {seat} <= gone)

    @property
    def visible_turns(self) -> list[Turn]:
        """What was played but for moves that wait for those of others."""
        table = self._table
        return table.record.turns[: self.turn_count - (0 if table.is_over else len(table.env.pending))]

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.record is not None

    @property
    def awaited_seats(self) -> list[int]:
        """The seats whose people are asked and have not answered."""
        return [seat for seat, person in self.people.items() if person.open_question is not None]

    @property
    def thinking(self) -> tuple[int, float] | None:
        """The seat of a player that is no person and moves now, and since when; or None."""
        question = self._question
        return None if question is None else (self._table.seat, question.since)

    def seconds_asked(self, seat: int) -> float | None:
        """Seconds since a person was asked; None: it is not.

        They run from when the question can be read: not before the page was opened for the first time.
        """
        asked, opened = self.people[seat].open_question, self._moments.opening_time(seat)
        return None if asked is None or opened is None else self._uptime.running_clock() - max(asked.since, opened)

    def seconds_left(self, seat: int) -> float | None:
        """Seconds that a person has left, below 0 where they have run out; None: as many as it likes, or not asked."""
        seconds = self.seconds_asked(seat)
        return None if seconds is None or not self.terms.person else self.terms.person - seconds
