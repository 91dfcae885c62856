"""Pages of judging: all judgings for the operator; one blinded player at a time for a judge."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from math import isnan
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from econzoo.envs.core.contract import parse_json
from econzoo.evaluate.analyses.judging import REQUIRED_COLUMNS, SCORES, Dimension, Item
from econzoo.evaluate.show import write_rows
from econzoo.people.manage.judgings import Judge, Judging, Judgings, judging_fields
from econzoo.people.manage.results import file_size
from econzoo.people.server import operator_only, parse_count, read_form, render_page, site_path, texts

NO_SCORE = "none"
"""Form value of a missing score."""

MAX_REASON_LENGTH = 1_000

REPORT_TIMEOUT = 120
"""Timeout of a report in seconds."""


class JudgePages:
    """Pages of the operator and the judges."""

    def __init__(self, judgings: Judgings) -> None:
        self._judgings, self._lock = judgings, Lock()
        self._reports: dict[str, tuple[Any, dict[str, Any]]] = {}

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages and forms."""
        own = {"/judge": (self.list_judgings, self.begin), "/judge/of/{id}": (self.show_judging, self.upload_sheet)}
        routes = [
            Route(path, operator_only(answer), methods=[method])
            for path, answers in own.items()
            for method, answer in zip(("GET", "POST"), answers, strict=True)
        ]
        routes += [Route("/judge/of/{id}/{file}", operator_only(self.download), methods=["GET"])]
        return [
            *routes,
            Route("/judge/{token}", self.show_player, methods=["GET"], name="judge"),
            Route("/judge/{token}", self.score, methods=["POST"]),
        ]

    # -- the operator ------------------------------------------------------------------------------------------

    async def list_judgings(self, request: Request) -> Response:
        return await run_in_threadpool(self._list_judgings, dict(request.query_params))

    async def begin(self, request: Request) -> Response:
        return await run_in_threadpool(self._begin, await read_form(request))

    def _list_judgings(self, given: Mapping[str, str], problem: str = "") -> Response:
        values = {"judgings": self._judgings.list_all(), "asked": judging_fields(given), "problem": problem}
        return render_page("manage/judgings.html", 422 if problem else 200, title=texts().say("judge.title"), **values)

    def _begin(self, given: dict[str, str]) -> Response:
        try:
            judging = self._judgings.create(given)
        except ValueError as error:
            return self._list_judgings(given, str(error))
        return RedirectResponse(site_path(f"/judge/of/{judging.id}"), 303)

    def _find(self, request: Request) -> Judging:
        return self._judgings.find(request.path_params["id"])

    async def show_judging(self, request: Request) -> Response:
        """Links, progress and agreement of the judges."""
        return await run_in_threadpool(self._show_judging, request)

    def _show_judging(self, request: Request, problem: str = "", typed: str = "") -> Response:
        one = self._find(request)
        links = [str(request.url_for("judge", token=judge.token)) for judge in one.setup.judges]
        done = [
            (judge, len(one.judgements_of(judge)), link) for judge, link in zip(one.setup.judges, links, strict=True)
        ]
        names = {judge.spec: judge.name for judge in one.setup.judges}
        values = {"one": one, "done": done, "names": names, "report": self._report(one)}
        values |= {"title": texts().say("judge.title"), "problem": problem, "typed": typed}
        return render_page("manage/judging.html", 422 if problem else 200, **values)

    async def upload_sheet(self, request: Request) -> Response:
        """Add a sheet of ratings."""
        return await run_in_threadpool(self._upload_sheet, request, (await read_form(request)).get("sheet", ""))

    def _upload_sheet(self, request: Request, text: str) -> Response:
        one = self._find(request)
        try:
            one.add_sheet(text)
        except ValueError as error:
            return self._show_judging(request, str(error), text)
        return RedirectResponse(site_path(f"/judge/of/{one.id}"), 303)

    def _report(self, one: Judging) -> dict[str, Any]:
        """Report of ``econzoo judge --report``, recomputed after new judgements."""
        files = one.files
        now = [(path, file_size(path)) for path in files]
        # One report at a time: others wait and find it done.
        with self._lock:
            if files and self._reports.get(one.id, (None,))[0] != now:
                self._reports[one.id] = now, _run_report(one, files)
            return self._reports[one.id][1] if files else {}

    async def download(self, request: Request) -> Response:
        """Download the judgements, the ratings sheet or the report."""
        one, file = await run_in_threadpool(self._find, request), request.path_params["file"]
        if file == "ratings.csv":
            return await run_in_threadpool(_ratings_sheet, one)
        paths = {"judgements.jsonl": one.file}
        for first in one.files[:1]:  # the report is written beside it
            report = first.with_name(f"{first.stem}.report")
            paths |= {"report.csv": report / "scores.csv", "report.html": first.with_name(f"{report.name}.html")}
        if file not in paths or not paths[file].is_file():
            raise HTTPException(404)
        return FileResponse(paths[file], filename=f"{one.id}-{file}")

    # -- a judge -----------------------------------------------------------------------------------------------

    async def show_player(self, request: Request) -> Response:
        """The next player, or the one in the URL."""
        return await run_in_threadpool(self._show_player, request)

    async def score(self, request: Request) -> Response:
        return await run_in_threadpool(self._score, request, await read_form(request))

    def _find_judge(self, request: Request) -> tuple[Judging, Judge]:
        return self._judgings.find_link(request.path_params["token"])

    def _show_player(self, request: Request) -> Response:
        one, judge = self._find_judge(request)
        order, done = one.order(judge), one.judgements_of(judge)
        place = _parse_place(request.query_params.get("player", ""), order)
        if place is None:
            place = next((number for number, item in enumerate(order) if item.id not in done), None)
        if place is None:
            return render_page(
                "manage/judged.html", title=texts().say("judge.judging"), token=judge.token, count=len(order)
            )
        typed: dict[str, str] = {}
        if (known := done.get(order[place].id)) is not None:
            typed = {f"score.{key}": str(score or NO_SCORE) for key, score in known.scores.items()}
            typed |= {f"reason.{key}": reason for key, reason in known.reasons.items()}
        return self._player_page(one, judge, order, place, typed, [])

    def _player_page(
        self, one: Judging, judge: Judge, order: list[Item], place: int, typed: Mapping[str, str], wrong: list[str]
    ) -> Response:
        evidence, done = one.show(judge, order[place]), one.judgements_of(judge)
        values = {
            "evidence": evidence,
            "rubric": one.rubric,
            "asked": one.rubric.applicable_dimensions(evidence.has_persona),
            "scores": SCORES,
            "title": texts().say("judge.judging"),
        }
        progress = {"place": place, "count": len(order), "done": len(done), "token": judge.token, "judge": judge.name}
        status = 422 if wrong else 200
        return render_page("manage/judge.html", status, typed=typed, wrong=wrong, **values, **progress)

    def _score(self, request: Request, given: Mapping[str, str]) -> Response:
        one, judge = self._find_judge(request)
        order = one.order(judge)
        place = _parse_place(given.get("player", ""), order)
        if place is None:
            raise HTTPException(404)
        asked = one.rubric.applicable_dimensions(one.show(judge, order[place]).has_persona)
        wrong = [dimension.key for dimension in asked if given.get(f"score.{dimension.key}") not in ALLOWED_SCORES]
        if wrong:
            return self._player_page(one, judge, order, place, given, wrong)
        one.judge(judge, order[place], {dimension.key: _parse_score(given, dimension) for dimension in asked})
        return RedirectResponse(site_path(f"/judge/{judge.token}"), 303)


