"""The pages: start, a seat, what a seat posts, and the stream that says when there is something new."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from econzoo.envs.core.registry import UnusableError, all_games, games
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.web.afterwards import afterwards
from econzoo.evaluate.web.choices import Choices
from econzoo.evaluate.web.forms import forms_for
from econzoo.evaluate.web.rendering import page
from econzoo.evaluate.web.security import posted
from econzoo.evaluate.web.shown import Shown, prompts_of, summary_of, title_of
from econzoo.evaluate.web.site import at, texts
from econzoo.evaluate.web.store import Seat
from econzoo.evaluate.web.trying import check

if TYPE_CHECKING:
    from econzoo.evaluate.web.live import LiveMatch
    from econzoo.evaluate.web.table import Tables

BEAT, SILENCE = 0.1, 15.0
"""Seconds between two looks for something new, and after which a stream says that it lives."""


class Pages:
    """What is answered to each request.

    Args:
        tables: The matches.
        offered: Specs of players that can be chosen besides the games' scripts.
    """

    def __init__(self, tables: Tables, offered: Sequence[str]) -> None:
        self._tables, self._offered = tables, offered

    @property
    def routes(self) -> list[Route]:
        """The pages, what is posted, and the stream."""
        return [
            Route("/", self.start, methods=["GET"]),
            Route("/", self.begin, methods=["POST"]),
            Route("/s/{token}", self.seat, methods=["GET"], name="seat"),
            Route("/s/{token}/table", self.table, methods=["GET"]),
            Route("/s/{token}/events", self.events, methods=["GET"]),
            Route("/s/{token}/move", self.move, methods=["POST"]),
            Route("/s/{token}/check", self.check, methods=["POST"]),
            Route("/s/{token}/leave", self.leave, methods=["POST"]),
            Route("/s/{token}/record.jsonl", self.record, methods=["GET"]),
        ]

    # -- the start ---------------------------------------------------------------------------------------------

    async def start(self, request: Request) -> Response:
        """All games, or the form of one."""
        return await run_in_threadpool(self._start, dict(request.query_params))

    async def begin(self, request: Request) -> Response:
        """Begins a match, or says what is not allowed."""
        return await run_in_threadpool(self._begin, await posted(request))

    def _start(self, given: Mapping[str, str], problem: str = "", note: str = "") -> Response:
        if not given.get("game"):
            listed = [(one.name, title_of(one.name), summary_of(one.name), one) for one in all_games()]
            return page("start.html", title=texts().say("start.title"), games=listed)
        choices = self._choices(given)
        title = title_of(choices.game.name)
        told = {"title": title, "summary": summary_of(choices.game.name), "problem": problem, "note": note}
        return page("choose.html", 422 if problem else 200, chosen=choices, **told)

    def _choices(self, given: Mapping[str, str]) -> Choices:
        name = given.get("game", "")
        if name not in games():
            raise HTTPException(404)
        try:
            return Choices(find_game(name), given, self._offered, self._tables.terms)
        except UnusableError as error:
            raise HTTPException(409, str(error)) from None

    def _begin(self, given: Mapping[str, str]) -> Response:
        choices = self._choices(given)
        try:
            if not choices.complete:
                choices.game.params(**choices.params)
                return self._start(given, note=texts().say("choose.more_seats", count=choices.seats))
            players, seed, params = choices.match()
            params |= prompts_of(choices.game.name)
            match, seats = self._tables.new(choices.game.name, players, seed, params, choices.terms)
        except (ValueError, ImportError) as error:  # a game may need a library that is not there
            return self._start(given, problem=texts().say("choose.problem", problem=str(error)))
        self._tables.live(match)
        if choices.watching:
            return RedirectResponse(at(f"/watch/{match}?at=0"), 303)
        own = next(seat for seat in seats if seat.seat == choices.seat)
        return RedirectResponse(at(f"/s/{own.token}"), 303)

    # -- a seat ------------------------------------------------------------------------------------------------

    async def seat(self, request: Request) -> Response:
        """The page of a seat."""
        return await run_in_threadpool(self._seat, request, "seat.html", late="late" in request.query_params)

    async def table(self, request: Request) -> Response:
        """That part of the page of a seat that changes."""
        return await run_in_threadpool(self._seat, request, "table.html")

    def _seat(self, request: Request, template: str, status: int = 200, **shown: Any) -> Response:
        seat, live = self._open(request)
        live.arrive(seat.seat)
        seen, others = Shown(live, seat), [one for one in self._tables.store.seats(seat.match) if one != seat]
        links = [(seen.roles[one.seat], str(request.url_for("seat", token=one.token))) for one in others]
        invitations = links if self._tables.store.seats(seat.match)[0] == seat else []
        told = {"typed": {}, "problems": {}, "late": False, "checked": "", "invitations": invitations}
        told |= {"watch": str(request.url_for("watch", match=seat.match)), "replay": at(f"/replay/{seat.match}")}
        told["end"] = afterwards(seen.record, seat.seat)
        return page(template, status, seen=seen, token=seat.token, title=seen.title, **{**told, **shown})

    def _open(self, request: Request) -> tuple[Seat, LiveMatch]:
        """The seat of a link, and its match.

        Raises:
            HTTPException: There is none, or it cannot be played on.
        """
        seat = self._tables.store.seat(request.path_params["token"])
        if seat is None:
            raise HTTPException(404)
        try:
            return seat, self._tables.live(seat.match)
        except ValueError as error:
            raise HTTPException(409, texts().say("error.problem", problem=str(error))) from None

    async def move(self, request: Request) -> Response:
        """Plays a move, or says what is wrong with it."""
        return await run_in_threadpool(self._move, request, await posted(request))

    def _move(self, request: Request, given: Mapping[str, str]) -> Response:
        seat, live = self._open(request)
        person = live.people[seat.seat]
        asked = person.asked
        if asked is None or given.get("number") != str(person.answers):
            return RedirectResponse(at(f"/s/{seat.token}?late"), 303)
        reply = forms_for(person, asked).read(given)
        if isinstance(reply, dict):
            return self._seat(request, "seat.html", 422, typed=given, problems=reply)
        late = "" if live.answer(seat, int(given["number"]), reply) else "?late"
        self._tables.advance(live)
        return RedirectResponse(at(f"/s/{seat.token}{late}"), 303)

    async def check(self, request: Request) -> Response:
        """Says whether a program could be played; plays nothing."""
        return await run_in_threadpool(self._check, request, await posted(request))

    def _check(self, request: Request, given: Mapping[str, str]) -> Response:
        seat, live = self._open(request)
        person = live.people[seat.seat]
        asked = person.asked
        if asked is None or not person.info.game.actions.source:
            return RedirectResponse(at(f"/s/{seat.token}?late"), 303)
        kind = person.info.game.actions.names[0]
        typed = {**given, "kind": kind}
        problems = check(person, asked, live.match, typed)
        told = {"problems": problems} if problems else {"checked": texts().say("editor.checked")}
        return self._seat(request, "seat.html", 422 if problems else 200, typed=typed, **told)

    async def leave(self, request: Request) -> Response:
        """A person leaves the match."""
        await posted(request)
        return await run_in_threadpool(self._leave, request)

    def _leave(self, request: Request) -> Response:
        seat, live = self._open(request)
        if live.leave(seat):
            self._tables.advance(live)
        return RedirectResponse(at(f"/s/{seat.token}"), 303)

    async def record(self, request: Request) -> Response:
        """The record of a match that has ended."""
        seat, live = await run_in_threadpool(self._open, request)
        if live.record is None:
            raise HTTPException(404)
        name = {"content-disposition": f'attachment; filename="{seat.match}.jsonl"'}
        return PlainTextResponse(live.record.to_json() + "\n", media_type="application/jsonl", headers=name)

    async def events(self, request: Request) -> Response:
        """Says what state the page should have, whenever that changes; nothing else."""
        seat, live = await run_in_threadpool(self._open, request)
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(states(request, live, seat), media_type="text/event-stream", headers=headers)


async def states(request: Request, live: LiveMatch, seat: Seat) -> AsyncIterator[str]:
    """The state of the page of a seat, now and after every change."""
    told, at = "", 0.0
    while not await request.is_disconnected():
        state = Shown(live, seat).state
        if state != told or time.monotonic() - at > SILENCE:
            yield f"data: {state}\n\n"
            told, at = state, time.monotonic()
        await asyncio.sleep(BEAT)
