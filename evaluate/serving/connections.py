"""The socket below the front door: time for the head of a request, and connections of one visitor."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from econzoo.evaluate.serving.visitors import visitor_network

# uvicorn chooses the class at import: type checkers see a variable, which cannot be subclassed.
if TYPE_CHECKING:
    Protocol = asyncio.Protocol
else:
    Protocol = AutoHTTPProtocol

__all__ = ["listen"]

HEAD_SECONDS = 20.0
"""Seconds within which the head of a request must arrive."""

MAX_CONNECTIONS, VISITOR_CONNECTIONS = 2_000, 1_000
"""Open connections of a process, and of one visitor."""

SHUTDOWN_SECONDS = 2
"""Seconds for open streams to end when the server stops."""

REFUSAL = b"HTTP/1.1 %s\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

_OPEN: dict[str, list[Any]] = {}
"""Open transports by visitor."""


def _admit(transport: Any) -> bool:
    """Whether a connection is within the limits; it is counted until it closes."""
    visitor = visitor_network((transport.get_extra_info("peername") or ("",))[0])
    for other, held in list(_OPEN.items()):
        _OPEN[other] = [one for one in held if not one.is_closing()]
        if not _OPEN[other]:
            del _OPEN[other]
    if len(_OPEN.get(visitor, ())) >= VISITOR_CONNECTIONS or sum(map(len, _OPEN.values())) >= MAX_CONNECTIONS:
        return False
    _OPEN.setdefault(visitor, []).append(transport)
    return True


class GuardedProtocol(Protocol):
    """uvicorn's HTTP protocol, with a timeout of `HEAD_SECONDS` for the head of a request, and few connections."""

    transport: Any
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if _admit(transport):
            self._start_timer()
        else:
            self._refuse(b"503 Service Unavailable")

    def data_received(self, data: bytes) -> None:
        """Pass data on; stop the timer once the head is complete."""
        super().data_received(data)
        # A socket has another protocol from its head on.
        if self._is_answering or self.transport.get_protocol() is not self:
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
        self._head_timer = asyncio.get_running_loop().call_later(HEAD_SECONDS, self._close_slow)

    def _cancel_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _close_slow(self) -> None:
        self._head_timer = None
        if not self._is_answering and not self.transport.is_closing():
            self._refuse(b"408 Request Timeout")

    def _refuse(self, status: bytes) -> None:
        self.transport.write(REFUSAL % status)
        self.transport.close()


def build_server(app: Any) -> uvicorn.Server:
    """Build the uvicorn server of an application: no log of its own, limits of connections."""
    _allow_files(2 * MAX_CONNECTIONS)
    # Without proxy_headers uvicorn does not trust X-Forwarded-For from 127.0.0.1, as it does by default.
    quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "proxy_headers": False}
    config = uvicorn.Config(app, http=GuardedProtocol, timeout_graceful_shutdown=SHUTDOWN_SECONDS, **quiet)
    return uvicorn.Server(config)


def _allow_files(number: int) -> None:
    """Raise this process's limit of open files, of which every connection is one."""
    with suppress(ImportError, ValueError, OSError):  # Windows has none; a container may forbid it
        import resource

        least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = number if most == resource.RLIM_INFINITY else min(number, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(least, wanted), most))


def listen(app: Any, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve an application until it is stopped.

    Args:
        port: 0: any free port.
        announce: Called with the address before the server starts.

    Raises:
        OSError: The port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Opened here rather than by uvicorn: the port is known and accepts connections before it is announced.
    with socket.create_server((host, port), family=family) as listening:
        name = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        announce(f"http://{name}:{listening.getsockname()[1]}")
        build_server(app).run(sockets=[listening])
