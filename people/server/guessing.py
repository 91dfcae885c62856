"""Wrong tokens and passwords: who has typed many of them has to wait."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from ipaddress import IPv6Network
from threading import Lock

MOST, SECONDS = 10, 60.0
"""Wrong tokens that an address may send within so many seconds."""

REMEMBERED = 10_000
"""Addresses, the latest ones."""


class Guesses:
    """Counts wrong tokens by address; of long addresses by their first half, as one visitor has all the others.

    Args:
        now: A clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._lock = now, Lock()
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def too_many(self, address: str) -> bool:
        """Whether an address has to wait."""
        address = _visitor(address)
        with self._lock:
            found = self._wrong.get(address, deque())
            while found and self._now() - found[0] > SECONDS:
                found.popleft()
            return len(found) >= MOST

    def wrong(self, address: str) -> None:
        """One more from an address."""
        address = _visitor(address)
        with self._lock:
            self._wrong.setdefault(address, deque()).append(self._now())
            self._wrong.move_to_end(address)
            if len(self._wrong) > REMEMBERED:
                self._wrong.popitem(last=False)


def _visitor(address: str) -> str:
    """What addresses of one visitor have in common: 64 bits of an IPv6 address."""
    try:
        return str(IPv6Network((address, 64), strict=False))
    except ValueError:
        return address
