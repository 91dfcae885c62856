"""Transcripts: all matches of the server, and those of files on its disk, for the operator to look through."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.stories import turns_of
from econzoo.evaluate.show.csv_files import add_rows
from econzoo.people.server.fields import count_in
from econzoo.people.server.rendering import page
from econzoo.people.server.security import operator_only
from econzoo.people.server.site import at, texts
from econzoo.people.table.listing import RUNNING, UNREADABLE, Entry, FileList, Filter, ServerList, line_of, words_of
from econzoo.people.table.replaying import replay_page
from econzoo.people.table.seat_view import title_of

if TYPE_CHECKING:
    from econzoo.people.table.tables import Tables

PAGE = 50
"""Matches on a page."""

HEADS = ["match", "game", "turn", "round", "seat", "role", "player", "move", "words", "error", "payoff"]
"""Of the table of turns that is downloaded."""


class Transcripts:
    """What is answered to the operator.

    Args:
        tables: The matches.
    """

    def __init__(self, tables: Tables) -> None:
        self._own = ServerList(tables.store)

    @property
    def routes(self) -> list[Route]:
        """The pages and what can be downloaded."""
        return [
            Route("/transcripts", operator_only(self.listed), methods=["GET"]),
            Route("/transcripts.csv", operator_only(self.table), methods=["GET"]),
            Route("/transcripts.jsonl", operator_only(self.records), methods=["GET"]),
            Route("/transcripts/replay", operator_only(self.replay), methods=["GET"]),
            Route("/transcripts/record.jsonl", operator_only(self.record), methods=["GET"]),
        ]

    def _list(self, given: Mapping[str, str]) -> ServerList | FileList:
        """The matches that are meant.

        Raises:
            ValueError: The file cannot be opened; the message says why.
        """
        file = given.get("file", "").strip()
        if not file:
            return self._own
        try:
            return FileList(file)
        except OSError as error:
            raise ValueError(f"{file}: {error.strerror}" if error.strerror else str(error)) from None

    async def listed(self, request: Request) -> Response:
        """A list of matches."""
        return await run_in_threadpool(self._listed, dict(request.query_params))

    def _listed(self, given: dict[str, str]) -> Response:
        try:
            source: ServerList | FileList = self._list(given)
            problem = ""
        except ValueError as error:
            source, problem = self._own, str(error)
            given = {name: value for name, value in given.items() if name != "file"} | {"typed": given["file"]}
        shown = {"seen": Listed(source, given), "problem": problem, "ended": outcome_of}
        return page("transcripts.html", 422 if problem else 200, title=texts().say("transcripts.title"), **shown)

    def _chosen(self, given: Mapping[str, str]) -> tuple[ServerList | FileList, list[Entry]]:
        try:
            source = self._list(given)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None
        return source, list(filter(Filter.typed(given).takes, source.entries()))

    async def records(self, request: Request) -> Response:
        """The records of all matches that the filter takes."""
        source, entries = await run_in_threadpool(self._chosen, request.query_params)
        lines = (line + "\n" for line in source.lines(entries))
        return StreamingResponse(lines, media_type="application/jsonl", headers=_named("transcripts.jsonl"))

    async def table(self, request: Request) -> Response:
        """Their turns as a table."""
        source, entries = await run_in_threadpool(self._chosen, request.query_params)
        rows = _csv(source.lines(entries))
        return StreamingResponse(rows, media_type="text/csv; charset=utf-8", headers=_named("transcripts.csv"))

    async def replay(self, request: Request) -> Response:
        """A match of a file, step by step."""
        return await run_in_threadpool(self._replay, request)

    def _replay(self, request: Request) -> Response:
        given = {name: request.query_params.get(name, "") for name in ("file", "line")}
        record = at(f"/transcripts/record.jsonl?{urlencode(given)}")
        back = at(f"/transcripts?{urlencode({'file': given['file']})}")
        return replay_page(self._line(request), request, "file", "line", back=back, record=record)

    async def record(self, request: Request) -> Response:
        """A line of a file."""
        line = await run_in_threadpool(self._line, request)
        return PlainTextResponse(line + "\n", media_type="application/jsonl", headers=_named("match.jsonl"))

    def _line(self, request: Request) -> str:
        number = count_in(request.query_params.get("line", ""), 0)
        try:
            line = line_of(request.query_params.get("file", ""), number) if number else None
        except (OSError, ValueError) as error:
            raise HTTPException(422, str(error)) from None
        if line is None:
            raise HTTPException(404)
        return line


class Listed:
    """A page of a list.

    Args:
        source: The matches.
        given: The address: the fields of a `Filter`, ``file`` and ``page``.
    """

    def __init__(self, source: ServerList | FileList, given: Mapping[str, str]) -> None:
        entries = source.entries()
        self.file, self.typed, self.wanted = given.get("file", ""), given.get("typed", ""), Filter.typed(given)
        self._taken = list(filter(self.wanted.takes, entries))
        self.all, self.taken, self.unreadable = len(entries), len(self._taken), source.unreadable
        self.games = [(name, title_of(name)) for name in sorted({entry.game for entry in entries})]
        self.outcomes = sorted({entry.outcome for entry in entries})
        self.pages = max(1, -(-self.taken // PAGE))
        self.page = min(max(1, count_in(given.get("page", ""), 1)), self.pages)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The matches of this page, and the words in them that were looked for."""
        shown = self._taken[(self.page - 1) * PAGE : self.page * PAGE]
        return [{"entry": one, "title": title_of(one.game), "hit": self.wanted.hit(one)} for one in shown]

    @property
    def query(self) -> str:
        """What stays in the address on another page."""
        given = {**self.wanted._asdict(), "file": self.file}
        return urlencode({name: value for name, value in given.items() if value})


def outcome_of(outcome: str) -> str:
    """The outcome of a match, or that it has none, in the language of the pages."""
    own = {RUNNING: "transcripts.goes_on", UNREADABLE: "transcripts.not_a_record"}
    if outcome in own:
        return texts().say(own[outcome])
    agreement = outcome.removeprefix("no ")
    word = texts().word(agreement)
    return word if agreement == outcome else texts().say("end.no", agreement=word)


def _named(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _csv(lines: Iterable[str]) -> Iterator[str]:
    """A table of turns, a match after the other."""
    yield ",".join(HEADS) + "\n"
    for line in lines:
        text = io.StringIO()
        with suppress(
            AttributeError, TypeError, ValueError
        ):  # moves that cannot be told: the page of the match says so
            add_rows(text, list(_rows(Record.from_json(line))))
        yield text.getvalue()


def _rows(record: Record) -> Iterator[list[Any]]:
    """The turns of a match; what was said stands there as it was said."""
    game = find_game(record.game)
    told = zip(turns_of(record, lit=False), record.turns, strict=True)
    for number, (turn, kept) in enumerate(told, start=1):
        place = [record.id, record.game, number, turn["round"], turn["seat"], turn["role"]]
        who = record.labels[turn["seat"]], turn["move"] or "", words_of(game, kept.action), turn["error"] or ""
        yield [*place, *who, "" if record.cut else record.payoffs[turn["seat"]]]
