"""Store of a study's participants: pages, answers, events and payments, beside its matches."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.faces import LEFT, TIMEOUT
from econzoo.envs.core.record import Turn
from econzoo.people.participation.page_names import APPROVE, CONSENT, END_PAGES, MESSAGE, OPERATOR, PAUSE, PLAY
from econzoo.people.participation.page_names import PRACTICE, RESUME, REVOKE, WAITING
from econzoo.people.study import COLUMNS, DRAW, ENTRY, PAGE_REACHED, PRACTICE_EVENT, STAGE_EVENT, Participant
from econzoo.people.study import PlannedMatch, Seats, forget_statements, load_absent_seats, load_added_places
from econzoo.people.study import load_seats, notice_statement, tombstone_of
from econzoo.people.table import SCHEMA, SECRET_BYTES, Absence, Statement, Store

OWN_SCHEMA = """
CREATE TABLE IF NOT EXISTS participants (
    token TEXT PRIMARY KEY, study TEXT NOT NULL, source TEXT NOT NULL, external_id TEXT NOT NULL, label TEXT NOT NULL,
    place INTEGER, page TEXT NOT NULL, attention_left INTEGER NOT NULL, quiz_left INTEGER NOT NULL,
    excluded_reason TEXT, withdrawn TEXT, bonus_cents INTEGER, approved INTEGER NOT NULL DEFAULT 0,
    completion_code TEXT UNIQUE, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, finished TEXT,
    repetition INTEGER NOT NULL DEFAULT 0, waits_since REAL NOT NULL DEFAULT 0,
    UNIQUE (study, source, external_id), UNIQUE (study, place));
CREATE TABLE IF NOT EXISTS answers (
    participant TEXT NOT NULL REFERENCES participants, kind TEXT NOT NULL, item INTEGER NOT NULL,
    attempt INTEGER NOT NULL, answer TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (participant, kind, item, attempt));
