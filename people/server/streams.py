"""Open streams of one page."""

from __future__ import annotations

from collections import deque
from weakref import ref

from starlette.requests import Request

STREAMS_PER_LINK, STREAMS_PER_PAGE = 5, 300
"""Maximum open streams of one personal link, and of one shared page."""


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
