"""A collection: a folder with an order, its records, and the process that plays it."""

from __future__ import annotations

import json
import secrets
import time
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from econzoo.envs.core import LARGE_FILE_BYTES, read_text, wrap_read_errors, write_file, write_files
from econzoo.envs.core.contract import to_plain
from econzoo.evaluate.run import NO_TERMINAL, Spending, spending_at
from econzoo.people.manage import runs
from econzoo.people.manage.order import SETTINGS_FILE, Order
from econzoo.people.manage.results import Counts, Results, Tally, file_sizes
from econzoo.people.manage.runs import PAUSE, STOP, FolderIndex

ORDER, RECORDS = "order.json", "records"

WAITING, RUNNING, PAUSING, STOPPING = "waiting", "running", "pausing", "stopping"
PAUSED, STOPPED, ENDED, DONE, ASKING = "paused", "stopped", "ended", "done", "asking"

KINDS = (WAITING, RUNNING, PAUSING, STOPPING, PAUSED, STOPPED, ENDED, DONE, ASKING)
"""States of a collection.

`ENDED`: the process ended by itself before all matches were played. `ASKING`: likewise, because the cost awaits
confirmation.
"""

BUSY_KINDS = (RUNNING, PAUSING, STOPPING)

LOG_LINES = 30


class CollectionStatus(NamedTuple):
    """Progress of a collection.

    Attributes:
        matches_per_minute: Matches finished per minute since the process started; 0: unknown.
        seconds_left: Estimated remaining seconds; None: unknown.
    """

    kind: str
    matches: int
    counts: Counts
    matches_per_minute: float
    seconds_left: float | None
    spending: Spending
    needs_agreement: bool

    @property
    def is_busy(self) -> bool:
        """Whether a process is running."""
        return self.kind in BUSY_KINDS

    @property
    def missing_matches(self) -> int:
        """Matches still to be played."""
        return max(0, self.matches - self.counts.finished - self.counts.retries_exhausted)

    @property
    def finished_share(self) -> float:
        """Fraction of matches finished, 0 to 1."""
        return self.counts.finished / self.matches


class Collection:
    """A collection of matches."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.id, self.records = folder, folder.name, folder / RECORDS
        self._tally, self._lock = Tally(self.records), Lock()
        self._spending: tuple[object, Spending] = (None, Spending())
        self.results = Results(folder, self.records)

    @cached_property
    def order(self) -> Order:
        with wrap_read_errors(self.folder / ORDER, ValueError):
            return Order.from_json(read_text(self.folder / ORDER, LARGE_FILE_BYTES))

    @cached_property
    def matches(self) -> int:
        """Number of planned matches."""
        return len(self.order.plan())

    @property
    def has_agreement(self) -> bool:
        """Whether the operator has confirmed the cost."""
        run = runs.load_last(self.folder)
        # The command of the last run keeps the agreement over restarts of the server.
        return run is not None and "--yes" in run.command

    def status(self) -> CollectionStatus:
        run = runs.load_last(self.folder)
        alive = run is not None and run.is_alive  # checked first, since an ended process has written all its matches
        counts = self._tally.counts()
        kind = self._kind(run, alive, counts)
        per_minute, seconds = 0.0, None
        if run is not None and kind in BUSY_KINDS:
            # At least a second: no rate from an instant, or from a clock that was set back.
            per_minute = 60 * (counts.finished - run.finished) / max(time.time() - run.began, 1.0)
            seconds = 60 * (self.matches - counts.finished) / per_minute if per_minute else None
        needs_agreement = kind in (ENDED, PAUSED, STOPPED) and self._needs_agreement
        kind = ASKING if needs_agreement and kind == ENDED else kind
        return CollectionStatus(kind, self.matches, counts, per_minute, seconds, self.spending(), needs_agreement)

    def _kind(self, run: runs.Run | None, alive: bool, counts: Counts) -> str:
        if run is not None and alive:
            return {PAUSE: PAUSING, STOP: STOPPING}.get(run.asked, RUNNING)
        if counts.finished + counts.retries_exhausted >= self.matches:
            return DONE
        return WAITING if run is None else {PAUSE: PAUSED, STOP: STOPPED}.get(run.asked, ENDED)

    @property
    def _needs_agreement(self) -> bool:
        """Whether the last process ended because the cost was not confirmed."""
        # A command without a terminal cannot ask; it ends with this line.
        return any(NO_TERMINAL in line for line in self.log()[-1:])

    def spending(self) -> Spending:
        """Spending on models; zero without any."""
        # Only specs with a colon can be of models; scripts cost nothing.
        if not any(":" in spec for spec in self.order.specs):
            return Spending()
        # All records and calls are read for it, so only after they have changed.
        if (now := file_sizes(self.records)) != self._spending[0]:
            self._spending = now, spending_at(self.records)
        return self._spending[1]

    def log(self) -> list[str]:
        return runs.tail_log(self.folder, LOG_LINES)

    def command(self) -> list[str]:
        """Command line that plays it."""
        return self.order.command(self.records, self.has_agreement)

    # -- actions of the operator -------------------------------------------------------------------------------

    def start(self, costs_agreed: bool = False) -> None:
        """Start a process for the missing matches, unless one is running."""
        # Two clicks start one process.
        with self._lock:
            run = runs.load_last(self.folder)
            if run is None or not run.is_alive:
                command = self.order.command(self.records, costs_agreed or self.has_agreement)
                runs.start(self.folder, command, self._tally.counts().finished)

    def end(self, what: str) -> None:
        """Pause or stop the process: `PAUSE` or `STOP`."""
        with self._lock:
            runs.request_end(self.folder, what)

    def change_order(self, order: Order) -> None:
        """Set the order, with a new budget, of the next process."""
        with self._lock:
            self.order = order
            write_file(self.folder / ORDER, order.to_json())


class Collections(FolderIndex[Collection]):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "collections", SETTINGS_FILE, Collection)

    def create(self, order: Order) -> Collection:
        """Create a collection without starting it."""
        folder = self.folder / f"{order.game}-{secrets.token_hex(4)}"
        settings = json.dumps(to_plain(order.settings), indent=2) + "\n"
        write_files({folder / ORDER: order.to_json(), folder / SETTINGS_FILE: settings}, must_be_new=True)
        return self.find(folder.name)
