"""Pages of collections: the list, the form of a new one, and one with its results."""

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
from typing import Any
from zlib import crc32

from markupsafe import Markup, escape
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from econzoo.baselines import format_dollars
from econzoo.envs.core import GameLoadError, all_games
from econzoo.envs.core import game as find_game
from econzoo.evaluate.show import sanitize_text
from econzoo.people.manage.collection import KINDS, Collection, Collections, CollectionStatus
from econzoo.people.manage.new_collection import VALUE_SEPARATOR, CollectionChoices, budget_fields
from econzoo.people.manage.order import Order, run_forecast
from econzoo.people.manage.results import RECORDS
from econzoo.people.manage.runs import PAUSE, STOP
from econzoo.people.manage.studies import Studies
from econzoo.people.server import operator_only, read_form, render_page, site_path, stream_states, texts
from econzoo.people.table import game_summary, game_title

REPORT_TIMEOUT = 600
"""Timeout of a report in seconds."""


def download_records(folder: Path, name: str) -> Response:
    """Records, one JSON line per match."""
    if not (folder / RECORDS).is_file():
        raise HTTPException(404)
    return FileResponse(folder / RECORDS, media_type="application/jsonl", filename=f"{name}.jsonl")


def download_report(folder: Path, name: str) -> Response:
    """Zip file of the report of ``econzoo analyze`` with its tables, figures and match pages."""
    return _run_command(folder, f"{name}-report", lambda out: ["analyze", str(folder), "--out", str(out)])


def download_tables(folder: Path, name: str) -> Response:
    """Zip file of the tables of ``econzoo convert --to csv``."""
    return _run_command(
        folder, f"{name}-tables", lambda out: ["convert", str(folder), str(out), "--from", "records", "--to", "csv"]
    )


def _run_command(folder: Path, name: str, words: Callable[[Path], Sequence[str]]) -> Response:
    if not (folder / RECORDS).is_file():
        raise HTTPException(404)
    with TemporaryDirectory() as out:
        line = [sys.executable, "-m", "econzoo", *words(Path(out))]
        done = subprocess.run(line, capture_output=True, text=True, timeout=REPORT_TIMEOUT, check=False)
        files = sorted(path for path in Path(out).rglob("*") if path.is_file())
        if not files:
            raise HTTPException(422, (done.stderr.strip().splitlines() or [name])[-1])
        return _zip_response(Path(out), files, name)


def _zip_response(folder: Path, files: Sequence[Path], name: str) -> Response:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, f"{name}/{path.relative_to(folder)}")
    headers = {"content-disposition": f'attachment; filename="{name}.zip"'}
    return Response(out.getvalue(), media_type="application/zip", headers=headers)


DOWNLOADS: dict[str, Callable[[Path, str], Response]] = {
    "records.jsonl": download_records,
    "report.zip": download_report,
    "tables.zip": download_tables,
}
"""File name in the URL to its download function."""


UNITS = (("manage.days", 86_400), ("manage.hours", 3_600), ("manage.minutes", 60))
"""Text key and seconds of each unit of time."""


