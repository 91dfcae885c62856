"""Pages of a run on the disk of the server: they follow its folder while other processes write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.baselines import format_dollars
from econzoo.evaluate.show import format_duration
from econzoo.people.server import operator_only, render_page, site_path, stream_states, texts
from econzoo.people.table.listing import describe_outcome
from econzoo.people.table.run_watch import RunWatch, watch_run
from econzoo.people.table.seat_view import game_title


class RunPages:
    """Operator pages of the folder of a run."""

    @property
    def routes(self) -> list[Route]:
        """Routes of the page, its updated part and its stream."""
        pages = {"": self.show, "/table": self.table, "/events": self.events}
        return [Route(f"/run{end}", operator_only(one), methods=["GET"]) for end, one in pages.items()]

    async def show(self, request: Request) -> Response:
        return await run_in_threadpool(self._show, request, "run.html")

    async def table(self, request: Request) -> Response:
        """The updated part of the page."""
        return await run_in_threadpool(self._show, request, "run_table.html")

    def _show(self, request: Request, template: str) -> Response:
        run = self._find(request)
        state = run.state  # ahead of the reading, so that what comes meanwhile is read again
        values: dict[str, Any] = {
            "seen": run.refresh(),
            "state": state,
            "folder": str(run.folder),
            "span": format_duration,
        }
        values |= {"dollars": format_dollars, "ended": describe_outcome, "title_of": game_title}
        return render_page(template, title=texts().say("run.title"), **values)

    async def events(self, request: Request) -> Response:
        """Stream of the sizes of the files."""
        run = await run_in_threadpool(self._find, request)
        return stream_states(request, lambda: run.state, slow_poll=True)

    def _find(self, request: Request) -> RunWatch:
        try:
            return watch_run(request.query_params.get("file", ""))
        except (ValueError, OSError) as error:
            raise HTTPException(422, str(error)) from None


def first_page(folder: Path) -> Route:
    """Route of the first page of a server that shows one folder."""

    async def redirect(request: Request) -> Response:
        return RedirectResponse(site_path(f"/run?{urlencode({'file': str(folder)})}"), 303)

    return Route("/", redirect, methods=["GET"])
