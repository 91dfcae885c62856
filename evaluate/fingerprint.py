"""Fingerprints of the files that players are loaded from.

A match is named by the specs of its players, and a spec such as ``ppo:model.zip`` does not say what is in the
file. With the fingerprints in the manifest, a model that was trained on in the meantime is not mistaken for the
one that has played.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

EDGE = 1_000_000
"""Bytes at both ends of a file that are read; its size counts as well."""


def fingerprints(specs: Iterable[str]) -> dict[str, str]:
    """Spec to fingerprint, for those that name a file or folder that exists."""
    found = {}
    for spec in specs:
        _, colon, rest = spec.partition(":")
        path = Path(rest.partition("?")[0])
        if colon and rest and path.exists():
            found[spec] = fingerprint(path)
    return found


def fingerprint(path: Path) -> str:
    """16 hexadecimal digits that depend on names, sizes and both ends of a file, or of all files of a folder."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.relative_to(path)}:{size};".encode())
        with file.open("rb") as handle:
            digest.update(handle.read(EDGE))
            handle.seek(max(0, size - EDGE))
            digest.update(handle.read(EDGE))
    return digest.hexdigest()[:16]
