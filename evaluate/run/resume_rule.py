"""The resume rule: beside a line that ``econzoo replay`` refuses, no command goes on."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from econzoo.envs.core import escape_name
from econzoo.envs.core.record import is_compressed, read_lines, record_paths
from econzoo.evaluate.run.records import is_sampled
from econzoo.evaluate.run.replay import Problem, form_problems, parse_line, replay
from econzoo.evaluate.run.seal import find_broken_seal
from econzoo.evaluate.run.table import EnvPool

_REPLAYED_HASHES: set[bytes] = set()
"""Hashes of lines that have replayed in this process: most are checked several times."""


def resumable_ids(source: Path, is_own: Callable[[str], bool] = lambda id: True) -> Iterator[str]:
    """Yield the ids of the matches that a command need not play again.

    In large folders a sample is replayed (`is_sampled`); of other lines form and id are checked.

    Args:
        source: Folder or file of the records that the command appends to.
        is_own: Whether a match is one of the command's; others have a sample of their own.

    Raises:
        ValueError: A line does not replay, or a seal is broken; the message has the command that repairs it.
    """
    pool, counts = EnvPool(), {True: 0, False: 0}
    for path in record_paths(source) if source.is_dir() else [source] if source.exists() else []:
        for number, problem in find_broken_seal(path):
            raise _error(source, path, number, problem)
        for number, line in read_lines(path):
            given = parse_line(line)
            problems = form_problems(given)
            # The end of a plain file is not yet a line: it is being written, or torn, and the next writer moves it.
            if problems and not is_compressed(path) and not line.endswith((b"\n", b"\r")):
                continue
            if not problems:
                own = is_own(given["id"])
                if is_sampled(counts[own], given["id"]):
                    problems = _replay_once(line, given, pool)
                counts[own] += 1
            for problem in problems:
                raise _error(source, path, number, problem)
            yield given["id"]


def _replay_once(line: bytes, given: dict[str, Any], pool: EnvPool) -> list[Problem]:
    if (seen := sha256(line).digest()) in _REPLAYED_HASHES:
        return []
    if not (problems := replay(given, pool)):
        _REPLAYED_HASHES.add(seen)
    return problems


def _error(source: Path, path: Path, line: int, problem: Problem) -> ValueError:
    place = source if source.name else source.resolve()
    suffix = "-repaired/records.jsonl" if source.is_dir() else "-repaired.jsonl"
    target = f"{str(place).removesuffix('.jsonl')}{suffix}"
    repair = escape_name(shlex.join(["econzoo", "convert", str(source), target, "--repair"]))
    advice = f"a run resumes only if its records replay; set aside what does not: {repair}"
    return ValueError(f"{escape_name(path)}, line {line}: {problem}; {advice}")
