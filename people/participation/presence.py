"""Open pages of participants."""

from __future__ import annotations

import time

from econzoo.people.study import MIN_LIMIT
from econzoo.people.table import BEAT, Uptime

AWAY_SECONDS = 15.0
"""Seconds without contact after which a page counts as closed; pages without a script poll more often."""


class Presence:
    """Times at which pages were last open."""

    def __init__(self, uptime: Uptime, speed: float = 1.0) -> None:
        self._uptime, self._last_seen, self._with_stream = uptime, dict[str, float](), set[str]()
        self._away = max(MIN_LIMIT, AWAY_SECONDS / speed)
        # On a first start there are no pages that could reconnect.
        self._began = self._current_seconds() if uptime.current_seconds() > BEAT else -self._away

    def _current_seconds(self) -> float:
        return time.monotonic() - self._uptime.stopped_seconds

    def mark_open(self, token: str, has_stream: bool = False) -> None:
        """Record that a page is open, by a request or by its event stream."""
        self._last_seen[token] = self._current_seconds()
        if has_stream:
            self._with_stream.add(token)

    def is_open(self, token: str) -> bool:
        """Whether the page counts as open."""
        seen = self._last_seen.get(token)
        return seen is not None and self._current_seconds() - seen < self._away

    @property
    def is_known(self) -> bool:
        """Whether open pages are known: not right after a restart of the server."""
        return self._current_seconds() - self._began >= self._away

    def seconds_closed(self, token: str) -> float:
        """Return the seconds since the page was open; 0 without a script, since such pages send no heartbeats."""
        return self._current_seconds() - self._last_seen[token] if token in self._with_stream else 0.0
