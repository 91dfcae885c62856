"""A running match: people answer asynchronously, other players think in threads, and both have time limits.

Only its turns are stored. Reopening a match, after a restart or a crash, replays them
(`econzoo.evaluate.run.resuming.replay_turn`) and must reproduce what is stored. A match is also rebuilt when a player
was late or failed, since that player may still be computing an obsolete answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event, RLock
from typing import Any

from econzoo.baselines import BudgetSpentError
from econzoo.envs.core import MissingLibraryError
from econzoo.envs.core.faces import BROKEN, LEFT, TIMEOUT, Reply
from econzoo.envs.core.record import Record, Turn, record_result
from econzoo.evaluate.run import Match, MatchTable, format_error
from econzoo.people.table.clocks import GRACE, MatchStorage, Moments, RecordSink, Uptime
from econzoo.people.table.person import Person
from econzoo.people.table.player_threads import Desk, Question, describe_error
from econzoo.people.table.store import MatchState, Seat
from econzoo.people.table.terms import FORFEIT, REPLACE, Absence


class LiveMatch:
    """A running match. Thread-safe.

    Attributes:
        people: People by seat, including replaced ones.
        record: Record of a finished match, or None.
        trouble: Why the match is stuck; empty: it is not.
        players_idle: Set while only people are awaited.
        lock: Held while the match is changed or rendered, so that pages are consistent.
    """

    def __init__(
        self,
        stored: MatchState,
        store: MatchStorage,
        records: RecordSink,
        restore: Callable[[MatchState], tuple[MatchTable, dict[int, Person]]],
        desk: Desk,
        uptime: Uptime,
    ) -> None:
        self.terms, self.record, self.trouble = stored.terms, stored.record, ""
        self._question: Question | None = None
        self._uptime, self._moments = uptime, Moments(uptime, store, stored.id)
        self._id, self._store, self._records, self._desk, self._make = stored.id, store, records, desk, restore
        self.lock, self._closed, self.players_idle = RLock(), False, Event()  # reentrant: answers advance
        self._restore(stored)

    def _restore(self, stored: MatchState) -> None:
        self._answers: dict[int, tuple[str, float]] = {}
        self.absences: Sequence[Absence] = stored.absences
        self._table, self.people = self._make(stored)

    # -- state, as pages and clocks read it --------------------------------------------------------------------

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
        return None if seconds is None or not self.terms.person_seconds else self.terms.person_seconds - seconds

    # -- people ------------------------------------------------------------------------------------------------

    def arrive(self, seat: int) -> None:
        """Record that the person of a seat has opened the page."""
        self._moments.record_first(seat)

    def answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Play the answer of a person to their question `number`; return False if it had been answered already."""
        with self.lock:
            person = self.people[seat.seat]
            if (
                person.open_question is None
                or person.answer_count != number
                # Stored before it is played, so that a killed server plays it after the restart.
                or not self._store.add_answer(seat, number, reply)
            ):
                return False
            self._play_answer(person, reply)
        return True

    def _play_answer(self, person: Person, reply: str) -> None:
        assert person.open_question is not None
        # In simultaneous moves it waits here until it is the turn of the seat.
        self._answers[person.seat] = reply, self._uptime.running_clock() - person.open_question.since
        person.record_answer(reply)

    def _play_missed(self, person: Person, reason: str, seconds: int = 0) -> None:
        self._play_answer(person, Reply("", reason, seconds))

    def leave(self, seat: int, reason: str = LEFT) -> bool:
        """Let the person of a seat leave for good; return whether they were still in the match.

        Args:
            reason: `LEFT`, or `terms.ENDED` of a deserted person: the default action is then played under any policy.
        """
        with self.lock:
            replaced = self.terms.policy == REPLACE and reason == LEFT
            left = any(one.seat == seat and one.is_permanent for one in self.absences)
            answered = replaced and seat in self._answers  # the answer given is still played
            if self.is_over or self.trouble or left or answered:
                return False
            if replaced:
                self._handle_absence(seat, LEFT)
            else:
                self._leave_for_good(self.people[seat], reason)
            self.advance()
        return True

    def _leave_for_good(self, person: Person, reason: str) -> None:
        """Mark a person as gone without a substitute."""
        self._add_absence(Absence(person.seat, self.turn_count, reason))
        person.is_leaving = self.terms.policy == FORFEIT and reason == LEFT
        person.has_left = not person.is_leaving
        if person.is_leaving:
            person.open_question = None
        elif person.open_question is not None:
            self._play_missed(person, LEFT)

    def paused_record(self) -> Record:
        """Record of the match; of a running one, as if paused now."""
        with self.lock:
            record = self.record_so_far
            if self.record is None:
                record_result(record, self._table.env)
        return record

    # -- play --------------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Play until an answer of a person is awaited, a player is thinking, or the match is over."""
        with self.lock:
            try:
                while not self._table.is_over and not self.trouble and self._advance_once():
                    pass
                if self._table.is_over and not self._closed:
                    self._close()
            except Exception as error:  # such as a missing library or a spent budget: shown on the pages
                self.trouble = describe_error(error)
            if self._question is None:
                self.players_idle.set()

    def _advance_once(self) -> bool:
        if self._question is not None:
            return False
        table, number = self._table, self.turn_count
        # First, so that people think while a program does, in simultaneous moves.
        self._ask_people()
        if table.seat in self._answers:
            table.answer(*self._answers.pop(table.seat))
        elif not isinstance(table.player, Person):
            self._ask_player()
            return False
        elif table.player.is_leaving:
            table.ask()
        else:
            return False
        self._save_turns(number)
        return True

    def _save_turns(self, number: int) -> None:
        self._store.add_turns(self._id, number, self._table.record.turns[number:])

    def _ask_people(self) -> None:
        """Ask the people whose moves are awaited; several at once in simultaneous moves."""
        env = self._table.env
        for agent in env.awaited_agents:
            person = self._table.players[seat := env.possible_agents.index(agent)]
            if (
                not isinstance(person, Person)
                or person.is_leaving
                or person.open_question is not None
                or seat in self._answers
            ):
                continue
            legal = env.legal(agent)
            seen = env.information_state(agent)._replace(legal=legal)
            # A restored match keeps the time at which the question was first asked.
            since = self._moments.record_first(seat, person.answer_count)
            person.ask(env.face(agent).observe(seen), legal, seen, since)
            reply = self._store.answers(self._id).get((seat, person.answer_count))
            if reply is not None:  # stored, but the process was killed before it was played
                self._play_answer(person, reply)
            elif person.has_left:
                self._play_missed(person, LEFT)

    def _ask_player(self) -> None:
        """Ask the player to move, which is not a person."""
        table = self._table
        self.players_idle.clear()
        self._question = Question(table.player, table.observation, table.info, self._receive_answer)
        self._desk.ask(self._question)

    def _receive_answer(self, question: Question, reply: Any, seconds: float) -> None:
        """Play the answer to a question, unless it is obsolete."""
        with self.lock:
            if question is not self._question:
                return
            self._question = None
            try:
                self._play_reply(reply, seconds)
            except Exception as error:
                self.trouble = describe_error(error)
            self.advance()

    def _play_reply(self, reply: Any, seconds: float) -> None:
        """Play the answer of a player, or apply the absence policy if it failed."""
        table, number = self._table, self.turn_count
        if isinstance(reply, MissingLibraryError | BudgetSpentError):
            # The operator can mend these; the match waits instead of counting the player as absent.
            raise reply
        if isinstance(reply, Exception) and self.terms.policy != FORFEIT:
            self._handle_absence(table.seat, BROKEN, f"{table.player.spec}: {format_error(reply)}")
            return
        table.answer(reply, seconds)
        self._save_turns(number)

    # -- no answer ---------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Handle seats whose time has run out."""
        # One clock serves all matches and waits for none: a busy match is checked at the next tick.
        if self.is_over or self.trouble or not self.lock.acquire(blocking=False):
            return
        try:
            if self._drop_late():
                self.advance()
        except Exception as error:
            self.trouble = describe_error(error)
        finally:
            self.lock.release()

    def _drop_late(self) -> bool:
        question, limit, late = self._question, self.terms.player_seconds, False
        # The time of programs restarts with the server, which asks them again.
        if question is not None and limit and time.monotonic() - question.since > limit:
            self._handle_absence(self._table.seat, TIMEOUT)
            return True
        for seat in list(self.people):
            if (left := self.seconds_left(seat)) is not None and left < -GRACE:
                late = True
                self._handle_lateness(self.people[seat], self.terms.person_seconds)
        return late

    def _handle_lateness(self, person: Person, seconds: int) -> None:
        """Apply the absence policy to a person who has not answered within `seconds`."""
        # Counted from the history, which a restored match has too.
        missed = 1 + sum(one.missed_reply is not None for one in person.history)
        if self.terms.policy == REPLACE and missed >= self.terms.missed:
            self._handle_absence(person.seat, TIMEOUT)
            return
        self._play_missed(person, TIMEOUT, seconds)
        if 0 < self.terms.missed <= missed:
            self._leave_for_good(person, LEFT)

    def end_time(self, seat: int) -> bool:
        """End the time of a person as if it had run out; return whether an answer was awaited."""
        with self.lock:
            seconds = None if self.trouble else self.seconds_asked(seat)
            if seconds is not None:
                self._handle_lateness(self.people[seat], max(1, round(seconds)))
                self.advance()
        return seconds is not None

    def _handle_absence(self, seat: int, reason: str, error: str = "") -> None:
        """Apply the policy to a missing answer: a substitute takes the seat, or the default or forfeit is played."""
        if self._question is not None:
            self._question.is_dropped, self._question = True, None
        # A substitute that fails is not replaced: the default or forfeit is played for it.
        number, replaced = self.turn_count, any(one.player for one in self.absences if one.seat == seat)
        substitute = self.terms.substitute if self.terms.policy == REPLACE and not replaced else ""
        self._add_absence(Absence(seat, number, reason, substitute, error))
        if not substitute:
            limit = self.terms.player_seconds if reason == TIMEOUT else 0
            self._table.answer(Reply("", reason, limit), float(limit))
            self._save_turns(number)
        # Its player may still be computing: a rebuilt match has fresh players.
        if not self._table.is_over:
            self._restore(self._store.match(self._id))

    def _add_absence(self, absence: Absence) -> None:
        self._store.add_absence(self._id, absence)
        self.absences = [*self.absences, absence]

    def _close(self) -> None:
        self._closed = True
        draft, absences = self._table.record, self.absences
        draft.replacements = [one.record_entry for one in absences if one.player] or None
        draft.reason = draft.reason or next((one.error for one in absences if one.error), None)
        record = self._table.close()
        for person in self.people.values():
            person.open_question = None
        if self._store.save_record(self._id, record):
            self._records.append(record)
        # Last: pages take the match as over only when its record is stored.
        self.record = self.record or record
