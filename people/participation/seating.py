"""Who plays when: matches of the plan begin as soon as their participants wait, and nobody waits for who has gone."""

from __future__ import annotations

import random
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from econzoo.people.participation.page_names import (
    BETWEEN,
    EXCLUDE,
    EXCLUDED,
    OPERATOR,
    PLAY,
    PRACTICE,
    SKIPPED,
    WAITING,
    WITHDRAWN,
)
from econzoo.people.participation.presence import Presence
from econzoo.people.participation.study_matches import event, to_play, to_practice
from econzoo.people.study.bonus import bonus_of
from econzoo.people.study.declaration import HUMAN, POLICIES, Study
from econzoo.people.study.matching import SEEDS, Planned
from econzoo.people.study.pairing import ALONE, BEGIN, HOLD, SKIP, Pairing, Standing, Step, Waiter
from econzoo.people.study.roster import Roster
from econzoo.people.study.stages import Stage
from econzoo.people.study.study_data import Participant
from econzoo.people.table.store import Seat, Statement
from econzoo.people.table.terms import LONGEST, USUAL, terms_of

if TYPE_CHECKING:
    from econzoo.people.participation.participants import Participants
    from econzoo.people.table.live import LiveMatch
    from econzoo.people.table.tables import Tables


class Seating:
    """Begins the matches of a study.

    Args:
        study: The study.
        store: Its participants.
        tables: Where matches are played.
        options: Of the matches of each game.
        end: Takes a participant to the end, because of `ALONE`, `FULL` or `SKIP`.

    Attributes:
        blinded: Whether participants must not learn who is a program.
        presence: Whose page is open; who is away is not matched.
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
        self.lock, self._told, self.presence = RLock(), "", Presence(tables.uptime, study.speed)
        self._added, self._looked, self._looking = store.added, -1, Lock()
        self._pairing = Pairing(study, self._added)
        self._roster = Roster(self._pairing.table, self._pairing.own, {}, {})
        self._free_early_places()

    def _free_early_places(self) -> None:
        """Takes places from who has not played: older versions gave them with the admission."""
        begun = self._store.matches()
        for place, one in self._store.placed().items():
            if one.repetition == 0 and self._pairing.own[place][0].number not in begun:
                self._store.move(one, one.page, place=None)

    # -- whose match -------------------------------------------------------------------------------------------

    @property
    def pairing(self) -> Pairing:
        """The matching, with the places that were added."""
        self._look()
        return self._pairing

    @property
    def roster(self) -> Roster:
        """Who sits in which match."""
        self._look()
        return self._roster

    def _look(self) -> None:
        """Sees which matches have begun, and whether places were added; pages wait for nothing else."""
        with self._looking:
            if self._store.changes == self._looked:
                return
            self._looked = self._store.changes
            added, begun = self._store.added, self._store.matches()
            if added != self._added:
                self._pairing, self._added = Pairing(self._study, added), added
            if begun.keys() != self._roster.begun.keys():
                self._roster = Roster(self._pairing.table, self._pairing.own, begun, self._store.seats_of_matches())

    def own(self, one: Participant) -> list[Planned]:
        """The matches of a participant, in order; none before the first has begun."""
        return self.roster.of(one.place)

    def current(self, one: Participant) -> Planned | None:
        """The match that a participant waits for or plays; None: it is not known yet, or all are behind them."""
        own = self.own(one)
        return own[one.repetition] if one.repetition < len(own) else None

    def seat(self, one: Participant, match: Planned | None = None) -> Seat | None:
        """The seat of a participant in a match, by default the current one; None: it has none, or has not begun."""
        if match is None and one.page == PRACTICE:
            id = self._store.practice_of(one)
            return self._store.seats(id)[0] if id else None
        match = match or self.current(one)
        id = None if match is None else self._store.match_of(match.number)
        if match is None or id is None or one.place not in match.people:
            return None
        taken = match.players.index(one.place)
        return next((seat for seat in self._store.seats(id) if seat.seat == taken), None)

    def live(self, one: Participant) -> LiveMatch | None:
        """The current match of a participant; None: it has not begun."""
        seat = self.seat(one)
        return None if seat is None else self._tables.live(seat.match)

    # -- places ------------------------------------------------------------------------------------------------

    @property
    def full(self) -> bool:
        """Whether those who wait in sight are enough for all places that are left."""
        pool = [one for one in self._store.at(WAITING) if one.place is None and self.presence.here(one.token)]
        return sum(len(match.people) for match in self._free()) <= len(pool)

    def _free(self) -> list[Planned]:
        return self.pairing.free(self.roster.begun, self._placed())

    def _placed(self) -> dict[int, Standing]:
        return {place: self._standing(one) for place, one in self._store.placed().items()}

    def _standing(self, one: Participant) -> Standing:
        """Where somebody is; who has closed the page for longer than the file allows does not come any more."""
        away = self._study.leaving.away
        closed = bool(away) and one.page != PLAY and self.presence.closed(one.token) >= away
        return Standing(one.repetition, one.page not in BETWEEN or closed)

    # -- beginning ---------------------------------------------------------------------------------------------

    def now(self) -> float:
        """Seconds that servers of this study have run."""
        return self._tables.uptime.now()

    def pause(self, paused: bool) -> None:
        """Lets all clocks stand, or go on; meanwhile no match begins."""
        with self.lock:
            self._store.pause(paused)
            uptime = self._tables.uptime
            (uptime.stop if paused else uptime.go_on)()
        self.settle()

    def settle(self) -> None:
        """Does whatever can be done now: matches begin, waits end, seats of who has left are played on."""
        if self._tables.uptime.stands:
            return
        with self.lock:
            before = None
            while before != (before := self._store.changes):  # one step may be what another waited for
                self._settle_all()

    def _settle_all(self) -> None:
        try:
            self._let_go()
        except Exception:
            self._report(traceback.format_exc())
        waiting = {one.token: one for one in self._store.at(WAITING)}
        for one in [one for one in waiting.values() if one.repetition >= self._study.matching.repetitions]:
            self._end(waiting.pop(one.token), SKIP)
        if not waiting:
            return
        waiters = sorted(map(self._waiter, waiting.values()), key=lambda one: -one.waited)
        for step in self.pairing.steps(self.roster.begun, self._placed(), waiters):
            try:
                self._take(step, waiting)
            except Exception:  # a library is missing, a budget is spent: nobody else has to wait for that
                self._report(traceback.format_exc())
                self._give_up(step, waiting)

    def _waiter(self, one: Participant) -> Waiter:
        waited = max(0.0, self.now() - one.waits_since)  # after a kill clocks go on from what was kept last
        if not self.presence.known:  # nobody's time is up while those who were there may come back
            waited = min(waited, self._study.time.waiting - 1.0)
        here = self.presence.here(one.token)
        return Waiter(one.token, one.place, one.repetition, waited, here, waited >= self._hold(one))

    def _hold(self, one: Participant) -> float:
        """Seconds that a participant waits at least, drawn anew for every match."""
        drawn = random.Random(f"{one.token}/{one.repetition}").uniform(*HOLD)
        return drawn / self._study.speed if self.blinded else 0.0

    def _report(self, error: str) -> None:
        """Tells whoever started the server, once."""
        if error != self._told:
            print(error, file=sys.stderr, flush=True)
        self._told = error

    def _take(self, step: Step, waiting: Mapping[str, Participant]) -> None:
        if step.what == BEGIN and step.match is not None:
            self._begin(step.match, {seat: waiting[name] for seat, name in step.names.items()})
        elif step.what == SKIP and not self._study.ends_stage(waiting[step.name].repetition):
            one = waiting[step.name]
            self._store.move(one, WAITING, event(one, SKIPPED), repetition=one.repetition + 1, waits_since=self.now())
        else:
            self._end(waiting[step.name], step.what)

    def _give_up(self, step: Step, waiting: Mapping[str, Participant]) -> None:
        """A match does not begin: nobody waits for it for ever."""
        for one in [waiting[name] for name in step.names.values()]:
            if self.now() - one.waits_since >= self._study.time.waiting:
                self._end(one, ALONE)

    def _begin(self, match: Planned, seats: Mapping[int, Participant]) -> None:
        """Sits everybody down who plays in a match."""
        players = [HUMAN if seat in seats else str(who) for seat, who in enumerate(match.players)]
        played = self._study.settings[match.setting]
        params = {**self._options[played.game], **played.params}
        leaving = self._study.leaving
        terms = terms_of(self._study.time.move, USUAL.player, leaving.policy, leaving.missed or LONGEST)
        row = "INSERT INTO played (study, planned, match) VALUES (?, ?, ?)"
        moved = [statement for seat, one in seats.items() for statement in to_play(one, match, seat)]
        id, seated = self._tables.new(
            played.game,
            players,
            match.seed,
            params,
            terms,
            lambda id: [(row, (self._study.name, match.number, id)), *moved],
        )
        self._store.touch(*[one.token for one in seats.values()])
        live = self._tables.live(id)
        for seat in seated:  # their time runs: nobody is to wait for who has closed the page
            live.arrive(seat.seat)

    def practise(self, one: Participant, stage: Stage, *also: Statement, **changed: Any) -> None:
        """Begins a match with programs that is none of the plan: nothing is paid for it, and no table has it."""
        players, params = self._study.practice(stage)
        seed = random.Random(f"{one.token}/{PRACTICE}").randrange(SEEDS)
        terms = terms_of(0, USUAL.player, POLICIES[0])
        self._tables.new(
            stage.game,
            players,
            seed,
            {**self._options[stage.game], **params},
            terms,
            lambda id: [*to_practice(one, id, changed), *also],
        )
        self._store.touch(one.token)

    # -- leaving -----------------------------------------------------------------------------------------------

    def _let_go(self) -> None:
        """Who has withdrawn, was excluded or has closed the page for too long leaves the match."""
        going, there = self._store.going_on(), self._store.placed()
        for number, id in going.items():
            match = self.roster.begun[number]
            for one in [there[place] for place in match.people if place in there]:
                if self._has_left(one, match) and (seat := self.seat(one, match)) is not None:
                    self._tables.live(id).leave(seat.seat)

    def _has_left(self, one: Participant, match: Planned) -> bool:
        if one.page in (WITHDRAWN, EXCLUDED):
            return True
        away, playing = self._study.leaving.away, one.page == PLAY and one.repetition == match.repetition
        return bool(away) and playing and self.presence.closed(one.token) >= away


def exclude(study: Study, store: Participants, own: Sequence[Planned], one: Participant, reason: str) -> bool:
    """Excludes a participant for a reason; the bonus so far is kept. A server that runs sees to the others.

    Args:
        study: The study.
        store: Its participants.
        own: The matches that were planned for the participant.
        one: Who.
        reason: They read it, and it stands in the export.

    Returns:
        Whether they were not excluded before.
    """
    there = store.participant(one.token)
    if there is None or there.page == EXCLUDED:
        return False
    bonus = {"bonus_cents": bonus_of(study, store, own, there).cents} if there.admitted else {}
    told = event(there, EXCLUDE, by=OPERATOR, reason=reason)
    return store.move(there, EXCLUDED, told, excluded_reason=reason, **bonus)
