"""Who is there: whose page is open. Nobody is matched with somebody who has closed it."""

from __future__ import annotations

import time

AWAY = 15.0
"""Seconds without a sign of an open page after which somebody is away; pages without a script ask every few."""


class Presence:
    """When the page of everybody was last open, as this server knows it."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    def seen(self, token: str) -> None:
        """A page is open: it was asked for, or its stream is listened to."""
        self._seen[token] = time.monotonic()

    def here(self, token: str) -> bool:
        """Whether it was open a moment ago."""
        return time.monotonic() - self._seen.get(token, -AWAY) < AWAY
