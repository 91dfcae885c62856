"""The server process: application, middleware, access log, socket."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from econzoo.envs.core import read_text, write_file
from econzoo.evaluate.serving import ANYBODY, LOCAL_NAMES, FrontDoor, Rules
from econzoo.evaluate.serving import listen as listen_at
from econzoo.people.server.options import ServeOptions
from econzoo.people.server.passwords import MAX_FAILURES, MAX_FAILURES_OF_STRANGERS, PASSWORD_VARIABLE, GuessLimit
from econzoo.people.server.passwords import Password, read_password
from econzoo.people.server.rendering import PEOPLE_PACKAGE, error_page, sign_in
from econzoo.people.server.security import SIGN_IN, SIGN_OUT, SecureHeaders, sign, sign_out
from econzoo.people.server.site import Site, SiteMiddleware, new_site

NO_PAGE = "(no page)"

TERMINAL = "-"
"""Stands for standard error instead of a file."""

LineWriter = Callable[[str], None]


def open_log(target: str) -> LineWriter | None:
    """Open the access log and return its line writer; None: no log.

    Args:
        target: File to append to, `TERMINAL`, or empty.
    """
    if not target:
        return None
    if target == TERMINAL:
        return lambda line: print(line, file=sys.stderr, flush=True)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    file = open(target, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 (stays open while the server runs)
    return lambda line: print(line, file=file)


class AccessLog:
    """Middleware that writes a line when a response starts, since streams stay open."""

    def __init__(self, app: Any, write: LineWriter) -> None:
        self._app, self._write = app, write

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, route = time.monotonic(), route_pattern(scope)  # now, since the application may change the scope

        async def send_logged(message: Any) -> None:
            if message["type"] == "http.response.start":
                took, at = time.monotonic() - began, datetime.now(UTC).isoformat(timespec="seconds")
                self._write(f"{at} {scope['method']} {route} {message['status']} {1000 * took:.0f} ms")
            await send(message)

        await self._app(scope, receive, send_logged)


class FailurePages:
    """Middleware that answers errors of pages, so that these answers have the headers and are logged, too."""

    def __init__(self, app: Any, handler: Handler) -> None:
        self._app, self._handler = app, handler

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        has_started = False

        async def send_noticed(message: Any) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, send_noticed)
        except Exception:
            if scope["type"] == "http" and not has_started:
                page = await self._handler(Request(scope, receive), HTTPException(500))
                await page(scope, receive, send)
            raise  # to the server, which prints it


def route_pattern(scope: Any) -> str:
    """Path pattern of the route of a request."""
    routes: list[BaseRoute] = [one for one in scope["app"].routes if one.matches(scope)[0] != Match.NONE]
    return str(getattr(routes[0], "path", NO_PAGE)) if routes else NO_PAGE


STORE, RECORDS, TOKEN, SESSIONS = "table.sqlite", "matches.jsonl", "operator.token", "operator.sessions"

TOKEN_VARIABLE = "ECONZOO_TOKEN"
"""Environment variable with the operator's token."""

MIN_TOKEN_LENGTH = 16

TOKEN_HINT = f"The token signs in from this machine only; for remote sign-in set --password or {PASSWORD_VARIABLE}"
"""Printed if other machines can reach the server."""

HOME, STARTS_PER_MINUTE = "/", 60
"""Where matches are started, for which visitors from elsewhere need a key, and how many one of them may start."""

Handler = Callable[[Request, HTTPException], Awaitable[Response]]


def build_application(
    pages: Sequence[BaseRoute], site: Site, rules: Rules = ANYBODY, error_handler: Handler = error_page
) -> Starlette:
    """Build the application: routes, static files, operator sign-in, middleware."""
    routes = [
        *pages,
        Route(SIGN_IN, sign_in, methods=["GET", "POST"]),
        Route(SIGN_OUT, sign_out, methods=["POST"]),
        Mount("/static", StaticFiles(directory=str(files(PEOPLE_PACKAGE).joinpath("static")))),
    ]
    # From the outermost: refusals have the headers too, host names are checked after the site has put in that of a
    # trusted proxy, and the log sees the path as routes do.
    guards = [Middleware(SecureHeaders), Middleware(SiteMiddleware, site=site)]
    guards += [Middleware(ProxyHeadersMiddleware, trusted_hosts="*")] if site.trust_proxy else []
    guards += [Middleware(FrontDoor, rules=rules)]
    guards += [Middleware(AccessLog, write=site.log)] if site.log else []
    guards += [Middleware(FailurePages, handler=error_handler)]
    handlers = cast(Any, {HTTPException: error_handler})  # narrower than the library declares
    app = Starlette(routes=routes, middleware=guards, exception_handlers=handlers)
    app.state.guesses, app.state.strangers = GuessLimit(MAX_FAILURES), GuessLimit(MAX_FAILURES_OF_STRANGERS)
    app.state.streams = {}
    return app


def load_token(folder: Path) -> str:
    """Return the operator's token: from the environment variable, or from the folder, where it is created once."""
    given = os.environ.get(TOKEN_VARIABLE, "").strip()
    if given and len(given) < MIN_TOKEN_LENGTH:
        raise ValueError(f"{TOKEN_VARIABLE} is too short: expected at least {MIN_TOKEN_LENGTH} characters")
    if given:
        return given
    path = folder / TOKEN
    if not path.exists() or not read_text(path).strip():
        write_file(path, new_site().token + "\n", mode=0o600)
    return read_text(path).strip()


def create_site(folder: Path, options: ServeOptions, texts: str) -> Site:
    """Build the site of a server from its folder and options.

    A token set in the environment variable also serves as a password.

    Args:
        folder: Folder of the server, created if missing.
    """
    token = load_token(folder)
    chosen = Password.from_text(token) if os.environ.get(TOKEN_VARIABLE, "").strip() else None
    password, log = read_password(options.password) or chosen, open_log(options.access_log)
    site = new_site(options.root_path, token, options.trust_proxy, texts, password, log, folder / SESSIONS)
    # Other machines reach the server, perhaps through a proxy, which may pass on any host name.
    is_reachable = options.host not in LOCAL_NAMES or options.trust_proxy
    return site._replace(key=sign(token, "start")[:24] if is_reachable else "")


def page_rules(site: Site) -> Rules:
    """Rules of the front door of a server that was started with options; see `create_site`."""
    return Rules(key=site.key, keyed=(HOME,), starts=STARTS_PER_MINUTE) if site.key else Rules(LOCAL_NAMES)


def home_link(site: Site, url: str) -> str:
    """Address of the first page, with the key if it needs one."""
    return f"{url}{HOME}{site.key and f'?key={site.key}'}"


def listen(
    app: Starlette, options: ServeOptions, site: Site, announce: Callable[[str], None], open_browser: bool = False
) -> None:
    """Serve an application until it is stopped."""

    def tell(address: str) -> None:
        url = f"{address}{site.root}"
        announce(url)
        print(f"Operator token (opens all matches): {site.token}", file=sys.stderr, flush=True)
        if site.password is None and site.key:
            print(TOKEN_HINT, file=sys.stderr, flush=True)
        if open_browser:
            webbrowser.open(f"{url}{SIGN_IN}?once={site.sessions.new_link()}")

    listen_at(app, options.host, options.port, tell)
