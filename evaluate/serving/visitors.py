"""Visitors by address, and how much one of them does within a time."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from ipaddress import IPv6Network
from threading import Lock

__all__ = ["VisitorLimit", "visitor_network"]

MAX_VISITORS = 10_000
"""Visitors remembered; the oldest are dropped."""


def visitor_network(address: str) -> str:
    """Return the /64 network of an IPv6 address, all of which one visitor owns; any other text unchanged."""
    try:
        return str(IPv6Network((address, 64), strict=False))
    except ValueError:
        return address


class VisitorLimit:
    """Counts what visitors do, in memory. Thread-safe.

    Args:
        most: Events allowed within the window.
        window: In seconds.
        now: Clock in seconds.
    """

    def __init__(self, most: int, window: float, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._window, self._now, self._lock = most, window, now, Lock()
        self._events: OrderedDict[str, deque[float]] = OrderedDict()

    def is_reached(self, visitor: str) -> bool:
        """Whether a visitor has reached the limit; stores nothing."""
        with self._lock:
            times = self._events.get(visitor_network(visitor), deque())
            while times and self._now() - times[0] >= self._window:
                times.popleft()
            return len(times) >= self._most

    def count(self, visitor: str) -> None:
        visitor = visitor_network(visitor)
        with self._lock:
            self._events.setdefault(visitor, deque(maxlen=self._most)).append(self._now())
            # The first entry is the visitor whose last event is longest ago.
            self._events.move_to_end(visitor)
            if len(self._events) > MAX_VISITORS:
                self._events.popitem(last=False)

    def admits(self, visitor: str) -> bool:
        """Count an event unless the limit is reached; return whether it was counted."""
        if reached := self.is_reached(visitor):
            return not reached
        self.count(visitor)
        return True
