"""The front door of all servers: which requests reach the application, and how many."""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qs, urlsplit

from econzoo.evaluate.serving.visitors import VisitorLimit, visitor_network

__all__ = ["ANYBODY", "LOCAL_NAMES", "FrontDoor", "Rules", "local_rules"]

LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")
"""Loopback names of this machine."""

BODY_SECONDS = 20.0
"""Seconds within which the body of a request must arrive."""

IDLE_SECONDS = 1_800.0
"""Seconds after which a session without a request ends, such as a WebSocket."""

START_WINDOW = 60.0
"""Seconds in which starts are counted."""

MIN_KEY_LENGTH = 16

SAFE_METHODS = ("GET", "HEAD")


class Rules(NamedTuple):
    """What a server admits.

    Attributes:
        hosts: Names under which it answers; empty: all.
        key: Secret of those who may use it, in ``X-API-Key``, ``Authorization: Bearer`` or ``?key=``, after which
            a browser has it as a cookie; empty: none.
        keyed: Paths that need the key; empty: all.
        max_bytes: Longest body of a request.
        concurrent: Requests and WebSockets of one visitor at once; 0: any number.
        starts: Posts of one visitor to `keyed` in `START_WINDOW`; 0: any number.
    """

    hosts: Collection[str] = ()
    key: str = ""
    keyed: Sequence[str] = ()
    max_bytes: int = 200_000
    concurrent: int = 0
    starts: int = 0


ANYBODY = Rules()
"""Rules of a server that nobody but its caller reaches."""


def local_rules(host: str = "127.0.0.1", key: str = "") -> Rules:
    """Return the rules of a server for programs: other machines need a key, other names and pages reach nothing.

    Raises:
        ValueError: A server for other machines has no key.
    """
    # A name of another site may resolve to 127.0.0.1 (DNS rebinding); from other machines the key keeps it out.
    is_local = host in LOCAL_NAMES
    if not is_local and len(key) < MIN_KEY_LENGTH:
        raise ValueError(f"--host {host} needs a key of at least {MIN_KEY_LENGTH} characters")
    return Rules(LOCAL_NAMES if is_local else (), key, max_bytes=10_000_000, concurrent=64)


class FrontDoor:
    """Middleware for everything that listens: answers what breaks the rules, and passes on whole requests only."""

    def __init__(self, app: Any, rules: Rules) -> None:
        self._app, self._rules = app, rules
        self._open: Counter[str] = Counter()
        self._starts = VisitorLimit(rules.starts, START_WINDOW) if rules.starts else None
        self._cookie = f"econzoo_key_{sha256(rules.key.encode()).hexdigest()[:8]}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._serve(scope, _end_idle(receive), send)
        else:
            await self._serve(scope, receive, self._with_cookie(scope, send))

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        visitor = visitor_network((scope.get("client") or ("",))[0])
        try:
            self._check_head(scope)
            if scope["type"] == "http":
                receive = await self._read_body(scope, receive)
            self._check_work(scope, visitor)
        except _RefusalError as refusal:
            await refusal.answer(scope, send)
            return
        self._open[visitor] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= Counter([visitor])  # which forgets a visitor without requests

    def _check_head(self, scope: Any) -> None:
        host, origin = _header(scope, "host"), _header(scope, "origin")
        if self._rules.hosts and _parse(f"//{host}").hostname not in self._rules.hosts:
            raise _RefusalError(400, "This server does not answer under this host name.")
        # Links from other sites are requests to read; nothing else comes from there. Forms of pages without referrers
        # say "Origin: null", so null is allowed for these, and Sec-Fetch-Site tells other sites apart.
        is_form = origin == "null" and scope["type"] == "http"
        foreign = bool(origin) and not is_form and _parse(origin).netloc != host
        if scope.get("method") not in SAFE_METHODS:
            foreign |= _header(scope, "sec-fetch-site") not in ("", "same-origin", "none")
        if foreign:
            raise _RefusalError(403, "This request was sent from another site.")
        if self._is_keyed(scope) and not any(_is_same(self._rules.key, one) for one in self._given_keys(scope)):
            raise _RefusalError(401, "This server needs its key, as in the address that it printed at its start.")

    def _is_keyed(self, scope: Any) -> bool:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        return bool(self._rules.key) and (not self._rules.keyed or path in self._rules.keyed)

    def _given_keys(self, scope: Any) -> list[str]:
        pairs = [one.strip().partition("=") for one in _header(scope, "cookie").split(";")]
        cookies = [value for name, _, value in pairs if name == self._cookie]
        bearer = _header(scope, "authorization").removeprefix("Bearer ")
        return [_header(scope, "x-api-key"), bearer, *_key_of_address(scope), *cookies]

    def _with_cookie(self, scope: Any, send: Any) -> Any:
        """Give a browser that was opened with the key in its address a cookie, which other pages of ours send."""
        if not (self._rules.keyed and self._is_keyed(scope) and _key_of_address(scope)):
            return send
        secure = "; Secure" if scope["scheme"] == "https" else ""
        path = f"{scope.get('root_path', '')}/"
        cookie = f"{self._cookie}={self._rules.key}; Path={path}; HttpOnly; SameSite=Strict{secure}".encode()

        async def send_cookie(message: Any) -> None:
            if message["type"] == "http.response.start" and message["status"] != 401:
                message = {**message, "headers": [*message.get("headers", []), (b"set-cookie", cookie)]}
            await send(message)

        return send_cookie

    async def _read_body(self, scope: Any, receive: Any) -> Any:
        """Read the body, and return what gives it to the application."""
        body, more, most = bytearray(), True, self._rules.max_bytes
        length = _header(scope, "content-length")
        too_long = _RefusalError(413, f"That is too long; at most {most:,} bytes can be sent.")
        if length.isdigit() and int(length) > most:
            raise too_long
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while more:
                    message = await receive()
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    # Checked while it arrives, so that no more is ever in memory.
                    if len(body) > most:
                        raise too_long
        except TimeoutError:
            raise _RefusalError(408, "The request did not arrive completely. Please send it again.") from None
        whole = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def receive_whole() -> Any:
            return whole.pop() if whole else await receive()

        return receive_whole

    def _check_work(self, scope: Any, visitor: str) -> None:
        most, begins = self._rules.concurrent, scope.get("method") == "POST" and self._is_keyed(scope)
        if (most and self._open[visitor] >= most) or (self._starts and begins and not self._starts.admits(visitor)):
            raise _RefusalError(429, "Too many requests at once. Please wait a minute.")


class _RefusalError(Exception):
    """A request that does not reach the application."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status

    async def answer(self, scope: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": str(self)})
            return
        # Closed, since the rest of the body would be taken for the next request.
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": str(self).encode()})


def _end_idle(receive: Any) -> Any:
    """Let a WebSocket end that is idle for `IDLE_SECONDS`, as if the client had closed it."""

    async def receive_soon() -> Any:
        try:
            return await asyncio.wait_for(receive(), IDLE_SECONDS)
        except TimeoutError:
            return {"type": "websocket.disconnect", "code": 1001}

    return receive_soon


def _header(scope: Any, name: str) -> str:
    """First value of a header; empty: none."""
    return next((value.decode("latin-1") for own, value in scope["headers"] if own == name.encode()), "")


def _parse(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:  # such as a bracket that is not closed
        return urlsplit("")


def _key_of_address(scope: Any) -> list[str]:
    return parse_qs(scope["query_string"].decode("latin-1")).get("key", [])


def _is_same(key: str, given: str) -> bool:
    return hmac.compare_digest(key.encode(), given.encode())
