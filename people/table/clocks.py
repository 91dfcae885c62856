"""Clocks that survive a restart of the server, and the storage interface of a match.

Time limits run only while a server is running and its clock is not stopped.

Times are stored in seconds of the total running time of this folder's servers. A killed server loses at most the
seconds since its last beat (`BEAT`), in favour of the players.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, Protocol

from econzoo.envs.core.record import Record, Turn
from econzoo.people.table.store import MatchState, Seat
from econzoo.people.table.terms import Absence


class MatchStorage(Protocol):
    """Stores matches; see the methods of `Store`."""

    def match(self, id: str) -> MatchState:
        """Load a match."""

    def add_answer(self, seat: Seat, number: int, reply: str) -> bool:
        """Add an answer of a person; only the first one counts."""

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """Answers of people by (seat, number)."""

    def add_turns(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Add turns of any players."""

    def add_absence(self, match: str, absence: Absence) -> None:
        """Add an absence."""

    def add_moment(self, match: str, seat: int, number: int, at: float) -> None:
        """Add a time; only the first one counts."""

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """Times by (seat, number)."""

    def save_uptime(self, seconds: float) -> None:
        """Save the total running time of servers."""

    def uptime(self) -> float:
        """Total running time of servers in seconds."""

    def save_record(self, id: str, record: Record) -> bool:
        """Save the record of a match; return whether it had none."""


class RecordSink(Protocol):
    """Receives records."""

    def append(self, record: Record) -> Any:
        """Add a record."""


BEAT = 1.0
"""Seconds between two saves of the running time."""

GRACE = 3.0
"""Extra seconds for answers sent in time over a slow or broken connection."""

PAGE_OPENED = -1
"""Stands for the opening of the page instead of a question number."""


class Uptime:
    """Clock of the total running time of servers."""

    def __init__(self, store: MatchStorage) -> None:
        self._store = store
        # As if one server had run all the time: stored times and those of this process are on one scale.
        self.began = time.monotonic() - store.uptime()
        self._last_save = time.monotonic()
        self._stopped: float | None = None
        self._stopped_seconds = 0.0

    @property
    def is_stopped(self) -> bool:
        return self._stopped is not None

    @property
    def stopped_seconds(self) -> float:
        """Seconds of this process during which the clock was stopped."""
        # Read once, since another thread may resume the clock meanwhile.
        stopped = self._stopped
        return self._stopped_seconds + (0.0 if stopped is None else time.monotonic() - stopped)

    def stop(self) -> None:
        """Stop the clock until `resume`."""
        if self._stopped is None:
            self._stopped = time.monotonic()

    def resume(self) -> None:
        """Restart the clock."""
        self._stopped_seconds, self._stopped = self.stopped_seconds, None

    def running_clock(self) -> float:
        """Monotonic clock minus the stopped seconds."""
        stopped = self._stopped
        return (time.monotonic() if stopped is None else stopped) - self._stopped_seconds

    def current_seconds(self) -> float:
        """Total running time in seconds, including preceding servers."""
        return self.running_clock() - self.began

    def beat(self) -> None:
        """Save the running time, at most every `BEAT` seconds."""
        if time.monotonic() - self._last_save >= BEAT:
            self._store.save_uptime(self.current_seconds())
            self._last_save = time.monotonic()


class Moments:
    """Times at which the people of a match opened their pages and were asked, on the clock of `Uptime`."""

    def __init__(self, uptime: Uptime, store: MatchStorage, match: str) -> None:
        self._uptime, self._store, self._match = uptime, store, match
        self._moments = {key: at + uptime.began for key, at in store.moments(match).items()}

    def record_first(self, seat: int, number: int = PAGE_OPENED) -> float:
        """Return the time at which a seat was first asked a question; record it as now if it is new."""
        if (seat, number) not in self._moments:
            now = self._uptime.current_seconds()
            self._store.add_moment(self._match, seat, number, now)
            self._moments[seat, number] = now + self._uptime.began
        return self._moments[seat, number]

    def opening_time(self, seat: int) -> float | None:
        """Time at which the page of a seat was first opened; None: never."""
        return self._moments.get((seat, PAGE_OPENED))


def run_clock(tick: Callable[[], None], seconds: float, closed: Event) -> None:
    """Call a function at intervals until the event is set; errors, as of a full disk, are printed and end nothing."""
    told = ""
    while not closed.wait(seconds):
        try:
            tick()
            told = ""
        except Exception as error:
            if (text := f"clock: {type(error).__name__}: {error}") != told:
                print(text, file=sys.stderr, flush=True)
            told = text
