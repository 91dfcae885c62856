"""The pages of collections: all of them, a new one, and one with what has come of it."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zlib import crc32

from markupsafe import Markup, escape
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from econzoo.baselines.models.purse import dollars
from econzoo.envs.core.registry import UnusableError, all_games
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.show.escapes import visible
from econzoo.people.manage.collection import KINDS, Collection, Collections, Standing
from econzoo.people.manage.new_collection import AND, Wanted, budget_of
from econzoo.people.manage.order import Order, ask_forecast
from econzoo.people.manage.results import RECORDS
from econzoo.people.manage.runs import PAUSE, STOP
from econzoo.people.server.rendering import page, stream
from econzoo.people.server.security import operator_only, read_form
from econzoo.people.server.site import at, texts
from econzoo.people.table.seat_view import summary_of, title_of

if TYPE_CHECKING:
    from econzoo.people.manage.studies import Studies

PATIENCE = 600
"""Seconds that a report may take."""


def records(folder: Path, name: str) -> Response:
    """The records, one JSON line a match."""
    if not (folder / RECORDS).is_file():
        raise HTTPException(404)
    return FileResponse(folder / RECORDS, media_type="application/jsonl", filename=f"{name}.jsonl")


def report(folder: Path, name: str) -> Response:
    """The page of ``econzoo analyze``, and its tables, figures and pages of matches beside it, zipped."""
    return _made(folder, f"{name}-report", lambda out: ["analyze", str(folder), "--out", str(out)])


def tables(folder: Path, name: str) -> Response:
    """The tables of ``econzoo convert --to csv``, zipped."""
    return _made(
        folder, f"{name}-tables", lambda out: ["convert", str(folder), str(out), "--from", "records", "--to", "csv"]
    )


def _made(folder: Path, name: str, words: Callable[[Path], Sequence[str]]) -> Response:
    if not (folder / RECORDS).is_file():
        raise HTTPException(404)
    with TemporaryDirectory() as made:
        line = [sys.executable, "-m", "econzoo", *words(Path(made))]
        done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False)
        files = sorted(path for path in Path(made).rglob("*") if path.is_file())
        if not files:
            raise HTTPException(422, (done.stderr.strip().splitlines() or [name])[-1])
        return _zipped(Path(made), files, name)


def _zipped(folder: Path, files: Sequence[Path], name: str) -> Response:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as into:
        for path in files:
            into.write(path, f"{name}/{path.relative_to(folder)}")
    headers = {"content-disposition": f'attachment; filename="{name}.zip"'}
    return Response(out.getvalue(), media_type="application/zip", headers=headers)


DOWNLOADS: dict[str, Callable[[Path, str], Response]] = {
    "records.jsonl": records,
    "report.zip": report,
    "tables.zip": tables,
}
"""Name of the file in the address to what makes it."""


UNITS = (("manage.days", 86_400), ("manage.hours", 3_600), ("manage.minutes", 60))
"""Text of a unit of time, and its seconds."""


class Managing:
    """What is answered to the operator about collections.

    Args:
        collections: All of them.
        offered: Players that can be chosen besides the games' scripts.
        studies: That are listed with them.
    """

    def __init__(self, collections: Collections, offered: Sequence[str], studies: Studies) -> None:
        self._collections, self._offered, self._studies = collections, offered, studies

    @property
    def routes(self) -> list[Route]:
        """The pages, what is posted, the streams and what can be downloaded."""
        one = "/manage/c/{id}"
        pages = {"/manage": self.listed, "/manage/table": self.list_table, "/manage/events": self.list_events}
        pages |= {"/manage/new": self.new, one: self.collection, f"{one}/table": self.table}
        pages |= {f"{one}/events": self.events, f"{one}/{{file}}": self.download}
        posts = {"/manage/new": self.order, one: self.act}
        return [
            *(Route(path, operator_only(answer), methods=["GET"]) for path, answer in pages.items()),
            *(Route(path, operator_only(answer), methods=["POST"]) for path, answer in posts.items()),
        ]

    def _find(self, request: Request) -> Collection:
        return self._collections.find(request.path_params["id"])

    # -- all of them -------------------------------------------------------------------------------------------

    async def listed(self, request: Request) -> Response:
        """All collections and studies."""
        return await run_in_threadpool(self._listed, "manage/list.html")

    async def list_table(self, request: Request) -> Response:
        """That part of the page that changes."""
        return await run_in_threadpool(self._listed, "manage/bars.html")

    def _listed(self, template: str) -> Response:
        found = [(one, one.standing()) for one in self._collections.all()]
        shown: dict[str, Any] = {"found": found, "studies": self._studies.all(), "home": self._studies.folder}
        return page(template, title=texts().say("manage.title"), state=self._list_state(), title_of=title_of, **shown)

    def _list_state(self) -> str:
        standings = [one.standing() for one in self._collections.all()]
        told = sum(one.counts.ended + one.counts.failed for one in standings)
        studies = [(one.name, one.problem, one.now and one.now[1:]) for one in self._studies.all()]
        kinds = sum(KINDS.index(one.kind) for one in standings)
        return f"{len(standings)}.{kinds}.{told}.{crc32(repr(studies).encode())}"

    async def list_events(self, request: Request) -> Response:
        """Says that there is something new; numbers only."""
        return stream(request, self._list_state, elsewhere=True)

    # -- a new one ---------------------------------------------------------------------------------------------

    async def new(self, request: Request) -> Response:
        """The form, once a game is chosen."""
        return await run_in_threadpool(self._new, dict(request.query_params))

    async def order(self, request: Request) -> Response:
        """Says what is known beforehand, or makes the collection and starts it."""
        return await run_in_threadpool(self._order, await read_form(request))

    def _new(self, given: Mapping[str, str], problem: str = "", **known: Any) -> Response:
        title = texts().say("manage.new")
        if not given.get("game"):
            games = [(one.name, title_of(one.name), summary_of(one.name)) for one in all_games()]
            return page("manage/games.html", title=title, games=games)
        wanted = self._wanted(given)
        told = {"wanted": wanted, "problem": problem, "summary": summary_of(wanted.game.name), "between": AND}
        shown = {"forecast": None, "order": None, "digest": "", "span": span, "dollars": dollars, **told, **known}
        return page("manage/new.html", 422 if problem else 200, title=f"{title}: {title_of(wanted.game.name)}", **shown)

    def _wanted(self, given: Mapping[str, str]) -> Wanted:
        try:
            return Wanted(find_game(given.get("game", "")), given, self._offered)
        except UnusableError as error:
            raise HTTPException(409, str(error)) from None
        except ValueError:
            raise HTTPException(404) from None

    def _order(self, given: Mapping[str, str]) -> Response:
        try:
            order = self._wanted(given).order()
        except ValueError as error:
            return self._new(given, str(error))
        digest = digest_of(order)
        if given.get("do") == "start" and given.get("seen") == digest:
            made = self._collections.new(order)
            made.start()
            return RedirectResponse(at(f"/manage/c/{made.id}"), 303)
        return self._new(given, forecast=ask_forecast(order), order=order, digest=digest)

    # -- one of them -------------------------------------------------------------------------------------------

    async def collection(self, request: Request) -> Response:
        """A collection."""
        return await run_in_threadpool(self._collection, request, "manage/collection.html")

    async def table(self, request: Request) -> Response:
        """That part of the page that changes."""
        return await run_in_threadpool(self._collection, request, "manage/progress.html")

    def _collection(self, request: Request, template: str, problem: str = "") -> Response:
        one = self._find(request)
        standing = one.standing()
        one.results.look(standing.counts.ended, standing.busy)
        results = one.results.found()
        shown = {"one": one, "now": standing, "results": results, "state": state_of(one, standing)}
        command = shlex.join(["econzoo", *one.command()[3:]])
        told: dict[str, Any] = {
            "command": command,
            "log": one.log(),
            "svg": svg,
            "span": span,
            "dollars": dollars,
            "problem": problem,
            "budget": budget_of(one.order, {}),
        }
        told["title"] = visible(one.order.title) or title_of(one.order.game)
        return page(template, 422 if problem else 200, **shown, **told)

    async def events(self, request: Request) -> Response:
        """Says that there is something new; numbers only."""
        one = await run_in_threadpool(self._find, request)
        return stream(request, lambda: state_of(one, one.standing()), elsewhere=True)

    async def act(self, request: Request) -> Response:
        """Starts, pauses or stops it."""
        return await run_in_threadpool(self._act, request, await read_form(request))

    def _act(self, request: Request, given: Mapping[str, str]) -> Response:
        one, what = self._find(request), given.get("do", "")
        if what in (PAUSE, STOP):
            one.end(what)
        elif what in ("resume", "agree"):
            try:
                self._set_budget(one, given)
            except ValueError as error:
                return self._collection(request, "manage/collection.html", str(error))
            one.start(agreed=what == "agree")
        return RedirectResponse(at(f"/manage/c/{one.id}"), 303)

    def _set_budget(self, one: Collection, given: Mapping[str, str]) -> None:
        """Takes the budget that was typed, where one is asked for."""
        order = one.order._replace(**budget_of(one.order, given).values())
        if order != one.order:
            one.change(order)

    async def download(self, request: Request) -> Response:
        """A file of it."""
        one, file = await run_in_threadpool(self._find, request), request.path_params["file"]
        if file not in DOWNLOADS:
            raise HTTPException(404)
        return await run_in_threadpool(DOWNLOADS[file], one.records, one.id)


def digest_of(order: Order) -> str:
    """Changes with every part of an order, so that only what was looked at is started."""
    return sha256(order.to_json().encode()).hexdigest()[:16]


def state_of(one: Collection, now: Standing) -> str:
    """What there is to see of a collection, in numbers."""
    counts, made = now.counts, one.results.look(now.counts.ended, now.busy)
    return f"{counts.ended}.{counts.failed}.{KINDS.index(now.kind)}.{made}"


def span(seconds: float) -> str:
    """A time that is known roughly, in words."""
    for unit, length in UNITS:
        if seconds >= 1.5 * length:
            return texts().say(unit, count=round(seconds / length))
    return texts().say("manage.seconds", count=max(1, round(seconds)))


def svg(figure: Mapping[str, str], told: str) -> Markup:
    """A figure that this program has drawn, with what it shows for those who cannot see it."""
    return Markup(figure["svg"].replace(f'aria-label="{figure["kind"]}"', f'aria-label="{escape(told)}"', 1))
