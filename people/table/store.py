"""Where matches in the browser are kept: one SQLite file, to which moves are only ever added."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, local
from typing import Any, NamedTuple

from econzoo.envs.core.files import wrap_read_errors
from econzoo.envs.core.record.record import Record, Turn
from econzoo.evaluate.run.table import Match
from econzoo.people.table.terms import DEFAULT_TERMS, Absence, Terms

CHECKPOINT = 5.0
"""Seconds after which the file itself has what was written beside it, so that a copy of it alone is of use."""

SECRET_BYTES = 18
"""Bytes of the secret in the address of a seat, and of a match: 144 bits."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS matches (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, params TEXT NOT NULL, options TEXT NOT NULL, players TEXT NOT NULL,
    seed INTEGER NOT NULL, record TEXT);
CREATE TABLE IF NOT EXISTS terms (match TEXT PRIMARY KEY REFERENCES matches, terms TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS absences (
    match TEXT NOT NULL REFERENCES matches, seat INTEGER NOT NULL, turn INTEGER NOT NULL, why TEXT NOT NULL,
    by TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (match, seat, turn));
CREATE TABLE IF NOT EXISTS seats (
    token TEXT PRIMARY KEY, match TEXT NOT NULL REFERENCES matches, seat INTEGER NOT NULL, UNIQUE (match, seat));
CREATE TABLE IF NOT EXISTS turns (
    match TEXT NOT NULL REFERENCES matches, number INTEGER NOT NULL, turn TEXT NOT NULL, PRIMARY KEY (match, number));
CREATE TABLE IF NOT EXISTS moves (
    match TEXT NOT NULL REFERENCES matches, seat INTEGER NOT NULL, number INTEGER NOT NULL, reply TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (match, seat, number));
CREATE TABLE IF NOT EXISTS moments (
    match TEXT NOT NULL REFERENCES matches, seat INTEGER NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (match, seat, number));
CREATE TABLE IF NOT EXISTS uptime (one INTEGER PRIMARY KEY CHECK (one = 1), seconds REAL NOT NULL);
"""


MEMORY = ":memory:"
"""In place of a path: nothing is kept."""

Statement = tuple[str, Sequence[Any]]
"""Of SQL, with its values."""

ExtraStatements = Callable[[str], Sequence[Statement]]


class Seat(NamedTuple):
    """A seat that a person has.

    Attributes:
        token: The secret in its address.
        match: Id of the match here.
        seat: Its number.
    """

    token: str
    match: str
    seat: int


class MatchState(NamedTuple):
    """What is kept of a match.

    Attributes:
        id: Of the match here.
        match: What is played.
        turns: All answers so far, in order.
        terms: How long moves may take, and what follows.
        absences: Seats whose players left, failed or were replaced, in order.
        record: Of the match that has ended; None: it goes on.
    """

    id: str
    match: Match
    turns: list[Turn]
    terms: Terms
    absences: list[Absence]
    record: Record | None


class Store:
    """The matches of a file, which is made if it does not exist. Threads may share it.

    Every change is one transaction: a process that is killed loses nothing that was answered.

    Args:
        path: The file.
        durable: Whether not even a power cut may lose what was answered; every change takes longer then.
        read_only: Whether it is only read, as another process may write to it; it must exist then.

    Raises:
        ValueError: The file is damaged.
    """

    def __init__(self, path: str | Path, durable: bool = False, read_only: bool = False) -> None:
        self._lock, self._read_only, self._closed = Lock(), read_only, False
        self._read_lock = Lock()  # who reads does not wait until something is on the disk
        self._flushing, self._written, self._flushed, self._thread_state = Lock(), 0, 0, local()
        self._log: int | None = None
        self._checked, self._changes = time.monotonic(), 0
        if read_only:
            address = f"{Path(path).resolve().as_uri()}?mode=ro"
            self._db = self._read_connection = sqlite3.connect(address, uri=True, check_same_thread=False)
            return
        with wrap_read_errors(path, sqlite3.DatabaseError):
            self._db = sqlite3.connect(path, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(SCHEMA)
            in_memory = str(path) == MEMORY  # where another connection would see another file
            self._read_connection = self._db if in_memory else sqlite3.connect(path, check_same_thread=False)
        if durable:
            try:
                self._log = os.open(f"{path}-wal", os.O_RDWR)
            except OSError:  # where it cannot be opened, SQLite does it, one change after the other
                self._db.execute("PRAGMA synchronous=FULL")

    def _execute(self, *statements: Statement) -> int:
        """Runs statements as one transaction; returns how many rows the last one changed."""
        with self._lock:
            changed = self._execute_locked(statements)
        self._flush()
        return changed

    def _execute_lazily(self, *statements: Statement) -> None:
        """Runs statements as one transaction that outlives the process, but is on the disk with the next one only."""
        with self._lock:
            self._execute_locked(statements)

    def _execute_locked(self, statements: Sequence[Statement]) -> int:
        with self._db:
            changed = [self._db.execute(text, values).rowcount for text, values in statements][-1]
        self._written += 1
        return changed

    def _flush(self) -> None:
        """Waits until what was written is on the disk; those who wait at the same time wait for the same."""
        if self._log is None or getattr(self._thread_state, "defers", False):
            return
        wanted = self._written
        with self._flushing:
            if self._flushed < wanted:
                written = self._written
                os.fsync(self._log)
                self._flushed = written

    @contextmanager
    def batch_flush(self) -> Iterator[None]:
        """What is written within is on the disk when it ends, not before: nobody holds a lock until it is."""
        before, self._thread_state.defers = getattr(self._thread_state, "defers", False), True
        try:
            yield
        finally:
            self._thread_state.defers = before
            self._flush()

    def _rows(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._read_lock:
            return self._read_connection.execute(text, values).fetchall()

    def add_match(
        self, match: Match, people: Sequence[int], terms: Terms = DEFAULT_TERMS, also: ExtraStatements | None = None
    ) -> tuple[str, list[Seat]]:
        """A new match: its id here, and a seat with a secret for each of the people.

        Args:
            match: What is played.
            people: Their seats.
            terms: How long moves may take, and what follows.
            also: From the id, the statements that are part of the same transaction.
        """
        id = secrets.token_urlsafe(SECRET_BYTES)  # not that of the record: people may play the same match again
        seats = [Seat(secrets.token_urlsafe(SECRET_BYTES), id, seat) for seat in people]
        told = [json.dumps(part) for part in (match.params, match.options, match.players)]
        row = (id, match.game, *told, match.seed)
        self._execute(
            ("INSERT INTO matches (id, game, params, options, players, seed) VALUES (?, ?, ?, ?, ?, ?)", row),
            ("INSERT INTO terms (match, terms) VALUES (?, ?)", (id, json.dumps(terms._asdict()))),
            *[("INSERT INTO seats (token, match, seat) VALUES (?, ?, ?)", seat) for seat in seats],
            *(also(id) if also else ()),
        )
        return id, seats

    def seat(self, token: str) -> Seat | None:
        """The seat with a secret, or None."""
        found = self._rows("SELECT token, match, seat FROM seats WHERE token = ?", token)
        return Seat(*found[0]) if found else None

    def seats(self, match: str) -> list[Seat]:
        """The people of a match."""
        return [Seat(*row) for row in self._rows("SELECT token, match, seat FROM seats WHERE match = ?", match)]

    def match(self, id: str) -> MatchState:
        """What is kept of a match.

        Raises:
            KeyError: There is none.
        """
        text = "SELECT game, params, options, players, seed, record FROM matches WHERE id = ?"
        rows = self._rows(text, id)
        if not rows:
            raise KeyError(id)
        game, params, options, players, seed, record = rows[0]
        match = Match(game, json.loads(params), json.loads(options), tuple(json.loads(players)), seed)
        turns = self._rows("SELECT turn FROM turns WHERE match = ? ORDER BY number", id)
        ended = Record.from_json(record) if record else None
        played = [Turn(**json.loads(turn)) for (turn,) in turns]
        return MatchState(id, match, played, self._terms(id), self._absences(id), ended)

    def _terms(self, match: str) -> Terms:
        rows = self._rows("SELECT terms FROM terms WHERE match = ?", match)
        return Terms(**json.loads(rows[0][0])) if rows else DEFAULT_TERMS

    def _absences(self, match: str) -> list[Absence]:
        text = "SELECT seat, turn, why, by, reason FROM absences WHERE match = ? ORDER BY turn, seat"
        return [Absence(*row) for row in self._rows(text, match)]

    def record_line(self, id: str) -> str | None:
        """The record of a match that has ended, as it is kept; None: it goes on.

        Raises:
            KeyError: There is no such match.
        """
        rows = self._rows("SELECT record FROM matches WHERE id = ?", id)
        if not rows:
            raise KeyError(id)
        return rows[0][0]

    def list_matches(self) -> list[tuple[str, str, list[str], bool]]:
        """(id, game, players, whether it has ended) of all matches, the newest first."""
        rows = self._rows("SELECT id, game, players, record IS NOT NULL FROM matches ORDER BY rowid DESC")
        return [(id, game, json.loads(players), bool(ended)) for id, game, players, ended in rows]

    def add_answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Adds the answer that a person has given; of several to the same question the first one counts.

        Args:
            seat: Whose.
            number: How many this seat had given before.
            reply: As the text faces read it.

        Returns:
            Whether it counts.
        """
        text = "INSERT OR IGNORE INTO moves (match, seat, number, reply) VALUES (?, ?, ?, ?)"
        return self._execute((text, (seat.match, seat.seat, number, reply))) == 1

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """(seat, number) to every answer that people have given."""
        rows = self._rows("SELECT seat, number, reply FROM moves WHERE match = ?", match)
        return {(seat, number): reply for seat, number, reply in rows}

    def add_turns(self, match: str, number: int, turns: Sequence[Turn], *also: Statement) -> None:
        """Adds turns, whoever's.

        Args:
            match: Id.
            number: How many there were before.
            turns: In order.
            *also: Statements of the same transaction.
        """
        text = "INSERT OR IGNORE INTO turns (match, number, turn) VALUES (?, ?, ?)"
        rows = [(match, place, json.dumps(turn.fields())) for place, turn in enumerate(turns, start=number)]
        if rows:
            self._execute(*[(text, row) for row in rows], *also)

    def add_absence(self, match: str, absence: Absence, *also: Statement) -> None:
        """Keeps that no answer came, and who has taken the seat; `also` as in `add_turns`."""
        text = "INSERT OR IGNORE INTO absences (match, seat, turn, why, by, reason) VALUES (?, ?, ?, ?, ?, ?)"
        self._execute((text, (match, *absence)), *also)

    def add_moment(self, match: str, seat: int, number: int, at: float) -> None:
        """Keeps a moment, in seconds of `uptime`: of several for the same the first one counts."""
        text = "INSERT OR IGNORE INTO moments (match, seat, number, at) VALUES (?, ?, ?, ?)"
        self._execute_lazily((text, (match, seat, number, at)))

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """(seat, number) to when it was."""
        rows = self._rows("SELECT seat, number, at FROM moments WHERE match = ?", match)
        return {(seat, number): at for seat, number, at in rows}

    def save_uptime(self, seconds: float) -> None:
        """Keeps how long servers have run in all."""
        self._execute_lazily(("INSERT OR REPLACE INTO uptime (one, seconds) VALUES (1, ?)", (seconds,)))

    def uptime(self) -> float:
        """How long servers have run in all, as far as it is known."""
        text = "SELECT max(coalesce((SELECT seconds FROM uptime), 0), coalesce((SELECT max(at) FROM moments), 0))"
        return float(self._rows(text)[0][0])

    def total_spending(self) -> tuple[float, int]:
        """What models have cost in all matches: US dollars, and tokens read and written."""
        turns = [json.loads(turn) for (turn,) in self._rows("SELECT turn FROM turns")]
        return sum(turn["cost"] for turn in turns), sum(sum(turn["tokens"]) for turn in turns)

    def save_record(self, id: str, record: Record) -> bool:
        """Keeps the record of a match; returns whether there was none before."""
        text = "UPDATE matches SET record = ? WHERE id = ? AND record IS NULL"
        return self._execute((text, (record.to_json(), id))) == 1

    def checkpoint(self) -> None:
        """Writes into the file itself what stands beside it, if the last time is a while ago; waits for no reader."""
        if time.monotonic() - self._checked >= CHECKPOINT:
            with self._lock:
                self._write_through()

    def _write_through(self) -> None:
        self._checked = time.monotonic()
        if self._db.total_changes != self._changes and not self._read_only:
            self._changes = self._db.total_changes
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            if not self._closed:
                self._write_through()
            if self._log is not None and not self._closed:
                os.close(self._log)
            self._log, self._closed = None, True
            self._db.close()
        with self._read_lock:
            self._read_connection.close()
