"""Who plays when: matches of the plan begin as soon as their participants wait, and nobody waits for who has gone."""

from __future__ import annotations

import random
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

from econzoo.people.participation.participants import (
    EXCLUDED,
    PLAY,
    SKIPPED,
    WAITING,
    WITHDRAWN,
    Participants,
    event,
    to_play,
)
from econzoo.people.study.bonus import bonus_of
from econzoo.people.study.declaration import Study
from econzoo.people.study.matching import Planned, matches_of_places, plan_matches
from econzoo.people.study.study_data import Participant
from econzoo.people.study.waiting import ALONE, BEGIN, HOLD, SKIP, players_of, verdict
from econzoo.people.table.store import Seat
from econzoo.people.table.terms import USUAL, terms_of

if TYPE_CHECKING:
    from econzoo.people.table.clocks import Uptime
    from econzoo.people.table.live import LiveMatch
    from econzoo.people.table.tables import Tables


AWAY = 15.0
"""Seconds without a sign of an open page after which somebody is away; pages without a script ask every few."""


class Presence:
    """When the page of everybody was last open, as this server knows it.

    Args:
        uptime: Of the server; nobody goes away while clocks stand.
    """

    def __init__(self, uptime: Uptime) -> None:
        self._uptime, self._seen = uptime, dict[str, float]()

    def _now(self) -> float:
        return time.monotonic() - self._uptime.lost

    def seen(self, token: str) -> None:
        """A page is open: it was asked for, or its stream is listened to."""
        self._seen[token] = self._now()

    def here(self, token: str) -> bool:
        """Whether it was open a moment ago."""
        seen = self._seen.get(token)
        return seen is not None and self._now() - seen < AWAY


Ready = Mapping[int, Participant]
"""Who waits for a match, by place."""


