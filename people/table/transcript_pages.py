"""Transcript pages of the operator: all matches of the server, or of record files on its disk."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from econzoo.baselines import format_dollars
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import turns_of
from econzoo.evaluate.show import add_rows
from econzoo.people.server import operator_only, parse_count, render_page, site_path, texts
from econzoo.people.table.listing import Entry, FileList, Filter, ServerList, describe_outcome, message_of, read_line
from econzoo.people.table.pair_pages import log_folder
from econzoo.people.table.replay_pages import replay_page
from econzoo.people.table.seat_view import game_title
from econzoo.people.table.tables import Tables

PAGE_SIZE = 50
"""Matches per page."""

COLUMNS = ["match", "game", "turn", "round", "seat", "role", "player", "move", "message", "error", "payoff"]
"""Columns of the downloadable table of turns."""


class TranscriptPages:
    def __init__(self, tables: Tables) -> None:
        self._own = ServerList(tables.store)

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages and downloads."""
        return [
            Route("/transcripts", operator_only(self.list_matches), methods=["GET"]),
            Route("/transcripts.csv", operator_only(self.table), methods=["GET"]),
            Route("/transcripts.jsonl", operator_only(self.records), methods=["GET"]),
            Route("/transcripts/replay", operator_only(self.replay), methods=["GET"]),
            Route("/transcripts/record.jsonl", operator_only(self.record), methods=["GET"]),
        ]

    def _open_list(self, given: Mapping[str, str]) -> ServerList | FileList:
        """Matches of the requested file, or of this server."""
        file = given.get("file", "").strip()
        if not file:
            return self._own
        try:
            return FileList(file)
        except OSError as error:
            raise ValueError(f"{file}: {error.strerror}" if error.strerror else str(error)) from None

    async def list_matches(self, request: Request) -> Response:
        return await run_in_threadpool(self._list_matches, dict(request.query_params))

    def _list_matches(self, given: dict[str, str]) -> Response:
        try:
            source: ServerList | FileList = self._open_list(given)
            problem = ""
        except ValueError as error:
            source, problem = self._own, str(error)
            given = {name: value for name, value in given.items() if name != "file"} | {"typed": given["file"]}
        values = {"seen": MatchListView(source, given), "problem": problem, "dollars": format_dollars}
        title = texts().say("transcripts.title")
        return render_page("transcripts.html", 422 if problem else 200, title=title, ended=describe_outcome, **values)

    def _filter_entries(self, given: Mapping[str, str]) -> tuple[ServerList | FileList, list[Entry]]:
        try:
            source = self._open_list(given)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None
        return source, list(filter(Filter.from_fields(given).accepts, source.entries()))

    async def records(self, request: Request) -> Response:
        """Download the records of the filtered matches."""
        source, entries = await run_in_threadpool(self._filter_entries, request.query_params)
        lines = (line + "\n" for line in source.lines(entries))
        return StreamingResponse(
            lines, media_type="application/jsonl", headers=_attachment_headers("transcripts.jsonl")
        )

    async def table(self, request: Request) -> Response:
        """Download the turns of the filtered matches as a table."""
        source, entries = await run_in_threadpool(self._filter_entries, request.query_params)
        rows = _csv_lines(source.lines(entries))
        return StreamingResponse(
            rows, media_type="text/csv; charset=utf-8", headers=_attachment_headers("transcripts.csv")
        )

    async def replay(self, request: Request) -> Response:
        """A match of a file, step by step."""
        return await run_in_threadpool(self._replay, request)

    def _replay(self, request: Request) -> Response:
        given = {name: request.query_params.get(name, "") for name in ("file", "line")}
        record = site_path(f"/transcripts/record.jsonl?{urlencode(given)}")
        back = site_path(f"/transcripts?{urlencode({'file': given['file']})}")
        more = {"calls": site_path(f"/transcripts/calls?{urlencode(given)}")} if log_folder(given["file"]) else {}
        return replay_page(self._line(request), request, "file", "line", back=back, record=record, **more)

    async def record(self, request: Request) -> Response:
        """Download a line of a file."""
        line = await run_in_threadpool(self._line, request)
        return PlainTextResponse(
            line + "\n", media_type="application/jsonl", headers=_attachment_headers("match.jsonl")
        )

    def _line(self, request: Request) -> str:
        number = parse_count(request.query_params.get("line", ""), 0)
        try:
            line = read_line(request.query_params.get("file", ""), number) if number else None
        except (OSError, ValueError) as error:
            raise HTTPException(422, str(error)) from None
        if line is None:
            raise HTTPException(404)
        return line


