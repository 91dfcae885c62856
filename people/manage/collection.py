"""A collection: a folder with an order, its records, and the process that plays it, if one does."""

from __future__ import annotations

import json
import secrets
import time
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from econzoo.envs.core.files import LARGE, text_of, write_file, write_files
from econzoo.envs.core.record.values import plain
from econzoo.evaluate.run.budget import NOBODY, Spent, spent_at
from econzoo.people.manage import runs
from econzoo.people.manage.order import MARKETS, Order
from econzoo.people.manage.results import Counts, Results, Tally, sizes
from econzoo.people.manage.runs import PAUSE, STOP, Folders

ORDER, RECORDS = "order.json", "records"

WAITING, RUNNING, PAUSING, STOPPING = "waiting", "running", "pausing", "stopping"
PAUSED, STOPPED, ENDED, DONE, ASKING = "paused", "stopped", "ended", "done", "asking"

KINDS = (WAITING, RUNNING, PAUSING, STOPPING, PAUSED, STOPPED, ENDED, DONE, ASKING)
"""What a collection can be at.

`ENDED`: its process has ended by itself, and matches are missing. `ASKING`: likewise, and nobody has agreed to what the
others cost.
"""

BUSY = (RUNNING, PAUSING, STOPPING)

LOG_LINES = 30


class Standing(NamedTuple):
    """How far a collection is.

    Attributes:
        kind: One of `KINDS`.
        matches: That it has.
        counts: What has come of them.
        a_minute: Matches that end in a minute, since the process began; 0: not known.
        seconds: Until the end, if it goes on like this; None: not known.
        spent: On models.
        to_agree: Whether it waits for somebody to agree to its costs.
    """

    kind: str
    matches: int
    counts: Counts
    a_minute: float
    seconds: float | None
    spent: Spent
    to_agree: bool

    @property
    def busy(self) -> bool:
        """Whether a process is at it."""
        return self.kind in BUSY

    @property
    def missing(self) -> int:
        """Matches that are still to be played."""
        return max(0, self.matches - self.counts.ended - self.counts.given_up)

    @property
    def part(self) -> float:
        """Of the matches, those that have ended."""
        return self.counts.ended / self.matches


class Collection:
    """See the module.

    Args:
        folder: With the order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.id, self.records = folder, folder.name, folder / RECORDS
        self._tally, self._lock = Tally(self.records), Lock()
        self._spent: tuple[object, Spent] = (None, Spent())
        self.results = Results(folder, self.records)

    @cached_property
    def order(self) -> Order:
        """What it plays."""
        return Order.from_json(text_of(self.folder / ORDER, LARGE))

    @cached_property
    def matches(self) -> int:
        """How many it has."""
        return len(self.order.plan())

    @property
    def agreed(self) -> bool:
        """Whether its costs were agreed to."""
        run = runs.read(self.folder)
        return run is not None and "--yes" in run.command

    def standing(self) -> Standing:
        """How far it is now."""
        run = runs.read(self.folder)
        alive = run is not None and run.alive  # looked at before the matches: what ends now has written them all
        counts = self._tally.counts()
        kind = self._kind(run, alive, counts)
        a_minute, seconds = 0.0, None
        if run is not None and kind in BUSY:
            a_minute = 60 * (counts.ended - run.ended) / max(time.time() - run.began, 1.0)
            seconds = 60 * (self.matches - counts.ended) / a_minute if a_minute else None
        asks = kind in (ENDED, PAUSED, STOPPED) and self._has_asked
        kind = ASKING if asks and kind == ENDED else kind
        return Standing(kind, self.matches, counts, a_minute, seconds, self.spent(), asks)

    def _kind(self, run: runs.Run | None, alive: bool, counts: Counts) -> str:
        if run is not None and alive:
            return {PAUSE: PAUSING, STOP: STOPPING}.get(run.asked, RUNNING)
        if counts.ended + counts.given_up >= self.matches:
            return DONE
        return WAITING if run is None else {PAUSE: PAUSED, STOP: STOPPED}.get(run.asked, ENDED)

    @property
    def _has_asked(self) -> bool:
        """Whether the last process has ended because nobody has agreed to its costs."""
        return any(NOBODY in line for line in self.log()[-1:])

    def spent(self) -> Spent:
        """What its models have cost; nothing where it has none."""
        if not any(":" in spec for spec in self.order.specs):
            return Spent()
        if (now := sizes(self.records)) != self._spent[0]:
            self._spent = now, spent_at(self.records)
        return self._spent[1]

    def log(self) -> list[str]:
        """The last lines that its processes have written."""
        return runs.tail(self.folder, LOG_LINES)

    def command(self) -> list[str]:
        """The command that plays it."""
        return self.order.command(self.records, self.agreed)

    # -- what the operator does --------------------------------------------------------------------------------

    def start(self, agreed: bool = False) -> None:
        """Has a process play what is missing, unless one does.

        Args:
            agreed: Whether the operator agrees to what it costs.
        """
        with self._lock:
            run = runs.read(self.folder)
            if run is None or not run.alive:
                command = self.order.command(self.records, agreed or self.agreed)
                runs.start(self.folder, command, self._tally.counts().ended)

    def end(self, what: str) -> None:
        """Pauses or stops it: `PAUSE` or `STOP`."""
        with self._lock:
            runs.ask(self.folder, what)

    def change(self, order: Order) -> None:
        """Has its next process keep to an order with another budget."""
        with self._lock:
            self.order = order
            write_file(self.folder / ORDER, order.to_json())


class Collections(Folders[Collection]):
    """All collections of a server.

    Args:
        folder: Of the server.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "collections", MARKETS, Collection)

    def new(self, order: Order) -> Collection:
        """A collection that has not begun."""
        folder = self.folder / f"{order.game}-{secrets.token_hex(4)}"
        markets = json.dumps(plain(order.markets), indent=2) + "\n"
        write_files({folder / ORDER: order.to_json(), folder / MARKETS: markets}, new=True)
        return self.find(folder.name)
