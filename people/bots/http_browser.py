"""A browser without JavaScript but with the stream of its page, by the standard library alone."""

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

STATE_PATTERN = re.compile(rb"data: ([^\r\n]*)\r?\n")


class NoAnswerError(ConnectionError):
    """The server does not answer."""


class PageLoad(NamedTuple):
    """A page that somebody has waited for: what for, how long in seconds, and the status at the end."""

    purpose: str
    seconds: float
    status: int


class Stream:
    """The stream of a page: news that its server tells.

    Args:
        host: Name of the server.
        port: Of the server.
        path: Of the stream.

    Raises:
        NoAnswerError: Nobody answers.
    """

    def __init__(self, host: str, port: int, path: str) -> None:
        self._buffer = b""
        try:
            self._socket = socket.create_connection((host, port), ANSWER_TIMEOUT)
            self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        except OSError as error:
            raise NoAnswerError(str(error)) from error

    def wait_for_update(self, state: str, seconds: float) -> bool:
        """Waits until the page is to be shown anew, so many seconds at most; returns whether it is.

        Args:
            state: That the page has.
            seconds: To wait.

        Raises:
            NoAnswerError: The stream has ended.
        """
        until = time.monotonic() + seconds
        while True:
            told = [*STATE_PATTERN.finditer(self._buffer)]
            if told:
                self._buffer = self._buffer[told[-1].end() :]
                if told[-1][1].decode().partition(" ")[0] != state:  # behind it stands what the operator tells
                    return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            self._socket.settimeout(left)
            try:
                heard = self._socket.recv(65_536)
            except TimeoutError:
                return False
            except OSError as error:
                raise NoAnswerError(str(error)) from error
            if not heard:
                raise NoAnswerError("the stream has ended")
            self._buffer += heard

    def close(self) -> None:
        """Ends it."""
        self._socket.close()


class HttpBrowser:
    """Somebody's browser.

    Args:
        origin: Of the server: ``http://127.0.0.1:8765``.

    Attributes:
        page: That is shown.
        path: Of it; of a participant the personal link.
        status: Of the last answer.
        page_loads: What was waited for.
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
        """Opens a page.

        Raises:
            NoAnswerError: The server does not answer.
        """
        self.leave()
        self._request_page("GET", path, None, what)

    def reload(self) -> None:
        """Loads the page again."""
        self.visit(self.path)

    def submit(self, form: HtmlForm, given: Mapping[str, str], twice: bool = False) -> bool:
        """Sends a form; returns True, as it was answered.

        Args:
            form: Of the page.
            given: All that is sent.
            twice: Whether it is sent once more before the answer has come, as by a double click.

        Raises:
            NoAnswerError: The server does not answer.
        """
        self.leave()
        body = urlencode(given)
        if not twice:
            self._request_page("POST", form.action, body, form.step)
            return True
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
        """Shows what comes, behind all redirects."""
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
    """Whether the last answer says that what was sent came too late."""

    def _send_request(self, method: str, path: str, body: str | None) -> tuple[int, str, str]:
        """(status, where to, text) of an answer."""
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

    # -- news --------------------------------------------------------------------------------------------------

    def _open_stream(self) -> None:
        """Listens to the stream of the page, if it has one, as its script does."""
        self._table = self.page.attribute("table", "data-table")
        self._events = self.page.attribute("table", "data-events") or self.page.attribute("notice", "data-events")
        if self._events:
            self._stream = Stream(self._host, self._port, self._events)

    _events = _table = ""

    @property
    def fragment_path(self) -> str:
        """Address of that part of the page which changes; empty: there is none."""
        return self._table

    def wait_for_update(self, seconds: float) -> bool:
        """Waits for news of the page, so many seconds at most, and shows them; returns whether there were any.

        Raises:
            NoAnswerError: The server does not answer.
        """
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
        if status == 205:
            self.reload()
        elif status == 200:
            self.page, self.status = Page(text), status
        else:
            time.sleep(min(1.0, seconds))
        return True

    def leave(self) -> None:
        """Closes the page; nothing tells the server but the end of its stream."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        """Closes the browser."""
        self.leave()
        self._http.close()
