"""What a study has kept in its folder: participants, answers, events, matches; also read while it runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.record.record import Record
from econzoo.people.study.declaration import HUMAN, Study
from econzoo.people.study.matching import Planned, plan_matches

FILE, STORE = "study.toml", "table.sqlite"
"""The study as it ran, and where its participants and matches are kept."""

ENTRY = "entry"
"""Kind of the event that keeps what came with a participant's link."""

FORGOTTEN = "forgotten-"
"""How ids begin that have taken the place of removed ones."""


class KeptParticipant(NamedTuple):
    """A participant.

    Attributes:
        number: In order of arrival, from 1.
        token: The secret in the personal link.
        source: Where they came from.
        external_id: Who they are there.
        label: Of their link.
        place: Order of admission, from 0; None: not admitted.
        page: Where they are, or ended.
        attention_left: Attempts left for the code word.
        quiz_left: Likewise for the quiz.
        excluded_reason: None: not excluded.
        withdrawn: The page on which they withdrew; None: they did not.
        bonus_cents: None: not worked out yet.
        approved: Whether the operator has approved the payment.
        completion_code: None: they have none.
        created: When they first came (UTC).
        finished: When they reached their end; None: not yet.
    """

    number: int
    token: str
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
    approved: bool
    completion_code: str | None
    created: str
    finished: str | None

    @property
    def is_paid(self) -> bool:
        """Whether they were given a completion code, and not excluded afterwards."""
        return self.completion_code is not None and self.excluded_reason is None

    @property
    def due_cents(self) -> int:
        """The bonus that is paid once it is approved, in hundredths."""
        return self.bonus_cents or 0 if self.is_paid else 0


class KeptAnswer(NamedTuple):
    """An answer on a page: whose, of which kind, to which question (from 0), at which attempt, what, when."""

    participant: str
    kind: str
    item: int
    attempt: int
    answer: str
    at: str


class KeptEvent(NamedTuple):
    """What happened to a participant: whose, when, what kind, and what is told of it."""

    participant: str
    at: str
    kind: str
    told: dict[str, Any]


class KeptMatch(NamedTuple):
    """A match that has begun.

    Attributes:
        plan: As it stands in the randomisation table.
        record: None: it goes on.
        people: Token of the participant in each seat; None: no participant sat there.
    """

    plan: Planned
    record: Record | None
    people: tuple[str | None, ...]


class KeptStudy(NamedTuple):
    """A study with everything in its folder."""

    folder: Path
    study: Study
    participants: list[KeptParticipant]
    answers: list[KeptAnswer]
    events: list[KeptEvent]
    matches: list[KeptMatch]


def check_ran(folder: str | Path) -> None:
    """Raises `FileNotFoundError` if no study has run in a folder."""
    for name in (STORE, FILE):
        if not (Path(folder) / name).is_file():
            raise FileNotFoundError(f"no study has run in {folder}: there is no {Path(folder) / name}")


@contextmanager
def open_store(folder: Path, write: bool = False) -> Iterator[sqlite3.Connection]:
    """The file in which a study keeps its participants.

    Raises:
        FileNotFoundError: No study has run in the folder.
    """
    check_ran(folder)
    path = folder / STORE
    mode = "rw" if write else "ro"
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=30)) as db:
        db.row_factory = sqlite3.Row
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'participants'").fetchone():
            raise FileNotFoundError(f"no study has run in {folder}: {path} has no participants")
        yield db


def kept_study(study: Study, folder: str | Path) -> KeptStudy:
    """Everything that a study has kept.

    Args:
        study: As it stands in the folder.
        folder: Where it ran, or runs.

    Raises:
        FileNotFoundError: No study has run in the folder.
    """
    folder = Path(folder)
    with open_store(folder) as db:
        return KeptStudy(folder, study, participants_of(db), _answers(db), _events(db), _matches(db, study))


def participants_of(db: sqlite3.Connection) -> list[KeptParticipant]:
    """All participants, in order of arrival."""
    rows = db.execute(f"SELECT {', '.join(KeptParticipant._fields[1:])} FROM participants ORDER BY created, rowid")
    found = (KeptParticipant(number, *row) for number, row in enumerate(rows, start=1))
    return [one._replace(approved=bool(one.approved)) for one in found]


def _answers(db: sqlite3.Connection) -> list[KeptAnswer]:
    rows = db.execute(f"SELECT {', '.join(KeptAnswer._fields)} FROM answers ORDER BY rowid")
    return [KeptAnswer(*row) for row in rows]


def _events(db: sqlite3.Connection) -> list[KeptEvent]:
    rows = db.execute("SELECT participant, at, kind, json FROM events ORDER BY rowid")
    return [KeptEvent(who, at, kind, from_json(told)) for who, at, kind, told in rows]


def _matches(db: sqlite3.Connection, study: Study) -> list[KeptMatch]:
    """Matches that have begun, in the order of the randomisation table."""
    table = plan_matches(study)
    text = "SELECT token FROM participants WHERE study = ? AND place = ?"
    rows = db.execute(
        "SELECT planned, players, record FROM played JOIN matches ON id = match WHERE study = ? ORDER BY planned",
        (study.name,),
    ).fetchall()
    found = []
    for number, players, line in rows:
        seats = zip(table[number].players, from_json(players), strict=True)
        tokens = [db.execute(text, (study.name, who)).fetchone() if spec == HUMAN else None for who, spec in seats]
        people = tuple(row["token"] if row else None for row in tokens)
        found.append(KeptMatch(table[number], Record.from_json(line) if line else None, people))
    return found
