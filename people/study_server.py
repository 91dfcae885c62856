"""A running study: folder, server, and the clock that starts matches and ends waits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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

from econzoo.baselines import current_budget
from econzoo.envs.core import format_count, read_bytes, read_text, write_file
from econzoo.envs.core.record import Record, RecordFile, read_lines
from econzoo.evaluate.serving import ANYBODY, Rules
from econzoo.people.manage import FindStudy, Monitor, MonitoredStudy, monitor_path, record_server, running_server
from econzoo.people.participation import Course, DelayedDesk, Participants, PlayPages, StudyPages, StudyTexts
from econzoo.people.participation import adapt_texts, check_stand_ins, entry_link, error_page, match_options, top_up
from econzoo.people.server import RECORDS, STORE, ServeOptions, Site, build_application, create_site, listen
from econzoo.people.server import operator_only, page_rules, site_path
from econzoo.people.study import FILE, IMAGES, MAX_IMAGE_BYTES, Study
from econzoo.people.table import ReplayPages, Tables, TranscriptPages, WatchPages, run_clock

TICK = 0.25
"""Seconds between two runs of the matching."""


class RunningStudy:
    """A study in its folder of participants, matches and records, which is created if missing."""

    def __init__(self, study: Study, folder: Path, site: Site) -> None:
        store = Participants(folder / STORE, study.name)
        if (own := current_budget()) is not None:
            # The budget includes what earlier servers of the folder have spent.
            own.add(*store.total_spending())
        blinded = any(arm.blinded for arm in study.arms)
        paced = partial(DelayedDesk, speed=study.speed) if blinded else None
        self.tables = Tables(store, RecordFile(folder / RECORDS), make_desk=paced)
        options = match_options(study, study_site(study, site).texts)
        self.course = Course(study, store, self.tables, options)
        self.study_texts = StudyTexts(study, store, options)
        names = [one for one in study.attached_files if Path(one).suffix.casefold() in IMAGES]
        self.images = {name: read_bytes(folder / name, MAX_IMAGE_BYTES) for name in names}
        self._closed = Event()
        self._clock = Thread(target=run_clock, args=(self._tick, TICK, self._closed), daemon=True, name="study")
        # A pause lasts until it is ended, across restarts.
        if store.is_paused:
            self.tables.uptime.stop()
        self._resume(store)

    def _resume(self, store: Participants) -> None:
        """Complete the records and reopen unfinished matches after the previous process ended."""
        path = self.tables.records.path
        written = {line.decode().strip() for _, line in read_lines(path)} if path.exists() else set()
        for line in store.record_lines():
            # A record is in the store before the file, which lacks the last ones after a kill.
            if line not in written:
                self.tables.records.append(Record.from_json(line))
        for match in store.running_matches().values():
            try:
                live = self.tables.open_match(match)
            except ValueError as error:  # another version of the game; other matches continue
                print(f"match {match}: {error}", file=sys.stderr, flush=True)
                continue
            # Clocks start also for participants who have closed the page: nobody is to wait for them.
            for seat in live.people:
                live.arrive(seat)

    def start(self) -> None:
        self._clock.start()

    def close(self) -> None:
        """Stop the clock and close all matches."""
        self._closed.set()
        if self._clock.is_alive():
            self._clock.join()  # it uses the store
        self.tables.close()

    def _tick(self) -> None:
        self.tables.uptime.beat()
        self.course.store.checkpoint()
        # The server of several studies and commands may change the store too.
        self.course.store.check_changes()
        with self.course.store.batch_flush():
            self.course.seating.settle()


def study_site(study: Study, site: Site) -> Site:
    """Return the site with the texts of a study."""
    return site._replace(texts=adapt_texts(study, site.texts))


def build_app(running: RunningStudy, site: Site, rules: Rules = ANYBODY) -> Starlette:
    """Build the application: pages of participants and of the operator."""
    tables = running.tables
    pages = (
        StudyPages(running.course, running.study_texts, PlayPages(running.course, tables), running.images),
        ReplayPages(tables),
        WatchPages(tables),
        TranscriptPages(tables),
        Monitor(make_finder(running)),
    )
    site = study_site(running.course.study, site)
    home = Route("/manage", operator_only(partial(_redirect_home, running.course.study.name)), methods=["GET"])
    return build_application([home, *(route for part in pages for route in part.routes)], site, rules, error_page)


async def _redirect_home(name: str, request: Request) -> Response:
    return RedirectResponse(site_path(monitor_path(name)), 303)


def make_finder(running: RunningStudy) -> FindStudy:
    """Return a function that finds the running study for the operator's page."""
    course = running.course

    @contextmanager
    def find(request: Request, writes: bool = False) -> Iterator[MonitoredStudy]:
        if request.path_params["name"] != course.study.name:
            raise HTTPException(404)
        folder, base = running.tables.records.path.parent, str(request.base_url).rstrip("/")
        yield MonitoredStudy(course.study, course.store, folder, base, course.exclude, course)

    return find


def prepare_folder(study: Study, folder: Path) -> Path:
    """Create the folder of a study and copy its file there on the first run."""
    folder.mkdir(parents=True, exist_ok=True)
    frozen = folder / FILE
    if not frozen.exists():
        for name in study.attached_files:
            write_file(folder / name, read_bytes(study.path.parent / name, MAX_IMAGE_BYTES))
        # Last: the file marks a complete folder.
        write_file(frozen, study.source)
    if read_text(frozen) != study.source:
        raise ValueError(f"{study.path} differs from the study in {folder}: expected {frozen}, or another --out")
    return folder


def serve_study(
    study: Study, folder: Path, options: ServeOptions, demo: bool = False, participants: int | None = None
) -> None:
    """Serve a study until stopped.

    Args:
        participants: Target number of participants who finish, see `top_up`; None: as in the file.
    """
    check_stand_ins(study)
    prepare_folder(study, folder)
    if participants is not None:
        added = _add_places(study, folder, participants)
        print(
            f"{format_count(added, 'place')} added: target {format_count(participants, 'participant')}",
            flush=True,
        )
        if (server := running_server(folder)) is not None:
            print(f"The running server at {server.url} uses them", flush=True)
            return
    site = create_site(folder, options, study.texts)._replace(demo=demo)
    running = RunningStudy(without_return_links(study) if demo else study, folder, site)
    running.start()
    try:
        app = build_app(running, site, page_rules(site))
        listen(app, options, site, partial(_announce, study, folder, demo))
    finally:
        running.close()


def without_return_links(study: Study) -> Study:
    """Return the study without labels and ends, for a demo."""
    return replace(study, recruitment=replace(study.recruitment, labels=()), ends={})


def _add_places(study: Study, folder: Path, participants: int) -> int:
    with closing(Participants(folder / STORE, study.name)) as store:
        return top_up(study, store, participants)


def _announce(study: Study, folder: Path, demo: bool, url: str) -> None:
    """Print the entry link and record the server in the folder, where ``/manage`` finds it."""
    record_server(folder, url)
    print(entry_link(study, url, demo), flush=True)
