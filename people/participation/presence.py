"""Whose page is open."""

from __future__ import annotations

import time

from econzoo.people.study.declaration import SHORTEST
from econzoo.people.table.clocks import BEAT, Uptime

AWAY = 15.0
"""Seconds without a sign of an open page after which somebody is away; pages without a script ask every few."""


class Presence:
    """When the page of everybody was last open, as this server knows it.

    Args:
        uptime: Of the server; nobody goes away while clocks stand.
        speed: See `econzoo.people.study.declaration.Study`.
    """

    def __init__(self, uptime: Uptime, speed: float = 1.0) -> None:
        self._uptime, self._seen, self._followed = uptime, dict[str, float](), set[str]()
        self._away = max(SHORTEST, AWAY / speed)
        self._began = self._now() if uptime.now() > BEAT else -self._away

    def _now(self) -> float:
        return time.monotonic() - self._uptime.lost

    def seen(self, token: str, followed: bool = False) -> None:
        """A page is open: it was asked for, or, where it is followed, its stream is listened to."""
        self._seen[token] = self._now()
        if followed:
            self._followed.add(token)

    def here(self, token: str) -> bool:
        """Whether it was open a moment ago."""
        seen = self._seen.get(token)
        return seen is not None and self._now() - seen < self._away

    @property
    def known(self) -> bool:
        """Whether open pages have told of themselves: not yet, a moment after the server has started again."""
        return self._now() - self._began >= self._away

    def closed(self, token: str) -> float:
        """Seconds for which it has been closed; 0 of who has no script: their page says nothing while it is read."""
        return self._now() - self._seen[token] if token in self._followed else 0.0
