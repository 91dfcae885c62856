"""The server of the table in the browser: all matches of one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from starlette.applications import Starlette

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.models import purse
from econzoo.envs.core.record.record import RecordFile
from econzoo.people.manage.judge_pages import judging
from econzoo.people.manage.monitor import Monitor
from econzoo.people.manage.pages import managing
from econzoo.people.manage.studies import Studies
from econzoo.people.server.serving import RECORDS, STORE, application, hosts_of, listen
from econzoo.people.server.site import Site, new_site
from econzoo.people.table.pages import Pages, Seats
from econzoo.people.table.replaying import Replaying
from econzoo.people.table.store import Store
from econzoo.people.table.table import Tables
from econzoo.people.table.terms import REPLACE, USUAL, Terms
from econzoo.people.table.transcripts import Transcripts
from econzoo.people.table.watching import Watching


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
    every = *shown, managing(folder, offered, listed), Monitor(listed.find), judging(folder)
    return application([route for pages in every for route in pages.routes], site or new_site(), hosts)


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
    host: str,
    port: int,
    folder: Path,
    offered: Sequence[str],
    opened: bool,
    site: Site,
    terms: Terms = USUAL,
    studies: Path | None = None,
) -> None:
    """Serves until it is stopped.

    Args:
        host: Address to listen on.
        port: 0: any that is free.
        folder: Of matches and records.
        offered: See `app_of`.
        opened: Whether to open the page in the browser.
        site: How it is set up.
        terms: See `Tables`.
        studies: See `app_of`.

    Raises:
        ValueError: A player that is offered is unknown.
        OSError: The port is taken.
    """
    for spec in [*offered, *([terms.by] if terms.policy == REPLACE else [])]:
        make_player(spec)
    app = app_in(folder, hosts_of(host, site), offered, site, terms, studies)
    listen(app, host, port, site, lambda url: print(f"{url}/", flush=True), opened)
