"""Rate limits, concurrency, waits, timeouts and retries of requests."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeVar, cast

from econzoo.baselines import BudgetSpentError, current_budget, release_call

MOST_CALLS = 256
"""Maximum number of concurrent calls to which `Pace` rises by itself."""

_ROOM = 0.5
"""Part of a limit that must be left for more calls."""

_TELL_SECONDS = 60.0
"""Time between two notices of a wait."""


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


_UNITS = {"ms": 1e-3, "us": 1e-6, "\N{MICRO SIGN}s": 1e-6, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = (
    r"\d+(?:\.\d+)?\s*(?:ms|us|\N{MICRO SIGN}s|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)"
)
_REQUEST = re.compile(
    r"(?:try(?:ing)? again|retry(?:ing)?|wait|available|resets?)\D{0,30}?(?<![\w.])"
    rf"((?:{_DURATION}(?![a-z])[\s,]*(?:and )?)+)",
    re.IGNORECASE,
)
_RATE = re.compile(r"(?:x-|anthropic-)?ratelimit-(?:(limit|remaining|reset)-?(.*)|(.+)-(limit|remaining|reset))")
_EPOCH, _EPOCH_MS = 1e9, 1e12
"""Least numbers that are moments and no durations."""


def duration_in(text: str) -> float | None:
    """Return the seconds of a duration such as ``1m26.4s``, ``120ms`` or ``2 minutes``; None if it is none."""
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([a-z\N{MICRO SIGN}]+)", text.lower())
    seconds = 0.0
    for amount, name in parts:
        unit = "ms" if name.startswith(("ms", "milli")) else name if name in _UNITS else name[0]
        if unit not in _UNITS:
            return None
        seconds += float(amount) * _UNITS[unit]
    return seconds if parts else None


def wait_in(text: str) -> float | None:
    """Return the seconds that a text asks to wait, as in ``Please try again in 1m26.4s``; None if it does not."""
    found = _REQUEST.search(text)
    return None if found is None else duration_in(found[1])


def seconds_until(text: str, now: Callable[[], datetime] | None = None) -> float | None:
    """Return the seconds of a duration, until a moment (ISO, or seconds or milliseconds of the epoch), or None."""
    today = now() if now else datetime.now(UTC)
    try:
        number = float(text)
    except ValueError:
        with suppress(ValueError):
            moment = datetime.fromisoformat(text)
            return max((moment.replace(tzinfo=moment.tzinfo or UTC) - today).total_seconds(), 0.0)
        return duration_in(text)
    if not math.isfinite(number):
        return None
    if number >= _EPOCH:
        number = number / (1e3 if number >= _EPOCH_MS else 1.0) - today.timestamp()
    return max(number, 0.0)


class RateLimit(NamedTuple):
    """A limit of requests or tokens, as headers tell it; None: not told.

    Attributes:
        left: What is left, as a part of the limit.
        reset: Seconds until it is reset.
    """

    left: float | None
    reset: float | None


def rate_limits(headers: Mapping[str, str], now: Callable[[], datetime] | None = None) -> list[RateLimit]:
    """Return the limits in headers such as `x-ratelimit-remaining-tokens` and `anthropic-ratelimit-requests-reset`."""
    found: dict[str, dict[str, str]] = {}
    for name, value in headers.items():
        if match := _RATE.fullmatch(name.lower()):
            found.setdefault(match[2] or match[3] or "", {})[match[1] or match[4]] = value
    limits = []
    for one in found.values():
        most, left = (_number(one.get(name)) for name in ("limit", "remaining"))
        reset = seconds_until(one["reset"], now) if "reset" in one else None
        limits.append(RateLimit(left / most if most and left is not None else None, reset))
    return limits


def _number(text: str | None) -> float | None:
    with suppress(ValueError):
        return float(text) if text is not None and 0 <= float(text) < math.inf else None
    return None


def reset_after(headers: Mapping[str, str], now: Callable[[], datetime] | None = None) -> float | None:
    """Return the seconds until the limits are reset that are used up; the soonest if none is; None if none is told."""
    limits = [one for one in rate_limits(headers, now) if one.reset is not None]
    used = [one.reset for one in limits if one.left == 0 and one.reset is not None]
    return max(used) if used else min((one.reset for one in limits if one.reset is not None), default=None)


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


class Pace:
    """The number of concurrent calls of a server, which rises while it has room and is halved when it has none.

    It follows TCP. A reply that tells limits of rate, of each of which more than half is left, adds one call, so that
    the number doubles in a round of calls; above half of the number that was refused, a round adds one call. A refusal
    halves it, once for the calls that were under way. Servers that tell no limits get no more calls than at the start:
    a machine with a queue refuses none, but answers all of them later.
    """

    def __init__(self, start: int, most: int = MOST_CALLS) -> None:
        self._calls, self._start, self._most = float(start), float(start), float(max(start, most))
        self._threshold, self._round = math.inf, 0
        self._lock = threading.Lock()

    @property
    def calls(self) -> int:
        return int(self._calls)

    @property
    def round(self) -> int:
        """Number of refusals that have counted; kept with a call, for `count_refusal`."""
        return self._round

    def count_reply(self, headers: Mapping[str, str]) -> None:
        """Count a reply with its headers."""
        left = [one.left for one in rate_limits(headers) if one.left is not None]
        with self._lock:
            most = self._most if left and min(left) > _ROOM else self._start
            if self._calls < most:
                more = 1.0 if self._calls < self._threshold else 1.0 / self._calls
                self._calls = min(self._calls + more, most)

    def count_refusal(self, sent: int) -> None:
        """Count a refusal of a call that was sent in a `round`."""
        with self._lock:
            if sent == self._round:
                self._calls = self._threshold = max(self._calls / 2, 1.0)
                self._round += 1


class Waits:
    """Waits for a server that limits its rate or is overloaded, which pass by themselves, so that no call is lost.

    A notice says once a minute how long the server has answered no call, and why.
    """

    def __init__(
        self,
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        name: str = "the server",
    ) -> None:
        self._tell, self._clock, self._sleep, self._name = tell, clock, sleep, name
        self._since: float | None = None
        self._noticed = 0.0
        self._lock = threading.Lock()

    def end(self) -> None:
        """Note that the server has answered."""
        self._since = None

    def wait(self, seconds: float, reason: str, is_requested: bool = False) -> None:
        """Wait; other calls may use the budget that is reserved for this one.

        Args:
            is_requested: Whether the server has told these seconds.

        Raises:
            BudgetSpentError: The patience of the run is at its end, or will be before this wait is.
        """
        budget = current_budget()
        patience = None if budget is None else budget.patience
        with self._lock:
            now = self._clock()
            if self._since is None:
                # A long wait is told at once.
                self._since, self._noticed = now, now - _TELL_SECONDS * (seconds > _TELL_SECONDS)
            since = self._since
        if patience is not None:
            left = patience - (now - since)
            if left <= 0 or (is_requested and seconds > left):
                waited = [f"no reply for {format_seconds(now - since)}"] if now - since >= 1 else []
                more = [f"it asks for {format_seconds(seconds)} more"] if is_requested else []
                raise BudgetSpentError(
                    f"{self._name}: the patience of {format_seconds(patience)} is at its end: "
                    f"{', '.join([*waited, *more])} ({reason}); to resume, rerun the same command, perhaps with a "
                    "longer --patience"
                )
            seconds = min(seconds, left)
        with release_call():
            left = seconds
            # By amounts, not by the clock, which stands still in tests.
            while left > 0:
                self._tell_wait(left if is_requested else 0.0, reason)
                step = min(left, _TELL_SECONDS)
                self._sleep(step)
                left -= step

    def _tell_wait(self, left: float, reason: str) -> None:
        with self._lock:
            now = self._clock()
            since = now if self._since is None else self._since
            if now - self._noticed < _TELL_SECONDS:
                return
            self._noticed = now
        waited = [f"for {format_seconds(now - since)} so far"] if now - since >= 1 else []
        more = [f"for {format_seconds(left)} more, as it asks"] if left > _TELL_SECONDS else []
        self._tell(f"waiting {', '.join([*waited, *more])}: {reason}")


def format_seconds(seconds: float) -> str:
    """Format a duration: ``40 s``, ``5 min``, ``3.2 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


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
