"""Append-only SQLite store of matches in the browser."""

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

from econzoo.envs.core import check_format, wrap_read_errors
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.run import Match
from econzoo.people.table.terms import DEFAULT_TERMS, Absence, Terms

CHECKPOINT = 5.0
"""Maximum seconds until the write-ahead log is copied into the file, so that a copy of the file alone is usable."""

SECRET_BYTES = 18
"""Bytes of the secret in the URL of a seat or a match: 144 bits."""

SCHEMA = """
PRAGMA user_version = 1;
CREATE TABLE IF NOT EXISTS matches (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, params TEXT NOT NULL, options TEXT NOT NULL, players TEXT NOT NULL,
    seed INTEGER NOT NULL, terms TEXT NOT NULL, record TEXT);
CREATE TABLE IF NOT EXISTS absences (
    match TEXT NOT NULL REFERENCES matches, seat INTEGER NOT NULL, turn INTEGER NOT NULL, reason TEXT NOT NULL,
    player TEXT NOT NULL, error TEXT NOT NULL, PRIMARY KEY (match, seat, turn));
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
"""Stands for an in-memory store instead of a path."""

Statement = tuple[str, Sequence[Any]]
"""An SQL statement with its values."""

ExtraStatements = Callable[[str], Sequence[Statement]]


class Seat(NamedTuple):
    """A seat of a person; the token is the secret in its URL."""

    token: str
    match: str
    seat: int


class MatchState(NamedTuple):
    """A stored match.

    Attributes:
        record: Record of a finished match; None: the match is running.
    """

    id: str
    match: Match
    turns: list[Turn]
    terms: Terms
    absences: list[Absence]
    record: Record | None

    @property
    def players_by_seat(self) -> list[list[str]]:
        """Specs of the players of each seat, substitutes last."""
        return [
            [spec, *(one.player for one in self.absences if one.seat == seat and one.player)]
            for seat, spec in enumerate(self.match.players)
        ]


class Store:
    """The matches of a file, created if missing. Thread-safe.

    Every change is one transaction: a killed process loses no answer.

    Args:
        read_only: Whether to open an existing file for reading only, since another process may write to it.
    """

    def __init__(self, path: str | Path, durable: bool = False, read_only: bool = False) -> None:
        self._lock, self._read_only, self._closed = Lock(), read_only, False
        self._read_lock = Lock()  # readers do not wait for the disk
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
            # With write-ahead logging, NORMAL keeps commits through a killed process but not through a power cut.
            self._db.execute("PRAGMA synchronous=NORMAL")
            if self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                check_format(str(path), self._db.execute("PRAGMA user_version").fetchone()[0])
            self._db.executescript(SCHEMA)
            in_memory = str(path) == MEMORY  # another connection would open another database
            self._read_connection = self._db if in_memory else sqlite3.connect(path, check_same_thread=False)
        if durable:
            try:
                # Flushed here rather than by SQLite (FULL), which would flush each commit while it holds the lock.
                self._log = os.open(f"{path}-wal", os.O_RDWR)
            except OSError:  # fall back to SQLite's own flush, one change at a time
                self._db.execute("PRAGMA synchronous=FULL")

    def _execute(self, *statements: Statement) -> int:
        """Run statements as one transaction; return the number of rows that the last one changed."""
        with self._lock:
            changed = self._execute_locked(statements)
        self._flush()
        return changed

    def _execute_lazily(self, *statements: Statement) -> None:
        """Run statements as one transaction that survives the process but is flushed to disk with the next one."""
        with self._lock:
            self._execute_locked(statements)

    def _execute_locked(self, statements: Sequence[Statement]) -> int:
        with self._db:
            changed = [self._db.execute(text, values).rowcount for text, values in statements][-1]
        self._written += 1
        return changed

    def _flush(self) -> None:
        """Wait until all writes are on disk; concurrent callers share one flush."""
        if self._log is None or getattr(self._thread_state, "defers", False):
            return
        wanted = self._written
        with self._flushing:
            if self._flushed < wanted:
                # Read before the flush: a write during it may not be included.
                written = self._written
                os.fsync(self._log)
                self._flushed = written

    @contextmanager
    def batch_flush(self) -> Iterator[None]:
        """Defer the flush to the end of the context, so that no lock is held during it."""
        outer, self._thread_state.defers = getattr(self._thread_state, "defers", False), True
        try:
            yield
        finally:
            self._thread_state.defers = outer
            self._flush()

    def _rows(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._read_lock:
            return self._read_connection.execute(text, values).fetchall()

    def add_match(
        self, match: Match, people: Sequence[int], terms: Terms = DEFAULT_TERMS, also: ExtraStatements | None = None
    ) -> tuple[str, list[Seat]]:
        """Add a match; return its id and a seat for each of the `people`, given by their seat indices.

        Args:
            also: Maps the id to further statements of the same transaction.
        """
        id = secrets.token_urlsafe(SECRET_BYTES)  # not that of the record, as people may play the same match again
        seats = [Seat(secrets.token_urlsafe(SECRET_BYTES), id, seat) for seat in people]
        texts = [json.dumps(part) for part in (match.params, match.options, match.players)]
        row = (id, match.game, *texts, match.seed, json.dumps(terms._asdict()))
        self._execute(
            ("INSERT INTO matches (id, game, params, options, players, seed, terms) VALUES (?, ?, ?, ?, ?, ?, ?)", row),
            *[("INSERT INTO seats (token, match, seat) VALUES (?, ?, ?)", seat) for seat in seats],
            *(also(id) if also else ()),
        )
        return id, seats

    def seat(self, token: str) -> Seat | None:
        rows = self._rows("SELECT token, match, seat FROM seats WHERE token = ?", token)
        return Seat(*rows[0]) if rows else None

    def seats(self, match: str) -> list[Seat]:
        """Seats of the people of a match."""
        return [Seat(*row) for row in self._rows("SELECT token, match, seat FROM seats WHERE match = ?", match)]

    def match(self, id: str) -> MatchState:
        """Load a match; KeyError if there is none."""
        text = "SELECT game, params, options, players, seed, terms, record FROM matches WHERE id = ?"
        rows = self._rows(text, id)
        if not rows:
            raise KeyError(id)
        game, params, options, players, seed, terms, record = rows[0]
        match = Match(game, json.loads(params), json.loads(options), tuple(json.loads(players)), seed)
        turns = self._rows("SELECT turn FROM turns WHERE match = ? ORDER BY number", id)
        ended = Record.from_json(record) if record else None
        played = [Turn(**json.loads(turn)) for (turn,) in turns]
        return MatchState(id, match, played, Terms(**json.loads(terms)), self._absences(id), ended)

    def _absences(self, match: str) -> list[Absence]:
        text = "SELECT seat, turn, reason, player, error FROM absences WHERE match = ? ORDER BY turn, seat"
        return [Absence(*row) for row in self._rows(text, match)]

    def record_line(self, id: str) -> str | None:
        """JSON line of the record of a finished match; None: the match is running. KeyError if there is none."""
        rows = self._rows("SELECT record FROM matches WHERE id = ?", id)
        if not rows:
            raise KeyError(id)
        return rows[0][0]

    def list_matches(self) -> list[tuple[str, str, list[str], bool]]:
        """(id, game, players, whether it is finished) of all matches, newest first."""
        rows = self._rows("SELECT id, game, players, record IS NOT NULL FROM matches ORDER BY rowid DESC")
        return [(id, game, json.loads(players), bool(ended)) for id, game, players, ended in rows]

    def add_answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Add an answer of a person; only the first answer to a question counts.

        Args:
            number: Number of earlier answers of the seat.

        Returns:
            Whether the answer counts.
        """
        text = "INSERT OR IGNORE INTO moves (match, seat, number, reply) VALUES (?, ?, ?, ?)"
        return self._execute((text, (seat.match, seat.seat, number, reply))) == 1

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """Answers of people by (seat, number)."""
        rows = self._rows("SELECT seat, number, reply FROM moves WHERE match = ?", match)
        return {(seat, number): reply for seat, number, reply in rows}

    def add_turns(self, match: str, number: int, turns: Sequence[Turn], *also: Statement) -> None:
        """Add turns of any players.

        Args:
            number: Number of earlier turns.
            *also: Further statements of the same transaction.
        """
        text = "INSERT OR IGNORE INTO turns (match, number, turn) VALUES (?, ?, ?)"
        rows = [(match, place, json.dumps(turn.fields())) for place, turn in enumerate(turns, start=number)]
        if rows:
            self._execute(*[(text, row) for row in rows], *also)

    def add_absence(self, match: str, absence: Absence, *also: Statement) -> None:
        """Add an absence; `also` as in `add_turns`."""
        text = "INSERT OR IGNORE INTO absences (match, seat, turn, reason, player, error) VALUES (?, ?, ?, ?, ?, ?)"
        self._execute((text, (match, *absence)), *also)

    def add_moment(self, match: str, seat: int, number: int, at: float) -> None:
        """Add a time in seconds of `uptime`; only the first one of a seat and number counts."""
        text = "INSERT OR IGNORE INTO moments (match, seat, number, at) VALUES (?, ?, ?, ?)"
        self._execute_lazily((text, (match, seat, number, at)))

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """Times by (seat, number), in seconds of `uptime`."""
        rows = self._rows("SELECT seat, number, at FROM moments WHERE match = ?", match)
        return {(seat, number): at for seat, number, at in rows}

    def save_uptime(self, seconds: float) -> None:
        """Save the total running time of servers."""
        self._execute_lazily(("INSERT OR REPLACE INTO uptime (one, seconds) VALUES (1, ?)", (seconds,)))

    def uptime(self) -> float:
        """Total running time of servers in seconds, as last saved."""
        # A moment can be later than the last beat, and time must not run backwards.
        text = "SELECT max(coalesce((SELECT seconds FROM uptime), 0), coalesce((SELECT max(at) FROM moments), 0))"
        return float(self._rows(text)[0][0])

    def total_spending(self) -> tuple[float, int]:
        """Total spending of models: US dollars, and tokens read and written."""
        turns = [json.loads(turn) for (turn,) in self._rows("SELECT turn FROM turns")]
        return sum(turn["cost"] for turn in turns), sum(sum(turn["tokens"]) for turn in turns)

    def save_record(self, id: str, record: Record) -> bool:
        """Save the record of a match; return whether it had none."""
        text = "UPDATE matches SET record = ? WHERE id = ? AND record IS NULL"
        return self._execute((text, (record.to_json(), id))) == 1

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file, at most every `CHECKPOINT` seconds; do not wait for readers."""
        if time.monotonic() - self._checked >= CHECKPOINT:
            with self._lock:
                self._write_through()

    def _write_through(self) -> None:
        self._checked = time.monotonic()
        if self._db.total_changes != self._changes and not self._read_only:
            self._changes = self._db.total_changes
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._write_through()
            if self._log is not None and not self._closed:
                os.close(self._log)
            self._log, self._closed = None, True
            self._db.close()
        with self._read_lock:
            self._read_connection.close()
