"""Watch pages: a running or finished match, played back at a chosen speed."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from econzoo.baselines import is_person
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import role_names
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import MatchTexts, match_outline, replay_texts
from econzoo.people.server import FAST_POLL, KEEPALIVE_SECONDS, STREAMS_PER_PAGE, Listener, derive_key, event_response
from econzoo.people.server import is_operator, parse_count, render_page, texts
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.move_words import localize_story
from econzoo.people.table.public_view import describe_turns, event_lines, public_events, shared_board
from econzoo.people.table.record_check import check_record
from econzoo.people.table.seat_view import describe_gain, describe_movers, game_title
from econzoo.people.table.tables import Tables

SPEEDS = {"half": 0.5, "1": 1.0, "2": 2.0, "5": 5.0}
"""Speed name in a URL to moves per second."""

LABELS = {"half": "0.5x", "1": "1x", "2": "2x", "5": "5x"}

MAX_SHOWN = 60
"""Maximum moves on a page."""


class WatchedMatch(NamedTuple):
    """A match so far.

    Attributes:
        transcript: Texts that every seat read; None: unavailable.
    """

    record: Record
    transcript: MatchTexts | None
    is_over: bool
    waiting_text: str


# Each stream of a running match asks ten times a second.
@lru_cache(64)
def _retell(live: LiveMatch, turns: int) -> tuple[Record, MatchTexts | None]:
    """Record and texts of a running match, cached by its number of turns."""
    record = live.record_so_far
    try:
        return record, replay_texts(record)
    except (ValueError, KeyError, IndexError):
        return record, None


class Film:
    """View of a watched match.

    Args:
        key: Key that also shows private information.
    """

    def __init__(self, reel: WatchedMatch, typed: dict[str, str], key: str) -> None:
        self._reel, self.is_private = reel, hmac.compare_digest(typed.get("private", "").encode(), key.encode())
        self._key = key if self.is_private else ""
        self.record, self.is_over = reel.record, reel.is_over
        self.game = find_game(self.record.game)
        self.roles = role_names(self.game, len(self.record.players), self.record.params)
        self.events = public_events(reel.transcript.events) if reel.transcript else []
        self.total_moves = len(self.record.turns) if self.is_private else len(self.events)
        # A finished match begins with its first move, a running one with the latest.
        self.shown_moves = parse_place(typed.get("at", ""), self.total_moves, 0 if self.is_over else self.total_moves)
        self.speed = typed.get("speed", "1") if typed.get("speed") in SPEEDS else "1"
        self.is_paused = "paused" in typed

    @property
    def state(self) -> str:
        """State of the page: moves shown, total moves, whether over."""
        return f"{self.shown_moves}.{self.total_moves}.{int(self.is_over)}"

    @property
    def is_done(self) -> bool:
        """Whether all moves of a finished match are shown."""
        return self.is_over and self.shown_moves == self.total_moves

    @property
    def title(self) -> str:
        """Name of the game."""
        return game_title(self.game.name, self.record.params)

    @property
    def first_shown(self) -> int:
        """First move shown, from 0."""
        return max(0, self.shown_moves - MAX_SHOWN)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Moves shown."""
        if self.is_private:
            return describe_turns(self.record)[self.first_shown : self.shown_moves]
        return event_lines(self.game, self.events[self.first_shown : self.shown_moves], self.roles)

    @property
    def board(self) -> str:
        """Public board of the current round; empty: none."""
        transcript, last = self._reel.transcript, self.lines[-1:]
        return shared_board(transcript, self.record.turns, last[0]["round"]) if transcript and last else ""

    @property
    def players(self) -> list[tuple[str, str]]:
        """(role, player) of each seat; players are hidden while people play."""
        is_hidden = not (self.is_over or self.is_private) and any(map(is_person, self.record.players))
        return [(role, "" if is_hidden else label) for role, label in zip(self.roles, self.record.labels, strict=True)]

    @property
    def waiting_text(self) -> str:
        """Description of who is to move, once all moves are shown."""
        return "" if self.is_over or self.shown_moves < self.total_moves else self._reel.waiting_text

    @property
    def end(self) -> dict[str, Any] | None:
        """Outline of a finished match, once all moves are shown."""
        return (
            localize_story(self.record, match_outline(self.record, ""))
            if self.is_done and self.record.status != "failed"
            else None
        )

    @property
    def gain_description(self) -> str:
        return describe_gain(self.record.game)

    @property
    def query(self) -> str:
        """URL parameters to keep when the position changes."""
        return f"speed={self.speed}{self.private_query}"

    @property
    def private_query(self) -> str:
        """URL parameter that shows private information."""
        return f"&private={self._key}" if self.is_private else ""


