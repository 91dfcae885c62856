"""Seals: a hash chain over the lines of a record file, in ``FILE.seal`` beside it.

Line n of the seal is the SHA-256 of line n - 1 of the seal and of record n. So changing, removing, inserting or moving
a sealed record changes every later hash. A seal detects changes, but does not authenticate: whoever can change the file
can reseal it. A copy of the last hash elsewhere (in a paper, with a co-author) detects that too.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from econzoo.envs.core import append_file
from econzoo.envs.core.contract import check_path, check_type
from econzoo.envs.core.record import read_lines
from econzoo.evaluate.run.replay import Problem

START = sha256(b"econzoo records").hexdigest()
"""Hash of no records."""


class Seal(NamedTuple):
    """The sealed part of a file.

    Attributes:
        lines: Number of sealed records, from the first.
        hash: Hash of the last one, which covers all; `START` if there are none.
    """

    lines: int
    hash: str


def seal_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.seal")


def seal_records(path: str | Path) -> Seal:
    """Seal the unsealed records of a file."""
    path = check_path("path", path)
    known = _read_seal(path)
    _check_unbroken(path)
    hashes = [digest for _, digest in hash_chain(path)]
    if len(hashes) > len(known):
        append_file(seal_path(path), "".join(f"{one}\n" for one in hashes[len(known) :]))
    return Seal(len(hashes), hashes[-1] if hashes else START)


def check_seal(path: str | Path, expected: str) -> Seal:
    """Check that a seal holds and ends in the expected hash; nothing is written."""
    path = check_path("path", path)
    check_type("expected", expected, str, "the hash printed by econzoo replay --seal")
    known = _read_seal(path)
    if not known:
        raise ValueError(f"{path} is not sealed; to seal it: econzoo replay --seal {path}")
    _check_unbroken(path)
    if known[-1] != expected.lower():
        raise ValueError(f"{path} is sealed with {known[-1]}, not with {expected[:80]!r}: a different or modified file")
    return Seal(len(known), known[-1])


def find_broken_seal(path: Path) -> Iterator[tuple[int, Problem]]:
    """Yield the number of the first line that differs from its seal, and the problem; nothing without a seal."""
    known = _read_seal(path)
    found = list(hash_chain(path)) if known else []
    # Records after the sealed ones are not compared: a file may grow after it was sealed.
    for (number, present), sealed in zip(found, known, strict=False):
        if present != sealed:
            yield number, Problem(None, "seal", sealed, present)
            return
    if len(found) < len(known):
        yield (found[-1][0] if found else 0) + 1, Problem(None, "seal", known[len(found)], "the end of the file")


def hash_chain(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and hash of each line that is not blank."""
    digest = START
    for number, line in read_lines(path):
        # Without line ends and spaces around it, so that another line end does not break the seal.
        digest = sha256(digest.encode() + line.strip()).hexdigest()
        yield number, digest


def _read_seal(path: Path) -> list[str]:
    seal = seal_path(path)
    return [line.decode(errors="replace").strip() for _, line in read_lines(seal)] if seal.exists() else []


def _check_unbroken(path: Path) -> None:
    for number, problem in find_broken_seal(path):
        raise ValueError(f"{path}, line {number}: {problem}; it has changed since it was sealed")
