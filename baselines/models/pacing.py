"""When to send requests to a server, how many side by side, and when to send one again."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

from econzoo.baselines.models import spending

LONGEST_WAIT = 120.0
"""Seconds; a server that asks for more than this is not waited for."""


class TokenBucket:
    """A rate limit for several threads: so many requests a minute, at most `burst` of them at once.

    Each request reserves the next free moment and waits for it, so that nobody is overtaken.
    """

    def __init__(
        self,
        per_minute: float,
        burst: int = 1,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Start with a full bucket.

        Args:
            per_minute: requests (or tokens) in a minute, in the long run.
            burst: requests that may go out at once after a pause.
            clock: seconds; only differences count.
            sleep: waits for some seconds.
        """
        if not 0 < per_minute < math.inf:
            raise ValueError(f"requests_per_minute or tokens_per_minute is {per_minute}; it must be a positive number")
        self._interval = 60.0 / per_minute
        self._slack = self._interval * (burst - 1)
        self._clock = clock
        self._sleep = sleep
        self._next = -math.inf  # the moment from which one more request would be on time
        self._lock = threading.Lock()

    def wait(self, amount: int = 1) -> None:
        """Wait until more is allowed, and take so many requests, or tokens."""
        with self._lock:
            now = self._clock()
            self._next = max(self._next, now - self._slack)
            delay = self._next - now
            self._next += self._interval * amount
        if delay > 0:
            self._sleep(delay)

    def take(self, amount: int) -> None:
        """Count what was used beyond what was waited for."""
        with self._lock:
            self._next += self._interval * amount


def backoff(attempt: int, jitter: float, requested: float | None, base: float = 0.5, maximum: float = 30.0) -> float:
    """Seconds to wait before the next attempt.

    Doubling from `base` up to `maximum`, of which a random half is taken off, so that many clients do not come back
    together; never less than what the server asked for.

    Args:
        attempt: 0 after the first failure.
        jitter: a uniform random number in [0, 1).
        requested: seconds that the server named, or None.
        base: seconds of the first wait.
        maximum: seconds of the longest wait of our own.
    """
    own = min(maximum, base * 2.0 ** min(attempt, 30)) * (0.5 + 0.5 * jitter)
    return own if requested is None else max(own, requested)


def retry_after(headers: Mapping[str, str], now: Callable[[], datetime] | None = None) -> float | None:
    """Seconds that a server asks to wait: `Retry-After` as a number or a date, or `retry-after-ms`; None if neither."""
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
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    today = now() if now else datetime.now(UTC)
    return max((date - today).total_seconds(), 0.0)


Reply = TypeVar("Reply")


def call_with_timeout(seconds: float, call: Callable[[], Reply]) -> Reply:
    """What a call gives, if it does so in time: a server that sends a byte now and then would hold it for ever.

    Raises:
        TimeoutError: It does not; whatever it still gives is nobody's.
    """
    done: SimpleQueue[tuple[Reply | None, Exception | None]] = SimpleQueue()

    def work() -> None:
        try:
            done.put((call(), None))
        except Exception as error:
            done.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        reply, error = done.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return cast("Reply", reply)


def run_concurrently(
    answer: Callable[..., Reply],
    jobs: Sequence[tuple[Any, ...]],
    concurrency: int,
    on_reply: Callable[[int, Reply], None],
) -> Iterator[tuple[int, Reply | Exception]]:
    """Answers every job as far as the open purse has room; each answer or error comes with its place when it is there.

    The threads are such that nobody waits for at the end: Ctrl-C is not held up by a server that is slow.

    Args:
        answer: Of a job.
        jobs: Arguments of each.
        concurrency: Jobs at once.
        on_reply: Told of each answer with its place, in the thread that got it and before that one takes another job.
    """
    waiting: SimpleQueue[tuple[int, tuple[Any, ...]]] = SimpleQueue()
    done: SimpleQueue[tuple[int, Reply | Exception]] = SimpleQueue()

    def work() -> None:
        with suppress(Empty):
            while True:
                place, job = waiting.get_nowait()
                try:
                    with spending.reserve_call():
                        reply = answer(*job)
                        on_reply(place, reply)
                    done.put((place, reply))
                except Exception as error:
                    done.put((place, error))

    for one in enumerate(jobs):
        waiting.put(one)
    for _ in range(min(concurrency, len(jobs))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in jobs:
            yield done.get()
    finally:  # nobody waits any more: what has not begun is left
        with suppress(Empty):
            while True:
                waiting.get_nowait()