def parse_place(typed: str, of: int, default: int) -> int:
    """Parse the number of moves in a URL or a state."""
    return min(parse_count(typed.partition(".")[0], default), of)


def private_key(match: str) -> str:
    """Key to the private information of a running match, for the operator."""
    return derive_key(f"private {match}")


class WatchPages:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages and the stream."""
        return [
            Route("/watch/{match}", self.watch, methods=["GET"], name="watch"),
            Route("/watch/{match}/table", self.table, methods=["GET"]),
            Route("/watch/{match}/events", self.events, methods=["GET"]),
        ]

    async def watch(self, request: Request) -> Response:
        return await run_in_threadpool(self._page, request, "watch.html")

    async def table(self, request: Request) -> Response:
        """The updated part of the page."""
        return await run_in_threadpool(self._page, request, "watched.html")

    def _page(self, request: Request, template: str) -> Response:
        film = self._film(request)
        match = request.path_params["match"]
        key = private_key(match) if is_operator(request) else ""
        return render_page(
            template, title=texts().say("watch.title", game=film.title), film=film, match=match, speeds=LABELS, key=key
        )

    def _film(self, request: Request, **typed: str) -> Film:
        match = request.path_params["match"]
        return Film(self._reel(match), {**request.query_params, **typed}, private_key(match))

    def _reel(self, match: str) -> WatchedMatch:
        """Load a match so far."""
        try:
            if (line := self._tables.store.record_line(match)) is not None:
                checked = check_record(line)
                return WatchedMatch(checked.record, checked.transcript, True, "")
            live = self._tables.open_match(match)
        except KeyError:
            raise HTTPException(404) from None
        except ValueError as error:
            raise HTTPException(409, str(error)) from None
        record, transcript = _retell(live, live.turn_count)
        roles = role_names(find_game(record.game), len(record.players), record.params)
        waiting_text = texts().say("watch.still") if live.trouble else describe_movers(live, roles)
        return WatchedMatch(record, transcript, False, waiting_text)

    async def events(self, request: Request) -> Response:
        """Stream of the number of moves to show."""
        film = await run_in_threadpool(self._film, request, **_resume_position(request))
        return event_response(self._states(Listener(request, STREAMS_PER_PAGE), film))

    async def _states(self, listener: Listener, film: Film) -> AsyncIterator[str]:
        pause = 1 / SPEEDS[film.speed]
        last_state, moved, sent = "", time.monotonic(), 0.0
        while not await listener.is_disconnected():
            if not film.is_over:
                film = await run_in_threadpool(self._film, listener.request, at=str(film.shown_moves))
            if film.shown_moves < film.total_moves and time.monotonic() - moved >= pause:
                film.shown_moves, moved = film.shown_moves + 1, time.monotonic()
            if film.state != last_state or time.monotonic() - sent > KEEPALIVE_SECONDS:
                # With an id the browser resumes an interrupted stream where it was.
                yield f"id: {film.state}\ndata: {film.state}\n\n"
                last_state, sent = film.state, time.monotonic()
            await asyncio.sleep(FAST_POLL)


def _resume_position(request: Request) -> dict[str, str]:
    """Position of an interrupted stream."""
    last = request.headers.get("last-event-id")
    return {"at": last} if last else {}
