"""All matches in the browser, stored and running."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Event, Lock, Thread
from typing import Any

from econzoo.baselines import Player, is_person
from econzoo.baselines import player as make_player
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.run import EnvPool, MatchTable, PlayerCache
from econzoo.people.table.clocks import Uptime, run_clock
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.match_setup import build_match, people_seats, restore_match
from econzoo.people.table.person import Person
from econzoo.people.table.player_threads import Desk
from econzoo.people.table.store import ExtraStatements, MatchState, Seat, Store
from econzoo.people.table.terms import DEFAULT_TERMS, Terms

ADVANCE_TIMEOUT = 1.0
"""Maximum seconds that a page waits for other players' moves."""

MAX_OPEN = 500
"""Matches in memory above which finished ones are dropped."""

TICK = 0.2
"""Seconds between two checks of the clocks."""


class Tables:
    """All matches of a store; running ones stay in memory.

    Args:
        make_desk: Derives the desk of a match from the shared one; None: the shared one.
    """

    def __init__(
        self,
        store: Store,
        records: RecordFile,
        terms: Terms = DEFAULT_TERMS,
        make_desk: Callable[[Desk], Desk] | None = None,
    ) -> None:
        self.store, self.records, self.terms = store, records, terms
        self._live: dict[str, LiveMatch] = {}
        self._lock, self._desk, self._closed, self.uptime = Lock(), Desk(), Event(), Uptime(store)
        self._make_desk = make_desk or (lambda desk: desk)
        self._casts: dict[str, PlayerCache] = {}
        self._clock: Thread | None = None

    def create_match(
        self,
        game: str,
        players: Sequence[str],
        seed: int,
        params: dict[str, Any],
        terms: Terms | None = None,
        also: ExtraStatements | None = None,
    ) -> tuple[str, list[Seat]]:
        """Create a match; return its id and the seats of its people; `also` as in `Store.add_match`."""
        match, match_terms = build_match(game, players, seed, params, terms or self.terms)
        seated = [make_player(spec, game) if is_person(spec) else self._make_player(game, spec) for spec in players]
        MatchTable(match, seated, EnvPool())  # raises if a player cannot take its seat
        return self.store.add_match(match, people_seats(players), match_terms, also)

    def _restore_match(self, stored: MatchState) -> tuple[MatchTable, dict[int, Person]]:
        return restore_match(stored, partial(self._make_player, stored.match.game))

    def _make_player(self, game: str, spec: str) -> Player:
        """A player for one seat; its model is shared by all matches."""
        return self._casts.setdefault(game, PlayerCache(game))(spec).fork()

    def open_match(self, id: str) -> LiveMatch:
        """Return a match, opening it if necessary."""
        with self._lock:
            if opened := id not in self._live:
                if len(self._live) >= MAX_OPEN:  # finished ones are reopened on demand
                    self._live = {other: live for other, live in self._live.items() if not live.is_over}
                stored = self.store.match(id)
                desk = self._make_desk(self._desk)
                live = LiveMatch(stored, self.store, self.records, self._restore_match, desk, self.uptime)
                live.advance()  # first, since answers are rejected until a question is open
                self._live[id] = live
                self._watch_clock()
            live = self._live[id]
        # Outside of the lock, since it waits for players and others open their matches.
        if opened:
            self.advance(live)
        return live

    def advance(self, live: LiveMatch, patience: float = ADVANCE_TIMEOUT) -> None:
        """Let the other players move, and wait for them up to `patience` seconds."""
        live.advance()
        live.players_idle.wait(patience)

    def _watch_clock(self) -> None:
        if self._clock is None:
            self._clock = Thread(target=run_clock, args=(self._tick, TICK, self._closed), daemon=True, name="clock")
            self._clock.start()

    def _tick(self) -> None:
        matches = list(self._live.values())
        # Saved only while a time limit runs: otherwise an idle server would write every second.
        if any(live.terms.person_seconds and live.awaited_seats for live in matches):
            self.uptime.beat()
        self.store.checkpoint()
        for live in matches:
            live.tick()

    def close(self) -> None:
        """Stop the clock and close the store."""
        self._closed.set()
        if self._clock is not None:
            self._clock.join()  # it writes to the store
        self.store.close()
