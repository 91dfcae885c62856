"""Stored data of a study: participants, answers, events and matches; readable while it runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from econzoo.envs.core import check_format, wrap_read_errors
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import Record
from econzoo.people.study.declaration import HUMAN, Study
from econzoo.people.study.ends import COMPLETED, FULL, NO_CONSENT, SCREENED_OUT, SCREENING_REASONS, TIMED_OUT, WITHDRAWN
from econzoo.people.study.matching import PlannedMatch, matches_by_place, plan_matches
from econzoo.people.study.roster import Roster, load_absent_seats, load_added_places, load_seats, payoff_for_bonus

FILE, STORE = "study.toml", "table.sqlite"
"""Files of a study's folder: study file, and database of participants and matches."""

ENTRY = "entry"
"""Kind of the event with a participant's link parameters."""

FORGOTTEN_PREFIX = "forgotten-"
"""Prefix of ids that replace forgotten ones."""


NO_PARTNER = "alone"
"""Kind of the event that a participant's wait for others ended without a match."""

PAGE_REACHED = "page"
"""Kind of the event that a page was reached."""

VIEW, HIDDEN, VISIBLE = PAGE_EVENTS = ("view", "hidden", "visible")
"""Kinds of events: a page was shown, hidden, or visible again. They are deleted with a forgotten participant."""

MAX_PAGE_EVENTS = 1000
"""Maximum stored events of each of these kinds per participant, so that reloads cannot fill the disk."""

ADMITTED_PAGES = ("waiting", "play", "questionnaire", "debriefing", "done")
"""Pages from the waiting room on."""

TIMED_PAGES = ("consent", "instructions", "quiz", "practice", "survey", *ADMITTED_PAGES[:-1])
"""Pages with recorded durations: those with a next page."""


class Participant(NamedTuple):
    """A participant.

    Attributes:
        token: Secret of the personal link.
        external_id: Id at the source.
        label: Label of the link; empty: none.
        place: Place in the randomisation table, from 0; None: no match has begun.
        excluded_reason: Reason of exclusion; None: not excluded.
        withdrawn: Page on which they withdrew; None: not withdrawn.
        bonus_cents: Bonus in hundredths; None: not computed yet.
        completion_code: Completion code, with which the fee is due; None: none.
        created: Time of arrival (UTC).
        finished: Time of the end (UTC); None: in progress.
        repetition: Number of matches completed or skipped.
        waits_since: Start of waiting, in seconds of server uptime.
    """

    token: str
    study: str
    source: str
    external_id: str
    label: str
    place: int | None
    page: str
    attention_left: int
    quiz_left: int
    excluded_reason: str | None
    withdrawn: str | None
    bonus_cents: int | None
    approved: int
    completion_code: str | None
    created: str
    finished: str | None
    repetition: int
    waits_since: float

    @property
    def is_admitted(self) -> bool:
        """Whether they have reached the waiting room."""
        return self.place is not None or not {self.page, self.withdrawn}.isdisjoint(ADMITTED_PAGES)

    @property
    def is_paid(self) -> bool:
        """Whether they have a completion code and are not excluded."""
        return self.completion_code is not None and self.excluded_reason is None

    @property
    def due_cents(self) -> int:
        """Bonus due on approval, in hundredths."""
        return self.bonus_cents or 0 if self.is_paid else 0

    def end(self, timed_out: bool) -> str:
        """Return the end they reached; empty: still in progress, or excluded by the operator.

        Args:
            timed_out: Whether one of `econzoo.people.study.ends.TIMEOUT_EVENTS` happened.
        """
        if self.excluded_reason is not None:
            return SCREENED_OUT if self.excluded_reason in SCREENING_REASONS else ""
        if self.page == "withdrawn":
            return NO_CONSENT if self.withdrawn == "consent" else WITHDRAWN
        ended = TIMED_OUT if timed_out else COMPLETED
        return {"done": ended, "full": FULL}.get(self.page, "")


COLUMNS = ", ".join(Participant._fields)