ALLOWED_SCORES = (*map(str, SCORES), NO_SCORE)


def _parse_place(typed: str, order: list[Item]) -> int | None:
    """Index of a player in a judge's order, from a 1-based number in a URL."""
    number = parse_count(typed, 0)
    return number - 1 if 0 < number <= len(order) else None


def _parse_score(given: Mapping[str, str], dimension: Dimension) -> tuple[int | None, str]:
    score, reason = given[f"score.{dimension.key}"], given.get(f"reason.{dimension.key}", "")
    return None if score == NO_SCORE else int(score), reason.strip()[:MAX_REASON_LENGTH]


def _run_report(one: Judging, files: list[Path]) -> dict[str, Any]:
    """Run the report in a separate process, which keeps its libraries out of the server."""
    options = [word for path in files for word in ("--report" if path == one.file else "--ratings", str(path))]
    line = [sys.executable, "-m", "econzoo", "judge", "--rubric", one.setup.rubric, *options, "--json"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=REPORT_TIMEOUT, check=False)
    with suppress(ValueError):
        return {"problem": "", **parse_json(done.stdout)}
    return {"problem": (done.stderr.strip().splitlines() or [texts().say("judge.no_report")])[-1]}


def _ratings_sheet(one: Judging) -> Response:
    """Response of all scores as a sheet for ``econzoo judge --ratings``."""
    text = io.StringIO()
    rows = [(*rating[:3], "" if isnan(rating.score) else int(rating.score), rating.reason) for rating in one.ratings()]
    write_rows(text, [*REQUIRED_COLUMNS, "reason"], rows)
    headers = {"content-disposition": f'attachment; filename="{one.id}-ratings.csv"'}
    return PlainTextResponse(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
