"""A study that runs: its folder, its server, and the clock that begins matches and ends waits."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.baselines.models import purse
from econzoo.envs.core.files import bytes_of, text_of, write_file
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.lines import lines_of
from econzoo.envs.core.record.record import Record, RecordFile
from econzoo.people.manage.monitor import Find, Monitor
from econzoo.people.manage.rows import Followed, home_of
from econzoo.people.manage.runs import server_of, serves
from econzoo.people.participation.arriving import entry_of
from econzoo.people.participation.blind import PacedDesk
from econzoo.people.participation.course import Course
from econzoo.people.participation.page_texts import Telling, options_of, texts_in
from econzoo.people.participation.pages import Play, StudyPages, error_page
from econzoo.people.participation.participants import Participants
from econzoo.people.participation.stand_ins import check_stand_ins
from econzoo.people.participation.top_up import top_up
from econzoo.people.server.options import ServerOptions
from econzoo.people.server.security import operator_only
from econzoo.people.server.serving import RECORDS, STORE, application, hosts_of, listen, site_in
from econzoo.people.server.site import Site, at
from econzoo.people.study.declaration import Study
from econzoo.people.study.items import IMAGES, LARGEST
from econzoo.people.study.study_data import FILE
from econzoo.people.table.replaying import Replaying
from econzoo.people.table.tables import Tables
from econzoo.people.table.transcripts import Transcripts
from econzoo.people.table.watching import Watching

TICK = 0.25
"""Seconds between two looks for something that can be done."""


class Running:
    """A study in its folder.

    Args:
        study: The study.
        folder: Where participants, matches and records are kept; made if it does not exist.
        site: How the server is set up.

    Attributes:
        course: Of the participants.
        tables: Where matches are played.
        telling: What pages tell.
        images: Pictures of the study by name.
    """

    def __init__(self, study: Study, folder: Path, site: Site) -> None:
        store = Participants(folder / STORE, study.name)
        if (own := purse.current()) is not None:
            own.add(*store.spent())
        blinded = any(arm.blinded for arm in study.arms)
        paced = partial(PacedDesk, speed=study.speed) if blinded else None
        self.tables = Tables(store, RecordFile(folder / RECORDS), paced=paced)
        options = options_of(study, site_of(study, site).texts)
        self.course = Course(study, store, self.tables, options)
        self.telling = Telling(study, store, options)
        shown = [one for one in study.beside if Path(one).suffix.casefold() in IMAGES]
        self.images = {name: bytes_of(folder / name, LARGEST) for name in shown}
        self._closed = Event()
        self._clock = Thread(target=self._tick, daemon=True, name="study")
        if store.paused:
            self.tables.uptime.stop()
        self._resume(store)

    def _resume(self, store: Participants) -> None:
        """Goes on after a process that was killed: records are complete, and matches that went on are open."""
        path = self.tables.records.path
        written = {line.decode().strip() for _, line in lines_of(path)} if path.exists() else set()
        for line in store.lines():
            if line not in written:
                self.tables.records.append(Record.from_json(line))
        for match in store.going_on().values():
            try:
                live = self.tables.live(match)
            except ValueError as error:  # another version of the game; the other matches go on
                print(f"match {match}: {error}", file=sys.stderr, flush=True)
                continue
            for seat in live.people:
                live.arrive(seat)

    def start(self) -> None:
        """Lets time pass."""
        self._clock.start()

    def close(self) -> None:
        """Lets go of everything."""
        self._closed.set()
        if self._clock.is_alive():
            self._clock.join()
        self.tables.close()

    def _tick(self) -> None:
        while not self._closed.wait(TICK):
            self.tables.uptime.beat()
            self.course.store.checkpoint()
            self.course.store.look()
            with self.course.store.flushed():
                self.course.seating.settle()


def site_of(study: Study, site: Site) -> Site:
    """The site of a study."""
    return site._replace(texts=texts_in(study, site.texts))


def app_of(running: Running, site: Site, hosts: Sequence[str] = ("*",)) -> Starlette:
    """The application: pages of participants, and those of the operator."""
    tables = running.tables
    shown = (
        StudyPages(running.course, running.telling, Play(running.course, tables), running.images),
        Replaying(tables),
        Watching(tables),
        Transcripts(tables),
        Monitor(find_here(running)),
    )
    site = site_of(running.course.study, site)
    home = Route("/manage", operator_only(partial(_home, running.course.study.name)), methods=["GET"])
    return application([home, *(route for pages in shown for route in pages.routes)], site, hosts, error_page)


async def _home(name: str, request: Request) -> Response:
    """There is one study here."""
    return RedirectResponse(at(home_of(name)), 303)


def find_here(running: Running) -> Find:
    """Finds the study that runs here, for its operator's page."""
    course = running.course

    @contextmanager
    def find(request: Request, writes: bool = False) -> Iterator[Followed]:
        if request.path_params["name"] != course.study.name:
            raise HTTPException(404)
        folder, base = running.tables.records.path.parent, str(request.base_url).rstrip("/")
        yield Followed(course.study, course.store, folder, base, course.exclude, course)

    return find


def folder_of(study: Study, folder: Path) -> Path:
    """The folder of a study, in which the file is frozen when it runs for the first time.

    Raises:
        ValueError: The study there is another one, or was changed since.
    """
    folder.mkdir(parents=True, exist_ok=True)
    frozen = folder / FILE
    if not frozen.exists():
        for name in study.beside:  # what the file names as one beside itself stays beside it
            write_file(folder / name, bytes_of(study.path.parent / name, LARGEST))
        write_file(frozen, study.source)
    if text_of(frozen) != study.source:
        raise ValueError(f"{study.path} is not the study of {folder}; allowed: {frozen}, or another --out")
    return folder


def serve(
    study: Study, folder: Path, options: ServerOptions, demo: bool = False, participants: int | None = None
) -> None:
    """Serves a study until it is stopped.

    Args:
        study: The study.
        folder: Of the study. If its server runs already, that one takes the places that are added.
        options: Where it listens, and how it is guarded.
        demo: Whether the pages say that nothing is kept or paid, and need no label.
        participants: Who are wanted to finish, see `top_up`; None: as many as the file says.

    Raises:
        ValueError: See `folder_of`, `check_stand_ins` and `site_in`.
        OSError: The port is taken.
    """
    check_stand_ins(study)
    folder_of(study, folder)
    if participants is not None:
        added = _add_places(study, folder, participants)
        print(f"{many(added, 'place')} added, for {many(participants, 'participant')} to finish", flush=True)
        if (server := server_of(folder)) is not None:
            print(f"The server at {server.url} goes on with them", flush=True)
            return
    site = site_in(folder, options, study.texts)._replace(demo=demo)
    running = Running(without_ways_back(study) if demo else study, folder, site)
    running.start()
    try:
        app = app_of(running, site, hosts_of(options.host, site))
        listen(app, options, site, partial(_announce, study, folder, demo))
    finally:
        running.close()


def without_ways_back(study: Study) -> Study:
    """A study that only is shown: anybody may come, and nobody goes to where others are paid."""
    return replace(study, recruitment=replace(study.recruitment, completion_url="", labels=()), ends={})


def _add_places(study: Study, folder: Path, participants: int) -> int:
    with closing(Participants(folder / STORE, study.name)) as store:
        return top_up(study, store, participants)


def _announce(study: Study, folder: Path, demo: bool, url: str) -> None:
    """Tells the link for participants; who manages several studies finds the server in the folder."""
    serves(folder, url)
    print(entry_of(study, url, demo), flush=True)
