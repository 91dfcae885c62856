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
    from econzoo.people.table.store import MatchState, Seat
    from econzoo.people.table.terms import Absence


class MatchStorage(Protocol):
    """Keeps what happens in matches; see the methods of `Store`."""

    def match(self, id: str) -> MatchState:
        """What is kept of a match."""

    def add_answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Adds the answer that a person has given; the first one counts."""

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """(seat, number) to every answer that people have given."""

    def add_turns(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Adds turns, whoever's."""

    def add_absence(self, match: str, absence: Absence) -> None:
        """Keeps that no answer came."""

    def add_moment(self, match: str, seat: int, number: int, at: float) -> None:
        """Keeps a moment; the first one counts."""

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """(seat, number) to when it was."""

    def save_uptime(self, seconds: float) -> None:
        """Keeps how long servers have run in all."""

    def uptime(self) -> float:
        """How long servers have run in all."""

    def save_record(self, id: str, record: Record) -> bool:
        """Keeps the record of a match; returns whether there was none before."""


class RecordSink(Protocol):
    """Where records go."""

    def append(self, record: Record) -> Any:
        """Adds a record."""


BEAT = 1.0
"""Seconds between two times that the running time is kept."""

GRACE = 3.0
"""Seconds for which an answer is awaited that was sent in time, on a connection that is slow or comes back."""

PAGE_OPENED = -1
"""In place of the number of a question: the page was opened."""


class Uptime:
    """How long servers have run in all.

    Args:
        store: Where it is kept.
    """

    def __init__(self, store: MatchStorage) -> None:
        self._store = store
        self.began = time.monotonic() - store.uptime()
        self._last_save = time.monotonic()
        self._stopped: float | None = None
        self._stopped_seconds = 0.0

    @property
    def is_stopped(self) -> bool:
        """Whether no time passes now."""
        return self._stopped is not None

    @property
    def stopped_seconds(self) -> float:
        """Seconds of this process in which no time has passed."""
        stopped = self._stopped
        return self._stopped_seconds + (0.0 if stopped is None else time.monotonic() - stopped)

    def stop(self) -> None:
        """Lets no time pass until `resume`."""
        if self._stopped is None:
            self._stopped = time.monotonic()

    def resume(self) -> None:
        """Lets time pass again."""
        self._stopped_seconds, self._stopped = self.stopped_seconds, None

    def running_clock(self) -> float:
        """The monotonic clock without the seconds in which no time has passed."""
        stopped = self._stopped
        return (time.monotonic() if stopped is None else stopped) - self._stopped_seconds

    def current_seconds(self) -> float:
        """Seconds until now, those of servers before included."""
        return self.running_clock() - self.began

    def beat(self) -> None:
        """Keeps the seconds, if the last time is a while ago."""
        if time.monotonic() - self._last_save >= BEAT:
            self._store.save_uptime(self.current_seconds())
            self._last_save = time.monotonic()


class Moments:
    """When people of a match opened their pages and were asked, on the clock of `Uptime`.

    Args:
        uptime: Of the server.
        store: Where moments are kept.
        match: Id.
    """

    def __init__(self, uptime: Uptime, store: MatchStorage, match: str) -> None:
        self._uptime, self._store, self._match = uptime, store, match
        self._moments = {key: at + uptime.began for key, at in store.moments(match).items()}

    def record_first(self, seat: int, number: int = PAGE_OPENED) -> float:
        """When a seat was asked its question of this number for the first time: now, if it was not before."""
        if (seat, number) not in self._moments:
            now = self._uptime.current_seconds()
            self._store.add_moment(self._match, seat, number, now)
            self._moments[seat, number] = now + self._uptime.began
        return self._moments[seat, number]

    def opening_time(self, seat: int) -> float | None:
        """When the page of a seat was opened for the first time; None: it was not."""
        return self._moments.get((seat, PAGE_OPENED))
