"""What a collection has come to while it is played; its tables and figures are made by a process (`summaries`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import LARGE_FILE_BYTES, open_file, read_text
from econzoo.envs.core.record.record import current_id
from econzoo.evaluate.run.failures import MAX_TRIES
from econzoo.evaluate.run.folder import read_failed_tries

RECORDS = "records.jsonl"


class Counts(NamedTuple):
    """What has come.

    Attributes:
        finished: Matches.
        forfeited: Of them.
        abandoned: Of them, those that somebody left.
        replies: In them.
        invalid_replies: Of the answers.
        failed: Matches that have failed and not ended since.
        retries_exhausted: Of them, those that are not tried again.
    """

    finished: int = 0
    forfeited: int = 0
    abandoned: int = 0
    replies: int = 0
    invalid_replies: int = 0
    failed: int = 0
    retries_exhausted: int = 0


class Tally:
    """Counts the matches of a folder; what was read once is not read again.

    Args:
        folder: Of the records.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / RECORDS
        self._failed: tuple[int, dict[str, int]] = (0, {})
        self._lock = Lock()
        self._reset()

    def _reset(self) -> None:
        """Begins anew, as with a file that is another one than before."""
        self._offset = self._forfeited = self._abandoned = self._replies = self._invalid_replies = 0
        self._ids: set[str] = set()

    def counts(self) -> Counts:
        """As the files are now."""
        with self._lock:
            self._read_new_lines()
            tries = {id: count for id, count in self._failures().items() if id not in self._ids}
            given_up = sum(count >= MAX_TRIES for count in tries.values())
            told = self._forfeited, self._abandoned, self._replies, self._invalid_replies
            return Counts(len(self._ids), *told, len(tries), given_up)

    def _read_new_lines(self) -> None:
        """Takes the whole lines that have come since the last time."""
        if file_size(self._path) < self._offset:
            self._reset()
        if not self._path.is_file():
            return
        with open_file(self._path) as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._offset += len(line)
                self._count_line(line)

    def _count_line(self, line: bytes) -> None:
        """Counts a match; a line that cannot be read counts for nothing, and a match counts once."""
        try:
            given = parse_json(line)
            id, turns = str(current_id(given)), given["turns"]
            unusable = sum(turn.get("error") is not None for turn in turns)
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        if id not in self._ids:
            self._ids.add(id)
            self._forfeited += given.get("status") == "forfeited"
            self._abandoned += given.get("status") == "abandoned"
            self._replies, self._invalid_replies = self._replies + len(turns), self._invalid_replies + unusable

    def _failures(self) -> dict[str, int]:
        """How often each match has failed."""
        size = file_size(self._path.with_name(f"{RECORDS}.failed"))
        if size != self._failed[0]:
            self._failed = size, {id: len(tries) for id, tries in read_failed_tries(self._path).items()}
        return self._failed[1]


def file_size(path: Path) -> int:
    """Bytes of a file; 0 if there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def file_sizes(folder: Path) -> tuple[Any, ...]:
    """Changes whenever a file of a folder has grown."""
    return tuple(sorted((path.name, file_size(path)) for path in folder.glob("*.jsonl*")))


RESULTS_FILE = "results.json"

REFRESH_GROWTH = 1.15
"""How many times the matches must have become before they are looked at anew while more come."""


class Results:
    """Has tables and figures made, one process at a time.

    Args:
        folder: Where they are kept.
        records: Of the matches.
    """

    def __init__(self, folder: Path, records: Path) -> None:
        self._file, self._records = folder / RESULTS_FILE, records
        self._process: subprocess.Popen[bytes] | None = None
        self._lock, self._last_count = Lock(), 0

    def load(self) -> dict[str, Any]:
        """What there is: ``of`` (matches), ``sentences``, ``tables``, ``figures``, ``problem``."""
        nothing = {"of": 0, "sentences": [], "tables": [], "figures": [], "legend": "", "problem": ""}
        try:
            return nothing | parse_json(read_text(self._file, LARGE_FILE_BYTES))
        except (OSError, ValueError):
            return nothing

    def refresh(self, ended: int, busy: bool) -> int:
        """Has them made anew if there is enough that is new; returns of how many matches there are some.

        Args:
            ended: Matches so far.
            busy: Whether more are being played.
        """
        of = int(self.load()["of"])
        with self._lock:
            under_way = self._process is not None and self._process.poll() is None
            enough = ended > REFRESH_GROWTH * max(of, self._last_count) if busy else ended > max(of, self._last_count)
            if ended and enough and not under_way:
                self._last_count = ended
                line = [
                    sys.executable,
                    "-m",
                    "econzoo.people.manage.summaries",
                    str(self._records),
                    str(self._file),
                ]
                quiet = subprocess.DEVNULL
                self._process = subprocess.Popen(line, stdin=quiet, stdout=quiet, stderr=quiet)
        return of
