"""Pages that set two models side by side on the same match, and raw calls of a match."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from econzoo.baselines import LoggedCall, call_log_files, format_dollars, read_call_log
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import role_names
from econzoo.people.server import operator_only, parse_count, render_page, site_path, texts
from econzoo.people.table.listing import MAX_BYTES, Entry, FileList, describe_outcome, read_line
from econzoo.people.table.pairs import ALL, SHOWN, Comparison, Names, Pair, Side, failed_attempts, find_pairs
from econzoo.people.table.pairs import varying_parameters
from econzoo.people.table.record_check import check_record
from econzoo.people.table.seat_view import game_title

PAGE_SIZE = 50
"""Pairs per page."""

MAX_LOG_BYTES = MAX_BYTES // 4
"""Maximum size of a call log that a page reads; it is compressed."""

MESSAGES = ("messages", "input", "contents")
"""Fields with the conversation in the requests of providers."""


class PairPages:
    """Operator pages over record files on the disk of the server."""

    @property
    def routes(self) -> list[Route]:
        pages = {"pairs": self.pairs, "compare": self.compare, "calls": self.calls}
        return [Route(f"/transcripts/{name}", operator_only(one), methods=["GET"]) for name, one in pages.items()]

    async def pairs(self, request: Request) -> Response:
        """Pairs of matches of one or two folders."""
        return await run_in_threadpool(self._pairs, dict(request.query_params))

    def _pairs(self, given: dict[str, str]) -> Response:
        found: dict[Names, list[Pair]] = {}
        problem = ""
        try:
            left = _entries(given.get("file", ""))
            found = find_pairs(left, _entries(given["other"]) if given.get("other", "").strip() else None)
        except ValueError as error:
            problem = str(error)
        title = texts().say("pairs.title")
        view = PairsView(found, given)
        values: dict[str, Any] = {"seen": view, "problem": problem, "ended": describe_outcome, "title_of": game_title}
        return render_page("pairs.html", 422 if problem else 200, title=title, **values)

    async def compare(self, request: Request) -> Response:
        """Two matches turn by turn."""
        return await run_in_threadpool(self._compare, request)

    def _compare(self, request: Request) -> Response:
        given = request.query_params
        seat = parse_count(given.get("seat", ""), 0)
        try:
            sides = [
                _side(given.get(file, ""), given.get(line, ""), seat)
                for file, line in (("file", "line"), ("other", "with"))
            ]
            seen = Comparison(sides[0], sides[1], given.get("show", ALL))
            list(seen.unequal)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None
        except HTTPException:
            raise
        except Exception as error:  # an untrusted record must not cause a server error
            raise HTTPException(422, texts().say("replay.cannot_be_shown", problem=type(error).__name__)) from None
        query = urlencode({name: given.get(name, "") for name in ("file", "line", "other", "with", "seat")})
        logs = [bool(log_folder(side.address["file"])) for side in sides]
        title = texts().say("pairs.title")
        values: dict[str, Any] = {"seen": seen, "query": query, "shown": SHOWN, "logs": logs, "dollars": format_dollars}
        return render_page("compare.html", title=title, **values)

    async def calls(self, request: Request) -> Response:
        """Raw calls of a match, of a seat or of a turn."""
        return await run_in_threadpool(self._calls, request)

    def _calls(self, request: Request) -> Response:
        given = request.query_params
        file = given.get("file", "")
        record = check_record(_line(file, given.get("line", ""))).record
        folder = log_folder(file)
        if folder is None:
            raise HTTPException(404, texts().say("calls.none"))
        if _is_too_large(folder):
            raise HTTPException(422, texts().say("calls.too_large", most=f"{MAX_LOG_BYTES:,}"))
        try:
            calls = read_call_log(folder, record.id)
        except ValueError as error:
            raise HTTPException(422, str(error)) from None
        if given.get("seat"):
            seat, first = parse_count(given["seat"], 0), parse_count(given.get("first", ""), 0)
            last = first + parse_count(given.get("count", ""), len(calls)) - 1
            calls = [one for one in calls if one.seat == seat and first <= one.number <= last]
        roles = role_names(find_game(record.game), len(record.players), record.params)
        back = site_path(f"/transcripts/replay?{urlencode({'file': file, 'line': given.get('line', '')})}")
        views = [CallView(one, roles, record.labels) for one in calls]
        values: dict[str, Any] = {"calls": views, "back": back, "match": record.id, "clock_of": _clock}
        return render_page("calls.html", title=texts().say("calls.title"), **values)


def _entries(file: str) -> list[Entry]:
    if not file.strip():
        return []
    try:
        return FileList(file.strip()).entries()
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}" if error.strerror else str(error)) from None


def _line(file: str, typed: str) -> str:
    """Return a line of a record file; HTTPException if there is none."""
    try:
        line = read_line(file, parse_count(typed, 0))
    except (OSError, ValueError) as error:
        raise HTTPException(422, str(error)) from None
    if line is None:
        raise HTTPException(404)
    return line


def log_folder(file: str) -> Path | None:
    """Return the folder of the records of a file if it has a call log."""
    folder = Path(file).expanduser().parent
    return folder if call_log_files(folder) else None


def _is_too_large(folder: Path) -> bool:
    return sum(path.stat().st_size for path in call_log_files(folder)) > MAX_LOG_BYTES


def _side(file: str, line: str, seat: int) -> Side:
    checked, folder = check_record(_line(file, line)), log_folder(file)
    calls = read_call_log(folder, checked.record.id) if folder and not _is_too_large(folder) else []
    return Side(checked, seat, {"file": file, "line": line}, calls)


class PairsView:
    """The page of pairs."""

    def __init__(self, found: Mapping[Names, list[Pair]], given: Mapping[str, str]) -> None:
        self.file, self.other = given.get("file", ""), given.get("other", "")
        self.choices = [(json.dumps(names), names, len(pairs)) for names, pairs in found.items()]
        values = [value for value, _, _ in self.choices]
        self.chosen = given.get("of", "") if given.get("of", "") in values else next(iter(values), "")
        self.names: Names = tuple(json.loads(self.chosen)) if self.chosen else ("", "")
        self.shown = given.get("show", ALL) if given.get("show") in SHOWN else ALL
        pairs = found.get(self.names, [])
        self.total_count = len(pairs)
        self._pairs = [pair for pair in pairs if pair.accepts(self.shown)]
        self.filtered_count = len(self._pairs)
        self.pages = max(1, -(-self.filtered_count // PAGE_SIZE))
        self.page = min(max(1, parse_count(given.get("page", ""), 1)), self.pages)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Pairs of this page, each with its ``setting``, ``link`` and the ``gap`` between the payoffs."""
        settings = varying_parameters(self._pairs)
        place = slice((self.page - 1) * PAGE_SIZE, self.page * PAGE_SIZE)
        return [
            {"pair": pair, "setting": setting, "link": _compare_link(pair), "gap": _gap(pair)}
            for pair, setting in list(zip(self._pairs, settings, strict=True))[place]
        ]

    @property
    def query(self) -> str:
        """URL parameters to keep on other pages of the list."""
        given = {"file": self.file, "other": self.other, "of": self.chosen, "show": self.shown}
        return urlencode({name: value for name, value in given.items() if value})


