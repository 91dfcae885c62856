"""The operator's page of a study that runs: who is where since when, what is paid to whom, links, and the export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.evaluate.studies.matching import arms_of_places
from econzoo.evaluate.studies.noticing import ARRIVED
from econzoo.evaluate.web.rendering import page
from econzoo.evaluate.web.seats import stream
from econzoo.evaluate.web.security import operator_only, posted
from econzoo.evaluate.web.site import at, texts
from econzoo.evaluate.web.study.participants import EXCLUDED, WAITING, Participant
from econzoo.evaluate.web.typed import whole

if TYPE_CHECKING:
    from econzoo.evaluate.web.study.course import Course
    from econzoo.evaluate.web.study.telling import Telling

MOST_REASON = 200
"""Characters of a reason."""


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
        link: Their personal one.
    """

    number: int
    one: Participant
    arm: str
    since: str
    away: bool
    bonus: str
    total: str
    link: str


class Monitor:
    """What is answered to the operator of a study.

    Args:
        course: Of the participants.
        telling: What pages tell.
        folder: Of the study.
        entry: The link for participants, from the address of the server.
    """

    def __init__(self, course: Course, telling: Telling, folder: Path, entry: Any) -> None:
        self._course, self._telling, self._folder, self._entry = course, telling, folder, entry
        self._home = f"/manage/study/{course.study.name}"

    @property
    def routes(self) -> list[Route]:
        """The page, what is posted, the stream and the export."""
        shown = {self._home: self.monitor, f"{self._home}/table": self.table, f"{self._home}/events": self.events}
        shown |= {"/manage": self.home, f"{self._home}/export.zip": self.export}
        return [
            *(Route(path, operator_only(answer), methods=["GET"]) for path, answer in shown.items()),
            Route(self._home, operator_only(self.act), methods=["POST"]),
        ]

    async def home(self, request: Request) -> Response:
        """There is one study here."""
        return RedirectResponse(at(self._home), 303)

    async def monitor(self, request: Request) -> Response:
        """The page."""
        return await run_in_threadpool(self._shown, request, "manage/monitor.html")

    async def table(self, request: Request) -> Response:
        """That part of the page that changes."""
        return await run_in_threadpool(self._shown, request, "manage/participants.html")

    async def events(self, request: Request) -> Response:
        """Says that somebody has moved on; numbers only."""
        return stream(request, self._state)

    def _state(self) -> str:
        store = self._course.store
        return f"{store.changes}.{sum(self._away(one) for one in store.at(WAITING))}"

    def _away(self, one: Participant) -> bool:
        return one.page == WAITING and not self._course.seating.presence.here(one.token)

    def _shown(self, request: Request, template: str, problem: str = "", typed: Mapping[str, str] | None = None) -> Any:
        lines = list(self._lines(request))
        study, store = self._course.study, self._course.store
        base = str(request.base_url).rstrip("/")
        ended = len(store.lines())
        shown = {"lines": lines, "study": study, "state": self._state(), "home": at(self._home), "typed": typed or {}}
        shown |= {"problem": problem, "entry": self._entry(study, base), "admitted": store.admitted, "ended": ended}
        title = texts().say("monitor.title", study=study.name)
        return page(template, 422 if problem else 200, title=title, going=len(store.going_on()), **shown)

    def _lines(self, request: Request) -> Any:
        store, arms = self._course.store, arms_of_places(self._course.study)
        for number, one in enumerate(store.participants(), start=1):
            since = [when for when, kind, _ in store.events_of(one) if kind == ARRIVED]
            bonus = "" if one.bonus_cents is None else self._telling.cents(one.bonus_cents)
            total = self._telling.total(one) if one.completion_code else ""
            link = str(request.url_for("participant", token=one.token))
            arm = "" if one.place is None else arms[one.place]
            at = since[-1] if since else one.created
            yield Line(number, one, arm, at, self._away(one), bonus, total, link)

    async def act(self, request: Request) -> Response:
        """Approves or excludes."""
        return await run_in_threadpool(self._act, request, await posted(request))

    def _act(self, request: Request, given: Mapping[str, str]) -> Response:
        try:
            self._do(given)
        except ValueError as error:
            answer: Response = self._shown(request, "manage/monitor.html", str(error), given)
            return answer
        return RedirectResponse(at(self._home), 303)

    def _do(self, given: Mapping[str, str]) -> None:
        store, what = self._course.store, given.get("do", "")
        if what == "approve_all":
            for one in store.participants():
                if one.completion_code and one.page != EXCLUDED:
                    store.approve(one)
            return
        one = self._chosen(given.get("number", "").strip())
        if what == "exclude":
            reason = given.get("reason", "").strip()
            if not 0 < len(reason) <= MOST_REASON:
                raise ValueError(texts().say("monitor.no_reason", most=MOST_REASON))
            self._course.exclude(one, reason)
        elif what == "approve" and not one.completion_code:
            raise ValueError(texts().say("monitor.not_paid"))
        elif what in ("approve", "revoke"):
            store.approve(one, what == "approve")

    def _chosen(self, typed: str) -> Participant:
        everybody = self._course.store.participants()
        if (number := whole(typed, 1, len(everybody))) is None:
            raise ValueError(texts().say("monitor.no_number", typed=repr(typed[:20]), most=len(everybody)))
        return everybody[number - 1]

    async def export(self, request: Request) -> Response:
        """The zip file of ``econzoo study export``; with ids as they are, if that is asked for."""
        identified = request.query_params.get("identified") == "yes"
        return await run_in_threadpool(self._export, identified)

    def _export(self, identified: bool) -> Response:
        from econzoo.evaluate.studies.export import export_study

        name = f"{self._course.study.name}-export.zip"
        with TemporaryDirectory() as folder:
            try:
                made = export_study(self._folder, Path(folder) / name, identified).path.read_bytes()
            except (OSError, ValueError) as error:
                raise HTTPException(422, str(error)) from None
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(made, media_type="application/zip", headers=headers)
