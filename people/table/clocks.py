"""Clocks that outlive the process, and what a match needs of the place where it and they are kept.

What has passed of somebody's time has passed, and none passes while no server runs, or while clocks stand.

Moments are kept in seconds that servers of this folder have run in all. A server that is killed loses at most the
seconds since its last beat (`BEAT`), in favour of who is asked.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from econzoo.envs.core.record.record import Record, Turn
    from econzoo.people.table.store import Kept, Seat
    from econzoo.people.table.terms import Absence


class Keeping(Protocol):
    """Keeps what happens in matches; see the methods of `Store`."""

    def match(self, id: str) -> Kept:
        """What is kept of a match."""

    def answered(self, seat: Seat, number: int, reply: str) -> bool:
        """Adds the answer that a person has given; the first one counts."""

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """(seat, number) to every answer that people have given."""

    def played(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Adds turns, whoever's."""

    def absent(self, match: str, absence: Absence) -> None:
        """Keeps that no answer came."""

    def happened(self, match: str, seat: int, number: int, at: float) -> None:
        """Keeps a moment; the first one counts."""

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """(seat, number) to when it was."""

    def ran(self, seconds: float) -> None:
        """Keeps how long servers have run in all."""

    def uptime(self) -> float:
        """How long servers have run in all."""

    def ended(self, id: str, record: Record) -> bool:
        """Keeps the record of a match; returns whether there was none before."""


class Appending(Protocol):
    """Where records go."""

    def append(self, record: Record) -> Any:
        """Adds a record."""


BEAT = 1.0
"""Seconds between two times that the running time is kept."""

GRACE = 3.0
"""Seconds for which an answer is awaited that was sent in time, on a connection that is slow or comes back."""

OPENED = -1
"""In place of the number of a question: the page was opened."""


class Uptime:
    """How long servers have run in all.

    Args:
        store: Where it is kept.
    """

    def __init__(self, store: Keeping) -> None:
        self._store = store
        self.began = time.monotonic() - store.uptime()
        self._kept = time.monotonic()
        self._stopped: float | None = None
        self._lost = 0.0

    @property
    def stands(self) -> bool:
        """Whether no time passes now."""
        return self._stopped is not None

    @property
    def lost(self) -> float:
        """Seconds of this process in which no time has passed."""
        stopped = self._stopped
        return self._lost + (0.0 if stopped is None else time.monotonic() - stopped)

    def stop(self) -> None:
        """Lets no time pass until `go_on`."""
        if self._stopped is None:
            self._stopped = time.monotonic()

    def go_on(self) -> None:
        """Lets time pass again."""
        self._lost, self._stopped = self.lost, None

    def clock(self) -> float:
        """The monotonic clock without the seconds in which no time has passed."""
        stopped = self._stopped
        return (time.monotonic() if stopped is None else stopped) - self._lost

    def now(self) -> float:
        """Seconds until now, those of servers before included."""
        return self.clock() - self.began

    def beat(self) -> None:
        """Keeps the seconds, if the last time is a while ago."""
        if time.monotonic() - self._kept >= BEAT:
            self._store.ran(self.now())
            self._kept = time.monotonic()


class Moments:
    """When people of a match opened their pages and were asked, on the clock of `Uptime`.

    Args:
        uptime: Of the server.
        store: Where moments are kept.
        match: Id.
    """

    def __init__(self, uptime: Uptime, store: Keeping, match: str) -> None:
        self._uptime, self._store, self._match = uptime, store, match
        self._known = {key: at + uptime.began for key, at in store.moments(match).items()}

    def first(self, seat: int, number: int = OPENED) -> float:
        """When a seat was asked its question of this number for the first time: now, if it was not before."""
        if (seat, number) not in self._known:
            now = self._uptime.now()
            self._store.happened(self._match, seat, number, now)
            self._known[seat, number] = now + self._uptime.began
        return self._known[seat, number]

    def opened(self, seat: int) -> float | None:
        """When the page of a seat was opened for the first time; None: it was not."""
        return self._known.get((seat, OPENED))
