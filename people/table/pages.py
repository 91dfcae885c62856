"""The pages of the table: all games, the form of one with which a match begins, and the seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.envs.core.registry import UnusableError, all_games, games
from econzoo.envs.core.registry import game as find_game
from econzoo.people.server.rendering import page
from econzoo.people.server.security import read_form
from econzoo.people.server.site import at, texts
from econzoo.people.table.choices import Choices
from econzoo.people.table.debrief import afterwards
from econzoo.people.table.seat_view import Shown, prompts_of, summary_of, title_of
from econzoo.people.table.seats import SeatPages
from econzoo.people.table.store import Seat

if TYPE_CHECKING:
    from econzoo.people.table.live import LiveMatch
    from econzoo.people.table.tables import Tables


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
        """The pages, and what is posted."""
        return [
            Route("/", self.start, methods=["GET"]),
            Route("/", self.begin, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        """All games, or the form of one."""
        return await run_in_threadpool(self._start, dict(request.query_params))

    async def begin(self, request: Request) -> Response:
        """Begins a match, or says what is not allowed."""
        return await run_in_threadpool(self._begin, await read_form(request))

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


class Seats(SeatPages):
    """Seats of the table: whoever has the secret in the address plays there."""

    @property
    def routes(self) -> list[Route]:
        """The page, what is posted, and the stream."""
        return [
            Route("/s/{token}", self.seat, methods=["GET"], name="seat"),
            Route("/s/{token}/table", self.table, methods=["GET"]),
            Route("/s/{token}/events", self.events, methods=["GET"]),
            Route("/s/{token}/move", self.move, methods=["POST"]),
            Route("/s/{token}/check", self.check, methods=["POST"]),
            Route("/s/{token}/leave", self.leave, methods=["POST"]),
            Route("/s/{token}/record.jsonl", self.record, methods=["GET"]),
        ]

    def _told(self, request: Request, seat: Seat, live: LiveMatch) -> dict[str, Any]:
        """What templates show of a seat."""
        seen, others = Shown(live, seat), [one for one in self._tables.store.seats(seat.match) if one != seat]
        links = [(seen.roles[one.seat], str(request.url_for("seat", token=one.token))) for one in others]
        invitations = links if self._tables.store.seats(seat.match)[0] == seat else []
        told = {"seen": seen, "title": seen.title, "invitations": invitations, "leaving": True, "ended": "ended.html"}
        told |= {"watch": str(request.url_for("watch", match=seat.match)), "replay": at(f"/replay/{seat.match}")}
        return {**told, "end": afterwards(seen.record, seat.seat)}

    def _state(self, live: LiveMatch, seat: Seat) -> str:
        return Shown(live, seat).state
