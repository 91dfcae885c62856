"""Seating of participants: matches begin when their participants are present, and departed ones are replaced."""

from __future__ import annotations

import random
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from threading import Lock, RLock
from typing import Any

from econzoo.baselines import player as make_player
from econzoo.people.participation.page_names import BETWEEN_MATCHES, EXCLUDE, EXCLUDED, OPERATOR, PLAY, PRACTICE
from econzoo.people.participation.page_names import SKIPPED, WAITING, WITHDRAWN
from econzoo.people.participation.participants import Participants, event_statement, play_statements
from econzoo.people.participation.participants import practice_statements
from econzoo.people.participation.presence import Presence
from econzoo.people.study import ALONE, BEGIN, HUMAN, MINIMUM_WAIT, PAY, POLICIES, SEEDS, SKIP, Pairing, Participant
from econzoo.people.study import ParticipantProgress, PlannedMatch, Roster, Stage, Step, Study, Waiter, bonus_so_far
from econzoo.people.table import DEFAULT_TERMS, MAX_SECONDS, LiveMatch, Seat, Statement, Tables, build_terms
from econzoo.people.table import check_substitute


class Seating:
    """Begins the matches of a study.

    Args:
        end: Ends a participant's wait, because of `ALONE`, `FULL` or `SKIP`.
    """

    def __init__(
        self,
        study: Study,
        store: Participants,
        tables: Tables,
        options: Mapping[str, Mapping[str, Any]],
        end: Callable[[Participant, str], None],
    ) -> None:
        self._study, self._store, self._tables, self._options, self._end = study, store, tables, options, end
        self.blinded = any(arm.blinded for arm in study.arms)
        self.lock, self._last_error, self.presence = RLock(), "", Presence(tables.uptime, study.speed)
        self._added, self._last_change, self._refresh_lock = store.added_places, -1, Lock()
        self._pairing = Pairing(study, self._added)
        self._roster = Roster(self._pairing.table, self._pairing.own_matches, {})

    # -- matches of a participant ------------------------------------------------------------------------------

    @property
    def pairing(self) -> Pairing:
        """The matching, including added places."""
        self._refresh()
        return self._pairing

    @property
    def roster(self) -> Roster:
        """Actual seats of the matches."""
        self._refresh()
        return self._roster

    def _refresh(self) -> None:
        """Update the matching and the roster after changes; the only lock that pages wait for."""
        with self._refresh_lock:
            if self._store.changes == self._last_change:
                return
            self._last_change = self._store.changes
            added, seats = self._store.added_places, self._store.seats_of_matches()
            if added != self._added:
                self._pairing, self._added = Pairing(self._study, added), added
            if seats.keys() != self._roster.begun.keys():
                self._roster = Roster(self._pairing.table, self._pairing.own_matches, seats)

    def own_matches(self, one: Participant) -> list[PlannedMatch]:
        """Return the matches of a participant, in order; empty before the first begins."""
        return self.roster.matches_of(one.place)

    def current_match(self, one: Participant) -> PlannedMatch | None:
        """Return the match that a participant plays or waits for; None: not assigned, or all are over."""
        own = self.own_matches(one)
        return own[one.repetition] if one.repetition < len(own) else None

    def seat(self, one: Participant, match: PlannedMatch | None = None) -> Seat | None:
        """Return the participant's seat in a match, by default the current one; None: none, or not begun."""
        if match is None and one.page == PRACTICE:
            id = self._store.practice_match(one)
            return self._store.seats(id)[0] if id else None
        match = match or self.current_match(one)
        id = None if match is None else self._store.match_id(match.number)
        if match is None or id is None or one.place not in match.places:
            return None
        taken = match.players.index(one.place)
        return next((seat for seat in self._store.seats(id) if seat.seat == taken), None)

    def live_match(self, one: Participant) -> LiveMatch | None:
        """Return the participant's current match; None: not begun."""
        seat = self.seat(one)
        return None if seat is None else self._tables.open_match(seat.match)

    # -- places ------------------------------------------------------------------------------------------------

    @property
    def is_full(self) -> bool:
        """Whether the participants waiting with an open page fill all free places."""
        pool = [
            one
            for one in self._store.participants_on(WAITING)
            if one.place is None and self.presence.is_open(one.token)
        ]
        return sum(len(match.places) for match in self._free_matches()) <= len(pool)

    def _free_matches(self) -> list[PlannedMatch]:
        return self.pairing.free_matches(self.roster.begun, self._progress_by_place())

    def _progress_by_place(self) -> dict[int, ParticipantProgress]:
        return {place: self._progress(one) for place, one in self._store.participants_by_place().items()}

    def _progress(self, one: Participant) -> ParticipantProgress:
        """Return a participant's progress; a page closed beyond the limit counts as dropout."""
        away = self._study.leaving.away
        # During a match `_drop_departed` decides instead.
        closed = bool(away) and one.page != PLAY and self.presence.seconds_closed(one.token) >= away
        return ParticipantProgress(one.repetition, one.page not in BETWEEN_MATCHES or closed)

    # -- beginning ---------------------------------------------------------------------------------------------

    def current_seconds(self) -> float:
        """Return the total uptime of the study's servers in seconds."""
        return self._tables.uptime.current_seconds()

    def pause(self, pauses: bool) -> None:
        """Pause or resume all clocks; no match begins during a pause."""
        with self.lock:
            self._store.pause(pauses)
            uptime = self._tables.uptime
            (uptime.stop if pauses else uptime.resume)()
        self.settle()

    def settle(self) -> None:
        """Take all possible steps: begin matches, end waits, and drop departed participants."""
        # During a pause no match begins and no wait ends.
        if self._tables.uptime.is_stopped:
            return
        with self.lock:
            changes = None
            while changes != (changes := self._store.changes):  # one step may enable another
                self._settle_all()

    def _settle_all(self) -> None:
        try:
            self._drop_departed()
        except Exception:
            self._report(traceback.format_exc())
        waiting = {one.token: one for one in self._store.participants_on(WAITING)}
        if not waiting:
            return
        # First come, first matched.
        waiters = sorted(map(self._waiter, waiting.values()), key=lambda one: -one.seconds_waited)
        for step in self.pairing.steps(self.roster.begun, self._progress_by_place(), waiters):
            try:
                self._take_step(step, waiting)
            except Exception:  # such as a missing library or a spent budget: other matches continue
                self._report(traceback.format_exc())
                self._give_up(step, waiting)

    def _waiter(self, one: Participant) -> Waiter:
        waited = max(0.0, self.current_seconds() - one.waits_since)  # negative if the server was killed
        if not self.presence.is_known:  # no wait ends while others may still reconnect
            waited = min(waited, self._study.time.waiting - 1.0)
        here = self.presence.is_open(one.token)
        return Waiter(one.token, one.place, one.repetition, waited, here, waited >= self._minimum_wait(one))

    def _minimum_wait(self, one: Participant) -> float:
        """Return the minimum wait of a participant in seconds, random for every match."""
        # Derived, so that it is the same whenever it is asked and after a restart.
        seconds = random.Random(f"{one.token}/{one.repetition}").uniform(*MINIMUM_WAIT)
        return seconds / self._study.speed if self.blinded else 0.0

    def _report(self, error: str) -> None:
        """Print an error, unless it repeats the last one."""
        if error != self._last_error:
            print(error, file=sys.stderr, flush=True)
        self._last_error = error

    def _take_step(self, step: Step, waiting: Mapping[str, Participant]) -> None:
        if step.kind == BEGIN and step.match is not None:
            self._begin_match(step.match, {seat: waiting[name] for seat, name in step.names.items()})
        elif step.kind == SKIP and not self._study.ends_stage(waiting[step.name].repetition):
            one = waiting[step.name]
            self._store.move(
                one,
                WAITING,
                event_statement(one, SKIPPED),
                repetition=one.repetition + 1,
                waits_since=self.current_seconds(),
            )
        else:
            self._end(waiting[step.name], step.kind)

    def _give_up(self, step: Step, waiting: Mapping[str, Participant]) -> None:
        """After a match failed to begin, end the waits beyond the limit."""
        for one in [waiting[name] for name in step.names.values()]:
            if self.current_seconds() - one.waits_since >= self._study.time.waiting:
                self._end(one, ALONE)

    def _begin_match(self, match: PlannedMatch, seats: Mapping[int, Participant]) -> None:
        players = [HUMAN if seat in seats else str(who) for seat, who in enumerate(match.players)]
        played = self._study.settings[match.setting]
        params = {**self._options[played.game], **played.params}
        leaving = self._study.leaving
        # 0 in the file: missed moves are no leaving. 0 in terms would apply the policy to each missed move.
        terms = build_terms(
            self._study.time.move, DEFAULT_TERMS.player_seconds, leaving.policy, leaving.missed or MAX_SECONDS
        )
        # In the transaction of the match: a killed server leaves no match without participants.
        row = "INSERT INTO planned_matches (study, planned_match, match) VALUES (?, ?, ?)"
        moved = [statement for seat, one in seats.items() for statement in play_statements(one, match, seat)]
        id, seated = self._tables.create_match(
            played.game,
            players,
            match.seed,
            params,
            terms,
            lambda id: [(row, (self._study.name, match.number, id)), *moved],
        )
        # After the commit, since pages read once per change.
        self._store.touch(*[one.token for one in seats.values()])
        live = self._tables.open_match(id)
        for seat in seated:  # clocks start also for participants who have closed the page
            live.arrive(seat.seat)

    def begin_practice(self, one: Participant, stage: Stage, *also: Statement, **changed: Any) -> None:
        """Begin an unpaid practice match with programs, outside the randomisation table."""
        players, params = self._study.practice_match(stage)
        seed = random.Random(f"{one.token}/{PRACTICE}").randrange(SEEDS)
        terms = build_terms(0, DEFAULT_TERMS.player_seconds, POLICIES[0])
        self._tables.create_match(
            stage.game,
            players,
            seed,
            {**self._options[stage.game], **params},
            terms,
            lambda id: [*practice_statements(one, id, changed), *also],
        )
        self._store.touch(one.token)

    # -- leaving -----------------------------------------------------------------------------------------------

    def _drop_departed(self) -> None:
        """Remove participants from matches who withdrew, were excluded or closed the page for too long."""
        going, there = self._store.running_matches(), self._store.participants_by_place()
        for number, id in going.items():
            match = self.roster.begun[number]
            for one in [there[place] for place in match.places if place in there]:
                if self._has_left(one, match) and (seat := self.seat(one, match)) is not None:
                    self._tables.open_match(id).leave(seat.seat)

    def _has_left(self, one: Participant, match: PlannedMatch) -> bool:
        if one.page in (WITHDRAWN, EXCLUDED):
            return True
        away, playing = self._study.leaving.away, one.page == PLAY and one.repetition == match.repetition
        return bool(away) and playing and self.presence.seconds_closed(one.token) >= away


