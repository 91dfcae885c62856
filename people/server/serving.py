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

from econzoo.envs.core.files import read_text, write_file
from econzoo.people.server.connection_limits import TimeoutProtocol
from econzoo.people.server.options import ServerOptions
from econzoo.people.server.passwords import PASSWORD_VARIABLE, FailedSignIns, Password, read_password
from econzoo.people.server.rendering import PEOPLE_PACKAGE, error_page, sign_in
from econzoo.people.server.security import LOCAL_NAMES, SIGN_IN, SIGN_OUT, SecureHeaders, sign_out
from econzoo.people.server.site import Site, SiteMiddleware, new_site

NO_PAGE = "(no page)"

TERMINAL = "-"
"""In place of a file: standard error."""

LineWriter = Callable[[str], None]


def open_log(target: str) -> LineWriter | None:
    """What writes the lines; None: nothing was wanted.

    Args:
        target: A file, to which lines are added, `TERMINAL`, or nothing.

    Raises:
        OSError: The file cannot be written.
    """
    if not target:
        return None
    if target == TERMINAL:
        return lambda line: print(line, file=sys.stderr, flush=True)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    file = open(target, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 (open as long as the server runs)
    return lambda line: print(line, file=file)


class AccessLog:
    """Writes a line when the answer to a request begins: streams last.

    Args:
        app: What answers.
        write: Takes a line.
    """

    def __init__(self, app: Any, write: LineWriter) -> None:
        self._app, self._write = app, write

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, where = time.monotonic(), route_pattern(scope)  # now: who answers may change the scope

        async def send_message(message: Any) -> None:
            if message["type"] == "http.response.start":
                took, at = time.monotonic() - began, datetime.now(UTC).isoformat(timespec="seconds")
                self._write(f"{at} {scope['method']} {where} {message['status']} {1000 * took:.0f} ms")
            await send(message)

        await self._app(scope, receive, send_message)


def route_pattern(scope: Any) -> str:
    """The pattern of the path that a request asks for."""
    found: list[BaseRoute] = [one for one in scope["app"].routes if one.matches(scope)[0] != Match.NONE]
    return str(getattr(found[0], "path", NO_PAGE)) if found else NO_PAGE


STORE, RECORDS, TOKEN, SESSIONS = "table.sqlite", "matches.jsonl", "operator.token", "operator.sessions"

TOKEN_VARIABLE = "ECONZOO_TOKEN"
"""Environment variable with the operator's token."""

MIN_TOKEN_LENGTH = 16

TOKEN_HINT = f"It signs in on this machine only; from elsewhere a password does: --password, or {PASSWORD_VARIABLE}"
"""Told where others can reach the server."""

SHUTDOWN_SECONDS = 2
"""Seconds that streams have to end when the server is stopped."""

Handler = Callable[[Request, HTTPException], Awaitable[Response]]


def build_application(
    pages: Sequence[BaseRoute], site: Site, hosts: Sequence[str] = ("*",), error_handler: Handler = error_page
) -> Starlette:
    """Pages as they are served: with the files that they need, the operator's door, and all that guards them.

    Args:
        pages: Their routes.
        site: How the server is set up.
        hosts: Names under which it may be called; ``*``: any.
        error_handler: Makes the page of an error.
    """
    routes = [
        *pages,
        Route(SIGN_IN, sign_in, methods=["GET", "POST"]),
        Route(SIGN_OUT, sign_out, methods=["POST"]),
        Mount("/static", StaticFiles(directory=str(files(PEOPLE_PACKAGE).joinpath("static")))),
    ]
    guards = [Middleware(SecureHeaders), Middleware(SiteMiddleware, site=site)]
    guards += [Middleware(ProxyHeadersMiddleware, trusted_hosts="*")] if site.trust_proxy else []
    guards += [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))]
    guards += [Middleware(AccessLog, write=site.log)] if site.log else []
    handlers = cast(Any, {HTTPException: error_handler})  # narrower than the library declares: of one kind of error
    app = Starlette(routes=routes, middleware=guards, exception_handlers=handlers)
    app.state.guesses, app.state.streams = FailedSignIns(), {}
    return app


def load_token(folder: Path) -> str:
    """The operator's token: that of the environment variable, or the one of the folder, which is drawn once.

    Raises:
        ValueError: That of the variable is too short to be a secret.
    """
    given = os.environ.get(TOKEN_VARIABLE, "").strip()
    if given and len(given) < MIN_TOKEN_LENGTH:
        raise ValueError(f"{TOKEN_VARIABLE} is too short; allowed: at least {MIN_TOKEN_LENGTH} characters")
    if given:
        return given
    path = folder / TOKEN
    if not path.exists() or not read_text(path).strip():
        write_file(path, new_site().token + "\n", mode=0o600)
    return read_text(path).strip()


def create_site(folder: Path, options: ServerOptions, texts: str) -> Site:
    """The site of a server that keeps everything in a folder.

    A token of the environment variable is one that the operator has chosen, and so a password too.

    Args:
        folder: Made if it does not exist.
        options: Of the command.
        texts: See `load_texts`.

    Raises:
        ValueError: The root, the texts, the token or the password are not allowed.
        OSError: The log cannot be written.
    """
    token = load_token(folder)
    chosen = Password.from_text(token) if os.environ.get(TOKEN_VARIABLE, "").strip() else None
    password, log = read_password(options.password) or chosen, open_log(options.access_log)
    return new_site(options.root_path, token, options.trust_proxy, texts, password, log, folder / SESSIONS)


def allowed_hosts(host: str, site: Site) -> Sequence[str]:
    """Names under which a server may be called that listens on an address; see `build_application`."""
    return LOCAL_NAMES if host in LOCAL_NAMES and not site.trust_proxy else ("*",)


def listen(
    app: Starlette, options: ServerOptions, site: Site, announce: Callable[[str], None], open_browser: bool = False
) -> None:
    """Serves an application until it is stopped.

    Args:
        app: The application.
        options: Where it listens.
        site: How it is set up.
        announce: Gets the address, without a slash at the end, when it is listened on.
        open_browser: Whether to open it in the browser, as the operator.

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
        if site.password is None and (host not in LOCAL_NAMES or site.trust_proxy):
            print(TOKEN_HINT, file=sys.stderr, flush=True)
        if open_browser:
            webbrowser.open(f"{url}{SIGN_IN}?once={site.sessions.new_link()}")
        build_server(app).run(sockets=[listening])


def build_server(app: Starlette) -> uvicorn.Server:
    """What serves an application: without a log of its own, and without patience for half-sent requests."""
    told: dict[str, Any] = {"log_level": "warning", "access_log": False, "proxy_headers": False}
    return uvicorn.Server(uvicorn.Config(app, http=TimeoutProtocol, timeout_graceful_shutdown=SHUTDOWN_SECONDS, **told))
