"""A study that runs: its folder, its server, and the clock that begins matches and ends waits."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

from starlette.applications import Starlette

from econzoo.baselines.models import purse
from econzoo.envs.core.record.record import Record, RecordFile
from econzoo.evaluate.studies.declared import LINKS, MTURK, PROLIFIC, Study
from econzoo.evaluate.web.manage.monitor import Monitor
from econzoo.evaluate.web.replaying import Replaying
from econzoo.evaluate.web.serving import RECORDS, STORE, application, hosts_of, listen
from econzoo.evaluate.web.site import Site
from econzoo.evaluate.web.study.arriving import PARAMETERS
from econzoo.evaluate.web.study.course import Course
from econzoo.evaluate.web.study.pace import PacedDesk
from econzoo.evaluate.web.study.pages import StudyPages, failed
from econzoo.evaluate.web.study.participants import Participants
from econzoo.evaluate.web.study.play import Play
from econzoo.evaluate.web.study.stand_ins import check_stand_ins
from econzoo.evaluate.web.study.telling import Telling
from econzoo.evaluate.web.table import Tables
from econzoo.evaluate.web.transcripts import Transcripts
from econzoo.evaluate.web.watching import Watching

FILE = "study.toml"
"""The study in its folder, as it was when it ran for the first time."""

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
    """

    def __init__(self, study: Study, folder: Path, site: Site) -> None:
        self._site = site
        store = Participants(folder / STORE, study.name)
        if (own := purse.current()) is not None:
            own.add(*store.spent())
        blinded = any(arm.blinded for arm in study.arms)
        self.tables = Tables(store, RecordFile(folder / RECORDS), paced=PacedDesk if blinded else None)
        prompts = site.texts.prompts.get(study.game)
        options = {"prompts": dict(prompts)} if prompts else {}
        self.course = Course(study, store, self.tables, options)
        self.telling = Telling(study, store, options)
        self._closed = Event()
        self._clock = Thread(target=self._tick, daemon=True, name="study")
        self._resume(store)

    def _resume(self, store: Participants) -> None:
        """Goes on after a process that was killed: records are complete, and matches that went on are open."""
        path = self.tables.records.path
        written = set(path.read_text(encoding="utf-8").splitlines() if path.exists() else ())
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
            self.course.store.look()
            self.course.seating.settle()


def app_of(running: Running, site: Site, hosts: Sequence[str] = ("*",)) -> Starlette:
    """The application: pages of participants, and those of the operator."""
    tables = running.tables
    shown = (
        StudyPages(running.course, running.telling, Play(running.course, tables)),
        Replaying(tables),
        Watching(tables),
        Transcripts(tables),
        Monitor(running.course, running.telling, tables.records.path.parent, entry_of),
    )
    return application([route for pages in shown for route in pages.routes], site, hosts, failed)


def folder_of(study: Study, folder: Path) -> Path:
    """The folder of a study, in which the file is frozen when it runs for the first time.

    Raises:
        ValueError: The study there is another one, or was changed since.
    """
    folder.mkdir(parents=True, exist_ok=True)
    frozen = folder / FILE
    if not frozen.exists():
        if (texts := Path(study.texts)).parent == study.path.parent and texts.suffix:
            (folder / texts.name).write_bytes(texts.read_bytes())  # the file names it as one beside itself
        frozen.write_text(study.source, encoding="utf-8")
    if frozen.read_text(encoding="utf-8") != study.source:
        raise ValueError(f"{study.path} is not the study of {folder}; allowed: {frozen}, or another --folder")
    return folder


def entry_of(study: Study, url: str) -> str:
    """The link for participants; what their platform fills in stands as it has it there."""
    names = PARAMETERS[study.recruitment.source]
    filled = {PROLIFIC: "{{{{%{name}%}}}}", MTURK: "${{{name}}}", LINKS: "LABEL"}[study.recruitment.source]
    return f"{url}/study/{study.name}?" + "&".join(f"{name}={filled.format(name=name)}" for name in names)


def run(study: Study, host: str, port: int, folder: Path, site: Site) -> None:
    """Runs a study until it is stopped.

    Args:
        study: The study.
        host: Address to listen on.
        port: 0: any that is free.
        folder: Of the study.
        site: How the server is set up.

    Raises:
        ValueError: See `folder_of` and `check_stand_ins`.
        OSError: The port is taken.
    """
    check_stand_ins(study)
    running = Running(study, folder_of(study, folder), site)
    running.start()
    try:
        app = app_of(running, site, hosts_of(host, site))
        listen(app, host, port, site, lambda url: print(entry_of(study, url), flush=True))
    finally:
        running.close()
