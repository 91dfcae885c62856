"""Minimal browser from the standard library: no JavaScript, but event streams."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from econzoo.people.bots.html_page import HtmlForm, Page

ANSWER_TIMEOUT = 60.0
"""Seconds in which an answer of the server must come."""

MAX_IDLE = 2.0
"""Seconds after which a connection is not used again: the server may be about to close it."""

MAX_REDIRECTS = 5

# Sizes of chunks are on lines of their own, so this also finds the events of a chunked response.
STATE_PATTERN = re.compile(rb"data: ([^\r\n]*)\r?\n")


class NoAnswerError(ConnectionError):
    """The server does not answer."""


class PageLoad(NamedTuple):
    """A loaded page: purpose, seconds and final status."""

    purpose: str
    seconds: float
    status: int


class Stream:
    def __init__(self, host: str, port: int, path: str) -> None:
        self._buffer = b""
        try:
            self._socket = socket.create_connection((host, port), ANSWER_TIMEOUT)
            self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        except OSError as error:
            raise NoAnswerError(str(error)) from error

    def wait_for_update(self, state: str, seconds: float) -> bool:
        """Wait until the page has an update; return whether it has one."""
        until = time.monotonic() + seconds
        while True:
            states = [*STATE_PATTERN.finditer(self._buffer)]
            if states:
                self._buffer = self._buffer[states[-1].end() :]
                if states[-1][1].decode().partition(" ")[0] != state:  # the state of notices follows
                    return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            self._socket.settimeout(left)
            try:
                received = self._socket.recv(65_536)
            except TimeoutError:
                return False
            except OSError as error:
                raise NoAnswerError(str(error)) from error
            if not received:
                raise NoAnswerError("the stream has ended")
            self._buffer += received

    def close(self) -> None:
        self._socket.close()


class HttpBrowser:
    """A bot's browser.

    Args:
        origin: Origin of the server: ``http://127.0.0.1:8765``.
    """

    def __init__(self, origin: str) -> None:
        self.origin, parts = origin, urlsplit(origin)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._http = HTTPConnection(self._host, self._port, timeout=ANSWER_TIMEOUT)
        self._last_used, self._stream = time.monotonic(), None
        self.page, self.path, self.status = Page(""), "", 0
        self.page_loads: list[PageLoad] = []

    _stream: Stream | None

    # -- pages -------------------------------------------------------------------------------------------------

    def visit(self, path: str, what: str = "page") -> None:
        self.leave()
        self._request_page("GET", path, None, what)

    def reload(self) -> None:
        self.visit(self.path)

    def submit(self, form: HtmlForm, given: Mapping[str, str], twice: bool = False) -> bool:
        """Submit a form; return True, since it was answered. `twice`: two requests at once, as by a double click."""
        self.leave()
        body = urlencode(given)
        if not twice:
            self._request_page("POST", form.action, body, form.step)
            return True
        # A connection of its own: the second request is sent before the first has an answer.
        with closing(HTTPConnection(self._host, self._port, timeout=ANSWER_TIMEOUT)) as first:
            try:
                first.request("POST", form.action, body, self._headers())
                self._request_page("POST", form.action, body, form.step)
                first.getresponse().read()
                return True
            except (OSError, HTTPException) as error:
                raise NoAnswerError(str(error)) from error

    def _headers(self) -> dict[str, str]:
        return {"content-type": "application/x-www-form-urlencoded", "origin": self.origin}

    def _request_page(self, method: str, path: str, body: str | None, what: str) -> None:
        """Request a page, following redirects."""
        began = time.monotonic()
        for _ in range(MAX_REDIRECTS):
            status, to, text = self._send_request(method, path, body)
            if status not in (302, 303, 307):
                break
            method, path, body = "GET", to, None
        self.page_loads.append(PageLoad(what, time.monotonic() - began, status))
        self.path = path.partition("?")[0] if method == "GET" else self.path
        self.status, self.page, self.was_late = status, Page(text), "late" in path
        self._open_stream()

    was_late = False
    """Whether the last response says that the form was late."""

    def _send_request(self, method: str, path: str, body: str | None) -> tuple[int, str, str]:
        """Return (status, location, text) of a response."""
        if time.monotonic() - self._last_used > MAX_IDLE:
            self._http.close()
        try:
            self._http.request(method, path, body, self._headers() if body is not None else {})
            answer = self._http.getresponse()
            text = answer.read().decode()
        except (OSError, HTTPException) as error:
            self._http.close()
            raise NoAnswerError(f"{type(error).__name__}: {error}") from error
        self._last_used = time.monotonic()
        return answer.status, answer.getheader("location", ""), text

    # -- updates -----------------------------------------------------------------------------------------------

    def _open_stream(self) -> None:
        """Open the event stream of the page, if any."""
        self._table = self.page.attribute("table", "data-table")
        self._events = self.page.attribute("table", "data-events") or self.page.attribute("notice", "data-events")
        if self._events:
            self._stream = Stream(self._host, self._port, self._events)

    _events = _table = ""

    @property
    def fragment_path(self) -> str:
        """URL of the updated part of the page; empty: none."""
        return self._table

    def wait_for_update(self, seconds: float) -> bool:
        """Wait at most `seconds` for an update of the page and load it; return whether there was one."""
        if not self._events:
            time.sleep(seconds)
            return False
        if self._stream is None:
            self._stream = Stream(self._host, self._port, self._events)
        state = self.page.attribute("state", "data-state")
        if not self._stream.wait_for_update(state, seconds):
            return False
        began = time.monotonic()
        status, _, text = self._send_request("GET", self._table.replace("STATE", state), None)
        self.page_loads.append(PageLoad("table", time.monotonic() - began, status))
        # 205: the page has become another one and must be loaded as a whole.
        if status == 205:
            self.reload()
        elif status == 200:
            self.page, self.status = Page(text), status
        else:
            time.sleep(min(1.0, seconds))
        return True

    def leave(self) -> None:
        """Close the page; the server only sees the end of its stream."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        self.leave()
        self._http.close()