class Seating:
    """Begins the matches of a study.

    Args:
        study: The study.
        store: Its participants.
        tables: Where matches are played.
        options: Of all matches.
        end: Takes a participant to the end; told whether it is because nobody else came.

    Attributes:
        plan: All matches of the study.
        blinded: Whether participants must not learn who is a program.
        presence: Whose page is open; who is away is not matched.
    """

    def __init__(
        self,
        study: Study,
        store: Participants,
        tables: Tables,
        options: Mapping[str, Any],
        end: Callable[[Participant, bool], None],
    ) -> None:
        self._study, self._store, self._tables, self._options, self._end = study, store, tables, options, end
        self.plan = plan_matches(study)
        self.blinded = any(arm.blinded for arm in study.arms)
        self.lock, self._told, self.presence = RLock(), "", Presence(tables.uptime)
        self._own = matches_of_places(self.plan)

    # -- whose match -------------------------------------------------------------------------------------------

    def own(self, one: Participant) -> list[Planned]:
        """The matches of a participant, in order."""
        return [] if one.place is None else self._own.get(one.place, [])

    def current(self, one: Participant) -> Planned | None:
        """The match that a participant waits for or plays; None: all are behind them."""
        own = self.own(one)
        return own[one.repetition] if one.repetition < len(own) else None

    def seat(self, one: Participant, match: Planned | None = None) -> Seat | None:
        """The seat of a participant in a match, by default the current one; None: it has none, or has not begun."""
        match = match or self.current(one)
        id = None if match is None else self._store.match_of(match.number)
        if match is None or id is None or one.place is None:
            return None
        taken = match.players.index(one.place)
        return next((seat for seat in self._store.seats(id) if seat.seat == taken), None)

    def live(self, one: Participant) -> LiveMatch | None:
        """The current match of a participant; None: it has not begun."""
        match = self.current(one)
        id = None if match is None else self._store.match_of(match.number)
        return None if id is None else self._tables.live(id)

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
        waiting: dict[int, dict[int, Participant]] = {}
        for one in self._store.at(WAITING):
            match = self.current(one)
            if match is None:
                self._end(one, False)
            elif one.place is not None:
                waiting.setdefault(match.number, {})[one.place] = one
        for number in sorted(waiting):
            try:
                self._settle(self.plan[number], waiting[number])
            except Exception:  # a library is missing, a budget is spent: nobody else has to wait for that
                self._report(traceback.format_exc())
                self._give_up(waiting[number])
        try:
            self._let_go()
        except Exception:
            self._report(traceback.format_exc())

    def _report(self, error: str) -> None:
        """Tells whoever started the server, once."""
        if error != self._told:
            print(error, file=sys.stderr, flush=True)
        self._told = error

    def _give_up(self, ready: Ready) -> None:
        """A match does not begin: nobody waits for it for ever."""
        for one in ready.values():
            if self._waited(one) >= self._study.time.waiting:
                self._end(one, True)

    def _settle(self, match: Planned, ready: Ready) -> None:
        if self._store.match_of(match.number) is not None:  # it has begun without them
            self._skip(ready)
            return
        here = {place: one for place, one in ready.items() if self.presence.here(one.token)}
        known = self._store.placed([place for place in match.people if place not in ready])
        gone = [place for place, one in known.items() if self._past(one, match)]
        waited = {place: self._waited(one) for place, one in ready.items()}
        held = all(waited[place] >= self._hold(one) for place, one in here.items())
        what = verdict(self._study, match.people, waited, here, gone, held)
        if what == SKIP:
            self._skip(ready)
        elif what == BEGIN:
            self._begin(match, here)
        elif what == ALONE:
            self._give_up(ready)

    def _past(self, other: Participant, match: Planned) -> bool:
        """Whether a participant does not come to a match any more."""
        return other.page not in (WAITING, PLAY) or other.repetition > self.own(other).index(match)

    def _waited(self, one: Participant) -> float:
        return max(0.0, self.now() - one.waits_since)  # after a kill clocks go on from what was kept last

    def _hold(self, one: Participant) -> float:
        """Seconds that a participant waits at least, drawn anew for every match."""
        return random.Random(f"{one.token}/{one.repetition}").uniform(*HOLD) if self.blinded else 0.0

    def _skip(self, ready: Ready) -> None:
        """A match that cannot be is left out; who waited for it goes on to the next one."""
        for one in ready.values():
            self._store.move(one, WAITING, event(one, SKIPPED), repetition=one.repetition + 1)
            again = self._store.participant(one.token)
            if again is not None and again.page == WAITING and self.current(again) is None:
                self._end(again, False)

    def _begin(self, match: Planned, ready: Ready) -> None:
        """Sits everybody down who waits for a match; seats of participants who do not come are taken."""
        players = players_of(self._study, match, ready)
        params = {**self._options, **self._study.settings[match.setting]}
        terms = terms_of(self._study.time.move, USUAL.player, self._study.leaving)
        moved = [statement for one in ready.values() for statement in to_play(one)]
        row = "INSERT INTO played (study, planned, match) VALUES (?, ?, ?)"
        id, seats = self._tables.new(
            self._study.game,
            players,
            match.seed,
            params,
            terms,
            lambda id: [(row, (self._study.name, match.number, id)), *moved],
        )
        self._store.changes += 1
        live = self._tables.live(id)
        for seat in seats:  # their time runs: nobody is to wait for who has closed the page
            live.arrive(seat.seat)

    # -- leaving -----------------------------------------------------------------------------------------------

    def _let_go(self) -> None:
        """Who has withdrawn or was excluded leaves the match, as soon as they are asked."""
        for number, id in self._store.going_on().items():
            there = self._store.placed(self.plan[number].people)
            for one in [one for one in there.values() if one.page in (WITHDRAWN, EXCLUDED)]:
                seat = self.seat(one, self.plan[number])
                live = None if seat is None else self._tables.live(id)
                if seat is not None and live is not None and live.leave(seat):
                    self._tables.advance(live, 0)


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
    bonus = {"bonus_cents": bonus_of(study, store, own, there).cents} if there.place is not None else {}
    return store.move(there, EXCLUDED, excluded_reason=reason, **bonus)
