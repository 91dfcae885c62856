"""How long and how much one visitor may keep a server busy: half-sent requests, and streams of one page."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any
from weakref import ref

from starlette.requests import Request
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    Protocol = asyncio.Protocol
else:
    Protocol = AutoHTTPProtocol

HEAD_TIMEOUT, BODY_TIMEOUT = 20.0, 20.0
"""Seconds within which the head of a request, and then what a form has sent, must be there."""

TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

STREAMS_PER_LINK, STREAMS_PER_PAGE = 5, 300
"""Streams that may be open for one personal link, and for one page that many may look at."""


class TimeoutProtocol(Protocol):
    """HTTP as uvicorn speaks it, but for connections on which no whole head comes within `HEAD_TIMEOUT` seconds."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Somebody has connected."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Something has come."""
        super().data_received(data)
        if self._is_answering:
            self._cancel_timer()
        elif self._head_timer is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        self._cancel_timer()
        super().connection_lost(exc)

    @property
    def _is_answering(self) -> bool:
        """Whether a whole head has come that is not answered yet."""
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
    """Who listens to a stream: until they go, or too many others have come for the same page.

    Args:
        request: For the stream.
        max_streams: Streams of one page that may be open; the oldest one ends where there are more.
    """

    def __init__(self, request: Request, max_streams: int) -> None:
        self.request, open_ones = request, request.app.state.streams
        self._streams = deque([one for one in open_ones.get(request.url.path, ()) if one() is not None], max_streams)
        self._own = ref(self)
        self._streams.append(self._own)
        open_ones[request.url.path] = self._streams

    async def is_disconnected(self) -> bool:
        """Whether the stream is to end."""
        ended = self._own not in self.request.app.state.streams[self.request.url.path]
        return ended or await self.request.is_disconnected()
