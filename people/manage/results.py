"""What a collection has come to while it is played; its tables and figures are made by a process (`summaries`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.files import LARGE, open_file, text_of
from econzoo.envs.core.record.record import current_id
from econzoo.evaluate.run.failures import TRIES
from econzoo.evaluate.run.folder import failed_beside

RECORDS = "records.jsonl"


class Counts(NamedTuple):
    """What has come.

    Attributes:
        ended: Matches.
        forfeited: Of them.
        left: Of them, those that somebody left.
        answers: In them.
        unusable: Of the answers.
        failed: Matches that have failed and not ended since.
        given_up: Of them, those that are not tried again.
    """

    ended: int = 0
    forfeited: int = 0
    left: int = 0
    answers: int = 0
    unusable: int = 0
    failed: int = 0
    given_up: int = 0


class Tally:
    """Counts the matches of a folder; what was read once is not read again.

    Args:
        folder: Of the records.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / RECORDS
        self._failed: tuple[int, dict[str, int]] = (0, {})
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        """Begins anew, as with a file that is another one than before."""
        self._at = self._forfeited = self._left = self._answers = self._unusable = 0
        self._ids: set[str] = set()

    def counts(self) -> Counts:
        """As the files are now."""
        with self._lock:
            self._read_on()
            tries = {id: count for id, count in self._tries().items() if id not in self._ids}
            given_up = sum(count >= TRIES for count in tries.values())
            told = self._forfeited, self._left, self._answers, self._unusable
            return Counts(len(self._ids), *told, len(tries), given_up)

    def _read_on(self) -> None:
        """Takes the whole lines that have come since the last time."""
        if size_of(self._path) < self._at:
            self._forget()
        if not self._path.is_file():
            return
        with open_file(self._path) as file:
            file.seek(self._at)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._at += len(line)
                self._take(line)

    def _take(self, line: bytes) -> None:
        """Counts a match; a line that cannot be read counts for nothing, and a match counts once."""
        try:
            given = from_json(line)
            id, turns = str(current_id(given)), given["turns"]
            unusable = sum(turn.get("error") is not None for turn in turns)
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        if id not in self._ids:
            self._ids.add(id)
            self._forfeited += given.get("status") == "forfeited"
            self._left += given.get("status") == "abandoned"
            self._answers, self._unusable = self._answers + len(turns), self._unusable + unusable

    def _tries(self) -> dict[str, int]:
        """How often each match has failed."""
        size = size_of(self._path.with_name(f"{RECORDS}.failed"))
        if size != self._failed[0]:
            self._failed = size, {id: len(tries) for id, tries in failed_beside(self._path).items()}
        return self._failed[1]


def size_of(path: Path) -> int:
    """Bytes of a file; 0 if there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def sizes(folder: Path) -> tuple[Any, ...]:
    """Changes whenever a file of a folder has grown."""
    return tuple(sorted((path.name, size_of(path)) for path in folder.glob("*.jsonl*")))


FILE = "results.json"

GROWN = 1.15
"""How many times the matches must have become before they are looked at anew while more come."""


class Results:
    """Has tables and figures made, one process at a time.

    Args:
        folder: Where they are kept.
        records: Of the matches.
    """

    def __init__(self, folder: Path, records: Path) -> None:
        self._file, self._records = folder / FILE, records
        self._process: subprocess.Popen[bytes] | None = None
        self._lock, self._tried = Lock(), 0

    def found(self) -> dict[str, Any]:
        """What there is: ``of`` (matches), ``sentences``, ``tables``, ``figures``, ``problem``."""
        nothing = {"of": 0, "sentences": [], "tables": [], "figures": [], "legend": "", "problem": ""}
        try:
            return nothing | from_json(text_of(self._file, LARGE))
        except (OSError, ValueError):
            return nothing

    def look(self, ended: int, busy: bool) -> int:
        """Has them made anew if there is enough that is new; returns of how many matches there are some.

        Args:
            ended: Matches so far.
            busy: Whether more are being played.
        """
        of = int(self.found()["of"])
        with self._lock:
            under_way = self._process is not None and self._process.poll() is None
            enough = ended > GROWN * max(of, self._tried) if busy else ended > max(of, self._tried)
            if ended and enough and not under_way:
                self._tried = ended
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