SORTS = {
    "": "transcripts.sort_recorded",
    "errors": "transcripts.sort_errors",
    "gain": "transcripts.sort_gain",
    "low_gain": "transcripts.sort_low_gain",
    "seconds": "transcripts.sort_seconds",
}
"""Orders of the list, and their texts."""


def _sort_key(entry: Entry, by: str, player: str) -> tuple[bool, float]:
    """Key of a match in an order; of gains, those of the players that are looked for; without one it is last."""
    players = [who.casefold() for _, who, _ in entry.seats]
    gains = [
        gain for gain, who in zip(entry.gains, players, strict=False) if gain is not None and player.casefold() in who
    ]
    value = {
        "errors": -sum(entry.errors.values()),
        "gain": -max(gains, default=math.nan),
        "low_gain": min(gains, default=math.nan),
        "seconds": -entry.seconds,
    }[by]
    return math.isnan(value), value


class MatchListView:
    def __init__(self, source: ServerList | FileList, given: Mapping[str, str]) -> None:
        entries = source.entries()
        self.file, self.typed, self.match_filter = (
            given.get("file", ""),
            given.get("typed", ""),
            Filter.from_fields(given),
        )
        self._filtered = list(filter(self.match_filter.accepts, entries))
        self.sorts, self.sort = SORTS, given["sort"] if given.get("sort") in SORTS else ""
        if self.sort:
            self._filtered.sort(key=lambda one: _sort_key(one, self.sort, self.match_filter.player))
        self.total_count, self.filtered_count, self.unreadable = len(entries), len(self._filtered), source.unreadable
        self.games = [(name, game_title(name)) for name in sorted({entry.game for entry in entries})]
        self.outcomes = sorted({entry.outcome for entry in entries})
        self.errors = sorted({code for entry in entries for code in entry.errors})
        self.kinds = sorted({kind for entry in entries for kind in entry.kinds})
        self.is_folder = bool(self.file) and Path(self.file).expanduser().is_dir()
        self.pages = max(1, -(-self.filtered_count // PAGE_SIZE))
        self.page = min(max(1, parse_count(given.get("page", ""), 1)), self.pages)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Matches of this page with their search hits."""
        shown = self._filtered[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]
        return [{"entry": one, "title": game_title(one.game), "hit": self.match_filter.find_hit(one)} for one in shown]

    @property
    def query(self) -> str:
        """URL parameters to keep on other pages of the list."""
        given = {**self.match_filter._asdict(), "file": self.file, "sort": self.sort}
        return urlencode({name: value for name, value in given.items() if value})


def _attachment_headers(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _csv_lines(lines: Iterable[str]) -> Iterator[str]:
    """Lines of a table of turns, match by match."""
    yield ",".join(COLUMNS) + "\n"
    for line in lines:
        text = io.StringIO()
        with suppress(AttributeError, TypeError, ValueError):  # undescribable moves: the match's page reports them
            add_rows(text, list(_rows(Record.from_json(line))))
        yield text.getvalue()


def _rows(record: Record) -> Iterator[list[Any]]:
    """Rows of the turns of a match; messages are verbatim."""
    game = find_game(record.game)
    turns = zip(turns_of(record, reveal_facts=False), record.turns, strict=True)
    for number, (turn, recorded) in enumerate(turns, start=1):
        place = [record.id, record.game, number, turn["round"], turn["seat"], turn["role"]]
        move = record.labels[turn["seat"]], turn["move"] or "", message_of(game, recorded.action), turn["error"] or ""
        yield [*place, *move, "" if record.is_truncated else record.payoffs[turn["seat"]]]
