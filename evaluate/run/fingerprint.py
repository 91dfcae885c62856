"""Fingerprints of the files from which players are loaded.

A spec such as ``ppo:model.zip`` does not identify the file's content. The fingerprints in the manifest detect a model
that was trained further after its matches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qsl

from econzoo.envs.core.files import open_file
from econzoo.envs.core.record.spec import split_name

NAME_FILES = ("persona", "texts")
"""Options of a spec that can name a file."""

EDGE = 1_000_000
"""Bytes read at each end of a file, besides its size."""


def fingerprints(specs: Iterable[str]) -> dict[str, str]:
    """Return the fingerprints of specs that name an existing file or folder."""
    found = {}
    for spec in specs:
        _, colon, rest = split_name(spec).spec.partition(":")
        digests = [fingerprint(path) for path in _paths(rest) if colon and rest and _exists(path)]
        if digests:
            found[spec] = (
                digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()[:16]
            )
    return found


def _paths(rest: str) -> list[Path]:
    """Return the possible files of a spec without prefix: the target, and custom personas and texts (``FILE:NAME``)."""
    target, _, query = rest.partition("?")
    named = [value.partition(":")[0] for option, value in parse_qsl(query) if option in NAME_FILES]
    return [Path(target), *map(Path, named)]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a scripted text can be too long for a file name
        return False


def fingerprint(path: Path) -> str:
    """Return 16 hexadecimal digits from name, size and both ends of a file, or of all files of a folder."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.relative_to(path)}:{size};".encode())
        with open_file(file) as handle:
            digest.update(handle.read(EDGE))
            handle.seek(max(0, size - EDGE))
            digest.update(handle.read(EDGE))
    return digest.hexdigest()[:16]
