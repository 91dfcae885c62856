"""Status and operator pages of all studies in a folder.

Each study has its own server, ``econzoo serve STUDY.toml``. While that runs, its folder is read-only here.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request

from econzoo.envs.core import reason
from econzoo.people.manage import runs
from econzoo.people.manage.study_rows import MonitoredStudy, monitor_path
from econzoo.people.participation import DONE, END_PAGES, PAGES, Participants, exclude
from econzoo.people.server import texts
from econzoo.people.study import FILE, STORE, Participant, Study, load_participants, load_roster, open_store, read_study
from econzoo.people.table import MEMORY

PLANNED, RUNNING, DOWN, ALL_DONE = "planned", "running", "down", "done"
"""States of a study: no participants yet; server running; server down; all planned participants have finished."""

MAX_REASON_LENGTH = 300
"""Maximum characters of the error shown for a study."""


class StudyStatus(NamedTuple):
    """Progress of a study.

    Attributes:
        kind: `PLANNED`, `RUNNING`, `DOWN` or `ALL_DONE`.
        finished: Participants who have finished.
        places: Page to number of participants on it, in page order.
        bonus_cents: Total bonus due, in hundredths.
        approved_cents: The part of it that the operator has approved.
    """

    study: Study
    kind: str
    finished: int
    places: Mapping[str, int]
    bonus_cents: int
    approved_cents: int


class StudyFolder(NamedTuple):
    """A folder of a study.

    Attributes:
        status: Progress of the study; None: it cannot be read.
    """

    name: str
    page_path: str
    status: StudyStatus | None
    problem: str = ""


class Studies:
    """The studies of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def _names(self) -> list[str]:
        return sorted(path.parent.name for path in self.folder.glob(f"*/{FILE}"))

    def list_all(self) -> list[StudyFolder]:
        """Status of all studies; an error in one folder does not hide the others."""
        folders = []
        for name in self._names():
            # A file name that is not UTF-8 has surrogates, which a URL cannot quote.
            home = monitor_path(name.encode("utf-8", "replace").decode())
            try:
                folders.append(StudyFolder(name, home, self._load_status(name)))
            except Exception as error:
                folders.append(StudyFolder(name, home, None, error_line(error)))
        return folders

    def _load_status(self, name: str) -> StudyStatus:
        study, server = self._load(name)
        try:
            with open_store(self.folder / name) as db:
                participants = load_participants(db)
        except FileNotFoundError:  # it has never run
            participants = []
        return study_status(study, participants, server is not None)

    def _load(self, name: str) -> tuple[Study, runs.Run | None]:
        """A study and its server, if running."""
        path = self.folder / name / FILE
        stat = path.stat()
        return _load_study(path, stat.st_mtime_ns, stat.st_size), runs.running_server(path.parent)

    # -- one study ---------------------------------------------------------------------------------------------

    @contextmanager
    def find(self, request: Request, writes: bool = False) -> Iterator[MonitoredStudy]:
        """See `FindStudy`."""
        name = request.path_params["name"]
        if name not in self._names():
            raise HTTPException(404)
        try:
            study, server = self._load(name)
            if writes and server:
                raise HTTPException(409, texts().say("monitor.only_there", address=server.url))
            store = _open_participants(self.folder / name, study, writes)
        except HTTPException:
            raise
        except Exception as error:
            raise HTTPException(409, texts().say("manage.unreadable", why=error_line(error))) from None
        with closing(store):
            try:
                yield self._monitor_study(name, study, store, server)
            except sqlite3.Error as error:
                raise HTTPException(409, texts().say("manage.unreadable", why=error_line(error))) from None

    def _monitor_study(self, name: str, study: Study, store: Participants, server: runs.Run | None) -> MonitoredStudy:
        folder = self.folder / name

        def exclude_participant(one: Participant, reason: str) -> bool:
            with open_store(folder) as db:
                own = load_roster(db, study).matches_of(one.place)
            return exclude(study, store, own, one, reason)

        parts = (study, store, folder)
        if server is not None:
            own_page = server.url + monitor_path(study.name)
            return MonitoredStudy(*parts, server.url, exclude_participant, own_page=own_page)
        command = shlex.join(["econzoo", "serve", str(folder)])
        return MonitoredStudy(*parts, "", exclude_participant, command=command)


@lru_cache(maxsize=100)
def _load_study(path: Path, changed: int, size: int) -> Study:
    """The study of a file, cached until the file changes."""
    return read_study(path)


def _open_participants(folder: Path, study: Study, writes: bool) -> Participants:
    try:
        # Opened first, since Participants would create a missing store.
        with open_store(folder):
            return Participants(folder / STORE, study.name, read_only=not writes)
    except FileNotFoundError:
        return Participants(MEMORY, study.name)  # no participants yet: leave the folder unchanged


def study_status(study: Study, participants: Sequence[Participant], runs_now: bool) -> StudyStatus:
    """Compute the status of a study from its participants and whether its server runs."""
    pages = Counter(one.page for one in participants)
    admitted = [one for one in participants if one.place is not None]
    done = len(admitted) >= study.matching.participants and all(one.page in END_PAGES for one in admitted)
    begun = DOWN if participants else PLANNED
    return StudyStatus(
        study=study,
        kind=ALL_DONE if done else RUNNING if runs_now else begun,
        finished=pages[DONE],
        places={one: pages[one] for one in PAGES if pages[one]},
        bonus_cents=sum(one.due_cents for one in participants),
        approved_cents=sum(one.due_cents for one in participants if one.approved),
    )


def error_line(error: Exception) -> str:
    """Format an error in one line."""
    return (" ".join(reason(error).split()) or type(error).__name__)[:MAX_REASON_LENGTH]
