"""State of a run that others write: matches, calls under way, spending, errors, results by player."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from econzoo.baselines import SUFFIX, LogFollower, call_log_files
from econzoo.envs.core import open_file
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import Record, is_compressed, read_lines, record_paths
from econzoo.evaluate.run import FAILED, MANIFEST, Spending, match_spending, read_design, read_run_start
from econzoo.people.table.listing import Entry, build_entry, check_searchable

LATEST = 8
"""Matches and errors shown."""

SEARCH_SECONDS = 5.0
"""Seconds between two searches for subfolders."""

QUIET_SECONDS = 90.0
"""Seconds without a change after which a run may have stopped."""


class RunError(NamedTuple):
    """An error of a match or call.

    Attributes:
        at: Seconds since 1970; NaN: unknown.
        link: Page of the match; empty: none.
        times: How often it happened in a row.
    """

    at: float
    code: str
    text: str
    who: str
    link: str = ""
    times: int = 1


@dataclass
class PlayerTotal:
    """What has come of a player's matches so far."""

    label: str
    matches: int = 0
    results: int = 0
    gain: float = 0.0
    agreed: int = 0
    forfeits: int = 0
    replies: int = 0
    invalid: int = 0
    tokens: int = 0
    cost: float = 0.0
    model_seconds: float = 0.0
    model_replies: int = 0
    codes: Counter[str] = field(default_factory=Counter)

    @property
    def mean_gain(self) -> float:
        return self.gain / self.results if self.results else math.nan

    @property
    def mean_seconds(self) -> float:
        """Seconds of a model's reply."""
        return self.model_seconds / self.model_replies if self.model_replies else math.nan

    @property
    def share_agreed(self) -> float:
        return self.agreed / self.results if self.results else math.nan


