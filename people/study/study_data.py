"""What a study has kept in its folder: participants, answers, events, matches; also read while it runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import wrap_read_errors
from econzoo.envs.core.record.record import Record
from econzoo.people.study.declaration import HUMAN, Study
from econzoo.people.study.matching import PlannedMatch, matches_by_place, plan_matches
from econzoo.people.study.roster import Roster, load_absent_seats, load_added_places, load_seats, payoff_for_bonus

FILE, STORE = "study.toml", "table.sqlite"
"""The study as it ran, and where its participants and matches are kept."""

ENTRY = "entry"
"""Kind of the event that keeps what came with a participant's link."""

FORGOTTEN_PREFIX = "forgotten-"
"""How ids begin that have taken the place of removed ones."""


ALONE = "alone"
"""Kind of the event that somebody has waited in vain for others."""

PAGE_REACHED = "page"
"""Kind of the event that a page was reached."""

VIEW, HIDDEN, VISIBLE = PAGE_EVENTS = ("view", "hidden", "visible")
"""Kinds of events: a page was shown, a browser hid it, it came in sight again. They go with who is forgotten."""

MAX_PAGE_EVENTS = 1000
"""Events of each of these kinds that are kept of a participant: no page can fill the disk by being loaded again."""

EVENTS_INDEX = "CREATE INDEX IF NOT EXISTS events_of ON events (participant, kind)"
"""Without it, counting up to `MAX_PAGE_EVENTS` would read the events of everybody."""

ADMITTED_PAGES = ("waiting", "play", "questionnaire", "debriefing", "done")
"""Pages from the waiting room on."""

TIMED_PAGES = (
    "consent",
    "instructions",
    "quiz",
    "practice",
    "survey",
    "waiting",
    "play",
    "questionnaire",
    "debriefing",
)
"""Pages on which time is told: those that lead on to another."""


