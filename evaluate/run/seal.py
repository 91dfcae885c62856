"""Seals: a chain of hashes over the lines of a file of records, kept in ``FILE.seal`` beside it.

Line n of the seal is the SHA-256 of line n - 1 of the seal and of record n. So no sealed record can be changed, left
out, put in or moved without another hash in every line that follows. A seal tells that a file is not as it was, not who
wrote it: whoever can change the file can seal it anew. Who keeps the last hash elsewhere (in a paper, with a co-author)
can tell that too.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from econzoo.envs.core.contract.validation import check_path, check_type
from econzoo.envs.core.files import append_file
from econzoo.envs.core.record.lines import read_lines
from econzoo.evaluate.run.replay import Problem

START = sha256(b"econzoo records").hexdigest()
"""What stands before the first hash."""


class Seal(NamedTuple):
    """How far a file is sealed.

    Attributes:
        lines: How many records, from the first on.
        hash: Of the last of them, which covers all; `START` if there are none.
    """

    lines: int
    hash: str


def seal_path(path: Path) -> Path:
    """Where the seal of a file is."""
    return path.with_name(f"{path.name}.seal")


def seal_records(path: str | Path) -> Seal:
    """Seals the records of a file that are not sealed yet.

    Raises:
        ValueError: A record that was sealed is not as it was; the message names the line.
        FileNotFoundError: No such file.
    """
    path = check_path("path", path)
    known = _read_seal(path)
    _check_unbroken(path)
    hashes = [now for _, now in hash_chain(path)]
    if len(hashes) > len(known):
        append_file(seal_path(path), "".join(f"{one}\n" for one in hashes[len(known) :]))
    return Seal(len(hashes), hashes[-1] if hashes else START)


def check_seal(path: str | Path, expected: str) -> Seal:
    """How far a file is sealed, if its seal holds and ends in a hash; nothing is written.

    Raises:
        ValueError: It has no seal, a sealed record is not as it was, or the last hash is another one.
    """
    path = check_path("path", path)
    check_type("expected", expected, str, "the hash that econzoo replay --seal has printed")
    known = _read_seal(path)
    if not known:
        raise ValueError(f"{path} is not sealed; to seal it: econzoo replay --seal {path}")
    _check_unbroken(path)
    if known[-1] != expected.lower():
        raise ValueError(
            f"{path} is sealed with {known[-1]}, not with {expected[:80]!r}: it is another file, or was changed"
        )
    return Seal(len(known), known[-1])


def find_broken_seal(path: Path) -> Iterator[tuple[int, Problem]]:
    """The number of the first line that is not as it was sealed, and how; nothing if all are, or without a seal."""
    known = _read_seal(path)
    found = list(hash_chain(path)) if known else []
    for (number, now), was in zip(found, known, strict=False):
        if now != was:
            yield number, Problem(None, "seal", was, now)
            return
    if len(found) < len(known):
        yield (found[-1][0] if found else 0) + 1, Problem(None, "seal", known[len(found)], "the end of the file")


def hash_chain(path: Path) -> Iterator[tuple[int, str]]:
    """The number of each line that is not blank, and its hash."""
    before = START
    for number, line in read_lines(path):
        before = sha256(before.encode() + line.strip()).hexdigest()
        yield number, before


def _read_seal(path: Path) -> list[str]:
    seal = seal_path(path)
    return [line.decode(errors="replace").strip() for _, line in read_lines(seal)] if seal.exists() else []


def _check_unbroken(path: Path) -> None:
    for number, problem in find_broken_seal(path):
        raise ValueError(f"{path}, line {number}: {problem}; it is not as it was when it was sealed")
