"""Pages of participants: entry, and the current page under the personal link."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.people.participation.arrivals import entry_limit, guest_parameters, is_preview, parse_arrival
from econzoo.people.participation.blinded_view import BlindedSeatView
from econzoo.people.participation.course import Course
from econzoo.people.participation.page_names import CONSENT, DEBRIEFING, DONE, END_PAGES, EXCLUDED, FULL, INSTRUCTIONS
from econzoo.people.participation.page_names import MATCH_PAGES, PRACTICE, QUESTIONNAIRE, QUIZ, SKIPPED, SURVEY, WAITING
from econzoo.people.participation.page_names import WITHDRAWN
from econzoo.people.participation.page_texts import StudyTexts
from econzoo.people.server import CURRENT_SITE, EMPTY_MAPPING, STREAMS_PER_LINK, read_form, render_page, site_path
from econzoo.people.server import stream_states, texts
from econzoo.people.study import HIDDEN, IMAGES, NO_PARTNER, TIMEOUT_EVENTS, VIEW, VISIBLE, Participant, return_link
from econzoo.people.table import LiveMatch, Seat, SeatPages, Tables


class PlayPages(SeatPages):
    """Pages of a participant's match, under the personal link."""

    template = "participation/play.html"

    def __init__(self, course: Course, tables: Tables) -> None:
        super().__init__(tables)
        self._course = course

    def _open_seat(self, request: Request) -> tuple[Seat, LiveMatch]:
        seat = self._course.seating.seat(request.state.shown["one"])
        if seat is None:
            raise HTTPException(404)
        try:
            return seat, self._tables.open_match(seat.match)
        except ValueError:
            raise HTTPException(409, texts().say("study.stuck")) from None

    def _base_path(self, request: Request) -> str:
        return site_path(f"/p/{request.path_params['token']}")

    def _page_values(self, request: Request, seat: Seat, live: LiveMatch) -> dict[str, Any]:
        one, seen = request.state.shown["one"], BlindedSeatView(live, seat)
        current = self._course.seating.current_match(one)
        parts = {"ended": "participation/over.html", "early": "participation/early.html"}
        return {
            **request.state.shown,
            **parts,
            "seen": seen,
            "title": seen.title,
            "leaving": False,
            "end": seen.is_done,
            "practice": self._course.store.current_stage(one) if one.page == PRACTICE else None,
            "setting": current.setting if current else None,
            "match": one.repetition,
            "matches": self._course.study.matching.repetitions,
        }

    def _state(self, live: LiveMatch, seat: Seat) -> str:
        return BlindedSeatView(live, seat).state

    def _advance(self, live: LiveMatch) -> None:
        """Do not wait for other players, since the response time would reveal who is next."""
        self._tables.advance(live, 0)


TITLES = {
    CONSENT: "study.title_consent",
    INSTRUCTIONS: "study.title_instructions",
    QUIZ: "study.title_quiz",
    SURVEY: "survey.title",
    WAITING: "study.title_waiting",
    QUESTIONNAIRE: "study.title_questionnaire",
    DEBRIEFING: "study.title_debriefing",
    DONE: "study.title_done",
    EXCLUDED: "study.title_excluded",
    FULL: "study.title_full",
    WITHDRAWN: "study.title_withdrawn",
}
"""Page to its heading; a match has the title of its game."""


def page_name(one: Participant) -> str:
    """Return the name of a participant's page for its script."""
    return f"{one.page}.{one.repetition}"


