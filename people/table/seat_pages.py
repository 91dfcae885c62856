"""The pages of a seat: the table, what the seat posts, and the stream that says when there is something new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from econzoo.envs.core.contract.game import Game
from econzoo.evaluate.run.table import Match
from econzoo.people.server.connection_limits import STREAMS_PER_LINK
from econzoo.people.server.rendering import render_page, stream_states
from econzoo.people.server.security import read_form
from econzoo.people.server.site import site_path, texts
from econzoo.people.table.doubts import find_doubts
from econzoo.people.table.forms import MOVE_PREFIX, build_forms
from econzoo.people.table.person import OpenQuestion, Person
from econzoo.people.table.store import Seat

if TYPE_CHECKING:
    from econzoo.people.table.live import LiveMatch
    from econzoo.people.table.tables import Tables

TRIAL_SEED = 0
"""Seed of a trial: not that of the match, of whose chances nobody is to learn."""


def check_program(person: Person, asked: OpenQuestion, match: Match, typed: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with a program, by the key of its input; empty: nothing that was found.

    Args:
        person: Who is asked for one.
        asked: The question.
        match: That it would play in.
        typed: What was typed, by the key of its input.
    """
    reply, source = build_forms(person, asked).read(typed), person.info.game.actions.source
    if isinstance(reply, dict) or source is None:
        return {} if isinstance(reply, str) else reply
    key = f"{MOVE_PREFIX}{source[0]}"
    problem = run_program_trial(person.info.game, match, typed[key].replace("\r\n", "\n"))
    return {key: problem} if problem else {}


def run_program_trial(game: Game, match: Match, source: str) -> str:
    """What the referee says of a program that plays one meta-round against its copy; empty: it has not failed."""
    if game.referee is None:
        return ""
    params = game.params(**match.params)[1]
    move = game.actions.kinds[0].model(source)
    result = game.referee.ruling(params, game.rules.initial(params), [move, move], TRIAL_SEED).results[0]
    found = getattr(result, "problem", "")
    return f"Against its own copy: {found}" if found else ""


class SeatPages:
    """What a seat is answered; what is shown of it is for others to say.

    Args:
        tables: The matches.
    """

    template = "seat.html"
    """Of the whole page."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def seat(self, request: Request) -> Response:
        """The page of a seat."""
        return await run_in_threadpool(self.show, request, self.template, late="late" in request.query_params)

    async def table(self, request: Request) -> Response:
        """That part of the page of a seat that changes."""
        return await run_in_threadpool(self.show, request, "table.html")

    def show(self, request: Request, template: str, status: int = 200, **shown: Any) -> Response:
        """A template of the seat that a request asks for."""
        seat, live = self._open_seat(request)
        live.arrive(seat.seat)
        told = {
            "typed": {},
            "problems": {},
            "doubts": [],
            "late": False,
            "checked": "",
            "base": self._base_path(request),
        }
        with live.lock:
            return render_page(template, status, **{**told, **self._page_values(request, seat, live), **shown})

    def _page_values(self, request: Request, seat: Seat, live: LiveMatch) -> dict[str, Any]:
        """What templates show of a seat."""
        raise NotImplementedError

    def _state(self, live: LiveMatch, seat: Seat) -> str:
        """Of the page; another one when it is to be shown anew."""
        raise NotImplementedError

    def _base_path(self, request: Request) -> str:
        """The address of the seat."""
        return site_path(f"/s/{request.path_params['token']}")

    def _open_seat(self, request: Request) -> tuple[Seat, LiveMatch]:
        """The seat of a link, and its match.

        Raises:
            HTTPException: There is none, or it cannot be played on.
        """
        seat = self._tables.store.seat(request.path_params["token"])
        if seat is None:
            raise HTTPException(404)
        try:
            return seat, self._tables.open_match(seat.match)
        except ValueError as error:
            raise HTTPException(409, texts().say("error.problem", problem=str(error))) from None

    async def move(self, request: Request) -> Response:
        """Plays a move, or says what is wrong with it."""
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
        if asks := find_doubts(person, asked, forms, given, reply):
            return self.show(request, self.template, 422, typed=given, doubts=asks)
        with self._tables.store.batch_flush():
            late = "" if live.answer(seat, int(given["number"]), reply) else "?late"
            self._advance(live)
        return RedirectResponse(f"{self._base_path(request)}{late}", 303)

    def _advance(self, live: LiveMatch) -> None:
        """Lets the others move, before the answer to a move is given."""
        self._tables.advance(live)

    async def check(self, request: Request) -> Response:
        """Says whether a program could be played; plays nothing."""
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
        told = {"problems": problems} if problems else {"checked": texts().say("editor.checked")}
        return self.show(request, self.template, 422 if problems else 200, typed=typed, **told)

    async def leave(self, request: Request) -> Response:
        """A person leaves the match."""
        await read_form(request)
        return await run_in_threadpool(self._leave, request)

    def _leave(self, request: Request) -> Response:
        seat, live = self._open_seat(request)
        if live.leave(seat.seat):
            self._tables.advance(live)
        return RedirectResponse(self._base_path(request), 303)

    async def record(self, request: Request) -> Response:
        """The record of a match that has ended."""
        seat, live = await run_in_threadpool(self._open_seat, request)
        if live.record is None:
            raise HTTPException(404)
        name = {"content-disposition": f'attachment; filename="{seat.match}.jsonl"'}
        return PlainTextResponse(live.record.to_json() + "\n", media_type="application/jsonl", headers=name)

    async def events(self, request: Request) -> Response:
        """Says what state the page should have, whenever that changes; nothing else."""
        seat, live = await run_in_threadpool(self._open_seat, request)
        return stream_states(request, lambda: self._state(live, seat), max_streams=STREAMS_PER_LINK)
