"""A match within a study: the page of a seat, without anything that leads elsewhere or tells who the others are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from econzoo.people.participation.blind import Blind
from econzoo.people.server.site import at, texts
from econzoo.people.table.seats import SeatPages
from econzoo.people.table.store import Seat

if TYPE_CHECKING:
    from econzoo.people.participation.course import Course
    from econzoo.people.table.live import LiveMatch
    from econzoo.people.table.table import Tables


class Play(SeatPages):
    """Answers who plays; their personal link is that of their seat.

    Args:
        course: Of the participants.
        tables: Where matches are played.
    """

    template = "participation/play.html"

    def __init__(self, course: Course, tables: Tables) -> None:
        super().__init__(tables)
        self._course = course

    def _open(self, request: Request) -> tuple[Seat, LiveMatch]:
        seat = self._course.seating.seat(request.state.shown["one"])
        if seat is None:
            raise HTTPException(404)
        try:
            return seat, self._tables.live(seat.match)
        except ValueError:
            raise HTTPException(409, texts().say("study.stuck")) from None

    def _base(self, request: Request) -> str:
        return at(f"/p/{request.path_params['token']}")

    def _told(self, request: Request, seat: Seat, live: LiveMatch) -> dict[str, Any]:
        one, seen = request.state.shown["one"], Blind(live, seat)
        own = self._course.seating.own(one)
        told = {
            "seen": seen,
            "title": seen.title,
            "leaving": False,
            "ended": "participation/over.html",
            "end": seen.done,
        }
        return {**request.state.shown, **told, "match": one.repetition, "matches": len(own)}

    def _state(self, live: LiveMatch, seat: Seat) -> str:
        return Blind(live, seat).state

    def _advance(self, live: LiveMatch) -> None:
        """Waits for nobody: how long the answer to a move takes must not tell who comes next."""
        self._tables.advance(live, 0)
