"""Server for play in the browser: all matches of one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from econzoo.baselines import current_budget
from econzoo.baselines import player as make_player
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.serving import ANYBODY, Rules
from econzoo.people.manage import CollectionPages, Collections, JudgePages, Judgings, Monitor, Studies
from econzoo.people.server import RECORDS, STORE, ServeOptions, Site, build_application, create_site, home_link, listen
from econzoo.people.server import new_site, page_rules, site_path
from econzoo.people.table import DEFAULT_TERMS, REPLACE, LiveMatch, PairPages, ReplayPages, RunPages, Seat, SeatPages
from econzoo.people.table import SeatView, StartPages, Store, Tables, Terms, TranscriptPages, WatchPages, end_card
from econzoo.people.table import first_page


class TableSeatPages(SeatPages):
    """Seats that are opened by the secret in their URL."""

    @property
    def routes(self) -> list[Route]:
        """Routes of the page, its forms and its stream."""
        return [
            Route("/s/{token}", self.seat, methods=["GET"], name="seat"),
            Route("/s/{token}/table", self.table, methods=["GET"]),
            Route("/s/{token}/events", self.events, methods=["GET"]),
            Route("/s/{token}/move", self.move, methods=["POST"]),
            Route("/s/{token}/check", self.check, methods=["POST"]),
            Route("/s/{token}/leave", self.leave, methods=["POST"]),
            Route("/s/{token}/record.jsonl", self.record, methods=["GET"]),
        ]

    def _page_values(self, request: Request, seat: Seat, live: LiveMatch) -> dict[str, Any]:
        seen, others = SeatView(live, seat), [one for one in self._tables.store.seats(seat.match) if one != seat]
        links = [(seen.roles[one.seat], str(request.url_for("seat", token=one.token))) for one in others]
        # The first person invites the others.
        invitations = links if self._tables.store.seats(seat.match)[0] == seat else []
        values = {"seen": seen, "title": seen.title, "invitations": invitations, "leaving": True, "ended": "ended.html"}
        values |= {"watch": str(request.url_for("watch", match=seat.match))}
        return {**values, "replay": site_path(f"/replay/{seat.match}"), "end": end_card(seen.record, seat.seat)}

    def _state(self, live: LiveMatch, seat: Seat) -> str:
        return SeatView(live, seat).state


def build_app(
    tables: Tables,
    folder: Path,
    rules: Rules = ANYBODY,
    offered_players: Sequence[str] = (),
    site: Site | None = None,
    studies: Path | None = None,
) -> Starlette:
    """Build the application.

    Args:
        folder: Folder of collections and judgings.
        offered_players: Specs of players available besides the games' scripts.
        site: Configuration of the server; None: no path prefix, with a random token.
        studies: Parent folder of the listed studies; None: `folder`.
    """
    study_list = Studies(studies or folder)
    play_pages = (
        StartPages(tables, offered_players),
        TableSeatPages(tables),
        ReplayPages(tables),
        WatchPages(tables),
        TranscriptPages(tables),
        PairPages(),
        RunPages(),
    )
    operator_pages = (
        CollectionPages(Collections(folder), offered_players, study_list),
        Monitor(study_list.find),
        JudgePages(Judgings(folder)),
    )
    routes = [route for pages in (*play_pages, *operator_pages) for route in pages.routes]
    return build_application(routes, site or new_site(), rules)


def build_folder_app(
    folder: str | Path,
    rules: Rules = ANYBODY,
    offered_players: Sequence[str] = (),
    site: Site | None = None,
    terms: Terms = DEFAULT_TERMS,
    studies: Path | None = None,
) -> Starlette:
    """Build the application of a folder, created if missing; see `build_app`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / STORE)
    if (budget := current_budget()) is not None:
        # The budget includes what earlier servers of the folder have spent.
        budget.add(*store.total_spending())
    return build_app(Tables(store, RecordFile(folder / RECORDS), terms), folder, rules, offered_players, site, studies)


def build_run_app(folder: Path, home: Path, rules: Rules = ANYBODY, site: Site | None = None) -> Starlette:
    """Build the application that shows the folder of a run, perhaps in progress, and changes nothing there.

    Args:
        home: Folder of the server's own files.
    """
    tables = Tables(Store(home / STORE), RecordFile(home / RECORDS), DEFAULT_TERMS)
    shown = (TranscriptPages(tables), PairPages(), RunPages())
    routes = [first_page(folder), *(route for pages in shown for route in pages.routes)]
    return build_application(routes, site or new_site(), rules)


def serve_run(folder: Path, options: ServeOptions) -> None:
    """Serve the pages of a run until stopped."""
    with TemporaryDirectory(prefix="econzoo-run-") as home:
        site = create_site(Path(home), options, options.texts)
        app = build_run_app(folder.resolve(), Path(home), page_rules(site), site)
        listen(app, options, site, lambda url: print(home_link(site, url), flush=True), options.open)


def serve_table(
    folder: Path,
    options: ServeOptions,
    offered_players: Sequence[str],
    open_browser: bool,
    texts: str,
    terms: Terms = DEFAULT_TERMS,
    studies: Path | None = None,
) -> None:
    for spec in [*offered_players, *([terms.substitute] if terms.policy == REPLACE else [])]:
        make_player(spec)  # raises for an unknown player before the start
    site = create_site(folder, options, texts)
    app = build_folder_app(folder, page_rules(site), offered_players, site, terms, studies)
    listen(app, options, site, lambda url: print(home_link(site, url), flush=True), open_browser)
