"""A match in the browser: the table of every match, at which people are asked and answer whenever they do.

What is kept are its turns. A match is a fold over them: whoever opens it anew, after a reload or a crash, goes through
them once more (`econzoo.evaluate.resuming.go_through`), and everything must come out as it is kept.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import Any

from econzoo.baselines.factory import is_person
from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import Player
from econzoo.envs.core.record.record import Record, RecordFile
from econzoo.evaluate.resuming import go_through
from econzoo.evaluate.table import EnvPool, Match, Table, new_match, worded
from econzoo.evaluate.web.person import Person
from econzoo.evaluate.web.store import Kept, Seat, Store

PATIENCE = 1.0
"""Seconds that a page waits for the others' moves before it is shown without them."""

MOST_OPEN = 500
"""Matches in memory above which those that are over are let go."""

THREADS = 8
"""Matches at once whose players think."""


class LiveMatch:
    """A match that people play now.

    Args:
        kept: What is kept of it.
        store: Where its moves go.
        records: Where its record goes.

    Attributes:
        people: The persons by seat.
        thinking: The seat of a player that is no person and moves now, and since when; or None.
        record: Of the match that has ended, or None.
        trouble: Why the match stands still, if it does; else empty.

    Raises:
        ValueError: It cannot be played on as it was: another version of the game, or a player that is unknown.
    """

    def __init__(self, kept: Kept, store: Store, records: RecordFile) -> None:
        self._id, self._store, self._records = kept.id, store, records
        self.record: Record | None = kept.record
        self._lock, self._closed, self.trouble = Lock(), False, ""
        self.thinking: tuple[int, float] | None = None
        self._given: dict[int, tuple[str, float]] = {}
        players = [self._seated(spec, kept.match.game) for spec in kept.match.players]
        self.people = {seat: one for seat, one in enumerate(players) if isinstance(one, Person)}
        self._table = Table(kept.match, players, EnvPool(), on_error="failed")
        self._go_through(kept)

    @staticmethod
    def _seated(spec: str, game: str) -> Player:
        return Person(spec) if is_person(spec) else make_player(spec, game)

    def _go_through(self, kept: Kept) -> None:
        table = self._table
        table.recalling = True
        for number, turn in enumerate(kept.turns, start=1):
            for problem in go_through(table, number, turn):
                raise ValueError(f"the match cannot go on as it was: {problem}")
        table.recalling = False
        if kept.left_by is not None:
            self.people[kept.left_by].leaving = True
        if kept.record is not None and not table.over:
            table.record.status = kept.record.status  # a player had failed

    @property
    def match(self) -> Match:
        """What is played."""
        return self._table.match

    @property
    def so_far(self) -> Record:
        """The record; while the match goes on, of what was played until now, as if it were paused."""
        if self.record is not None:
            return self.record
        env, record = self._table.env, self._table.record
        turns = list(record.turns)  # before the draws: these may be ahead of the turns, and never behind
        ruled = list(env.rulings) if env.game.referee else None
        return replace(record, turns=turns, chance=list(env.chance_draws), rulings=ruled, status="paused")

    @property
    def turns(self) -> int:
        """How many were played."""
        return len(self._table.record.turns)

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.record is not None

    @property
    def waits_for(self) -> list[int]:
        """The seats whose people are asked and have not answered."""
        return [seat for seat, person in self.people.items() if person.asked is not None]

    def answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Plays the answer of a person.

        Args:
            seat: Whose.
            number: How many this seat had given before.
            reply: Checked already.

        Returns:
            Whether it was played: not if that question had been answered before.
        """
        person = self.people[seat.seat]
        with self._lock:
            if person.asked is None or person.answers != number or not self._store.answered(seat, number, reply):
                return False
            self._take(person, reply)
        return True

    def _take(self, person: Person, reply: str) -> None:
        """An answer that is played when it is that seat's turn."""
        assert person.asked is not None
        self._given[person.seat] = reply, time.monotonic() - person.asked.since
        person.answered(reply)

    def leave(self, seat: Seat) -> bool:
        """The person of a seat leaves when it is its turn; possible when it is asked."""
        person = self.people[seat.seat]
        with self._lock:
            if person.asked is None:
                return False
            self._store.left(seat)
            person.leaving, person.asked = True, None
        return True

    def advance(self) -> None:
        """Lets everybody move until a person is to move whose answer is not there, or the match has ended."""
        with self._lock:
            try:
                while not self._table.over and self._moved():
                    pass
                if self._table.over and not self._closed:
                    self._close()
            except Exception as error:  # a library is missing, a budget is spent: whoever started the server reads it
                self.trouble = worded(error)
            finally:
                self.thinking = None

    def _moved(self) -> bool:
        """Whether the player to move has moved."""
        table, before = self._table, self.turns
        self._ask()
        if not isinstance(table.player, Person):
            self.thinking = table.seat, time.monotonic()
            table.ask()
            self.thinking = None
        elif table.player.leaving:
            table.ask()
        elif table.seat in self._given:
            table.answer(*self._given.pop(table.seat))
        else:
            return False
        self._store.played(self._id, before, table.record.turns[before:])
        return True

    def _ask(self) -> None:
        """Asks the people whose moves are awaited: several at once where they choose at once."""
        env = self._table.env
        for agent in env.awaited:
            person = self.people.get(seat := env.possible_agents.index(agent))
            if person is None or person.leaving or person.asked is not None or seat in self._given:
                continue
            legal = env.legal(agent)
            person.ask(env.face(agent).observe(env.seen(agent)._replace(legal=legal)), legal)
            reply = self._store.answers(self._id).get((seat, person.answers))
            if reply is not None:  # it was kept, and the process killed before it was played
                self._take(person, reply)

    def _close(self) -> None:
        self._closed, record = True, self._table.close()
        for person in self.people.values():
            person.asked = None
        if self._store.ended(self._id, record):
            self._records.append(record)
        self.record = self.record or record


class Tables:
    """All matches of a store; those that are played now stay in memory.

    Args:
        store: Where they are kept.
        records: Where records go.
    """

    def __init__(self, store: Store, records: RecordFile) -> None:
        self.store, self.records = store, records
        self._live: dict[str, LiveMatch] = {}
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="match")

    def new(self, game: str, players: list[str], seed: int, params: dict[str, Any]) -> tuple[str, list[Seat]]:
        """A new match: its id, and the seats of its people.

        Raises:
            ValueError: A player, a parameter or the number of players is not allowed.
        """
        match = new_match(game, players, seed, **params)
        seated = [make_player(spec, game) for spec in players]
        Table(match, seated, EnvPool())  # everybody can sit there
        return self.store.add(match, [seat for seat, spec in enumerate(players) if is_person(spec)])

    def live(self, id: str) -> LiveMatch:
        """A match, opened if it is not.

        Raises:
            ValueError: It cannot be played on.
        """
        with self._lock:
            if opened := id not in self._live:
                if len(self._live) >= MOST_OPEN:  # those that are over are opened anew if somebody looks at them
                    self._live = {other: live for other, live in self._live.items() if not live.over}
                self._live[id] = LiveMatch(self.store.match(id), self.store, self.records)
            live = self._live[id]
        if opened:
            self.advance(live)
        return live

    def advance(self, live: LiveMatch, patience: float = PATIENCE) -> None:
        """Lets the others move, and waits for them a little."""
        going: Future[None] = self._threads.submit(live.advance)
        with suppress(TimeoutError):
            going.result(patience)

    def close(self) -> None:
        """Lets go of everything."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.store.close()
