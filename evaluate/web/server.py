"""The server: one process, one folder, one address that is printed."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.models import purse
from econzoo.envs.core.record.record import RecordFile
from econzoo.evaluate.web.pages import Pages
from econzoo.evaluate.web.rendering import HOME, failed, sign_in
from econzoo.evaluate.web.replaying import Replaying
from econzoo.evaluate.web.security import LOCAL, SIGN_IN, SecureHeaders
from econzoo.evaluate.web.site import Entrance, Site, new_site
from econzoo.evaluate.web.store import Store
from econzoo.evaluate.web.table import Tables
from econzoo.evaluate.web.terms import REPLACE, USUAL, Terms
from econzoo.evaluate.web.transcripts import Transcripts
from econzoo.evaluate.web.watching import Watching

STORE, RECORDS, TOKEN = "table.sqlite", "matches.jsonl", "operator.token"

TOKEN_VARIABLE = "ECONZOO_TOKEN"
"""Environment variable with the operator's token."""

SHORTEST_TOKEN = 16

GOODBYE = 2
"""Seconds that streams have to end when the server is stopped."""


def app_of(
    tables: Tables, hosts: Sequence[str] = ("*",), offered: Sequence[str] = (), site: Site | None = None
) -> Starlette:
    """The application.

    Args:
        tables: The matches.
        hosts: Names under which it may be called; ``*``: any.
        offered: Specs of players that can be chosen besides the games' scripts.
        site: How the server is set up; None: at the root, with a token that is drawn.
    """
    shown = Pages(tables, offered), Replaying(tables), Watching(tables), Transcripts(tables)
    routes: list[BaseRoute] = [route for pages in shown for route in pages.routes]
    routes += [
        Route(SIGN_IN, sign_in, methods=["GET", "POST"]),
        Mount("/static", StaticFiles(directory=str(files(HOME).joinpath("static")))),
    ]
    site = site or new_site()
    guards = [Middleware(SecureHeaders), Middleware(Entrance, site=site)]
    guards += [Middleware(ProxyHeadersMiddleware, trusted_hosts="*")] if site.trusted else []
    guards += [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))]
    handlers = cast(Any, {HTTPException: failed})  # narrower than the library declares: of one kind of error
    return Starlette(routes=routes, middleware=guards, exception_handlers=handlers)


def app_in(
    folder: str | Path,
    hosts: Sequence[str] = ("*",),
    offered: Sequence[str] = (),
    site: Site | None = None,
    terms: Terms = USUAL,
) -> Starlette:
    """The application that keeps its matches in a folder, which is made if it does not exist; see `app_of`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / STORE)
    if (own := purse.current()) is not None:
        own.add(*store.spent())
    return app_of(Tables(store, RecordFile(folder / RECORDS), terms), hosts, offered, site)


def token_of(folder: Path) -> str:
    """The operator's token: that of the environment variable, or the one of the folder, which is drawn once.

    Raises:
        ValueError: That of the variable is too short to be a secret.
    """
    given = os.environ.get(TOKEN_VARIABLE, "").strip()
    if given and len(given) < SHORTEST_TOKEN:
        raise ValueError(f"{TOKEN_VARIABLE} is too short; allowed: at least {SHORTEST_TOKEN} characters")
    if given:
        return given
    path = folder / TOKEN
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists() or not path.read_text(encoding="utf-8").strip():
        path.touch(mode=0o600)
        path.write_text(new_site().token + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8").strip()


def serve(
    host: str,
    port: int,
    folder: Path,
    offered: Sequence[str],
    opened: bool,
    site: Site,
    terms: Terms = USUAL,
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

    Raises:
        ValueError: A player that is offered is unknown.
        OSError: The port is taken.
    """
    for spec in [*offered, *([terms.by] if terms.policy == REPLACE else [])]:
        make_player(spec)
    app = app_in(folder, LOCAL if host in LOCAL and not site.trusted else ("*",), offered, site, terms)
    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listening.getsockname()[1]}{site.root}"
        print(f"{url}/", flush=True)
        print(f"Operator's token, for the pages that show all matches: {site.token}", file=sys.stderr, flush=True)
        if opened:
            webbrowser.open(f"{url}{SIGN_IN}?token={site.token}")
        quiet = uvicorn.Config(
            app, log_level="warning", access_log=False, proxy_headers=False, timeout_graceful_shutdown=GOODBYE
        )
        uvicorn.Server(quiet).run(sockets=[listening])
