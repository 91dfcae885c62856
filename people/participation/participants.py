"""Participants of a study, kept beside its matches: who is where, what was answered, which match is whose."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.validation import parse_json
from econzoo.people.participation.page_names import (
    APPROVE,
    CONSENT,
    END_PAGES,
    MESSAGE,
    OPERATOR,
    PAUSE,
    RESUME,
    REVOKE,
)
from econzoo.people.participation.study_matches import PLAYED_TABLE, StudyMatches, event_statement
from econzoo.people.study.anonymity import TOMBSTONES, forget_statements, tombstone_of
from econzoo.people.study.bonus import DRAW
from econzoo.people.study.roster import SEATED_TABLES
from econzoo.people.study.stages import PRACTICE_EVENT, STAGE_EVENT
from econzoo.people.study.study_data import COLUMNS, ENTRY, EVENTS_INDEX, PAGE_REACHED, Participant, notice_statement
from econzoo.people.table.store import SCHEMA, SECRET_BYTES, Statement

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
    kind TEXT NOT NULL, json TEXT NOT NULL);
"""


MESSAGE_SECONDS = 60
"""Seconds that a message is shown at least, even to who goes on to another page."""

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Of completion codes: none that can be taken for another."""

CODE_LENGTH = 10
"""Letters of a completion code."""

SEED_BYTES = 8
"""Bytes of the seed of a draw: nobody can know beforehand what is drawn, and everybody can check it afterwards."""


class Participants(StudyMatches):
    """Participants and matches of one study, in a file that is made if it does not exist. Threads may share it.

    Args:
        path: The file.
        study: Name.
        read_only: See `Store`.

    """

    def __init__(self, path: str | Path, study: str, read_only: bool = False) -> None:
        super().__init__(path, durable=True, read_only=read_only)
        self.study, self.changes, self._version, self._touched = study, 0, 0, dict[str, int]()
        self._folder = Path(path).parent
        if read_only:
            return
        with self._lock:
            self._db.executescript(f"{SCHEMA}{OWN_SCHEMA}{PLAYED_TABLE}{SEATED_TABLES}{EVENTS_INDEX};{TOMBSTONES};")

    # -- who ---------------------------------------------------------------------------------------------------

    def _select(self, where: str, *values: Any) -> list[Participant]:
        text = f"SELECT {COLUMNS} FROM participants WHERE study = ? {where} ORDER BY created, rowid"
        return [Participant(*row) for row in self._rows(text, self.study, *values)]

    def participants(self) -> list[Participant]:
        """All of them, in the order in which they came."""
        return self._select("")

    def participant(self, token: str) -> Participant | None:
        """Who has a secret, or None."""
        found = self._select("AND token = ?", token)
        return found[0] if found else None

    def find_by_id(self, source: str, external_id: str) -> Participant | None:
        """Who has come under an id before, or None."""
        found = self._select("AND source = ? AND external_id = ?", source, external_id)
        return found[0] if found else None

    def participants_on(self, *pages: str) -> list[Participant]:
        """Who is on one of some pages."""
        return self._select(f"AND page IN ({', '.join('?' * len(pages))})", *pages)

    def participants_by_place(self) -> dict[int, Participant]:
        """Who has a place, by place."""
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
        """Who comes with a link: the same one for the same id, however often.

        Args:
            source: Where they come from.
            external_id: Who they are there.
            label: Of the link.
            attempts: At the code word and the quiz.
            link_details: What else the link says.
            draws: Whether it is drawn what they are paid for: its seed is kept from now on.
        """
        token = secrets.token_urlsafe(SECRET_BYTES)
        told = {ENTRY: link_details, PAGE_REACHED: {"page": CONSENT}}
        told |= {DRAW: {"seed": secrets.token_hex(SEED_BYTES)}} if draws else {}
        row = (token, self.study, source, external_id, label, CONSENT, *attempts)
        self._execute(
            (
                "INSERT OR IGNORE INTO participants (token, study, source, external_id, label, page, attention_left, "
                "quiz_left) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            ),
            *[_insert_if_new(token, kind, some) for kind, some in told.items() if some],
        )
        found = self.find_by_id(source, external_id)
        assert found is not None
        return found

    # -- where -------------------------------------------------------------------------------------------------

    def move(self, one: Participant, page: str, *also: Statement, **changed: Any) -> bool:
        """Takes a participant to a page, in one transaction with whatever else is changed.

        Args:
            one: As it was read: who has moved on since stays there.
            page: Where to.
            *also: More statements; they must have no effect if they are repeated.
            **changed: Columns.

        Returns:
            Whether the participant was still there.
        """
        with self._lock:
            with self._db:
                moved = self._update_page(one, page, changed) and all(self._db.execute(*each) for each in also)
            self._written += 1
        if moved:
            self.touch(one.token)  # not before others can read it: they look once for every change
        self._flush()
        return moved

    def _update_page(self, one: Participant, page: str, changed: Mapping[str, Any]) -> bool:
        columns = "".join(f", {name} = ?" for name in changed)
        ended = ", finished = coalesce(finished, CURRENT_TIMESTAMP)" if page in END_PAGES else ""
        text = f"UPDATE participants SET page = ?{columns}{ended} WHERE token = ? AND page = ? AND repetition = ?"
        values = (page, *changed.values(), one.token, one.page, one.repetition)
        if self._db.execute(text, values).rowcount != 1:
            return False
        if page != one.page:
            self._db.execute(*event_statement(one, PAGE_REACHED, page=page))
        return True

    def answers_of(self, one: Participant, kind: str) -> list[tuple[int, int, str]]:
        """(item, attempt, answer) of all answers of a kind, in order."""
        text = "SELECT item, attempt, answer FROM answers WHERE participant = ? AND kind = ? ORDER BY attempt, item"
        return [(item, attempt, answer) for item, attempt, answer in self._rows(text, one.token, kind)]

    def record_notice(self, one: Participant, kind: str, **told: Any) -> None:
        """Keeps that a page was shown, hidden or in sight again, as far as `notice_statement` allows."""
        self._execute_lazily(notice_statement(one.token, kind, json.dumps(told)))

    def page_times(self) -> dict[str, str]:
        """Token of a participant to when they came to the page on which they are (UTC)."""
        return dict(
            self._rows("SELECT participant, max(at) FROM events WHERE kind = ? GROUP BY participant", PAGE_REACHED)
        )

    def events_of(self, one: Participant) -> list[tuple[str, str, dict[str, Any]]]:
        """(when, kind, what) of all events, in order."""
        text = "SELECT at, kind, json FROM events WHERE participant = ? ORDER BY rowid"
        return [(at, kind, parse_json(told)) for at, kind, told in self._rows(text, one.token)]

    def draw_seed(self, token: str) -> str:
        """The seed of the draw of what a participant is paid for; empty: nothing is drawn."""
        text = "SELECT json FROM events WHERE participant = ? AND kind = ?"
        return next((str(parse_json(told)["seed"]) for (told,) in self._rows(text, token, DRAW)), "")

    def current_stage(self, one: Participant) -> int:
        """Number of the stage that a participant has reached last, from 0."""
        return max((told["stage"] for _, kind, told in self.events_of(one) if kind == STAGE_EVENT), default=1) - 1

    def practice_match(self, one: Participant) -> str | None:
        """Id of the match of practice that a participant began last; None: there was none."""
        return next((told["match"] for _, kind, told in reversed(self.events_of(one)) if kind == PRACTICE_EVENT), None)

    def new_code(self) -> str:
        """A completion code that nobody has."""
        while True:
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            if not self._rows("SELECT 1 FROM participants WHERE completion_code = ?", code):
                return code

    # -- the operator ------------------------------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """Whether the study is paused."""
        text = "SELECT kind FROM events WHERE participant = '' AND kind IN (?, ?) ORDER BY rowid DESC LIMIT 1"
        return self._rows(text, PAUSE, RESUME) == [(PAUSE,)]

    def pause(self, pauses: bool) -> None:
        """Keeps that the study is paused, or goes on; if it is so already, nothing."""
        if pauses != self.is_paused:
            self.add_events(event_statement(None, PAUSE if pauses else RESUME, by=OPERATOR))

    def add_events(self, *events: Statement) -> None:
        """Keeps events that pages are to tell."""
        self._execute(*events)
        self.touch(*[str(values[0]) for _, values in events])

    def messages(self, one: Participant) -> list[str]:
        """What the operator has told a participant on the page where they are, or a moment ago, in order."""
        text = (
            "SELECT json FROM events WHERE participant = ? AND kind = ? AND (at >= datetime('now', ?) OR at >= "
            "(SELECT max(at) FROM events WHERE participant = ? AND kind = ?)) ORDER BY rowid"
        )
        found = self._rows(text, one.token, MESSAGE, f"-{MESSAGE_SECONDS} seconds", one.token, PAGE_REACHED)
        return [parse_json(told)["text"] for (told,) in found]

    def message_count(self, one: Participant) -> int:
        """How often the operator has told a participant something."""
        text = "SELECT count(*) FROM events WHERE participant = ? AND kind = ?"
        return int(self._rows(text, one.token, MESSAGE)[0][0])

    def check_changes(self) -> None:
        """Sees whether another process has changed the file."""
        with self._lock:
            version = int(self._db.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._version = version
            self.touch()

    def approve(self, one: Participant, approved: bool = True) -> None:
        """Keeps whether the operator has approved the payment, and when they did; if it is so already, nothing."""
        if approved != one.approved:
            told = event_statement(one, APPROVE if approved else REVOKE, by=OPERATOR)
            self._execute(("UPDATE participants SET approved = ? WHERE token = ?", (int(approved), one.token)), told)

    def forget(self, one: Participant) -> None:
        """Removes what identifies a participant; their matches stay, with a gap where the name stood."""
        self._execute(*forget_statements(one.token, tombstone_of(self._folder, one.source, one.external_id)))

    def is_forgotten(self, source: str, external_id: str) -> bool:
        """Whether somebody came under an id and was forgotten."""
        stone = tombstone_of(self._folder, source, external_id)
        return bool(self._rows("SELECT 1 FROM forgotten WHERE stone = ?", stone))


def _insert_if_new(token: str, kind: str, told: Mapping[str, str]) -> Statement:
    text = (
        "INSERT INTO events (participant, kind, json) SELECT token, ?, ? FROM participants "
        "WHERE token = ? AND NOT EXISTS (SELECT 1 FROM events WHERE participant = token AND kind = ?)"
    )
    return text, (kind, json.dumps(told), token, kind)
