"""Progress counts of a running collection, and its tables and figures, computed by a process (`summaries`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from econzoo.envs.core import LARGE_FILE_BYTES, open_file, read_text
from econzoo.envs.core.contract import parse_json
from econzoo.evaluate.run import MAX_TRIES, read_failed_tries

RECORDS = "records.jsonl"


class Counts(NamedTuple):
    """Counts of matches and replies.

    Attributes:
        failed: Matches that failed and have not finished since.
    """

    finished: int = 0
    forfeited: int = 0
    abandoned: int = 0
    replies: int = 0
    invalid_replies: int = 0
    failed: int = 0
    retries_exhausted: int = 0


class Tally:
    """Incremental counts of the records in a folder; each line is read once."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RECORDS
        self._failed: tuple[int, dict[str, int]] = (0, {})
        self._lock = Lock()
        self._reset()

    def _reset(self) -> None:
        """Restart the counts, as after the file was replaced."""
        self._offset = self._forfeited = self._abandoned = self._replies = self._invalid_replies = 0
        self._ids: set[str] = set()

    def counts(self) -> Counts:
        with self._lock:
            self._read_new_lines()
            tries = {id: count for id, count in self._failures().items() if id not in self._ids}
            given_up = sum(count >= MAX_TRIES for count in tries.values())
            read = self._forfeited, self._abandoned, self._replies, self._invalid_replies
            return Counts(len(self._ids), *read, len(tries), given_up)

    def _read_new_lines(self) -> None:
        """Read the complete lines added since the last call."""
        # A shorter file is another one.
        if file_size(self._path) < self._offset:
            self._reset()
        if not self._path.is_file():
            return
        with open_file(self._path) as file:
            file.seek(self._offset)
            for line in file:
                # The process is still writing this line.
                if not line.endswith(b"\n"):
                    break
                self._offset += len(line)
                self._count_line(line)

    def _count_line(self, line: bytes) -> None:
        """Count a match once; ignore an unreadable line."""
        try:
            given = parse_json(line)
            id, turns = str(given["id"]), given["turns"]
            invalid = sum(turn.get("error") is not None for turn in turns)
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        if id not in self._ids:
            self._ids.add(id)
            self._forfeited += given.get("status") == "forfeited"
            self._abandoned += given.get("status") == "abandoned"
            self._replies, self._invalid_replies = self._replies + len(turns), self._invalid_replies + invalid

    def _failures(self) -> dict[str, int]:
        """Number of failures of each match."""
        size = file_size(self._path.with_name(f"{RECORDS}.failed"))
        if size != self._failed[0]:
            self._failed = size, {id: len(tries) for id, tries in read_failed_tries(self._path).items()}
        return self._failed[1]


def file_size(path: Path) -> int:
    """Size of a file in bytes; 0 if it does not exist."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def file_sizes(folder: Path) -> tuple[Any, ...]:
    """Sizes of the record files of a folder, to detect changes."""
    return tuple(sorted((path.name, file_size(path)) for path in folder.glob("*.jsonl*")))


RESULTS_FILE = "results.json"

REFRESH_GROWTH = 1.15
"""Growth factor of the finished matches that triggers a refresh while more are played."""


class Results:
    """Tables and figures of a collection, computed by one process at a time."""

    def __init__(self, folder: Path, records: Path) -> None:
        self._file, self._records = folder / RESULTS_FILE, records
        self._process: subprocess.Popen[bytes] | None = None
        self._lock, self._last_count = Lock(), 0

    def load(self) -> dict[str, Any]:
        """Latest results: ``of`` (matches), ``sentences``, ``tables``, ``figures``, ``legend``, ``problem``."""
        empty = {"of": 0, "sentences": [], "tables": [], "figures": [], "legend": "", "problem": ""}
        try:
            return empty | parse_json(read_text(self._file, LARGE_FILE_BYTES))
        except (OSError, ValueError):
            return empty

    def refresh(self, ended: int, busy: bool) -> int:
        """Recompute the results if enough matches are new; return the matches that the latest results cover."""
        of = int(self.load()["of"])
        with self._lock:
            under_way = self._process is not None and self._process.poll() is None
            # A factor rather than a number: refreshes become rarer as they take longer.
            # Compared with the last attempt too, so that a failed one is not repeated at once.
            enough = ended > REFRESH_GROWTH * max(of, self._last_count) if busy else ended > max(of, self._last_count)
            if ended and enough and not under_way:
                self._last_count = ended
                module = "econzoo.people.manage.summaries"
                line = [sys.executable, "-m", module, str(self._records), str(self._file)]
                quiet = subprocess.DEVNULL
                self._process = subprocess.Popen(line, stdin=quiet, stdout=quiet, stderr=quiet)
        return of
