"""Store of a study's matches, and SQL statements that move participants through them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from econzoo.envs.core.faces.finish import LEFT, TIMEOUT
from econzoo.envs.core.record.record import Turn
from econzoo.people.participation.page_names import PLAY, PRACTICE, WAITING
from econzoo.people.study.matching import PlannedMatch
from econzoo.people.study.roster import Seats, load_absent_seats, load_added_places, load_seats
from econzoo.people.study.stages import PRACTICE_EVENT
from econzoo.people.study.study_data import PAGE_REACHED, Participant
from econzoo.people.table.store import Statement, Store
from econzoo.people.table.terms import Absence

PLAYED_TABLE = """
CREATE TABLE IF NOT EXISTS played (
    study TEXT NOT NULL, planned INTEGER NOT NULL, match TEXT NOT NULL REFERENCES matches,
    PRIMARY KEY (study, planned));
"""
"""Table of planned number to match id."""


class StudyMatches(Store):
    """Matches of one study.

    Attributes:
        study: Name of the study.
        changes: Number of known changes.
    """

    study: str
    changes: int
    _touched: dict[str, int]

    def touch(self, *tokens: str) -> None:
        """Count a change for some participants; no tokens, or an empty one: for all."""
        with self._lock:
            self.changes += 1
            for token in tokens or ("",):
                self._touched[token] = self.changes

    def last_change(self, token: str) -> int:
        """Return the number of the last change for a participant."""
        return max(self._touched.get(token, 0), self._touched.get("", 0))

    def match_id(self, planned: int) -> str | None:
        """Return the id of a planned match; None: not begun."""
        rows = self._rows("SELECT match FROM played WHERE study = ? AND planned = ?", self.study, planned)
        return str(rows[0][0]) if rows else None

    def matches(self) -> dict[int, str]:
        """Return planned number to id of every match that has begun."""
        return dict(self._rows("SELECT planned, match FROM played WHERE study = ? ORDER BY planned", self.study))

    def running_matches(self) -> dict[int, str]:
        """Return planned number to id of every match in progress."""
        text = (
            "SELECT planned, match FROM played JOIN matches ON id = match WHERE study = ? AND record IS NULL "
            "ORDER BY planned"
        )
        return dict(self._rows(text, self.study))

    def record_lines(self) -> list[str]:
        """Return the record lines of all finished matches."""
        text = "SELECT record FROM played JOIN matches ON id = match WHERE study = ? AND record IS NOT NULL"
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
        text = "INSERT INTO added (study, part, participants) SELECT ?, coalesce(max(part), 0) + 1, ? FROM added"
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


def _seat_event(match: str, seat: int, kind: str) -> Statement:
    """Return the statement that stores an event of the participant in a seat, if any."""
    text = (
        "INSERT INTO events (participant, kind, json) SELECT token, ?, json_object('planned', planned + 1) "
        "FROM played JOIN seated USING (study, planned) JOIN participants USING (study, place) "
        "WHERE match = ? AND seat = ?"
    )
    return text, (kind, match, seat)


def event_statement(one: Participant | None, kind: str, **details: Any) -> Statement:
    """Return the statement that stores an event of a participant, or of the whole study."""
    who = "" if one is None else one.token
    return "INSERT INTO events (participant, kind, json) VALUES (?, ?, ?)", (who, kind, json.dumps(details))


def play_statements(one: Participant, match: PlannedMatch, seat: int) -> Sequence[Statement]:
    """Return the statements that move a participant from the waiting room to a seat."""
    place = match.players[seat]
    seated = "INSERT INTO seated (study, planned, seat, place) VALUES (?, ?, ?, ?)"
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