CREATE TABLE IF NOT EXISTS events (
    participant TEXT NOT NULL REFERENCES participants, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    kind TEXT NOT NULL, details TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_of ON events (participant, kind);
CREATE TABLE IF NOT EXISTS planned_matches (
    study TEXT NOT NULL, planned_match INTEGER NOT NULL, match TEXT NOT NULL REFERENCES matches,
    PRIMARY KEY (study, planned_match));
CREATE TABLE IF NOT EXISTS roster (
    study TEXT NOT NULL, planned_match INTEGER NOT NULL, seat INTEGER NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (study, planned_match, seat));
CREATE TABLE IF NOT EXISTS added_places (
    study TEXT NOT NULL, part INTEGER NOT NULL, places INTEGER NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (study, part));
CREATE TABLE IF NOT EXISTS tombstones (tombstone TEXT PRIMARY KEY);
"""


MESSAGE_SECONDS = 60
"""Minimum seconds for which a message is shown, also on a next page."""

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Characters of completion codes, without ambiguous ones."""

CODE_LENGTH = 10

SEED_BYTES = 8
"""Bytes of a payment seed: unpredictable, but verifiable afterwards."""


class Participants(Store):
    """Participants and matches of one study in a database, created if missing; thread-safe."""

    def __init__(self, path: str | Path, study: str, read_only: bool = False) -> None:
        super().__init__(path, durable=True, read_only=read_only)
        self.study, self.changes, self._version, self._touched = study, 0, 0, dict[str, int]()
        self._folder = Path(path).parent
        if read_only:
            return
        with self._lock:
            self._db.executescript(SCHEMA + OWN_SCHEMA)

    # -- matches -----------------------------------------------------------------------------------------------

    def touch(self, *tokens: str) -> None:
        """Count a change for some participants; no tokens, or an empty one: for all."""
        with self._lock:
            self.changes += 1
            for token in tokens or ("",):
                self._touched[token] = self.changes

    def last_change(self, token: str) -> int:
        """Return the number of the last change for a participant."""
        return max(self._touched.get(token, 0), self._touched.get("", 0))

    def match_id(self, number: int) -> str | None:
        """Return the id of a planned match; None: not begun."""
        rows = self._rows("SELECT match FROM planned_matches WHERE study = ? AND planned_match = ?", self.study, number)
        return str(rows[0][0]) if rows else None

    def matches(self) -> dict[int, str]:
        """Return planned number to id of every match that has begun."""
        return dict(
            self._rows(
                "SELECT planned_match, match FROM planned_matches WHERE study = ? ORDER BY planned_match", self.study
            )
        )

    def running_matches(self) -> dict[int, str]:
        """Return planned number to id of every match in progress."""
        text = (
            "SELECT planned_match, match FROM planned_matches JOIN matches ON id = match "
            "WHERE study = ? AND record IS NULL ORDER BY planned_match"
        )
        return dict(self._rows(text, self.study))

    def record_lines(self) -> list[str]:
        """Return the record lines of all finished matches."""
        text = "SELECT record FROM planned_matches JOIN matches ON id = match WHERE study = ? AND record IS NOT NULL"
        return [line for (line,) in self._rows(text, self.study)]

    def absent_seats(self, id: str) -> frozenset[int]:
        """Return the seats of a match whose players left or were replaced."""
        with self._read_lock:
            return load_absent_seats(self._read_connection, id)

    def seats_of_matches(self) -> Seats:
        """Return planned number to seat to place, of matches that have begun."""
        with self._read_lock:
            return load_seats(self._read_connection, self.study)

    @property
    def added_places(self) -> tuple[int, ...]:
        """Numbers of added places, in order."""
        with self._read_lock:
            return load_added_places(self._read_connection, self.study)

    def add_places(self, count: int) -> None:
        """Add places to the randomisation table."""
        text = (
            "INSERT INTO added_places (study, part, places) SELECT ?, coalesce(max(part), 0) + 1, ? FROM added_places"
        )
        self._execute((text + " WHERE study = ?", (self.study, count, self.study)))
        self.touch()

    def add_turns(self, match: str, number: int, turns: Sequence[Turn], *also: Statement) -> None:
        """Store turns, with events for timeouts."""
        missed = [_seat_event(match, turn.seat, TIMEOUT) for turn in turns if turn.finish == TIMEOUT]
        super().add_turns(match, number, turns, *missed, *also)

    def add_absence(self, match: str, absence: Absence, *also: Statement) -> None:
        """Store an absence, with an event if the participant left."""
        left = [_seat_event(match, absence.seat, LEFT)] if absence.is_deserted else []
        super().add_absence(match, absence, *left, *also)

    def players_by_seat(self, id: str) -> list[list[str]]:
        """Return the specs of the players of each seat of a match, substitutes last."""
        return self.match(id).players_by_seat

    # -- participants ------------------------------------------------------------------------------------------

    def _select(self, where: str, *values: Any) -> list[Participant]:
        # Times are whole seconds; rowid orders arrivals within one.
        text = f"SELECT {COLUMNS} FROM participants WHERE study = ? {where} ORDER BY created, rowid"
        return [Participant(*row) for row in self._rows(text, self.study, *values)]

    def participants(self) -> list[Participant]:
        """Return all participants, in order of arrival."""
        return self._select("")

    def participant(self, token: str) -> Participant | None:
        rows = self._select("AND token = ?", token)
        return rows[0] if rows else None

    def find_by_id(self, source: str, external_id: str) -> Participant | None:
        rows = self._select("AND source = ? AND external_id = ?", source, external_id)
        return rows[0] if rows else None

    def participants_on(self, *pages: str) -> list[Participant]:
        """Return the participants on given pages."""
        return self._select(f"AND page IN ({', '.join('?' * len(pages))})", *pages)

    def participants_by_place(self) -> dict[int, Participant]:
        return {one.place: one for one in self._select("AND place IS NOT NULL") if one.place is not None}

    def add_participant(
        self,
        source: str,
        external_id: str,
        label: str,
        attempts: tuple[int, int],
        link_details: Mapping[str, str],
        draws: bool = False,
    ) -> Participant:
        """Add a participant, or return the existing one with the same id.

        Args:
            attempts: Attempts at the code word and the quiz.
            link_details: Other parameters of the link.
            draws: Whether to store a payment seed.
        """
        token = secrets.token_urlsafe(SECRET_BYTES)
        events = {ENTRY: link_details, PAGE_REACHED: {"page": CONSENT}}
        events |= {DRAW: {"seed": secrets.token_hex(SEED_BYTES)}} if draws else {}
        # If the id is known, the row is ignored; no participant then has this token, and no event is added.
        row = (token, self.study, source, external_id, label, CONSENT, *attempts)
        self._execute(
            (
                "INSERT OR IGNORE INTO participants (token, study, source, external_id, label, page, attention_left, "
                "quiz_left) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            ),
            *[_insert_if_new(token, kind, details) for kind, details in events.items() if details],
        )
        participant = self.find_by_id(source, external_id)
        assert participant is not None
        return participant

    # -- pages and events --------------------------------------------------------------------------------------

    def move(self, one: Participant, page: str, *also: Statement, **changed: Any) -> bool:
        """Move a participant to a page, in one transaction with other changes; return whether they were still there.

        Args:
            one: The participant as read; no effect if they have moved on since.
            *also: Further statements, which must be idempotent.
            **changed: Changed columns.
        """
        with self._lock:
            with self._db:
                moved = self._update_page(one, page, changed) and all(self._db.execute(*each) for each in also)
            self._written += 1
        if moved:
            self.touch(one.token)  # after the commit, since readers look once per change
        self._flush()
        return moved

    def _update_page(self, one: Participant, page: str, changed: Mapping[str, Any]) -> bool:
        columns = "".join(f", {name} = ?" for name in changed)
        ended = ", finished = coalesce(finished, CURRENT_TIMESTAMP)" if page in END_PAGES else ""
        # Page and repetition as read: of two forms of one page, the second changes nothing.
        text = f"UPDATE participants SET page = ?{columns}{ended} WHERE token = ? AND page = ? AND repetition = ?"
        values = (page, *changed.values(), one.token, one.page, one.repetition)
        if self._db.execute(text, values).rowcount != 1:
            return False
        if page != one.page:
            self._db.execute(*event_statement(one, PAGE_REACHED, page=page))
        return True

    def answers_of(self, one: Participant, kind: str) -> list[tuple[int, int, str]]:
        """Return (item, attempt, answer) of all answers of a kind, in order."""
        text = "SELECT item, attempt, answer FROM answers WHERE participant = ? AND kind = ? ORDER BY attempt, item"
        return [(item, attempt, answer) for item, attempt, answer in self._rows(text, one.token, kind)]

    def record_notice(self, one: Participant, kind: str, **details: Any) -> None:
        """Store that a page was shown, hidden or visible again, within the limits of `notice_statement`."""
        self._execute_lazily(notice_statement(one.token, kind, json.dumps(details)))

    def page_times(self) -> dict[str, str]:
        """Return token to the time (UTC) at which the current page was reached."""
        return dict(
            self._rows("SELECT participant, max(at) FROM events WHERE kind = ? GROUP BY participant", PAGE_REACHED)
        )

    def events_of(self, one: Participant) -> list[tuple[str, str, dict[str, Any]]]:
        """Return (time, kind, details) of all events, in order."""
        text = "SELECT at, kind, details FROM events WHERE participant = ? ORDER BY rowid"
        return [(at, kind, parse_json(details)) for at, kind, details in self._rows(text, one.token)]

    def draw_seed(self, token: str) -> str:
        """Return the payment seed of a participant; empty: no draw."""
        text = "SELECT details FROM events WHERE participant = ? AND kind = ?"
        return next((str(parse_json(details)["seed"]) for (details,) in self._rows(text, token, DRAW)), "")

    def current_stage(self, one: Participant) -> int:
        """Return the index of the participant's current stage."""
        return max((details["stage"] for _, kind, details in self.events_of(one) if kind == STAGE_EVENT), default=1) - 1

    def practice_match(self, one: Participant) -> str | None:
        """Return the id of the participant's last practice match; None: none."""
        events = reversed(self.events_of(one))
        return next((details["match"] for _, kind, details in events if kind == PRACTICE_EVENT), None)

    def new_code(self) -> str:
        """Return an unused completion code."""
        while True:
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            if not self._rows("SELECT 1 FROM participants WHERE completion_code = ?", code):
                return code

    # -- the operator ------------------------------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        text = "SELECT kind FROM events WHERE participant = '' AND kind IN (?, ?) ORDER BY rowid DESC LIMIT 1"
        return self._rows(text, PAUSE, RESUME) == [(PAUSE,)]

    def pause(self, pauses: bool) -> None:
        """Pause or resume the study; no effect if unchanged."""
        if pauses != self.is_paused:
            self.add_events(event_statement(None, PAUSE if pauses else RESUME, by=OPERATOR))

    def add_events(self, *events: Statement) -> None:
        """Store events and update the pages of their participants."""
        self._execute(*events)
        self.touch(*[str(values[0]) for _, values in events])

    def messages(self, one: Participant) -> list[str]:
        """Return the operator's messages to a participant on the current page or in the last minute, in order."""
        text = (
            "SELECT details FROM events WHERE participant = ? AND kind = ? AND (at >= datetime('now', ?) OR at >= "
            "(SELECT max(at) FROM events WHERE participant = ? AND kind = ?)) ORDER BY rowid"
        )
        rows = self._rows(text, one.token, MESSAGE, f"-{MESSAGE_SECONDS} seconds", one.token, PAGE_REACHED)
        return [parse_json(details)["text"] for (details,) in rows]

    def message_count(self, one: Participant) -> int:
        """Return the number of messages to a participant."""
        text = "SELECT count(*) FROM events WHERE participant = ? AND kind = ?"
        return int(self._rows(text, one.token, MESSAGE)[0][0])

    def check_changes(self) -> None:
        """Detect changes of the database by other processes."""
        with self._lock:
            # It changes with commits of other connections only; those of this one touch by themselves.
            version = int(self._db.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._version = version
            self.touch()

    def approve(self, one: Participant, approved: bool = True) -> None:
        """Approve the payment or revoke the approval; no effect if unchanged."""
        if approved != one.approved:
            event = event_statement(one, APPROVE if approved else REVOKE, by=OPERATOR)
            self._execute(("UPDATE participants SET approved = ? WHERE token = ?", (int(approved), one.token)), event)

    def forget(self, one: Participant) -> None:
        """Delete identifying data of a participant; their matches remain."""
        self._execute(*forget_statements(one.token, tombstone_of(self._folder, one.source, one.external_id)))

    def is_forgotten(self, source: str, external_id: str) -> bool:
        tombstone = tombstone_of(self._folder, source, external_id)
        return bool(self._rows("SELECT 1 FROM tombstones WHERE tombstone = ?", tombstone))


def _insert_if_new(token: str, kind: str, details: Mapping[str, str]) -> Statement:
    text = (
        "INSERT INTO events (participant, kind, details) SELECT token, ?, ? FROM participants "
        "WHERE token = ? AND NOT EXISTS (SELECT 1 FROM events WHERE participant = token AND kind = ?)"
    )
    return text, (kind, json.dumps(details), token, kind)


def _seat_event(match: str, seat: int, kind: str) -> Statement:
    """Return the statement that stores an event of the participant in a seat, if any."""
    text = (
        "INSERT INTO events (participant, kind, details) "
        "SELECT token, ?, json_object('planned_match', planned_match + 1) FROM planned_matches "
        "JOIN roster USING (study, planned_match) JOIN participants USING (study, place) "
        "WHERE match = ? AND seat = ?"
    )
    return text, (kind, match, seat)


def event_statement(one: Participant | None, kind: str, **details: Any) -> Statement:
    """Return the statement that stores an event of a participant, or of the whole study."""
    who = "" if one is None else one.token
    return "INSERT INTO events (participant, kind, details) VALUES (?, ?, ?)", (who, kind, json.dumps(details))


def play_statements(one: Participant, match: PlannedMatch, seat: int) -> Sequence[Statement]:
    """Return the statements that move a participant from the waiting room to a seat."""
    place = match.players[seat]
    seated = "INSERT INTO roster (study, planned_match, seat, place) VALUES (?, ?, ?, ?)"
    text = "UPDATE participants SET page = ?, place = ? WHERE token = ? AND page = ? AND repetition = ?"
    return (
        (seated, (one.study, match.number, seat, place)),
        (text, (PLAY, place, one.token, WAITING, one.repetition)),
        event_statement(one, PAGE_REACHED, page=PLAY),
    )


def answer_statements(one: Participant, kind: str, answers: Mapping[int, str], attempt: int = 1) -> Sequence[Statement]:
    """Return the statements that store answers; only the first answer per question and attempt counts."""
    text = "INSERT OR IGNORE INTO answers (participant, kind, item, attempt, answer) VALUES (?, ?, ?, ?, ?)"
    return [(text, (one.token, kind, item, attempt, given)) for item, given in answers.items()]


def practice_statements(one: Participant, match: str, changed: Mapping[str, Any]) -> Sequence[Statement]:
    """Return the statements that move a participant to a practice match."""
    columns = "".join(f", {name} = ?" for name in changed)
    text = f"UPDATE participants SET page = ?{columns} WHERE token = ? AND page = ? AND repetition = ?"
    return (
        (text, (PRACTICE, *changed.values(), one.token, one.page, one.repetition)),
        event_statement(one, PAGE_REACHED, page=PRACTICE),
        event_statement(one, PRACTICE_EVENT, match=match),
    )