class Participant(NamedTuple):
    """A participant.

    Attributes:
        token: The secret in the personal link.
        study: Name.
        source: Where they come from.
        external_id: Who they are there.
        label: The label of their link, if it had one.
        place: In the randomisation table, from 0; None: no match of theirs has begun.
        page: One of `PAGES`.
        attention_left: Attempts that are left for the code word.
        quiz_left: Likewise for the quiz.
        excluded_reason: Why they were excluded; None: they were not.
        withdrawn: The page on which they withdrew; None: they did not.
        bonus_cents: The bonus, when the matches are over.
        approved: Whether the operator has approved the payment.
        completion_code: That they were given; whoever has one is paid the fee.
        created: When they first came (UTC).
        finished: When they reached their end.
        repetition: How many of their matches are behind them.
        waits_since: When they came into the waiting room, in seconds that servers have run.
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
        """Whether they have come as far as the waiting room."""
        return self.place is not None or not {self.page, self.withdrawn}.isdisjoint(ADMITTED_PAGES)

    @property
    def is_paid(self) -> bool:
        """Whether they were given a completion code, and not excluded afterwards."""
        return self.completion_code is not None and self.excluded_reason is None

    @property
    def due_cents(self) -> int:
        """The bonus that is paid once it is approved, in hundredths."""
        return self.bonus_cents or 0 if self.is_paid else 0


COLUMNS = ", ".join(Participant._fields)
"""Of participants, as `Participant` has them."""


class StoredAnswer(NamedTuple):
    """An answer on a page: whose, of which kind, to which question (from 0), at which attempt, what, when."""

    participant: str
    kind: str
    item: int
    attempt: int
    answer: str
    at: str


class StoredEvent(NamedTuple):
    """What happened to a participant: whose, when, what kind, and what is told of it."""

    participant: str
    at: str
    kind: str
    details: dict[str, Any]


class StoredMatch(NamedTuple):
    """A match that has begun.

    Attributes:
        planned_match: As it stands in the randomisation table, with the places of who plays.
        record: None: it goes on.
        people: Token of the participant in each seat; None: no participant sat there.
        absent_seats: Seats whose players have left or were replaced.
    """

    planned_match: PlannedMatch
    record: Record | None
    people: tuple[str | None, ...]
    absent_seats: frozenset[int] = frozenset()


class StoredStudy(NamedTuple):
    """A study with everything in its folder."""

    folder: Path
    study: Study
    participants: list[Participant]
    answers: list[StoredAnswer]
    events: list[StoredEvent]
    matches: list[StoredMatch]
    added_places: tuple[int, ...] = ()

    @property
    def table(self) -> list[PlannedMatch]:
        """The randomisation table, with the places that were added."""
        return plan_matches(self.study, self.added_places)


def check_has_run(folder: str | Path) -> None:
    """Raises `FileNotFoundError` if no study has run in a folder."""
    for name in (STORE, FILE):
        if not (Path(folder) / name).is_file():
            raise FileNotFoundError(f"no study has run in {folder}: there is no {Path(folder) / name}")


@contextmanager
def open_store(folder: Path, write: bool = False) -> Iterator[sqlite3.Connection]:
    """The file in which a study keeps its participants.

    Raises:
        FileNotFoundError: No study has run in the folder.
        ValueError: The file is damaged.
    """
    check_has_run(folder)
    path = folder / STORE
    mode = "rw" if write else "ro"
    address = f"{path.resolve().as_uri()}?mode={mode}"
    with wrap_read_errors(path, sqlite3.DatabaseError), closing(sqlite3.connect(address, uri=True, timeout=30)) as db:
        db.row_factory = sqlite3.Row
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'participants'").fetchone():
            raise FileNotFoundError(f"no study has run in {folder}: {path} has no participants")
        yield db


def load_study_data(study: Study, folder: str | Path) -> StoredStudy:
    """Everything that a study has kept.

    Args:
        study: As it stands in the folder.
        folder: Where it ran, or runs.

    Raises:
        FileNotFoundError: No study has run in the folder.
    """
    folder = Path(folder)
    with open_store(folder) as db:
        told = (
            load_participants(db),
            _load_answers(db),
            _load_events(db),
            _load_matches(db, study),
            load_added_places(db, study.name),
        )
        return StoredStudy(folder, study, *told)


def load_participants(db: sqlite3.Connection) -> list[Participant]:
    """All participants, in order of arrival."""
    rows = db.execute(f"SELECT {COLUMNS} FROM participants ORDER BY created, rowid")
    return [Participant(*row) for row in rows]


def _load_answers(db: sqlite3.Connection) -> list[StoredAnswer]:
    rows = db.execute(f"SELECT {', '.join(StoredAnswer._fields)} FROM answers ORDER BY rowid")
    return [StoredAnswer(*row) for row in rows]


def _load_events(db: sqlite3.Connection) -> list[StoredEvent]:
    rows = db.execute("SELECT participant, at, kind, json FROM events ORDER BY rowid")
    return [StoredEvent(who, at, kind, parse_json(told)) for who, at, kind, told in rows]


def _load_matches(db: sqlite3.Connection, study: Study) -> list[StoredMatch]:
    """Matches that have begun, in the order of the randomisation table."""
    table = plan_matches(study, load_added_places(db, study.name))
    tokens = dict(db.execute("SELECT place, token FROM participants WHERE study = ?", (study.name,)).fetchall())
    rows = db.execute(
        "SELECT planned, id, players, record FROM played JOIN matches ON id = match WHERE study = ? ORDER BY planned",
        (study.name,),
    ).fetchall()
    roster = Roster(table, {}, [row["planned"] for row in rows], load_seats(db, study.name))
    found = []
    for number, id, players, line in rows:
        match = roster.begun[number]
        seats = zip(match.players, parse_json(players), strict=True)
        people = tuple(tokens.get(who) if spec == HUMAN else None for who, spec in seats)
        left = load_absent_seats(db, id) & {seat for seat, who in enumerate(people) if who}
        found.append(StoredMatch(match, Record.from_json(line) if line else None, people, left))
    return found


def load_roster(db: sqlite3.Connection, study: Study) -> Roster:
    """Who sits in which match of a study."""
    table = plan_matches(study, load_added_places(db, study.name))
    rows = db.execute("SELECT planned FROM played WHERE study = ?", (study.name,)).fetchall()
    return Roster(table, matches_by_place(table), [row[0] for row in rows], load_seats(db, study.name))


# What the matches of a participant have come to


class ResultStore(Protocol):
    """Keeps matches of a study."""

    def matches(self) -> dict[int, str]:
        """Number of the plan to the id of every match that has begun."""

    def record_line(self, id: str) -> str | None:
        """The record of a match that has ended; None: it goes on."""

    def absent_seats(self, id: str) -> frozenset[int]:
        """The seats of a match whose players have left or were replaced."""


class Result(NamedTuple):
    """A match that a participant had a seat in, and that is over.

    Attributes:
        planned_match: The match.
        record: Of it.
        seat: Of the participant.
        payoff: That counts for the bonus; None: see `payoff_for_bonus`.
    """

    planned_match: PlannedMatch
    record: Record
    seat: int
    payoff: float | None


def participant_results(store: ResultStore, own: Sequence[PlannedMatch], place: int) -> Iterator[Result]:
    """The matches of a participant that are over, in order.

    Args:
        store: Where they are kept.
        own: Theirs, see `Roster.matches_of`.
        place: Theirs.
    """
    begun = store.matches()
    for match in own:
        if match.number not in begun or place not in match.places:
            continue
        line, seat = store.record_line(id := begun[match.number]), match.players.index(place)
        record = None if line is None else Record.from_json(line)
        if record is not None and record.players[seat] == HUMAN:
            yield Result(match, record, seat, payoff_for_bonus(record, seat, store.absent_seats(id)))


# What is noticed besides answers: pages shown, time on each, and when a page was out of sight


def notice_statement(token: str, kind: str, told: str) -> tuple[str, Sequence[Any]]:
    """The SQL that keeps an event of `PAGE_EVENTS`, with its values.

    It keeps none of who withdrew, was forgotten, or has `MAX_PAGE_EVENTS`.
    """
    text = (
        "INSERT INTO events (participant, kind, json) SELECT token, ?, ? FROM participants "
        "WHERE token = ? AND withdrawn IS NULL AND substr(external_id, 1, ?) <> ? "
        "AND (SELECT count(*) FROM events WHERE participant = token AND kind = ?) < ?"
    )
    return text, (kind, told, token, len(FORGOTTEN_PREFIX), FORGOTTEN_PREFIX, kind, MAX_PAGE_EVENTS)


class PageAttention(NamedTuple):
    """What the events of a participant say together.

    Attributes:
        views: How often a page was shown; None: nothing was noticed.
        hidden: How often a page was hidden; None likewise.
        seconds: Page of `TIMED_PAGES` to the time on it, over all visits that have ended.
    """

    views: int | None
    hidden: int | None
    seconds: dict[str, int]


def page_attention(events: Sequence[StoredEvent]) -> PageAttention:
    """What the events of one participant, in order, say together."""
    kinds = [one.kind for one in events]
    reached = [one for one in events if one.kind == PAGE_REACHED]
    seconds: dict[str, int] = {}
    for one, then in pairwise(reached):
        spent = datetime.fromisoformat(then.at) - datetime.fromisoformat(one.at)
        page = one.details["page"]
        seconds[page] = seconds.get(page, 0) + round(spent.total_seconds())
    views = kinds.count(VIEW) or None
    return PageAttention(views, kinds.count(HIDDEN) if views else None, seconds)
