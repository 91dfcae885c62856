"""The operator's page of a study: who is where since when, what is paid to whom, links, and the export."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from inspect import Parameter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote
from zlib import crc32

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.envs.core.contract.options import Declared, Option
from econzoo.envs.core.contract.parameters import Whole
from econzoo.envs.core.files import ARCHIVE, bytes_of
from econzoo.people.participation.arriving import entry_of
from econzoo.people.participation.page_texts import Telling
from econzoo.people.participation.participants import Participants
from econzoo.people.server.fields import NOTHING, Fields, ShortText
from econzoo.people.server.rendering import page, stream
from econzoo.people.server.security import operator_only, read_form
from econzoo.people.server.site import at, texts
from econzoo.people.study.declaration import Study
from econzoo.people.study.export import export_study
from econzoo.people.study.matching import arms_of_places
from econzoo.people.study.study_data import ARRIVED, Participant

MOST_REASON = 200
"""Characters of a reason."""


def asked_of(given: Mapping[str, str], participants: int) -> Fields:
    """What the form asks for that approves and excludes, with what was typed."""
    reason = ShortText(MOST_REASON), "For who is excluded: they read it, and it stands in the export."
    declared = [
        Declared("number", int, Option(Whole(1, participants), "In the first column."), Parameter.empty),
        Declared("reason", str, Option(*reason), ""),
    ]
    return Fields(declared, {"number": "monitor.number", "reason": "monitor.reason"}, given)


class Line(NamedTuple):
    """A participant in the table.

    Attributes:
        number: In the order in which they came, from 1.
        one: Who.
        arm: Where they were admitted to; empty: nowhere yet.
        since: When they came to their page (UTC).
        away: Whether they are in the waiting room and have closed the page.
        bonus: So far.
        total: That they are paid; empty: nothing yet.
        link: Their personal one; empty: no server shows it now.
    """

    number: int
    one: Participant
    arm: str
    since: str
    away: bool
    bonus: str
    total: str
    link: str


class Followed(NamedTuple):
    """A study as its operator follows it.

    Attributes:
        study: The study.
        store: Its participants.
        folder: Where it is kept.
        base: Address of the pages of participants, without a slash at the end; empty: no server shows them now.
        away: Whether somebody in the waiting room has closed the page.
        exclude: Excludes a participant for a reason.
        elsewhere: Address of the study's own page, where its server runs: only that one writes. Empty: this one may.
        command: That runs the study; empty: it runs.
    """

    study: Study
    store: Participants
    folder: Path
    base: str
    away: Callable[[Participant], bool]
    exclude: Callable[[Participant, str], bool]
    elsewhere: str = ""
    command: str = ""


class Find(Protocol):
    """Finds the study that a request is about."""

    def __call__(self, request: Request, writes: bool = False) -> AbstractContextManager[Followed]:
        """The study, while it is looked at.

        Args:
            request: With its name in the path.
            writes: Whether something is to be changed.

        Raises:
            HTTPException: There is none, it cannot be read, or something is to be changed that may not be here.
        """


def home_of(name: str) -> str:
    """Path of the page of a study."""
    return f"/manage/study/{quote(name, safe='')}"


class Monitor:
    """What is answered to the operator of a study, by its own server or by one that lists several.

    Args:
        find: Finds it.
    """

    def __init__(self, find: Find) -> None:
        self._find = find

    @property
    def routes(self) -> list[Route]:
        """The page, what is posted, the stream and the export."""
        home = "/manage/study/{name}"
        shown = {home: self.monitor, f"{home}/table": self.table, f"{home}/events": self.events}
        shown |= {f"{home}/export.zip": self.export}
        return [
            *(Route(path, operator_only(answer), methods=["GET"]) for path, answer in shown.items()),
            Route(home, operator_only(self.act), methods=["POST"]),
        ]

    async def monitor(self, request: Request) -> Response:
        """The page."""
        return await run_in_threadpool(self._look, request, "manage/monitor.html")

    async def table(self, request: Request) -> Response:
        """That part of the page that changes."""
        return await run_in_threadpool(self._look, request, "manage/participants.html")

    async def events(self, request: Request) -> Response:
        """Says that somebody has moved on; numbers only."""
        await run_in_threadpool(self._state_now, request)
        return stream(request, lambda: self._state_now(request), elsewhere=True)

    def _state_now(self, request: Request) -> str:
        with self._find(request) as one:
            return state_of(one)

    def _look(self, request: Request, template: str) -> Response:
        with self._find(request) as one:
            return self._shown(request, one, template)

    def _shown(
        self, request: Request, one: Followed, template: str, problem: str = "", typed: Mapping[str, str] = NOTHING
    ) -> Response:
        study, store = one.study, one.store
        told: dict[str, Any] = {"title": texts().say("monitor.title", study=study.name), "problem": problem}
        told["asked"] = asked_of(typed, len(store.participants()))
        told |= {"home": at(home_of(request.path_params["name"])), "entry": entry_of(study, one.base)}
        counts = {"admitted": store.admitted, "ended": len(store.lines()), "going": len(store.going_on())}
        shown = {"followed": one, "study": study, "lines": list(lines_of(one)), "state": state_of(one)}
        return page(template, 422 if problem else 200, **shown, **counts, **told)

    async def act(self, request: Request) -> Response:
        """Approves or excludes."""
        return await run_in_threadpool(self._act, request, await read_form(request))

    def _act(self, request: Request, given: Mapping[str, str]) -> Response:
        with self._find(request, writes=True) as one:
            try:
                self._do(one, given)
            except ValueError as error:
                return self._shown(request, one, "manage/monitor.html", str(error), given)
        return RedirectResponse(at(home_of(request.path_params["name"])), 303)

    def _do(self, followed: Followed, given: Mapping[str, str]) -> None:
        store, what = followed.store, given.get("do", "")
        if what == "approve_all":
            for one in store.participants():
                if one.is_paid:
                    store.approve(one)
            return
        everybody = store.participants()
        asked = asked_of(given, len(everybody)).values()
        one = everybody[asked["number"] - 1]
        if what == "exclude":
            if not asked["reason"]:
                raise ValueError(texts().say("monitor.no_reason", most=MOST_REASON))
            followed.exclude(one, asked["reason"])
        elif what == "approve" and not one.is_paid:
            raise ValueError(texts().say("monitor.not_paid"))
        elif what in ("approve", "revoke"):
            store.approve(one, what == "approve")

    async def export(self, request: Request) -> Response:
        """The zip file of ``econzoo study export``; with ids as they are, if that is asked for."""
        return await run_in_threadpool(self._export, request)

    def _export(self, request: Request) -> Response:
        identified = request.query_params.get("identified") == "yes"
        with self._find(request) as one, TemporaryDirectory() as folder:
            name = f"{one.study.name}-export.zip"
            try:
                made = bytes_of(export_study(one.folder, Path(folder) / name, identified).path, ARCHIVE)
            except (OSError, ValueError) as error:
                raise HTTPException(422, str(error)) from None
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(made, media_type="application/zip", headers=headers)


def lines_of(followed: Followed) -> Iterator[Line]:
    """The table, in the order in which participants came."""
    study, store = followed.study, followed.store
    arms, telling = arms_of_places(study), Telling(study, store, {})
    for number, one in enumerate(store.participants(), start=1):
        since = [when for when, kind, _ in store.events_of(one) if kind == ARRIVED]
        bonus = "" if one.bonus_cents is None else telling.cents(one.bonus_cents)
        total = telling.total(one) if one.is_paid else ""
        link = f"{followed.base}/p/{one.token}" if followed.base else ""
        arm = "" if one.place is None else arms[one.place]
        here = since[-1] if since else one.created
        yield Line(number, one, arm, here, followed.away(one), bonus, total, link)


def state_of(followed: Followed) -> str:
    """Changes with what there is to see."""
    everybody = followed.store.participants()
    away = [followed.away(one) for one in everybody]
    return str(crc32(repr((everybody, away, followed.elsewhere)).encode("utf-8", "replace")))
