"""Fingerprints of the files that players are loaded from.

A match is named by the specs of its players, and a spec such as ``ppo:model.zip`` does not say what is in the
file. With the fingerprints in the manifest, a model that was trained on in the meantime is not mistaken for the
one that has played.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qsl

from econzoo.envs.core.files import open_file
from econzoo.envs.core.record.spec import split_name

NAME_FILES = ("persona", "texts")
"""Options of a spec that can name a file too."""

EDGE = 1_000_000
"""Bytes at both ends of a file that are read; its size counts as well."""


def fingerprints(specs: Iterable[str]) -> dict[str, str]:
    """Spec to fingerprint, for those that name a file or folder that exists."""
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
    """What could be files in a spec, after its prefix: the target, and own personas and texts (``FILE:NAME``)."""
    target, _, query = rest.partition("?")
    named = [value.partition(":")[0] for option, value in parse_qsl(query) if option in NAME_FILES]
    return [Path(target), *map(Path, named)]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a canned text can be too long for a name
        return False


def fingerprint(path: Path) -> str:
    """16 hexadecimal digits that depend on names, sizes and both ends of a file, or of all files of a folder."""
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