def _gap(pair: Pair) -> float | None:
    """Gain of the player on the left above that of the player on the right."""
    one, other = (side.gains[pair.seat] if side.gains else None for side in (pair.left, pair.right))
    return None if one is None or other is None else one - other


def _compare_link(pair: Pair) -> str:
    left, right = pair.left.key, pair.right.key
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    given = {"file": left[0], "line": left[1], "other": right[0], "with": right[1], "seat": pair.seat}
    return f"/transcripts/compare?{urlencode(given)}"


class CallView:
    """A raw call on its page."""

    def __init__(self, call: LoggedCall, roles: list[str], labels: list[str]) -> None:
        self.call = call
        self.role, self.player = (
            names[call.seat] if call.seat < len(names) else str(call.seat) for names in (roles, labels)
        )

    @property
    def messages(self) -> list[tuple[str, str]]:
        """(role, text) of the conversation."""
        request = self.call.request
        if not isinstance(request, dict):
            return []
        if isinstance(prompt := request.get("prompt"), str):
            return [("prompt", prompt)]
        found: list[Any] = next((request[name] for name in MESSAGES if isinstance(request.get(name), list)), [])
        system = request.get("system") or request.get("instructions") or request.get("systemInstruction")
        first = [{"role": "system", "content": system}] if system else []
        return [(str(one.get("role", "")), _text(one)) for one in [*first, *found] if isinstance(one, dict)]

    @property
    def options(self) -> str:
        """The request without its conversation."""
        request = self.call.request
        if not isinstance(request, dict):
            return _json(request)
        return _json({name: value for name, value in request.items() if name not in (*MESSAGES, "prompt", "system")})

    @property
    def response(self) -> str:
        return "" if self.call.response is None else _json(self.call.response)

    @property
    def attempts(self) -> list[tuple[str, str]]:
        """(status, text) of each failed attempt."""
        return failed_attempts(self.call)


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _text(message: Mapping[str, Any]) -> str:
    """Return what a message says: its texts, and other parts as JSON."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        more = {name: value for name, value in message.items() if name not in ("role", "content")}
        return "\n\n".join(filter(None, [content, _json(more) if more else ""]))
    if isinstance(content, list) and all(isinstance(one, dict) and isinstance(one.get("text"), str) for one in content):
        return "\n\n".join(one["text"] for one in content)
    return _json({name: value for name, value in message.items() if name != "role"})


def _json(value: Any) -> str:
    # Line breaks in texts are shown as such: nobody copies these texts into a program.
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\\n", "\n")