def exclude(study: Study, store: Participants, own: Sequence[PlannedMatch], one: Participant, reason: str) -> bool:
    """Exclude a participant and store the bonus so far; return whether this excluded them.

    A running server then continues for the others.

    Args:
        own: Matches of the participant.
        reason: Shown to the participant and exported.
    """
    there = store.participant(one.token)
    if there is None or there.page == EXCLUDED:
        return False
    bonus = {"bonus_cents": bonus_so_far(study, store, own, there).cents} if there.is_admitted else {}
    event = event_statement(there, EXCLUDE, by=OPERATOR, reason=reason)
    return store.move(there, EXCLUDED, event, excluded_reason=reason, **bonus)


def check_stand_ins(study: Study) -> None:
    """Raise `ValueError` if a stand-in or substitute cannot take every seat of a participant."""
    for game in study.games:
        settings = [place for place, one in enumerate(study.settings) if one.game == game]
        seats = range(max(len(study.seats(arm, setting)) for arm in study.arms for setting in settings))
        if study.leaving.is_replaced:
            check_substitute(study.leaving.policy, game, seats)
        if study.time.alone != PAY:
            player = make_player(study.time.alone, game)
            for seat in seats:
                if not player.can_take_seat(seat):
                    raise ValueError(
                        f"player {study.time.alone!r} cannot take seat {seat} of {game}: expected one for all seats"
                    )