class StoredAnswer(NamedTuple):
    """A stored answer: participant, kind, question (from 0), attempt, answer and time (UTC)."""

    participant: str
    kind: str
    item: int
    attempt: int
    answer: str
    at: str


class StoredEvent(NamedTuple):
    """A stored event: participant, time (UTC), kind and details."""

    participant: str
    at: str
    kind: str
    details: dict[str, Any]


class StoredMatch(NamedTuple):
    """A match that has begun.

    Attributes:
        record: Record of the match; None: in progress.
        people: Token of the participant in each seat; None: no participant.
    """

    planned_match: PlannedMatch
    record: Record | None
    people: tuple[str | None, ...]
    absent_seats: frozenset[int] = frozenset()


class StoredStudy(NamedTuple):
    """A study with its stored data."""

    folder: Path
    study: Study
    participants: list[Participant]
    answers: list[StoredAnswer]
    events: list[StoredEvent]
    matches: list[StoredMatch]
    added_places: tuple[int, ...] = ()

    @property
    def table(self) -> list[PlannedMatch]:
        """Randomisation table, including added places."""
        return plan_matches(self.study, self.added_places)


def check_has_run(folder: str | Path) -> None:
    """Raise `FileNotFoundError` if no study has run in a folder."""
    for name in (STORE, FILE):
        if not (Path(folder) / name).is_file():
            raise FileNotFoundError(f"no study has run in {folder}: {Path(folder) / name} does not exist")


