"""Pages of a seat: the table, posted moves, and the update stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from econzoo.envs.core.contract import Game
from econzoo.evaluate.run import Match
from econzoo.people.server import STREAMS_PER_LINK, read_form, render_page, site_path, stream_states, texts
from econzoo.people.table.doubts import find_doubts
from econzoo.people.table.forms import MOVE_PREFIX, build_forms
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.person import OpenQuestion, Person
from econzoo.people.table.store import Seat
from econzoo.people.table.tables import Tables

TRIAL_SEED = 0
"""Seed of a trial; not that of the match, whose random numbers must stay secret."""


def check_program(person: Person, asked: OpenQuestion, match: Match, typed: Mapping[str, str]) -> dict[str, str]:
    """Check a submitted program; return problems by input key."""
    reply, source = build_forms(person, asked).read(typed), person.info.game.actions.source
    if isinstance(reply, dict) or source is None:
        return {} if isinstance(reply, str) else reply
    key = f"{MOVE_PREFIX}{source[0]}"
    problem = run_program_trial(person.info.game, match, typed[key].replace("\r\n", "\n"))
    return {key: problem} if problem else {}


def run_program_trial(game: Game, match: Match, source: str) -> str:
    """Run a program for one meta-round against its copy; return the referee's error, or empty."""
    if game.referee is None:
        return ""
    params = game.params(**match.params)[1]
    move = game.actions.kinds[0].model(source)
    result = game.referee.ruling(params, game.rules.initial(params), [move, move], TRIAL_SEED).results[0]
    problem = getattr(result, "problem", "")
    return f"Against its own copy: {problem}" if problem else ""


class SeatPages:
    """Pages of a seat; subclasses define what they show."""

    template = "seat.html"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def seat(self, request: Request) -> Response:
        return await run_in_threadpool(self.show, request, self.template, late="late" in request.query_params)

    async def table(self, request: Request) -> Response:
        """The updated part of the page."""
        return await run_in_threadpool(self.show, request, "table.html")

    def show(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """Render a template of the requested seat."""
        seat, live = self._open_seat(request)
        live.arrive(seat.seat)
        defaults = {"typed": {}, "problems": {}, "doubts": [], "late": False, "checked": ""}
        defaults |= {"base": self._base_path(request)}
        # Players may move in threads: the page is of one moment.
        with live.lock:
            return render_page(template, status, **{**defaults, **self._page_values(request, seat, live), **values})

    def _page_values(self, request: Request, seat: Seat, live: LiveMatch) -> dict[str, Any]:
        """Template values of a seat."""
        raise NotImplementedError

    def _state(self, live: LiveMatch, seat: Seat) -> str:
        """State of the page, which changes when the page must be updated."""
        raise NotImplementedError

    def _base_path(self, request: Request) -> str:
        return site_path(f"/s/{request.path_params['token']}")

    def _open_seat(self, request: Request) -> tuple[Seat, LiveMatch]:
        """Seat of a link, and its match."""
        seat = self._tables.store.seat(request.path_params["token"])
        if seat is None:
            raise HTTPException(404)
        try:
            return seat, self._tables.open_match(seat.match)
        except ValueError as error:
            raise HTTPException(409, texts().say("error.problem", problem=str(error))) from None

    async def move(self, request: Request) -> Response:
        """Play a move, or show its problems."""
        return await run_in_threadpool(self._move, request, await read_form(request))

    def _move(self, request: Request, given: Mapping[str, str]) -> Response:
        seat, live = self._open_seat(request)
        person = live.people[seat.seat]
        asked = person.open_question
        if asked is None or given.get("number") != str(person.answer_count):
            return RedirectResponse(f"{self._base_path(request)}?late", 303)
        forms = build_forms(person, asked)
        reply = forms.read(given)
        if isinstance(reply, dict):
            return self.show(request, self.template, 422, typed=given, problems=reply)
        if doubts := find_doubts(person, asked, forms, given, reply):
            return self.show(request, self.template, 422, typed=given, doubts=doubts)
        # The answer and the moves that follow it share one flush to disk.
        with self._tables.store.batch_flush():
            late = "" if live.answer(seat, int(given["number"]), reply) else "?late"
            self._advance(live)
        return RedirectResponse(f"{self._base_path(request)}{late}", 303)

    def _advance(self, live: LiveMatch) -> None:
        """Let the other players move first."""
        self._tables.advance(live)

    async def check(self, request: Request) -> Response:
        """Check a program without playing it."""
        return await run_in_threadpool(self._check, request, await read_form(request))

    def _check(self, request: Request, given: Mapping[str, str]) -> Response:
        seat, live = self._open_seat(request)
        person = live.people[seat.seat]
        asked = person.open_question
        if asked is None or not person.info.game.actions.source:
            return RedirectResponse(f"{self._base_path(request)}?late", 303)
        kind = person.info.game.actions.names[0]
        typed = {**given, "kind": kind}
        problems = check_program(person, asked, live.match, typed)
        result = {"problems": problems} if problems else {"checked": texts().say("editor.checked")}
        return self.show(request, self.template, 422 if problems else 200, typed=typed, **result)

    async def leave(self, request: Request) -> Response:
        # Nothing is read from it, but forms of other sites are refused.
        await read_form(request)
        return await run_in_threadpool(self._leave, request)

    def _leave(self, request: Request) -> Response:
        seat, live = self._open_seat(request)
        if live.leave(seat.seat):
            self._tables.advance(live)
        return RedirectResponse(self._base_path(request), 303)

    async def record(self, request: Request) -> Response:
        """Download the record of a finished match."""
        seat, live = await run_in_threadpool(self._open_seat, request)
        if live.record is None:
            raise HTTPException(404)
        name = {"content-disposition": f'attachment; filename="{seat.match}.jsonl"'}
        return PlainTextResponse(live.record.to_json() + "\n", media_type="application/jsonl", headers=name)

    async def events(self, request: Request) -> Response:
        """Stream of state changes."""
        seat, live = await run_in_threadpool(self._open_seat, request)
        return stream_states(request, lambda: self._state(live, seat), max_streams=STREAMS_PER_LINK)
