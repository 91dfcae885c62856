"""The server of the table in the browser: all matches of one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.models import purse
from econzoo.envs.core.record.record import RecordFile
from econzoo.people.manage.collection import Collections
from econzoo.people.manage.judge_pages import Judges
from econzoo.people.manage.judgings import Judgings
from econzoo.people.manage.monitor import Monitor
from econzoo.people.manage.pages import Managing
from econzoo.people.manage.studies import Studies
from econzoo.people.server.options import ServerOptions
from econzoo.people.server.serving import RECORDS, STORE, application, hosts_of, listen, site_in
from econzoo.people.server.site import Site, at, new_site
from econzoo.people.table.choices import Pages
from econzoo.people.table.debrief import afterwards
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.replaying import Replaying
from econzoo.people.table.seat_view import Shown
from econzoo.people.table.seats import SeatPages
from econzoo.people.table.store import Seat, Store
from econzoo.people.table.tables import Tables
from econzoo.people.table.terms import REPLACE, USUAL, Terms
from econzoo.people.table.transcripts import Transcripts
from econzoo.people.table.watching import Watching


class Seats(SeatPages):
    """Seats of the table: whoever has the secret in the address plays there."""

    @property
    def routes(self) -> list[Route]:
        """The page, what is posted, and the stream."""
        return [
            Route("/s/{token}", self.seat, methods=["GET"], name="seat"),
            Route("/s/{token}/table", self.table, methods=["GET"]),
            Route("/s/{token}/events", self.events, methods=["GET"]),
            Route("/s/{token}/move", self.move, methods=["POST"]),
            Route("/s/{token}/check", self.check, methods=["POST"]),
            Route("/s/{token}/leave", self.leave, methods=["POST"]),
            Route("/s/{token}/record.jsonl", self.record, methods=["GET"]),
        ]

    def _told(self, request: Request, seat: Seat, live: LiveMatch) -> dict[str, Any]:
        seen, others = Shown(live, seat), [one for one in self._tables.store.seats(seat.match) if one != seat]
        links = [(seen.roles[one.seat], str(request.url_for("seat", token=one.token))) for one in others]
        invitations = links if self._tables.store.seats(seat.match)[0] == seat else []
        told = {"seen": seen, "title": seen.title, "invitations": invitations, "leaving": True, "ended": "ended.html"}
        told |= {"watch": str(request.url_for("watch", match=seat.match)), "replay": at(f"/replay/{seat.match}")}
        return {**told, "end": afterwards(seen.record, seat.seat)}

    def _state(self, live: LiveMatch, seat: Seat) -> str:
        return Shown(live, seat).state


def app_of(
    tables: Tables,
    folder: Path,
    hosts: Sequence[str] = ("*",),
    offered: Sequence[str] = (),
    site: Site | None = None,
    studies: Path | None = None,
) -> Starlette:
    """The application.

    Args:
        tables: The matches.
        folder: Where everything else is kept.
        hosts: Names under which it may be called; ``*``: any.
        offered: Specs of players that can be chosen besides the games' scripts.
        site: How the server is set up; None: at the root, with a token that is drawn.
        studies: Where the folders of studies lie that are listed; None: in that folder too.
    """
    listed = Studies(studies or folder)
    shown = Pages(tables, offered), Seats(tables), Replaying(tables), Watching(tables), Transcripts(tables)
    managing = Managing(Collections(folder), offered, listed), Monitor(listed.find), Judges(Judgings(folder))
    return application([route for pages in (*shown, *managing) for route in pages.routes], site or new_site(), hosts)


def app_in(
    folder: str | Path,
    hosts: Sequence[str] = ("*",),
    offered: Sequence[str] = (),
    site: Site | None = None,
    terms: Terms = USUAL,
    studies: Path | None = None,
) -> Starlette:
    """The application that keeps its matches in a folder, which is made if it does not exist; see `app_of`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / STORE)
    if (own := purse.current()) is not None:
        own.add(*store.spent())
    return app_of(Tables(store, RecordFile(folder / RECORDS), terms), folder, hosts, offered, site, studies)


def serve(
    folder: Path,
    options: ServerOptions,
    offered: Sequence[str],
    opened: bool,
    texts: str,
    terms: Terms = USUAL,
    studies: Path | None = None,
) -> None:
    """Serves until it is stopped.

    Args:
        folder: Of matches and records.
        options: Where it listens, and how it is guarded.
        offered: See `app_of`.
        opened: Whether to open the page in the browser.
        texts: What pages say; see `texts_of`.
        terms: See `Tables`.
        studies: See `app_of`.

    Raises:
        ValueError: A player that is offered is unknown, or the site is not allowed.
        OSError: The port is taken.
    """
    for spec in [*offered, *([terms.by] if terms.policy == REPLACE else [])]:
        make_player(spec)
    site = site_in(folder, options, texts)
    app = app_in(folder, hosts_of(options.host, site), offered, site, terms, studies)
    listen(app, options, site, lambda url: print(f"{url}/", flush=True), opened)
