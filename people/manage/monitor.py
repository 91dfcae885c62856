"""The operator's page of a study: progress and payments of participants, links, export."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.envs.core import ARCHIVE_BYTES, read_bytes
from econzoo.people.manage.study_rows import MonitoredStudy, monitor_path, participant_rows, study_state
from econzoo.people.participation import DONE, END_PAGES, MESSAGE, OPERATOR, TOP_UP, entry_link, event_statement, top_up
from econzoo.people.server import operator_only, parse_number, read_form, render_page, site_path, stream_states, texts
from econzoo.people.study import MAX_COUNT, Participant, export_study

MAX_TEXT_LENGTH = 200
"""Maximum characters of a reason or a message."""


class FindStudy(Protocol):
    """Finds the study of a request."""

    def __call__(self, request: Request, writes: bool = False) -> AbstractContextManager[MonitoredStudy]:
        """Open the study, to change it if `writes`; HTTPException if it cannot be found, read, or changed here."""


class Monitor:
    """Operator pages of a study, on its own server or on one that lists several."""

    def __init__(self, find: FindStudy) -> None:
        self._find = find

    @property
    def routes(self) -> list[Route]:
        """Routes of the page, its forms, its stream and the export."""
        home = "/manage/study/{name}"
        shown = {home: self.monitor, f"{home}/table": self.table, f"{home}/events": self.events}
        shown |= {f"{home}/export.zip": self.export}
        return [
            *(Route(path, operator_only(answer), methods=["GET"]) for path, answer in shown.items()),
            Route(home, operator_only(self.act), methods=["POST"]),
        ]

    async def monitor(self, request: Request) -> Response:
        return await run_in_threadpool(self._show, request, "manage/monitor.html")

    async def table(self, request: Request) -> Response:
        """The updated part of the page."""
        return await run_in_threadpool(self._show, request, "manage/participants.html")

    async def events(self, request: Request) -> Response:
        """Stream of state changes; numbers only."""
        # Before the stream begins, so that an unknown study has an error page.
        await run_in_threadpool(self._current_state, request)
        return stream_states(request, lambda: self._current_state(request), slow_poll=True)

    def _current_state(self, request: Request) -> str:
        with self._find(request) as one:
            return study_state(one)

    def _show(self, request: Request, template: str) -> Response:
        with self._find(request) as one:
            return self._render(request, one, template)

    def _render(self, request: Request, one: MonitoredStudy, template: str, problem: str = "") -> Response:
        study, store = one.study, one.store
        values: dict[str, Any] = {"title": texts().say("monitor.title", study=study.name), "problem": problem}
        values |= {"home": site_path(monitor_path(request.path_params["name"]))}
        values |= {"entry": entry_link(study, one.base_url), "paused": store.is_paused, "most": MAX_TEXT_LENGTH}
        counts = {
            "admitted": sum(each.is_admitted for each in store.participants()),
            "finished": len(store.participants_on(DONE)),
            "places": study.matching.participants + sum(store.added_places),
            "ended": len(store.record_lines()),
            "going": len(store.running_matches()),
        }
        values |= {"followed": one, "study": study, "lines": list(participant_rows(one)), "state": study_state(one)}
        return render_page(template, 422 if problem else 200, **counts, **values)

    async def act(self, request: Request) -> Response:
        """Perform the action of a button on one participant or on all."""
        return await run_in_threadpool(self._act, request, await read_form(request))

    def _act(self, request: Request, given: Mapping[str, str]) -> Response:
        with self._find(request, writes=True) as one:
            try:
                who = _perform_action(one, given)
            except ValueError as error:
                return self._render(request, one, "manage/monitor.html", str(error))
        row = f"#row-{given['number']}" if who else ""
        return RedirectResponse(site_path(monitor_path(request.path_params["name"])) + row, 303)

    async def export(self, request: Request) -> Response:
        """Zip file of ``econzoo study export``; ids are pseudonymised unless ``identified=yes``."""
        return await run_in_threadpool(self._export, request)

    def _export(self, request: Request) -> Response:
        identified = request.query_params.get("identified") == "yes"
        with self._find(request) as one, TemporaryDirectory() as folder:
            name = f"{one.study.name}-export.zip"
            try:
                content = read_bytes(export_study(one.folder, Path(folder) / name, identified).path, ARCHIVE_BYTES)
            except (OSError, ValueError) as error:
                raise HTTPException(422, str(error)) from None
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/zip", headers=headers)


def _perform_action(followed: MonitoredStudy, given: Mapping[str, str]) -> Participant | None:
    """Perform the action of a button and return its participant; None: all participants."""
    what, participants = given.get("do", ""), followed.store.participants()
    if not given.get("number"):
        _perform_for_all(followed, what, given, participants)
        return None
    number = given["number"]
    if not (number.isascii() and number.isdigit() and 0 < int(number) <= len(participants)):
        raise ValueError(texts().say("monitor.nobody_there", count=len(participants)))
    # Numbers stay: participants are in order of arrival, and none is ever removed.
    one = participants[int(number) - 1]
    _perform_for_one(followed, what, given, one)
    return one


def _perform_for_all(
    followed: MonitoredStudy, what: str, given: Mapping[str, str], participants: list[Participant]
) -> None:
    store, course = followed.store, followed.course
    if what == "approve_all":
        for one in participants:
            if one.is_paid:
                store.approve(one)
    elif what == "message":
        _send_message(followed, given, [one for one in participants if one.page not in END_PAGES])
    elif what == "top_up":
        _top_up(followed, parse_number(given.get("wanted", "")))
    elif what in ("pause", "resume"):
        if course is None:
            raise ValueError(texts().say("monitor.stopped"))
        course.seating.pause(what == "pause")


def _perform_for_one(followed: MonitoredStudy, what: str, given: Mapping[str, str], one: Participant) -> None:
    store, course = followed.store, followed.course
    if what == "exclude":
        followed.exclude(one, _read_text(given, "monitor.no_reason"))
    elif what == "message":
        _send_message(followed, given, [one])
    elif what == "advance":
        if course is None or not course.advance(one):
            raise ValueError(texts().say("monitor.not_waited_for"))
    elif what == "approve" and not one.is_paid:
        raise ValueError(texts().say("monitor.not_paid"))
    elif what in ("approve", "revoke"):
        store.approve(one, what == "approve")


def _top_up(followed: MonitoredStudy, wanted: float | str) -> None:
    """Add places until `wanted` participants can finish."""
    if not isinstance(wanted, int) or not 1 <= wanted <= MAX_COUNT:
        raise ValueError(texts().say("monitor.no_number", most=MAX_COUNT))
    # No match begins between the count of places and those added. Without a server nobody is matched.
    with followed.course.seating.lock if followed.course else nullcontext():
        added = top_up(followed.study, followed.store, wanted)
        followed.store.add_events(event_statement(None, TOP_UP, by=OPERATOR, wanted=wanted, places=added))


def _send_message(followed: MonitoredStudy, given: Mapping[str, str], people: list[Participant]) -> None:
    """Send participants a message, shown on their current page."""
    text = _read_text(given, "monitor.no_message")
    if people:
        followed.store.add_events(*(event_statement(one, MESSAGE, text=text, by=OPERATOR) for one in people))


def _read_text(given: Mapping[str, str], missing: str) -> str:
    text = " ".join(given.get("text", "").split())
    if not 0 < len(text) <= MAX_TEXT_LENGTH:
        raise ValueError(texts().say(missing, most=MAX_TEXT_LENGTH))
    return text
