"""Folders that are searched for records while an operator waits."""

from __future__ import annotations

import os
from pathlib import Path

MOST_FOLDERS = 5_000
"""Within a folder; more would keep everybody waiting."""


def searchable(path: Path) -> Path:
    """A file, or a folder without more folders in it than can be searched now.

    Raises:
        ValueError: It has more.
    """
    for number, _ in enumerate(os.walk(path) if path.is_dir() else ()):
        if number > MOST_FOLDERS:
            raise ValueError(f"{path} has more than {MOST_FOLDERS:,} folders in it; allowed: a folder with fewer")
    return path