@contextmanager
def open_store(folder: Path, write: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the database of a study."""
    check_has_run(folder)
    path = folder / STORE
    mode = "rw" if write else "ro"
    address = f"{path.resolve().as_uri()}?mode={mode}"
    # A running server may be writing: wait for up to half a minute.
    with wrap_read_errors(path, sqlite3.DatabaseError), closing(sqlite3.connect(address, uri=True, timeout=30)) as db:
        db.row_factory = sqlite3.Row
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'participants'").fetchone():
            raise FileNotFoundError(f"no study has run in {folder}: {path} has no participants")
        check_format(str(path), db.execute("PRAGMA user_version").fetchone()[0])
        yield db


def load_study_data(study: Study, folder: str | Path) -> StoredStudy:
    folder = Path(folder)
    with open_store(folder) as db:
        parts = (
            load_participants(db),
            _load_answers(db),
            _load_events(db),
            _load_matches(db, study),
            load_added_places(db, study.name),
        )
        return StoredStudy(folder, study, *parts)


def load_participants(db: sqlite3.Connection) -> list[Participant]:
    """Return all participants, in order of arrival."""
    # Times are whole seconds; rowid orders arrivals within one.
    rows = db.execute(f"SELECT {COLUMNS} FROM participants ORDER BY created, rowid")
    return [Participant(*row) for row in rows]


def _load_answers(db: sqlite3.Connection) -> list[StoredAnswer]:
    rows = db.execute(f"SELECT {', '.join(StoredAnswer._fields)} FROM answers ORDER BY rowid")
    return [StoredAnswer(*row) for row in rows]


def _load_events(db: sqlite3.Connection) -> list[StoredEvent]:
    rows = db.execute("SELECT participant, at, kind, details FROM events ORDER BY rowid")
    return [StoredEvent(who, at, kind, parse_json(details)) for who, at, kind, details in rows]


def _load_matches(db: sqlite3.Connection, study: Study) -> list[StoredMatch]:
    """Return the matches that have begun, in the order of the randomisation table."""
    table = plan_matches(study, load_added_places(db, study.name))
    tokens = dict(db.execute("SELECT place, token FROM participants WHERE study = ?", (study.name,)).fetchall())
    rows = db.execute(
        "SELECT planned_match, id, players, record FROM planned_matches JOIN matches ON id = match WHERE study = ? "
        "ORDER BY planned_match",
        (study.name,),
    ).fetchall()
    roster = Roster(table, {}, load_seats(db, study.name))
    matches = []
    for number, id, players, line in rows:
        match = roster.begun[number]
        seats = zip(match.players, parse_json(players), strict=True)
        # A stand-in can have the seat of a place.
        people = tuple(tokens.get(who) if spec == HUMAN else None for who, spec in seats)
        left = load_absent_seats(db, id) & {seat for seat, who in enumerate(people) if who}
        matches.append(StoredMatch(match, Record.from_json(line) if line else None, people, left))
    return matches


def load_roster(db: sqlite3.Connection, study: Study) -> Roster:
    """Return the actual seats of a study's matches."""
    table = plan_matches(study, load_added_places(db, study.name))
    return Roster(table, matches_by_place(table), load_seats(db, study.name))


# Results of a participant


class ResultStore(Protocol):
    """Store of a study's matches and payment seeds."""

    def matches(self) -> dict[int, str]:
        """Return planned number to id of every match that has begun."""

    def record_line(self, id: str) -> str | None:
        """Return the record of a match; None: in progress."""

    def absent_seats(self, id: str) -> frozenset[int]:
        """Return the seats of a match whose players left or were replaced."""

    def players_by_seat(self, id: str) -> list[list[str]]:
        """Return the specs of the players of each seat of a match, substitutes last."""

    def draw_seed(self, token: str) -> str:
        """Return the payment seed of a participant; empty: no draw."""


class Result(NamedTuple):
    """A finished match of a participant.

    Attributes:
        payoff: Payoff that counts for the bonus; None: see `payoff_for_bonus`.
    """

    planned_match: PlannedMatch
    record: Record
    seat: int
    payoff: float | None


def participant_results(store: ResultStore, own: Sequence[PlannedMatch], place: int) -> Iterator[Result]:
    """Yield the finished matches of a participant, in order."""
    begun = store.matches()
    for match in own:
        if match.number not in begun or place not in match.places:
            continue
        line, seat = store.record_line(id := begun[match.number]), match.players.index(place)
        record = None if line is None else Record.from_json(line)
        if record is not None and record.players[seat] == HUMAN:
            yield Result(match, record, seat, payoff_for_bonus(record, seat, store.absent_seats(id)))


# Page views, durations, and hidden pages


def notice_statement(token: str, kind: str, details: str) -> tuple[str, Sequence[Any]]:
    """Return the SQL, with values, that stores one of `PAGE_EVENTS`.

    It stores nothing for participants who withdrew, were forgotten, or have `MAX_PAGE_EVENTS`.
    """
    text = (
        "INSERT INTO events (participant, kind, details) SELECT token, ?, ? FROM participants "
        "WHERE token = ? AND withdrawn IS NULL AND substr(external_id, 1, ?) <> ? "
        "AND (SELECT count(*) FROM events WHERE participant = token AND kind = ?) < ?"
    )
    return text, (kind, details, token, len(FORGOTTEN_PREFIX), FORGOTTEN_PREFIX, kind, MAX_PAGE_EVENTS)


class PageAttention(NamedTuple):
    """Page views and durations of a participant.

    Attributes:
        views: Number of page views; None: forgotten.
        hidden: Number of times a page was hidden; None: forgotten.
        seconds: Page of `TIMED_PAGES` to total seconds over finished visits.
    """

    views: int | None
    hidden: int | None
    seconds: dict[str, int]


def page_attention(events: Sequence[StoredEvent]) -> PageAttention:
    """Summarise the ordered events of one participant."""
    kinds = [one.kind for one in events]
    reached = [one for one in events if one.kind == PAGE_REACHED]
    seconds: dict[str, int] = {}
    for one, then in pairwise(reached):
        spent = datetime.fromisoformat(then.at) - datetime.fromisoformat(one.at)
        page = one.details["page"]
        seconds[page] = seconds.get(page, 0) + round(spent.total_seconds())
    # Everybody has seen a page; without views they were deleted.
    views = kinds.count(VIEW) or None
    return PageAttention(views, kinds.count(HIDDEN) if views else None, seconds)