class CollectionPages:
    def __init__(self, collections: Collections, offered_players: Sequence[str], studies: Studies) -> None:
        self._collections, self._offered_players, self._studies = collections, offered_players, studies

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages, forms, streams and downloads."""
        one = "/manage/c/{id}"
        pages = {"/manage": self.list_all, "/manage/table": self.list_table, "/manage/events": self.list_events}
        pages |= {"/manage/new": self.new_form, one: self.show_collection, f"{one}/table": self.table}
        pages |= {f"{one}/events": self.events, f"{one}/{{file}}": self.download}
        posts = {"/manage/new": self.submit_order, one: self.act}
        return [
            *(Route(path, operator_only(answer), methods=["GET"]) for path, answer in pages.items()),
            *(Route(path, operator_only(answer), methods=["POST"]) for path, answer in posts.items()),
        ]

    def _find(self, request: Request) -> Collection:
        return self._collections.find(request.path_params["id"])

    # -- the list ----------------------------------------------------------------------------------------------

    async def list_all(self, request: Request) -> Response:
        return await run_in_threadpool(self._list_all, "manage/list.html")

    async def list_table(self, request: Request) -> Response:
        """The updated part of the page."""
        return await run_in_threadpool(self._list_all, "manage/bars.html")

    def _list_all(self, template: str) -> Response:
        collections = [(one, one.status()) for one in self._collections.list_all()]
        values: dict[str, Any] = {"title": texts().say("manage.title"), "state": self._list_state()}
        values |= {"studies": self._studies.list_all(), "home": self._studies.folder}
        return render_page(template, collections=collections, title_of=game_title, **values)

    def _list_state(self) -> str:
        statuses = [one.status() for one in self._collections.list_all()]
        matches = sum(one.counts.finished + one.counts.failed for one in statuses)
        # A checksum, since streams send no names.
        studies = [(one.name, one.problem, one.status and one.status[1:]) for one in self._studies.list_all()]
        kinds = [KINDS.index(one.kind) for one in statuses]
        return f"{len(statuses)}.{matches}.{crc32(repr((kinds, studies)).encode())}"

    async def list_events(self, request: Request) -> Response:
        """Stream of state changes; numbers only."""
        return stream_states(request, self._list_state, slow_poll=True)

    # -- the form of a new one ---------------------------------------------------------------------------------

    async def new_form(self, request: Request) -> Response:
        """The list of games, or the form of the chosen one."""
        return await run_in_threadpool(self._new_form, dict(request.query_params))

    async def submit_order(self, request: Request) -> Response:
        """Show the forecast of an order, or create the collection and start it."""
        return await run_in_threadpool(self._submit_order, await read_form(request))

    def _new_form(self, given: Mapping[str, str], problem: str = "", **values: Any) -> Response:
        title = texts().say("manage.new")
        if not given.get("game"):
            games = [(one.name, game_title(one.name), game_summary(one.name)) for one in all_games()]
            return render_page("manage/games.html", title=title, games=games)
        wanted = self._read_choices(given)
        defaults: dict[str, Any] = {
            "wanted": wanted,
            "problem": problem,
            "summary": game_summary(wanted.game.name),
            "between": VALUE_SEPARATOR,
            "forecast": None,
            "order": None,
            "digest": "",
            "span": format_duration,
            "dollars": format_dollars,
        }
        title = f"{title}: {game_title(wanted.game.name)}"
        return render_page("manage/new.html", 422 if problem else 200, title=title, **{**defaults, **values})

    def _read_choices(self, given: Mapping[str, str]) -> CollectionChoices:
        try:
            return CollectionChoices(find_game(given.get("game", "")), given, self._offered_players)
        except GameLoadError as error:
            raise HTTPException(409, str(error)) from None
        except ValueError:
            raise HTTPException(404) from None

    def _submit_order(self, given: Mapping[str, str]) -> Response:
        try:
            order = self._read_choices(given).order()
        except ValueError as error:
            return self._new_form(given, str(error))
        digest = order_digest(order)
        if given.get("do") == "start" and given.get("seen") == digest:
            collection = self._collections.create(order)
            collection.start()
            return RedirectResponse(site_path(f"/manage/c/{collection.id}"), 303)
        return self._new_form(given, forecast=run_forecast(order), order=order, digest=digest)

    # -- one collection ----------------------------------------------------------------------------------------

    async def show_collection(self, request: Request) -> Response:
        return await run_in_threadpool(self._show_collection, request, "manage/collection.html")

    async def table(self, request: Request) -> Response:
        """The updated part of the page."""
        return await run_in_threadpool(self._show_collection, request, "manage/progress.html")

    def _show_collection(self, request: Request, template: str, problem: str = "") -> Response:
        one = self._find(request)
        status = one.status()
        one.results.refresh(status.counts.finished, status.is_busy)
        values: dict[str, Any] = {
            "one": one,
            "now": status,
            "results": one.results.load(),
            "state": collection_state(one, status),
            "command": shlex.join(["econzoo", *one.command()[3:]]),  # instead of python -m econzoo
            "log": one.log(),
            "svg": figure_markup,
            "span": format_duration,
            "dollars": format_dollars,
            "problem": problem,
            "budget": budget_fields(one.order, {}),
            "title": sanitize_text(one.order.title) or game_title(one.order.game),
        }
        return render_page(template, 422 if problem else 200, **values)

    async def events(self, request: Request) -> Response:
        """Stream of state changes; numbers only."""
        one = await run_in_threadpool(self._find, request)
        return stream_states(request, lambda: collection_state(one, one.status()), slow_poll=True)

    async def act(self, request: Request) -> Response:
        """Start, pause or stop a collection."""
        return await run_in_threadpool(self._act, request, await read_form(request))

    def _act(self, request: Request, given: Mapping[str, str]) -> Response:
        one, what = self._find(request), given.get("do", "")
        if what in (PAUSE, STOP):
            one.end(what)
        elif what in ("resume", "agree"):
            try:
                self._set_budget(one, given)
            except ValueError as error:
                return self._show_collection(request, "manage/collection.html", str(error))
            one.start(costs_agreed=what == "agree")
        return RedirectResponse(site_path(f"/manage/c/{one.id}"), 303)

    def _set_budget(self, one: Collection, given: Mapping[str, str]) -> None:
        """Set the submitted budget of a collection that has one."""
        order = one.order._replace(**budget_fields(one.order, given).values())
        if order != one.order:
            one.change_order(order)

    async def download(self, request: Request) -> Response:
        one, file = await run_in_threadpool(self._find, request), request.path_params["file"]
        if file not in DOWNLOADS:
            raise HTTPException(404)
        return await run_in_threadpool(DOWNLOADS[file], one.records, one.id)


def order_digest(order: Order) -> str:
    """Digest of an order, so that only the order shown can be started."""
    return sha256(order.to_json().encode()).hexdigest()[:16]


def collection_state(one: Collection, now: CollectionStatus) -> str:
    """State of a collection's page, in numbers."""
    counts, covered = now.counts, one.results.refresh(now.counts.finished, now.is_busy)
    return f"{counts.finished}.{counts.failed}.{KINDS.index(now.kind)}.{covered}"


def format_duration(seconds: float) -> str:
    """Format an approximate duration."""
    for unit, length in UNITS:
        if seconds >= 1.5 * length:
            return texts().say(unit, count=round(seconds / length))
    return texts().say("manage.seconds", count=max(1, round(seconds)))


def figure_markup(figure: Mapping[str, str], label: str) -> Markup:
    """Markup of a figure with an accessible label."""
    return Markup(figure["svg"].replace(f'aria-label="{figure["kind"]}"', f'aria-label="{escape(label)}"', 1))
