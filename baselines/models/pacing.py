"""Rate limits, timeouts and retries of requests."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from typing import TypeVar, cast

LONGEST_WAIT = 120.0
"""Longest wait in seconds that a server may request."""


class TokenBucket:
    """A rate limit for several threads, with bursts.

    Each request reserves the next free slot and waits for it, so that requests stay in order.
    """

    def __init__(
        self,
        per_minute: float,
        burst: int = 1,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Start with a full bucket: a long-run rate, and a maximum number of immediate requests after a pause."""
        if not 0 < per_minute < math.inf:
            raise ValueError(
                f"invalid requests_per_minute or tokens_per_minute={per_minute}: expected a positive number"
            )
        self._interval = 60.0 / per_minute
        self._slack = self._interval * (burst - 1)
        self._clock = clock
        self._sleep = sleep
        self._next = -math.inf  # time of the next slot
        self._lock = threading.Lock()

    def wait(self, amount: int = 1) -> None:
        """Wait for the next slot, and take an amount of requests or tokens."""
        with self._lock:
            now = self._clock()
            self._next = max(self._next, now - self._slack)
            delay = self._next - now
            self._next += self._interval * amount
        if delay > 0:
            self._sleep(delay)

    def take(self, amount: int) -> None:
        """Take an additional amount without waiting."""
        with self._lock:
            self._next += self._interval * amount


def backoff(attempt: int, jitter: float, requested: float | None, base: float = 0.5, maximum: float = 30.0) -> float:
    """Return the seconds to wait for the next attempt: exponential backoff with jitter in [0, 1).

    The wait doubles from `base` to `maximum`, less a random fraction up to one half, and is at least the server's
    request.
    """
    # The exponent is bounded, as large ones overflow.
    own = min(maximum, base * 2.0 ** min(attempt, 30)) * (0.5 + 0.5 * jitter)
    return own if requested is None else max(own, requested)


def retry_after(headers: Mapping[str, str], now: Callable[[], datetime] | None = None) -> float | None:
    """Return the seconds of `Retry-After` (a number or a date) or `retry-after-ms`; None without them."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    # A date of unknown zone is in UTC (RFC 5322: -0000).
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    today = now() if now else datetime.now(UTC)
    return max((date - today).total_seconds(), 0.0)


Reply = TypeVar("Reply")


def call_with_timeout(seconds: float, call: Callable[[], Reply]) -> Reply:
    """Run a call with a total timeout, since a server that sends single bytes could block forever.

    Raises:
        TimeoutError: No result in time; a later one is discarded.
    """
    done: SimpleQueue[tuple[Reply | None, Exception | None]] = SimpleQueue()

    def work() -> None:
        try:
            done.put((call(), None))
        except Exception as error:
            done.put((None, error))

    # A thread cannot be stopped: after a timeout it goes on until its socket ends, and nobody takes the result.
    threading.Thread(target=work, daemon=True).start()
    try:
        reply, error = done.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return cast("Reply", reply)
