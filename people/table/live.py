"""A match that is played now: people answer whenever they do, the others think elsewhere, and clocks run for both.

What is kept are its turns. A match is a fold over them: whoever opens it anew, after a reload or a crash, goes through
them once more (`econzoo.evaluate.run.resuming.go_through`), and everything must come out as it is kept. So is a match
set up anew in which a player was late or failed: that player may still be at work on an answer that nobody waits for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Event, RLock
from typing import Any

from econzoo.baselines.models.purse import SpentError
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.faces.finish import BROKEN, LEFT, TIMEOUT
from econzoo.envs.core.faces.parse import Reply
from econzoo.envs.core.record.bookkeeping import conclude
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.table import Table, worded
from econzoo.people.table.clocks import GRACE, Appending, Keeping, Moments, Uptime
from econzoo.people.table.open_match import OpenMatch
from econzoo.people.table.person import Person
from econzoo.people.table.player_threads import Desk, Question, in_words
from econzoo.people.table.store import Kept, Seat
from econzoo.people.table.terms import FORFEIT, REPLACE, Absence


class LiveMatch(OpenMatch):
    """A match that is played now. Threads may share it.

    Args:
        kept: What is kept of it.
        store: Where its moves go.
        records: Where its record goes.
        set_up: Sets a match up as it is kept: its table, and the people at it by seat.
        desk: Where players are asked that are no people.
        uptime: Of the server.

    Attributes:
        settled: Set while nobody but people is awaited.
        still: Held by whoever changes the match, and by whoever shows it: no page has half of what has happened.

    Raises:
        ValueError: It cannot be played on as it was: another version of the game, or a player that is unknown.
    """

    def __init__(
        self,
        kept: Kept,
        store: Keeping,
        records: Appending,
        set_up: Callable[[Kept], tuple[Table, dict[int, Person]]],
        desk: Desk,
        uptime: Uptime,
    ) -> None:
        self.terms, self.record, self.trouble = kept.terms, kept.record, ""
        self._question: Question | None = None
        self._uptime, self._moments = uptime, Moments(uptime, store, kept.id)
        self._id, self._store, self._records, self._desk, self._make = kept.id, store, records, desk, set_up
        self.still, self._closed, self.settled = RLock(), False, Event()
        self._set_up(kept)

    def _set_up(self, kept: Kept) -> None:
        self._given: dict[int, tuple[str, float]] = {}
        self.absences: Sequence[Absence] = kept.absences
        self._table, self.people = self._make(kept)

    # -- what people do ----------------------------------------------------------------------------------------

    def arrive(self, seat: int) -> None:
        """The person of a seat has opened its page."""
        self._moments.first(seat)

    def answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Plays the answer of a person.

        Args:
            seat: Whose.
            number: How many this seat had given before.
            reply: Checked already.

        Returns:
            Whether it was played: not if that question had been answered before.
        """
        with self.still:
            person = self.people[seat.seat]
            if person.asked is None or person.answers != number or not self._store.answered(seat, number, reply):
                return False
            self._take(person, reply)
        return True

    def _take(self, person: Person, reply: str) -> None:
        assert person.asked is not None
        self._given[person.seat] = reply, self._uptime.clock() - person.asked.since
        person.answered(reply)

    def _miss(self, person: Person, why: str, seconds: int = 0) -> None:
        self._take(person, Reply("", why, seconds))

    def leave(self, seat: int, why: str = LEFT) -> bool:
        """The person of a seat leaves for good; what follows holds at once.

        Args:
            seat: Whose.
            why: `LEFT`; or `terms.ENDED`, by who was left alone: the default action is played, whatever the policy.

        Returns:
            Whether they were there.
        """
        with self.still:
            replaced = self.terms.policy == REPLACE and why == LEFT
            left = any(one.seat == seat and one.for_good for one in self.absences)
            if self.over or self.trouble or left or (replaced and seat in self._given):  # what was answered is played
                return False
            if replaced:
                self._be_absent(seat, LEFT)
            else:
                self._go(self.people[seat], why)
            self.advance()
        return True

    def _go(self, person: Person, why: str) -> None:
        """A person does not come back, and nobody takes the seat."""
        self._note(Absence(person.seat, self.turns, why))
        person.leaving = self.terms.policy == FORFEIT and why == LEFT
        person.gone = not person.leaving
        if person.leaving:
            person.asked = None
        elif person.asked is not None:
            self._miss(person, LEFT)

    def paused(self) -> Record:
        """The record of a match that goes on, as if it were paused now; of one that is over, its own."""
        with self.still:
            told = self.so_far
            if self.record is None:
                conclude(told, self._table.env)
        return told

    # -- going on ----------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Lets everybody move until a person is to move whose answer is not there, a player thinks, or it is over."""
        with self.still:
            try:
                while not self._table.over and not self.trouble and self._moved():
                    pass
                if self._table.over and not self._closed:
                    self._close()
            except Exception as error:  # a library is missing, a budget is spent: whoever started the server reads it
                self.trouble = in_words(error)
            if self._question is None:
                self.settled.set()

    def _moved(self) -> bool:
        if self._question is not None:
            return False
        table, before = self._table, self.turns
        self._ask_people()
        if table.seat in self._given:
            table.answer(*self._given.pop(table.seat))
        elif not isinstance(table.player, Person):
            self._think()
            return False
        elif table.player.leaving:
            table.ask()
        else:
            return False
        self._keep(before)
        return True

    def _keep(self, before: int) -> None:
        self._store.played(self._id, before, self._table.record.turns[before:])

    def _ask_people(self) -> None:
        """Asks the people whose moves are awaited: several at once where they choose at once."""
        env = self._table.env
        for agent in env.awaited:
            person = self._table.players[seat := env.possible_agents.index(agent)]
            if not isinstance(person, Person) or person.leaving or person.asked is not None or seat in self._given:
                continue
            legal = env.legal(agent)
            seen = env.seen(agent)._replace(legal=legal)
            since = self._moments.first(seat, person.answers)
            person.ask(env.face(agent).observe(seen), legal, seen, since)
            reply = self._store.answers(self._id).get((seat, person.answers))
            if reply is not None:  # it was kept, and the process killed before it was played
                self._take(person, reply)
            elif person.gone:
                self._miss(person, LEFT)

    def _think(self) -> None:
        """Asks the player to move, which is no person."""
        table = self._table
        self.settled.clear()
        self._question = Question(table.player, table.observation, table.info, self._heard)
        self._desk.ask(self._question)

    def _heard(self, question: Question, reply: Any, seconds: float) -> None:
        """Plays the answer to a question, unless nobody waits for it any more."""
        with self.still:
            if question is not self._question:
                return
            self._question = None
            try:
                self._play(reply, seconds)
            except Exception as error:
                self.trouble = in_words(error)
            self.advance()

    def _play(self, reply: Any, seconds: float) -> None:
        """Plays what a player has answered, or what follows where it has failed."""
        table, before = self._table, self.turns
        if isinstance(reply, MissingLibraryError | SpentError):
            raise reply
        if isinstance(reply, Exception) and self.terms.policy != FORFEIT:
            self._be_absent(table.seat, BROKEN, f"{table.player.spec}: {worded(reply)}")
            return
        table.answer(reply, seconds)
        self._keep(before)

    # -- no answer ---------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Sees whose time has run out."""
        if self.over or self.trouble or not self.still.acquire(blocking=False):
            return
        try:
            if self._drop_the_late():
                self.advance()
        except Exception as error:
            self.trouble = in_words(error)
        finally:
            self.still.release()

    def _drop_the_late(self) -> bool:
        question, limit, late = self._question, self.terms.player, False
        if question is not None and limit and time.monotonic() - question.since > limit:
            self._be_absent(self._table.seat, TIMEOUT)
            return True
        for seat in list(self.people):
            if (left := self.left(seat)) is not None and left < -GRACE:
                late = True
                self._be_late(self.people[seat], self.terms.person)
        return late

    def _be_late(self, person: Person, seconds: int) -> None:
        """What follows where a person has not answered within so many seconds."""
        missed = 1 + sum(one.missed is not None for one in person.read)
        if self.terms.policy == REPLACE and missed >= self.terms.missed:
            self._be_absent(person.seat, TIMEOUT)
            return
        self._miss(person, TIMEOUT, seconds)
        if 0 < self.terms.missed <= missed:
            self._go(person, LEFT)

    def end_time(self, seat: int) -> bool:
        """Ends the time of a person, as if it had run out now; returns whether that one was asked."""
        with self.still:
            seconds = None if self.trouble else self.asked_for(seat)
            if seconds is not None:
                self._be_late(self.people[seat], max(1, round(seconds)))
                self.advance()
        return seconds is not None

    def _be_absent(self, seat: int, why: str, reason: str = "") -> None:
        """What follows where no answer comes: the seat is taken by somebody else, or the policy is played."""
        if self._question is not None:
            self._question.dropped, self._question = True, None
        before, taken = self.turns, any(one.by for one in self.absences if one.seat == seat)
        by = self.terms.by if self.terms.policy == REPLACE and not taken else ""
        self._note(Absence(seat, before, why, by, reason))
        if not by:
            limit = self.terms.player if why == TIMEOUT else 0
            self._table.answer(Reply("", why, limit), float(limit))
            self._keep(before)
        if not self._table.over:
            self._set_up(self._store.match(self._id))

    def _note(self, absence: Absence) -> None:
        self._store.absent(self._id, absence)
        self.absences = [*self.absences, absence]

    def _close(self) -> None:
        self._closed = True
        told, absent = self._table.record, self.absences
        told.replaced = [one.recorded for one in absent if one.by] or None
        told.reason = told.reason or next((one.reason for one in absent if one.reason), None)
        record = self._table.close()
        for person in self.people.values():
            person.asked = None
        if self._store.ended(self._id, record):
            self._records.append(record)
        self.record = self.record or record
