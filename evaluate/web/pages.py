"""The first pages: all games, and the form of one with which a match begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.envs.core.registry import UnusableError, all_games, games
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.web.choices import Choices
from econzoo.evaluate.web.rendering import page
from econzoo.evaluate.web.security import posted
from econzoo.evaluate.web.shown import prompts_of, summary_of, title_of
from econzoo.evaluate.web.site import at, texts

if TYPE_CHECKING:
    from econzoo.evaluate.web.table import Tables


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
