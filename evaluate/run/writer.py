"""Exclusive appending to a record file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

from econzoo.envs.core.contract.validation import check_path
from econzoo.envs.core.files import add_path_to_errors, append
from econzoo.envs.core.record.lines import check_appendable
from econzoo.envs.core.record.record import RecordFile


def check_folder(folder: str | Path) -> None:
    """Raise `ValueError` if a file is in the place of the folder or of a parent."""
    path = check_path("folder", folder)
    for place in (path, *path.parents):
        if place.is_dir():
            return
        if place.exists():
            raise ValueError(f"invalid folder {place}, a file: expected a folder, created if it does not exist")


class Writer:
    """Appends to a record file under an exclusive lock.

    Args:
        path: The file; a truncated last line is repaired first (see `RecordFile`).

    Raises:
        ValueError: Another process writes to the file, or it is compressed.
    """

    def __init__(self, path: Path) -> None:
        check_appendable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._handle = path, os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        if not _try_lock(self._handle):
            os.close(self._handle)
            raise ValueError(f"{path}: another process is writing to it")
        RecordFile(path)

    def append(self, lines: Sequence[str]) -> None:
        """Write complete lines."""
        with add_path_to_errors(self._path):
            append(self._handle, "".join(line + "\n" for line in lines).encode())

    def close(self) -> None:
        """Release the lock."""
        os.close(self._handle)


def _try_lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def open_writer(path: Path) -> AbstractContextManager[Writer]:
    """Return a `Writer` that closes at the end of the context."""
    return closing(Writer(path))