class OpenPages:
    """Content of pages that can change while they are open."""

    def __init__(self, course: Course) -> None:
        self._course = course

    def notice(self, one: Participant) -> dict[str, Any]:
        """Return the operator's notices for a participant."""
        store = self._course.store
        return {"paused": store.is_paused, "messages": store.messages(one), "news": self._notice_state(one)}

    def _notice_state(self, one: Participant) -> str:
        """Return the state of the notices, which changes with them and with the page."""
        store = self._course.store
        return f"{page_name(one)}.{store.message_count(one)}.{int(store.is_paused)}"

    def waiting_room(self, one: Participant) -> dict[str, Any]:
        """Return the values of the waiting room; blinded studies hide the number of waiting participants."""
        seating, limit = self._course.seating, self._course.study.time.waiting
        count = None if seating.blinded else len(self._course.store.participants_on(WAITING))
        left = max(0, round(limit - (seating.current_seconds() - one.waits_since)))
        return {"count": count, "left": left, "state": _page_state(one, count)}

    def state_watcher(self, one: Participant) -> Callable[[], str]:
        """Return a function for the states of page and notices, which reads the store only after changes."""
        store, seating = self._course.store, self._course.seating
        known: dict[str, Any] = {"changes": -1, "waits": False}

        def state() -> str:
            seating.presence.mark_open(one.token, has_stream=True)
            changes = store.changes if known["waits"] else store.last_change(one.token)
            if known["changes"] != changes:
                known["changes"], now = changes, store.participant(one.token) or one
                known["waits"] = now.page == WAITING  # this page also changes with other participants
                known["state"] = self.waiting_room(now)["state"] if now.page == WAITING else _page_state(now, None)
                known["seat"] = seating.seat(now) if now.page in MATCH_PAGES else None
                known["live"] = seating.live_match(now) if known["seat"] else None
                known["news"] = self._notice_state(now)
            live = known["live"]
            return f"{known['state'] if live is None else BlindedSeatView(live, known['seat']).state} {known['news']}"

        return state


def _page_state(one: Participant, count: int | None) -> str:
    return f"{page_name(one)}.{'' if count is None else count}"


Endpoint = Callable[[Request], Awaitable[Response]]


