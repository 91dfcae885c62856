"""Whose page is open."""

from __future__ import annotations

import time

from econzoo.people.study.declaration import MIN_LIMIT
from econzoo.people.table.clocks import BEAT, Uptime

AWAY_SECONDS = 15.0
"""Seconds without a sign of an open page after which somebody is away; pages without a script ask every few."""


class Presence:
    """When the page of everybody was last open, as this server knows it.

    Args:
        uptime: Of the server; nobody goes away while clocks stand.
        speed: See `econzoo.people.study.declaration.Study`.
    """

    def __init__(self, uptime: Uptime, speed: float = 1.0) -> None:
        self._uptime, self._last_seen, self._with_stream = uptime, dict[str, float](), set[str]()
        self._away = max(MIN_LIMIT, AWAY_SECONDS / speed)
        self._began = self._current_seconds() if uptime.current_seconds() > BEAT else -self._away

    def _current_seconds(self) -> float:
        return time.monotonic() - self._uptime.stopped_seconds

    def mark_open(self, token: str, has_stream: bool = False) -> None:
        """A page is open: it was asked for, or, where it is followed, its stream is listened to."""
        self._last_seen[token] = self._current_seconds()
        if has_stream:
            self._with_stream.add(token)

    def is_open(self, token: str) -> bool:
        """Whether it was open a moment ago."""
        seen = self._last_seen.get(token)
        return seen is not None and self._current_seconds() - seen < self._away

    @property
    def is_known(self) -> bool:
        """Whether open pages have told of themselves: not yet, a moment after the server has started again."""
        return self._current_seconds() - self._began >= self._away

    def seconds_closed(self, token: str) -> float:
        """Seconds for which it has been closed; 0 of who has no script: their page says nothing while it is read."""
        return self._current_seconds() - self._last_seen[token] if token in self._with_stream else 0.0
