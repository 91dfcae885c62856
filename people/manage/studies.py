"""Studies with people that lie in a folder: how far each one is, and its page for an operator who has several.

Each has a server of its own, ``econzoo serve STUDY.toml``. While that one runs, its folder is only read here.
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

from econzoo.envs.core.files import reason
from econzoo.people.manage import runs
from econzoo.people.manage.rows import Followed, home_of
from econzoo.people.participation.page_names import DONE, ENDS, PAGES
from econzoo.people.participation.participants import Participants
from econzoo.people.participation.seating import exclude
from econzoo.people.server.site import texts
from econzoo.people.study.declaration import Study
from econzoo.people.study.study_data import FILE, STORE, Participant, open_store, participants_of, roster_of
from econzoo.people.study.study_file import read_study
from econzoo.people.table.store import MEMORY

PLANNED, RUNNING, DOWN, ALL_DONE = "planned", "running", "down", "done"
"""What a study can be at: nobody has come; its server runs; it does not; all who were wanted have come to an end."""

LONGEST = 300
"""Characters of what is wrong with a study."""


class Standing(NamedTuple):
    """How far a study is.

    Attributes:
        study: The study.
        kind: `PLANNED`, `RUNNING`, `DOWN` or `ALL_DONE`.
        finished: Participants who have come to the end.
        places: Page to how many are on it, in the usual order.
        bonus: That is due in all, in hundredths.
        approved: Of that, what the operator has approved.
    """

    study: Study
    kind: str
    finished: int
    places: Mapping[str, int]
    bonus: int
    approved: int


class Found(NamedTuple):
    """A folder of a study.

    Attributes:
        name: Of the folder.
        home: Path of its page.
        now: How far it is; None: it cannot be read.
        problem: Why not.
    """

    name: str
    home: str
    now: Standing | None
    problem: str = ""


class Studies:
    """The studies of a folder.

    Args:
        folder: In which each has a folder, as ``econzoo serve STUDY.toml`` makes it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def _names(self) -> list[str]:
        return sorted(path.parent.name for path in self.folder.glob(f"*/{FILE}"))

    def all(self) -> list[Found]:
        """How far all of them are; whatever one folder holds, the others are told."""
        found = []
        for name in self._names():
            home = home_of(name.encode("utf-8", "replace").decode())
            try:
                found.append(Found(name, home, self._standing(name)))
            except Exception as error:
                found.append(Found(name, home, None, reason_of(error)))
        return found

    def _standing(self, name: str) -> Standing:
        study, server = self._read(name)
        try:
            with open_store(self.folder / name) as db:
                everybody = participants_of(db)
        except FileNotFoundError:  # it has never run
            everybody = []
        return standing_of(study, everybody, server is not None)

    def _read(self, name: str) -> tuple[Study, runs.Run | None]:
        """A study and its server, if that runs."""
        path = self.folder / name / FILE
        told = path.stat()
        return _studied(path, told.st_mtime_ns, told.st_size), runs.server_of(path.parent)

    # -- one of them -------------------------------------------------------------------------------------------

    @contextmanager
    def find(self, request: Request, writes: bool = False) -> Iterator[Followed]:
        """See `Find`."""
        name = request.path_params["name"]
        if name not in self._names():
            raise HTTPException(404)
        try:
            study, server = self._read(name)
            if writes and server:
                raise HTTPException(409, texts().say("monitor.only_there", address=server.url))
            store = _participants(self.folder / name, study, writes)
        except HTTPException:
            raise
        except Exception as error:
            raise HTTPException(409, texts().say("manage.unreadable", why=reason_of(error))) from None
        with closing(store):
            try:
                yield self._followed(name, study, store, server)
            except sqlite3.Error as error:
                raise HTTPException(409, texts().say("manage.unreadable", why=reason_of(error))) from None

    def _followed(self, name: str, study: Study, store: Participants, server: runs.Run | None) -> Followed:
        folder = self.folder / name

        def left_out(one: Participant, reason: str) -> bool:
            with open_store(folder) as db:
                own = roster_of(db, study).of(one.place)
            return exclude(study, store, own, one, reason)

        told = (study, store, folder)
        if server is not None:
            return Followed(*told, server.url, left_out, elsewhere=server.url + home_of(study.name))
        command = shlex.join(["econzoo", "serve", str(folder)])
        return Followed(*told, "", left_out, command=command)


@lru_cache(maxsize=100)
def _studied(path: Path, changed: int, size: int) -> Study:
    """The study of a file, read again when the file is another one."""
    return read_study(path)


def _participants(folder: Path, study: Study, writes: bool) -> Participants:
    try:
        with open_store(folder):
            return Participants(folder / STORE, study.name, reading=not writes)
    except FileNotFoundError:
        return Participants(MEMORY, study.name)  # to which nobody has come: the folder is not written to


def standing_of(study: Study, everybody: Sequence[Participant], runs_now: bool) -> Standing:
    """How far a study is, by its participants and whether its server runs."""
    pages = Counter(one.page for one in everybody)
    admitted = [one for one in everybody if one.place is not None]
    done = len(admitted) >= study.matching.participants and all(one.page in ENDS for one in admitted)
    begun = DOWN if everybody else PLANNED
    return Standing(
        study=study,
        kind=ALL_DONE if done else RUNNING if runs_now else begun,
        finished=pages[DONE],
        places={one: pages[one] for one in PAGES if pages[one]},
        bonus=sum(one.due_cents for one in everybody),
        approved=sum(one.due_cents for one in everybody if one.approved),
    )


def reason_of(error: Exception) -> str:
    """What is wrong, in one line."""
    return (" ".join(reason(error).split()) or type(error).__name__)[:LONGEST]