class Tail:
    """Complete lines of a growing file since the last look."""

    def __init__(self, path: Path) -> None:
        self.path, self._offset, self._number = path, 0, 0

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (number, line) of new lines."""
        if is_compressed(self.path):  # complete, and read once
            if not self._offset:
                self._offset = 1
                yield from read_lines(self.path)
            return
        with suppress(OSError), open_file(self.path) as file:
            if os.fstat(file.fileno()).st_size < self._offset:
                self._offset = self._number = 0
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._offset, self._number = self._offset + len(line), self._number + 1
                if line.strip():
                    yield self._number, line


class RunWatch:
    """Follows the folder of a run, or of a suite with runs in its subfolders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._found: list[Path] = []
        self._searched = -math.inf
        self._tails: dict[Path, Tail] = {}
        self._logs: dict[Path, LogFollower] = {}
        self._designs: dict[Path, tuple[float, frozenset[str]]] = {}
        self.players: dict[str, PlayerTotal] = {}
        self.done: dict[str, float] = {}
        self._failed: dict[str, RunError] = {}
        self._journal: dict[str, dict[str, Spending]] = {}
        self._spent = Spending()
        self._latest: deque[tuple[Record, Path, int]] = deque(maxlen=LATEST)
        self._errors: deque[RunError] = deque(maxlen=LATEST)
        self.retries = 0

    @property
    def state(self) -> str:
        """State of the page: changes with any of the files."""
        files = [*self._files(), *(path for place in self._places() for path in call_log_files(place))]
        sizes = [path.stat().st_size for path in files if path.exists()]
        # Whether the run has been silent for long changes without a file.
        return f"{len(sizes)}.{sum(sizes)}.{int(self.quiet_seconds > QUIET_SECONDS)}"

    def _places(self) -> list[Path]:
        """Folders with a design or with records; searched for at most every `SEARCH_SECONDS`."""
        if time.monotonic() - self._searched > SEARCH_SECONDS:
            self._found = sorted({path.parent for path in self.folder.rglob(MANIFEST)} or {self.folder})
            self._searched = time.monotonic()
        return self._found

    def _files(self) -> list[Path]:
        """Record files, those of failed matches and journals."""
        found = set()
        for place in self._places():
            plain = {*record_paths(place)}
            for suffix in (FAILED, SUFFIX):
                plain |= {place / path.name.removesuffix(suffix) for path in place.glob(f"*.jsonl{suffix}")}
            found |= {path.with_name(path.name + end) for path in plain for end in ("", FAILED, SUFFIX)}
        return sorted(path for path in found if path.is_file())

    @property
    def last_change(self) -> float:
        """Time of the last change of a file, in seconds since 1970; NaN: no file."""
        files = [*self._files(), *(path for place in self._places() for path in call_log_files(place))]
        return max((path.stat().st_mtime for path in files if path.exists()), default=math.nan)

    @property
    def quiet_seconds(self) -> float:
        """Seconds since the last change."""
        return max(0.0, time.time() - self.last_change)

    def refresh(self) -> RunWatch:
        """Read what is new."""
        with self._lock:
            for path in self._files():
                tail = self._tails.setdefault(path, Tail(path))
                read = {FAILED: self._read_failed, SUFFIX: self._read_journaled}.get(path.suffix, self._read_record)
                for number, line in tail.lines():
                    # A line of another format is of another program; its page shows why.
                    with suppress(ValueError, KeyError, TypeError, AttributeError):
                        read(path, number, line)
            for place in self._places():
                for path in call_log_files(place):
                    follower = self._logs.setdefault(path, LogFollower(path))
                    for call in follower.read():
                        self.retries += len(call.attempts)
                        if call.error:
                            code, _, text = call.error.partition(": ")
                            self._add_error(RunError(call.started, code, text, call.match))
        return self

    def _add_error(self, error: RunError) -> None:
        last = self._errors[-1] if self._errors else None
        if last and (last.code, last.text, last.who, last.link) == (error.code, error.text, error.who, error.link):
            self._errors[-1] = last._replace(at=error.at, times=last.times + 1)
        else:
            self._errors.append(error)

    def _read_record(self, path: Path, number: int, line: bytes) -> None:
        record = Record.from_json(line.decode())
        if record.id in self.done or record.status in ("failed", "paused"):
            return
        self.done[record.id] = time.time()
        self._failed.pop(record.id, None)
        spent = match_spending(record)
        self._spent = Spending(self._spent.cost + spent.cost, self._spent.tokens + spent.tokens)
        link = _replay_link(path, number)
        self._latest.append((record, path, number))
        for seat, label in enumerate(record.labels):
            total = self.players.setdefault(label, PlayerTotal(label))
            total.matches += label not in record.labels[:seat]
            gain = record.metrics["gains"][seat]
            if record.has_result and gain is not None:
                total.results, total.gain = total.results + 1, total.gain + gain
                total.agreed += bool(record.metrics["agreed"])
            total.forfeits += record.forfeit == seat and record.status == "forfeited"
            for turn in record.turns:
                if turn.seat == seat:
                    _add_turn(total, turn)
                    if turn.error:
                        self._add_error(RunError(math.nan, turn.error[0], turn.error[1], label, link))

    def _read_failed(self, path: Path, number: int, line: bytes) -> None:
        record = Record.from_json(line.decode())
        if record.id not in self.done:
            who = " / ".join(record.labels)
            error = RunError(math.nan, "failed", record.reason or "", who, _replay_link(path, number))
            self._failed[record.id] = error
            self._add_error(error)

    def _read_journaled(self, path: Path, number: int, line: bytes) -> None:
        given = parse_json(line)
        reply, (match, *_) = given["reply"], given["call"]
        spent = Spending(float(reply["cost"]), reply["prompt_tokens"] + reply["completion_tokens"])
        self._journal.setdefault(match, {})[str(given["call"])] = spent

    # -- what the page shows

    @property
    def title(self) -> str:
        return self.folder.name or str(self.folder)

    @property
    def planned_count(self) -> int:
        """Number of planned matches; 0: no design."""
        total = 0
        for path in (place / MANIFEST for place in self._places()):
            if not path.is_file():
                continue
            changed = path.stat().st_mtime
            if self._designs.get(path.parent, (0.0, None))[0] != changed:
                ids: frozenset[str] = frozenset()
                with suppress(ValueError, OSError):
                    if (design := read_design(path.parent)) is not None:
                        ids = frozenset(id for _, id in design.matches_with_ids())
                self._designs[path.parent] = changed, ids
            total += len(self._designs[path.parent][1])
        return total

    @property
    def failures(self) -> list[RunError]:
        """Failed matches that have not finished since."""
        return [one for match, one in self._failed.items() if match not in self.done]

    @property
    def under_way(self) -> int:
        """Matches with calls and without a record."""
        if self.is_over or self.is_quiet:
            return 0
        started = {*self._journal} | {call.match for call in self.open_calls}
        return len(started - {*self.done} - {*self._failed})

    @property
    def open_calls(self) -> list[Any]:
        """Calls under way in processes of this machine."""
        return [call for follower in self._logs.values() for call in follower.open_calls()]

    @property
    def spending(self) -> Spending:
        """Of finished matches, and of the calls of others."""
        others = [spent for match, calls in self._journal.items() if match not in self.done for spent in calls.values()]
        cost, tokens = (sum(one[place] for one in others) for place in (0, 1))
        return Spending(self._spent.cost + cost, self._spent.tokens + int(tokens))

    @property
    def is_over(self) -> bool:
        """Whether all planned matches have ended."""
        return 0 < self.planned_count <= len(self.done)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has changed for long, as after the end of the run."""
        return self.quiet_seconds > QUIET_SECONDS and not self.open_calls

    @property
    def matches_per_minute(self) -> float:
        """Since the start of the last command; NaN: unknown."""
        starts = [start for place in self._places() if (start := read_run_start(place))]
        if not starts or not self.done:
            return math.nan
        began = min(start.at for start in starts)
        first = sum(size for start in starts for size in start.sizes.values())
        seconds = self.last_change - began
        # Records of earlier commands are not counted; their sizes say which.
        return math.nan if first or seconds < 1 else 60 * len(self.done) / seconds

    @property
    def seconds_left(self) -> float:
        speed, missing = self.matches_per_minute, self.planned_count - len(self.done)
        return 60 * missing / speed if missing > 0 and speed > 0 else math.nan

    @property
    def errors(self) -> list[RunError]:
        """The last errors, newest first."""
        return list(self._errors)[::-1]

    @property
    def latest(self) -> list[Entry]:
        """The last matches, newest first."""
        made = [(record, (str(path), number), _replay_link(path, number)) for record, path, number in self._latest]
        return [build_entry(*one) for one in made[::-1]]

    @property
    def totals(self) -> list[PlayerTotal]:
        """Players by mean gain."""
        return sorted(self.players.values(), key=lambda one: (math.isnan(one.mean_gain), -one.mean_gain, one.label))


def _add_turn(total: PlayerTotal, turn: Any) -> None:
    total.replies += 1
    total.tokens, total.cost = total.tokens + sum(turn.tokens), total.cost + turn.cost
    if any(turn.tokens):
        total.model_replies, total.model_seconds = total.model_replies + 1, total.model_seconds + turn.seconds
    if turn.error:
        total.invalid += 1
        total.codes[turn.error[0]] += 1
    elif turn.finish:
        total.codes[turn.finish] += 1


def _replay_link(path: Path, number: int) -> str:
    return f"/transcripts/replay?{urlencode({'file': str(path), 'line': number})}"


@lru_cache(8)
def watch_run(folder: str) -> RunWatch:
    """Return what follows a folder, one for all its pages."""
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise ValueError(f"no such folder: {folder}")
    return RunWatch(check_searchable(path))
