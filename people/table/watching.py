"""Watching: a match that goes on, or has ended, as a film that can be stopped, slower and faster."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from econzoo.baselines.factory import is_person
from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.stories import brief
from econzoo.evaluate.analyses.transcript import Retold, retold
from econzoo.people.server.fields import count_in
from econzoo.people.server.patience import AUDIENCE, Listener
from econzoo.people.server.rendering import OFTEN, SILENCE, events, page
from econzoo.people.server.security import is_operator, key_of
from econzoo.people.server.site import texts
from econzoo.people.table.move_words import in_own_words
from econzoo.people.table.public_view import board, lines_of, public_events, turns_told
from econzoo.people.table.record_check import check_record
from econzoo.people.table.seat_view import gain_of, title_of, who_moves

if TYPE_CHECKING:
    from econzoo.people.table.live import LiveMatch
    from econzoo.people.table.tables import Tables

SPEEDS = {"half": 0.5, "1": 1.0, "2": 2.0, "5": 5.0}
"""Name of a speed in an address to moves a second."""

LABELS = {"half": "0.5x", "1": "1x", "2": "2x", "5": "5x"}

WINDOW = 60
"""Moves that a page shows at once."""


class Reel(NamedTuple):
    """A match as far as it was played.

    Attributes:
        record: Of it.
        told: What every seat read; None where that cannot be told.
        over: Whether it has ended.
        waiting: Who is to move.
    """

    record: Record
    told: Retold | None
    over: bool
    waiting: str


@lru_cache(64)
def _told(live: LiveMatch, turns: int) -> tuple[Record, Retold | None]:
    """The first turns of a match, and what every seat read; the number of turns is there to be remembered by."""
    record = live.so_far
    try:
        return record, retold(record)
    except (ValueError, KeyError, IndexError):
        return record, None


class Film:
    """What a page shows of a match.

    Args:
        reel: The match.
        typed: What the address says: ``at`` (how many moves are shown), ``speed``, ``paused``, ``private``.
        key: With which also that is shown what only some may know.
    """

    def __init__(self, reel: Reel, typed: dict[str, str], key: str) -> None:
        self._reel, self.private = reel, hmac.compare_digest(typed.get("private", "").encode(), key.encode())
        self._key = key if self.private else ""
        self.record, self.over = reel.record, reel.over
        self.game = find_game(self.record.game)
        self.roles = role_names(self.game, len(self.record.players), self.record.params)
        self.events = public_events(reel.told.events) if reel.told else []
        self.of = len(self.record.turns) if self.private else len(self.events)
        self.at = place(typed.get("at", ""), self.of, 0 if self.over else self.of)
        self.speed = typed.get("speed", "1") if typed.get("speed") in SPEEDS else "1"
        self.paused = "paused" in typed

    @property
    def state(self) -> str:
        """What there is and what is shown, in a word."""
        return f"{self.at}.{self.of}.{int(self.over)}"

    @property
    def done(self) -> bool:
        """Whether there is nothing more to come."""
        return self.over and self.at == self.of

    @property
    def title(self) -> str:
        """Name of the game."""
        return title_of(self.game.name, self.record.params)

    @property
    def first(self) -> int:
        """The first move that is shown, from 0."""
        return max(0, self.at - WINDOW)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The moves that are shown."""
        if self.private:
            return turns_told(self.record)[self.first : self.at]
        return lines_of(self.game, self.events[self.first : self.at], self.roles)

    @property
    def board(self) -> str:
        """What all see, if there is something to see."""
        told, shown = self._reel.told, self.lines[-1:]
        return board(told, self.record.turns, shown[0]["round"]) if told and shown else ""

    @property
    def players(self) -> list[tuple[str, str]]:
        """(role, player); who plays is not told while people play."""
        secret = not (self.over or self.private) and any(map(is_person, self.record.players))
        return [(role, "" if secret else label) for role, label in zip(self.roles, self.record.labels, strict=True)]

    @property
    def waiting(self) -> str:
        """Who is to move, if all that has happened is shown."""
        return "" if self.over or self.at < self.of else self._reel.waiting

    @property
    def end(self) -> dict[str, Any] | None:
        """How the match ended, when all is shown."""
        return (
            in_own_words(self.record, brief(self.record, "")) if self.done and self.record.status != "failed" else None
        )

    @property
    def gain_of(self) -> str:
        """What the gain of this game is."""
        return gain_of(self.record.game)

    @property
    def query(self) -> str:
        """What stays in an address when another move is shown."""
        return f"speed={self.speed}{self.opened}"

    @property
    def opened(self) -> str:
        """What stays in an address in which what is private is shown."""
        return f"&private={self._key}" if self.private else ""


