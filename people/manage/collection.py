"""A collection: a folder with an order, its records, and the process that plays it, if one does."""

from __future__ import annotations

import json
import secrets
import time
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from econzoo.envs.core.files import LARGE_FILE_BYTES, read_text, write_file, write_files
from econzoo.envs.core.record.values import to_plain
from econzoo.evaluate.run.budget import NO_TERMINAL, Spending, spending_at
from econzoo.people.manage import runs
from econzoo.people.manage.order import SETTINGS_FILE, Order
from econzoo.people.manage.results import Counts, Results, Tally, file_sizes
from econzoo.people.manage.runs import PAUSE, STOP, FolderIndex

ORDER, RECORDS = "order.json", "records"

WAITING, RUNNING, PAUSING, STOPPING = "waiting", "running", "pausing", "stopping"
PAUSED, STOPPED, ENDED, DONE, ASKING = "paused", "stopped", "ended", "done", "asking"

KINDS = (WAITING, RUNNING, PAUSING, STOPPING, PAUSED, STOPPED, ENDED, DONE, ASKING)
"""What a collection can be at.

`ENDED`: its process has ended by itself, and matches are missing. `ASKING`: likewise, and nobody has agreed to what the
others cost.
"""

BUSY_KINDS = (RUNNING, PAUSING, STOPPING)

LOG_LINES = 30


class CollectionStatus(NamedTuple):
    """How far a collection is.

    Attributes:
        kind: One of `KINDS`.
        matches: That it has.
        counts: What has come of them.
        matches_per_minute: Matches that end in a minute, since the process began; 0: not known.
        seconds_left: Until the end, if it goes on like this; None: not known.
        spending: On models.
        needs_agreement: Whether it waits for somebody to agree to its costs.
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
        """Whether a process is at it."""
        return self.kind in BUSY_KINDS

    @property
    def missing_matches(self) -> int:
        """Matches that are still to be played."""
        return max(0, self.matches - self.counts.finished - self.counts.retries_exhausted)

    @property
    def finished_share(self) -> float:
        """Of the matches, those that have ended."""
        return self.counts.finished / self.matches


class Collection:
    """See the module.

    Args:
        folder: With the order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.id, self.records = folder, folder.name, folder / RECORDS
        self._tally, self._lock = Tally(self.records), Lock()
        self._spending: tuple[object, Spending] = (None, Spending())
        self.results = Results(folder, self.records)

    @cached_property
    def order(self) -> Order:
        """What it plays."""
        return Order.from_json(read_text(self.folder / ORDER, LARGE_FILE_BYTES))

    @cached_property
    def matches(self) -> int:
        """How many it has."""
        return len(self.order.plan())

    @property
    def has_agreement(self) -> bool:
        """Whether its costs were agreed to."""
        run = runs.load_last(self.folder)
        return run is not None and "--yes" in run.command

    def status(self) -> CollectionStatus:
        """How far it is now."""
        run = runs.load_last(self.folder)
        alive = run is not None and run.is_alive  # looked at before the matches: what ends now has written them all
        counts = self._tally.counts()
        kind = self._kind(run, alive, counts)
        a_minute, seconds = 0.0, None
        if run is not None and kind in BUSY_KINDS:
            a_minute = 60 * (counts.finished - run.ended) / max(time.time() - run.began, 1.0)
            seconds = 60 * (self.matches - counts.finished) / a_minute if a_minute else None
        asks = kind in (ENDED, PAUSED, STOPPED) and self._needs_agreement
        kind = ASKING if asks and kind == ENDED else kind
        return CollectionStatus(kind, self.matches, counts, a_minute, seconds, self.spending(), asks)

    def _kind(self, run: runs.Run | None, alive: bool, counts: Counts) -> str:
        if run is not None and alive:
            return {PAUSE: PAUSING, STOP: STOPPING}.get(run.asked, RUNNING)
        if counts.finished + counts.retries_exhausted >= self.matches:
            return DONE
        return WAITING if run is None else {PAUSE: PAUSED, STOP: STOPPED}.get(run.asked, ENDED)

    @property
    def _needs_agreement(self) -> bool:
        """Whether the last process has ended because nobody has agreed to its costs."""
        return any(NO_TERMINAL in line for line in self.log()[-1:])

    def spending(self) -> Spending:
        """What its models have cost; nothing where it has none."""
        if not any(":" in spec for spec in self.order.specs):
            return Spending()
        if (now := file_sizes(self.records)) != self._spending[0]:
            self._spending = now, spending_at(self.records)
        return self._spending[1]

    def log(self) -> list[str]:
        """The last lines that its processes have written."""
        return runs.tail_log(self.folder, LOG_LINES)

    def command(self) -> list[str]:
        """The command that plays it."""
        return self.order.command(self.records, self.has_agreement)

    # -- what the operator does --------------------------------------------------------------------------------

    def start(self, costs_agreed: bool = False) -> None:
        """Has a process play what is missing, unless one does.

        Args:
            costs_agreed: Whether the operator agrees to what it costs.
        """
        with self._lock:
            run = runs.load_last(self.folder)
            if run is None or not run.is_alive:
                command = self.order.command(self.records, costs_agreed or self.has_agreement)
                runs.start(self.folder, command, self._tally.counts().finished)

    def end(self, what: str) -> None:
        """Pauses or stops it: `PAUSE` or `STOP`."""
        with self._lock:
            runs.request_end(self.folder, what)

    def change_order(self, order: Order) -> None:
        """Has its next process keep to an order with another budget."""
        with self._lock:
            self.order = order
            write_file(self.folder / ORDER, order.to_json())


class Collections(FolderIndex[Collection]):
    """All collections of a server.

    Args:
        folder: Of the server.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "collections", SETTINGS_FILE, Collection)

    def create(self, order: Order) -> Collection:
        """A collection that has not begun."""
        folder = self.folder / f"{order.game}-{secrets.token_hex(4)}"
        markets = json.dumps(to_plain(order.markets), indent=2) + "\n"
        write_files({folder / ORDER: order.to_json(), folder / SETTINGS_FILE: markets}, must_be_new=True)
        return self.find(folder.name)
