"""How pages are served: by one process, at one address that is printed, behind the guards that all pages share."""

from __future__ import annotations

import os
import socket
import sys
import time
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
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
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from econzoo.envs.core.files import text_of, write_file
from econzoo.people.server.options import ServerOptions
from econzoo.people.server.passwords import VARIABLE, Guesses, Password, password_of
from econzoo.people.server.patience import PatientProtocol
from econzoo.people.server.rendering import HOME, error_page, sign_in
from econzoo.people.server.security import LOCAL, SIGN_IN, SIGN_OUT, SecureHeaders, sign_out
from econzoo.people.server.site import Entrance, Site, new_site

NOWHERE = "(no page)"

TERMINAL = "-"
"""In place of a file: standard error."""

Line = Callable[[str], None]


def log_of(wanted: str) -> Line | None:
    """What writes the lines; None: nothing was wanted.

    Args:
        wanted: A file, to which lines are added, `TERMINAL`, or nothing.

    Raises:
        OSError: The file cannot be written.
    """
    if not wanted:
        return None
    if wanted == TERMINAL:
        return lambda line: print(line, file=sys.stderr, flush=True)
    Path(wanted).parent.mkdir(parents=True, exist_ok=True)
    file = open(wanted, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 (open as long as the server runs)
    return lambda line: print(line, file=file)


class AccessLog:
    """Writes a line when the answer to a request begins: streams last.

    Args:
        app: What answers.
        write: Takes a line.
    """

    def __init__(self, app: Any, write: Line) -> None:
        self._app, self._write = app, write

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, where = time.monotonic(), pattern(scope)  # now: who answers may change the scope

        async def told(message: Any) -> None:
            if message["type"] == "http.response.start":
                took, at = time.monotonic() - began, datetime.now(UTC).isoformat(timespec="seconds")
                self._write(f"{at} {scope['method']} {where} {message['status']} {1000 * took:.0f} ms")
            await send(message)

        await self._app(scope, receive, told)


def pattern(scope: Any) -> str:
    """The pattern of the path that a request asks for."""
    found: list[BaseRoute] = [one for one in scope["app"].routes if one.matches(scope)[0] != Match.NONE]
    return str(getattr(found[0], "path", NOWHERE)) if found else NOWHERE


STORE, RECORDS, TOKEN, SESSIONS = "table.sqlite", "matches.jsonl", "operator.token", "operator.sessions"

TOKEN_VARIABLE = "ECONZOO_TOKEN"
"""Environment variable with the operator's token."""

SHORTEST_TOKEN = 16

ELSEWHERE = f"It signs in on this machine only; from elsewhere a password does: --password, or {VARIABLE}"
"""Told where others can reach the server."""

GOODBYE = 2
"""Seconds that streams have to end when the server is stopped."""

Handler = Callable[[Request, HTTPException], Awaitable[Response]]


def application(
    pages: Sequence[BaseRoute], site: Site, hosts: Sequence[str] = ("*",), failed: Handler = error_page
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
        Route(SIGN_OUT, sign_out, methods=["POST"]),
        Mount("/static", StaticFiles(directory=str(files(HOME).joinpath("static")))),
    ]
    guards = [Middleware(SecureHeaders), Middleware(Entrance, site=site)]
    guards += [Middleware(ProxyHeadersMiddleware, trusted_hosts="*")] if site.trusted else []
    guards += [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))]
    guards += [Middleware(AccessLog, write=site.log)] if site.log else []
    handlers = cast(Any, {HTTPException: failed})  # narrower than the library declares: of one kind of error
    app = Starlette(routes=routes, middleware=guards, exception_handlers=handlers)
    app.state.guesses, app.state.streams = Guesses(), {}
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
    if not path.exists() or not text_of(path).strip():
        write_file(path, new_site().token + "\n", mode=0o600)
    return text_of(path).strip()


def site_in(folder: Path, options: ServerOptions, texts: str) -> Site:
    """The site of a server that keeps everything in a folder.

    A token of the environment variable is one that the operator has chosen, and so a password too.

    Args:
        folder: Made if it does not exist.
        options: Of the command.
        texts: See `texts_of`.

    Raises:
        ValueError: The root, the texts, the token or the password are not allowed.
        OSError: The log cannot be written.
    """
    token = token_of(folder)
    chosen = Password.of(token) if os.environ.get(TOKEN_VARIABLE, "").strip() else None
    password, log = password_of(options.password) or chosen, log_of(options.access_log)
    return new_site(options.root_path, token, options.trust_proxy, texts, password, log, folder / SESSIONS)


def hosts_of(host: str, site: Site) -> Sequence[str]:
    """Names under which a server may be called that listens on an address; see `application`."""
    return LOCAL if host in LOCAL and not site.trusted else ("*",)


def listen(
    app: Starlette, options: ServerOptions, site: Site, announce: Callable[[str], None], opened: bool = False
) -> None:
    """Serves an application until it is stopped.

    Args:
        app: The application.
        options: Where it listens.
        site: How it is set up.
        announce: Gets the address, without a slash at the end, when it is listened on.
        opened: Whether to open it in the browser, as the operator.

    Raises:
        OSError: The port is taken.
    """
    host = options.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, options.port), family=family) as listening:
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listening.getsockname()[1]}{site.root}"
        announce(url)
        print(f"Operator's token, for the pages that show all matches: {site.token}", file=sys.stderr, flush=True)
        if site.password is None and (host not in LOCAL or site.trusted):
            print(ELSEWHERE, file=sys.stderr, flush=True)
        if opened:
            webbrowser.open(f"{url}{SIGN_IN}?once={site.sessions.link()}")
        server_of(app).run(sockets=[listening])


def server_of(app: Starlette) -> uvicorn.Server:
    """What serves an application: without a log of its own, and without patience for half-sent requests."""
    told: dict[str, Any] = {"log_level": "warning", "access_log": False, "proxy_headers": False}
    return uvicorn.Server(uvicorn.Config(app, http=PatientProtocol, timeout_graceful_shutdown=GOODBYE, **told))