def place(typed: str, of: int, otherwise: int) -> int:
    """A number of moves in an address, or in a state."""
    return min(count_in(typed.partition(".")[0], otherwise), of)


def private_key(match: str) -> str:
    """What opens all of a match that goes on; the operator has it."""
    return key_of(f"private {match}")


class Watching:
    """What is answered to who watches.

    Args:
        tables: The matches.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def routes(self) -> list[Route]:
        """The pages and the stream."""
        return [
            Route("/watch/{match}", self.watch, methods=["GET"], name="watch"),
            Route("/watch/{match}/table", self.table, methods=["GET"]),
            Route("/watch/{match}/events", self.events, methods=["GET"]),
        ]

    async def watch(self, request: Request) -> Response:
        """The page."""
        return await run_in_threadpool(self._page, request, "watch.html")

    async def table(self, request: Request) -> Response:
        """That part of the page that changes."""
        return await run_in_threadpool(self._page, request, "watched.html")

    def _page(self, request: Request, template: str) -> Response:
        film = self._film(request)
        match = request.path_params["match"]
        key = private_key(match) if is_operator(request) else ""
        return page(
            template, title=texts().say("watch.title", game=film.title), film=film, match=match, speeds=LABELS, key=key
        )

    def _film(self, request: Request, **typed: str) -> Film:
        match = request.path_params["match"]
        return Film(self._reel(match), {**request.query_params, **typed}, private_key(match))

    def _reel(self, match: str) -> Reel:
        """A match as far as it was played.

        Raises:
            HTTPException: There is none, or it cannot be played on.
        """
        try:
            if (line := self._tables.store.line(match)) is not None:
                found = check_record(line)
                return Reel(found.record, found.told, True, "")
            live = self._tables.live(match)
        except KeyError:
            raise HTTPException(404) from None
        except ValueError as error:
            raise HTTPException(409, str(error)) from None
        record, told = _told(live, live.turns)
        roles = role_names(find_game(record.game), len(record.players), record.params)
        return Reel(record, told, False, texts().say("watch.still") if live.trouble else who_moves(live, roles))

    async def events(self, request: Request) -> Response:
        """Says which move is to be shown next, whenever it is time; nothing else."""
        film = await run_in_threadpool(self._film, request, **_again(request))
        return events(self._states(Listener(request, AUDIENCE), film))

    async def _states(self, listener: Listener, film: Film) -> AsyncIterator[str]:
        pause = 1 / SPEEDS[film.speed]
        told, moved, at = "", time.monotonic(), 0.0
        while not await listener.is_disconnected():
            if not film.over:
                film = await run_in_threadpool(self._film, listener.request, at=str(film.at))
            if film.at < film.of and time.monotonic() - moved >= pause:
                film.at, moved = film.at + 1, time.monotonic()
            if film.state != told or time.monotonic() - at > SILENCE:
                yield f"id: {film.state}\ndata: {film.state}\n\n"
                told, at = film.state, time.monotonic()
            await asyncio.sleep(OFTEN)


def _again(request: Request) -> dict[str, str]:
    """Where a stream that broke was."""
    last = request.headers.get("last-event-id")
    return {"at": last} if last else {}
