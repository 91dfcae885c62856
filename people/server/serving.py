"""How pages are served: by one process, at one address that is printed, behind the guards that all pages share."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from econzoo.people.server.access_log import AccessLog, log_of
from econzoo.people.server.guessing import Guesses
from econzoo.people.server.passwords import VARIABLE, Password, password_of
from econzoo.people.server.rendering import HOME, failed, sign_in
from econzoo.people.server.security import LOCAL, SIGN_IN, SecureHeaders
from econzoo.people.server.site import Entrance, Site, new_site

STORE, RECORDS, TOKEN = "table.sqlite", "matches.jsonl", "operator.token"

TOKEN_VARIABLE = "ECONZOO_TOKEN"
"""Environment variable with the operator's token."""

SHORTEST_TOKEN = 16

ELSEWHERE = f"It signs in on this machine only; from elsewhere a password does: --password, or {VARIABLE}"
"""Told where others can reach the server."""

GOODBYE = 2
"""Seconds that streams have to end when the server is stopped."""

Handler = Callable[[Request, HTTPException], Awaitable[Response]]


def application(
    pages: Sequence[BaseRoute], site: Site, hosts: Sequence[str] = ("*",), failed: Handler = failed
) -> Starlette:
    """Pages as they are served: with the files that they need, the operator's door, and all that guards them.

    Args:
        pages: Their routes.
        site: How the server is set up.
        hosts: Names under which it may be called; ``*``: any.
        failed: Makes the page of an error.
    """
    routes = [
        *pages,
        Route(SIGN_IN, sign_in, methods=["GET", "POST"]),
        Mount("/static", StaticFiles(directory=str(files(HOME).joinpath("static")))),
    ]
    guards = [Middleware(SecureHeaders), Middleware(Entrance, site=site)]
    guards += [Middleware(ProxyHeadersMiddleware, trusted_hosts="*")] if site.trusted else []
    guards += [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))]
    guards += [Middleware(AccessLog, write=site.log)] if site.log else []
    handlers = cast(Any, {HTTPException: failed})  # narrower than the library declares: of one kind of error
    app = Starlette(routes=routes, middleware=guards, exception_handlers=handlers)
    app.state.guesses = Guesses()
    return app


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


def site_in(folder: Path, root: str, trusted: bool, texts: str, ask_password: bool, log: str) -> Site:
    """The site of a server that keeps everything in a folder.

    A token of the environment variable is one that the operator has chosen, and so a password too.

    Args:
        folder: Made if it does not exist.
        root: See `Site`.
        trusted: Likewise.
        texts: See `texts_of`.
        ask_password: Whether to ask for a password in the terminal.
        log: Where the access log goes; see `log_of`.

    Raises:
        ValueError: The root, the texts, the token or the password are not allowed.
        OSError: The log cannot be written.
    """
    token = token_of(folder)
    chosen = Password.of(token) if os.environ.get(TOKEN_VARIABLE, "").strip() else None
    return new_site(root, token, trusted, texts, password_of(ask_password) or chosen, log_of(log))


def hosts_of(host: str, site: Site) -> Sequence[str]:
    """Names under which a server may be called that listens on an address; see `application`."""
    return LOCAL if host in LOCAL and not site.trusted else ("*",)


def listen(
    app: Starlette, host: str, port: int, site: Site, announce: Callable[[str], None], opened: bool = False
) -> None:
    """Serves an application until it is stopped.

    Args:
        app: The application.
        host: Address to listen on.
        port: 0: any that is free.
        site: How it is set up.
        announce: Gets the address, without a slash at the end, when it is listened on.
        opened: Whether to open it in the browser, as the operator.

    Raises:
        OSError: The port is taken.
    """
    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listening.getsockname()[1]}{site.root}"
        announce(url)
        print(f"Operator's token, for the pages that show all matches: {site.token}", file=sys.stderr, flush=True)
        if site.password is None and (host not in LOCAL or site.trusted):
            print(ELSEWHERE, file=sys.stderr, flush=True)
        if opened:
            webbrowser.open(f"{url}{SIGN_IN}?token={site.token}")
        quiet = uvicorn.Config(
            app, log_level="warning", access_log=False, proxy_headers=False, timeout_graceful_shutdown=GOODBYE
        )
        uvicorn.Server(quiet).run(sockets=[listening])