class StudyPages:
    """Pages of participants."""

    def __init__(self, course: Course, telling: StudyTexts, play: PlayPages, images: Mapping[str, bytes]) -> None:
        self._course, self._telling, self._images = course, telling, images
        self._play, self._turnstile, self._open = play, entry_limit(), OpenPages(course)

    @property
    def routes(self) -> list[Route]:
        """Routes of the entry and of personal links."""
        return [
            Route("/study/{name}", self.enter, methods=["GET"]),
            Route("/p/{token}", self.show, methods=["GET"], name="participant"),
            Route("/p/{token}/table", self.table, methods=["GET"]),
            Route("/p/{token}/notice", self.show_notice, methods=["GET"]),
            Route("/p/{token}/events", self.events, methods=["GET"]),
            Route("/p/{token}/move", self._during_match(self._play.move), methods=["POST"]),
            Route("/p/{token}/check", self._during_match(self._play.check), methods=["POST"]),
            Route("/p/{token}/image/{name}", self.image, methods=["GET"]),
            Route("/p/{token}/noticed/{kind}", self.record_notice, methods=["POST"]),
            Route("/p/{token}/withdraw", self.withdraw, methods=["POST"]),
            Route("/p/{token}/{page}", self.step, methods=["POST"]),
            Route("/p/{token}/{page}", self.redirect_back, methods=["GET"]),
        ]

    # -- coming ------------------------------------------------------------------------------------------------

    async def enter(self, request: Request) -> Response:
        """Admit a participant, or return them to their page."""
        return await run_in_threadpool(self._enter, request)

    def _enter(self, request: Request) -> Response:
        study = self._course.study
        if request.path_params["name"] != study.name:
            raise HTTPException(404)
        source, asked = study.recruitment.source, dict(request.query_params)
        if is_preview(source, asked):
            title = texts().say("study.preview")
            return render_page("participation/preview.html", title=title, study=study, telling=self._telling)
        arrival = parse_arrival(source, {**guest_parameters(source), **asked} if CURRENT_SITE.get().demo else asked)
        if isinstance(arrival, str):
            raise HTTPException(400, arrival)
        store = self._course.store
        if store.is_forgotten(source, arrival.id):
            raise HTTPException(403, texts().say("study.forgotten"))
        # Known participants always return to their page, also during a pause.
        if store.find_by_id(source, arrival.id) is None:
            self._check_may_come(request, arrival.id)
        return RedirectResponse(site_path(f"/p/{self._course.come(arrival).token}"), 303)

    def _check_may_come(self, request: Request, id: str) -> None:
        """Reject new participants who are not listed, during a pause, or beyond the limit of an address."""
        labels = self._course.study.recruitment.labels
        if labels and id not in labels:
            raise HTTPException(403, texts().say("survey.not_listed"))
        if self._course.store.is_paused:
            raise HTTPException(503, texts().say("study.paused_entry"), headers={"retry-after": "60"})
        if not self._turnstile.admits(request.client.host if request.client else ""):
            raise HTTPException(429, texts().say("study.too_many"), headers={"retry-after": "60"})

    def _find_participant(self, request: Request) -> Participant:
        one = self._course.store.participant(request.path_params["token"])
        if one is None:
            raise HTTPException(404)
        self._course.seating.presence.mark_open(one.token)
        shown = {
            "one": one,
            "study": self._course.study,
            "telling": self._telling,
            "here": site_path(f"/p/{one.token}"),
        }
        link = str(request.url_for("participant", token=one.token))
        request.state.shown = {**shown, "link": link, "of": page_name(one), **self._open.notice(one)}
        return one

    # -- the page ----------------------------------------------------------------------------------------------

    async def show(self, request: Request) -> Response:
        return await run_in_threadpool(self._show, request)

    async def redirect_back(self, request: Request) -> Response:
        """Redirect from a form's URL, which reopened browsers request, to the page."""
        return RedirectResponse(site_path(f"/p/{request.path_params['token']}"), 303)

    def _show(
        self, request: Request, problems: Mapping[str, str] = EMPTY_MAPPING, typed: Mapping[str, str] = EMPTY_MAPPING
    ) -> Response:
        one = self._find_participant(request)
        if request.query_params.get("of") != page_name(one):  # not a self-reload of a page without a script
            self._course.store.record_notice(one, VIEW, page=one.page)
        if one.page in MATCH_PAGES:
            return self._play.show(request, self._play.template, late="late" in request.query_params)
        refused = one.page == WITHDRAWN and one.withdrawn == CONSENT
        stage = self._course.study.stages[self._course.store.current_stage(one)] if one.page == SURVEY else None
        heading = "study.title_no_consent" if refused else TITLES[one.page]
        title = (stage.title if stage else "") or texts().say("study.title_rules" if stage and stage.game else heading)
        values = {"title": title, "problems": problems, "typed": typed}
        return render_page(
            f"participation/{one.page}.html",
            422 if problems else 200,
            **request.state.shown,
            **values,
            **self._page_details(one),
        )

    def _page_details(self, one: Participant) -> dict[str, Any]:
        seating = self._course.seating
        store, own = self._course.store, seating.own_matches(one)
        kinds = [kind for _, kind, _ in store.events_of(one)]
        unmatched = (
            self._telling.missing_match_reasons(kinds.count(SKIPPED), NO_PARTNER in kinds) if one.page != FULL else []
        )
        details: dict[str, Any] = {"opponents": list(self._telling.matches(own, one.place)), "unmatched": unmatched}
        if one.page == WAITING:
            details |= self._open.waiting_room(one)
        elif one.page == SURVEY:
            details["number"] = store.current_stage(one)
        elif one.page == QUIZ:
            details["why"] = self._course.explanations(one)
        elif one.page in END_PAGES:
            timed_out = any(kind in TIMEOUT_EVENTS for kind in kinds)
            code = one.completion_code if one.is_paid else None
            details["back"] = return_link(self._course.study.ends, one.end(timed_out), code or "")
            details["earned"] = self._telling.earnings(own, one)
        return details

    async def image(self, request: Request) -> Response:
        return await run_in_threadpool(self._image, request)

    def _image(self, request: Request) -> Response:
        self._find_participant(request)
        name = request.path_params["name"]
        if name not in self._images:
            raise HTTPException(404)
        return Response(self._images[name], media_type=IMAGES[Path(name).suffix.casefold()][0])

    async def table(self, request: Request) -> Response:
        """Serve the updated part of the page, or status 205 if the page has changed."""
        return await run_in_threadpool(self._table, request)

    def _table(self, request: Request) -> Response:
        one = self._find_participant(request)
        if request.query_params.get("of") != page_name(one):
            return Response(status_code=205)
        if one.page in MATCH_PAGES:
            return self._play.show(request, "table.html")
        return render_page("participation/room.html", **request.state.shown, **self._open.waiting_room(one))

    async def show_notice(self, request: Request) -> Response:
        """Serve the operator's notices, or status 205 if the page has changed."""
        return await run_in_threadpool(self._show_notice, request)

    def _show_notice(self, request: Request) -> Response:
        one = self._find_participant(request)
        if request.query_params.get("of") != page_name(one):
            return Response(status_code=205)
        return render_page("participation/notice.html", **request.state.shown)

    async def events(self, request: Request) -> Response:
        """Stream the states of the page and of its notices."""
        one = await run_in_threadpool(self._find_participant, request)
        return stream_states(request, self._open.state_watcher(one), max_streams=STREAMS_PER_LINK)

    async def record_notice(self, request: Request) -> Response:
        """Record that the page was hidden or is visible again."""
        await read_form(request)
        if request.path_params["kind"] not in (HIDDEN, VISIBLE):
            raise HTTPException(404)
        await run_in_threadpool(self._record_notice, request)
        return Response(status_code=204)

    def _record_notice(self, request: Request) -> None:
        one = self._find_participant(request)
        # Nothing is recorded before consent.
        if one.page != CONSENT:
            self._course.store.record_notice(one, request.path_params["kind"], page=one.page)

    # -- steps -------------------------------------------------------------------------------------------------

    async def step(self, request: Request) -> Response:
        """Process the form of a page, or show its errors."""
        return await run_in_threadpool(self._step, request, await read_form(request))

    def _step(self, request: Request, given: dict[str, str]) -> Response:
        one = self._find_participant(request)
        with self._course.store.batch_flush():
            problems = self._course.step(one, request.path_params["page"], given)
        if problems:
            return self._show(request, problems, given)
        return RedirectResponse(site_path(f"/p/{one.token}"), 303)

    async def withdraw(self, request: Request) -> Response:
        # Nothing is read from it, but forms of other sites are refused.
        await read_form(request)
        return await run_in_threadpool(self._withdraw, request)

    def _withdraw(self, request: Request) -> Response:
        one = self._find_participant(request)
        with self._course.store.batch_flush():
            self._course.withdraw(one)
        return RedirectResponse(site_path(f"/p/{one.token}"), 303)

    def _during_match(self, endpoint: Endpoint) -> Endpoint:

        async def respond(request: Request) -> Response:
            # Cached for the endpoint, which reads it again.
            await read_form(request)
            one = await run_in_threadpool(self._find_participant, request)
            if one.page not in MATCH_PAGES:
                return RedirectResponse(site_path(f"/p/{one.token}"), 303)
            answer = await endpoint(request)
            if answer.status_code != 303:  # the page is shown with an error
                await run_in_threadpool(self._course.store.record_notice, one, VIEW, page=one.page)
            return answer

        return respond


async def error_page(request: Request, error: HTTPException) -> Response:
    """Render the error page, without links to other pages."""
    message = texts().say("study.lost") if error.status_code == 404 else error.detail
    title = texts().say("study.title_paused" if error.status_code == 503 else "error.title")
    page = render_page("participation/error.html", error.status_code, title=title, said=message)
    page.headers.update(error.headers or {})
    return page
