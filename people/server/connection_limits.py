"""Limits per visitor: timeouts of incomplete requests, and open streams of one page."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any
from weakref import ref

from starlette.requests import Request
from uvicorn.protocols.http.auto import AutoHTTPProtocol

# uvicorn chooses the class at import: type checkers see a variable, which cannot be subclassed.
if TYPE_CHECKING:
    Protocol = asyncio.Protocol
else:
    Protocol = AutoHTTPProtocol

HEAD_TIMEOUT, BODY_TIMEOUT = 20.0, 20.0
"""Seconds within which the head of a request, and then its body, must arrive."""

TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

STREAMS_PER_LINK, STREAMS_PER_PAGE = 5, 300
"""Maximum open streams of one personal link, and of one shared page."""


class TimeoutProtocol(Protocol):
    """uvicorn's HTTP protocol, with a timeout of `HEAD_TIMEOUT` seconds for the head of a request."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Pass data on; stop the timer once the head is complete."""
        super().data_received(data)
        if self._is_answering:
            self._cancel_timer()
        # A kept connection: the head of its next request has begun.
        elif self._head_timer is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timer()
        super().connection_lost(exc)

    @property
    def _is_answering(self) -> bool:
        """Whether a complete request awaits its response."""
        # All of uvicorn's protocols create the cycle when the head of a request is complete.
        cycle = getattr(self, "cycle", None)
        return cycle is not None and not cycle.response_complete

    def _start_timer(self) -> None:
        self._head_timer = asyncio.get_running_loop().call_later(HEAD_TIMEOUT, self._close_slow)

    def _cancel_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _close_slow(self) -> None:
        self._head_timer, transport = None, getattr(self, "transport", None)
        if transport is not None and not self._is_answering and not transport.is_closing():
            transport.write(TOO_SLOW)
            transport.close()


class Listener:
    """A client of a stream, until it disconnects or too many newer clients open the same page."""

    def __init__(self, request: Request, max_streams: int) -> None:
        self.request, streams = request, request.app.state.streams
        # Pages of which no stream is left.
        for path in [path for path, own in streams.items() if all(one() is None for one in own)]:
            del streams[path]
        # Weak references: a stream that ended by itself counts no longer. The deque drops the oldest beyond its
        # maximum.
        self._streams = deque([one for one in streams.get(request.url.path, ()) if one() is not None], max_streams)
        self._own = ref(self)
        self._streams.append(self._own)
        streams[request.url.path] = self._streams

    async def is_disconnected(self) -> bool:
        """Whether the stream should end."""
        ended = self._own not in self.request.app.state.streams[self.request.url.path]
        return ended or await self.request.is_disconnected()
