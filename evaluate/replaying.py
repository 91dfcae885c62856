"""What ``econzoo replay`` finds and tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from econzoo.envs.core.plurals import many
from econzoo.evaluate.folder import lines_of
from econzoo.evaluate.progress import progress_bar
from econzoo.evaluate.replay import Problem, replay_file

TOLD = 100
"""Problems that are told; the rest is counted."""


@dataclass
class Findings:
    """Problems of several files.

    Attributes:
        files: How many.
        matches: Lines that were replayed or could not be.
        problems: (file, line, problem) of each.
        versions: Other versions, in words, and how many matches are of them: no problem.
    """

    files: int = 0
    matches: int = 0
    problems: list[tuple[Path, int, Problem]] = field(default_factory=list)
    versions: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = [{"file": str(path), "line": line, **problem._asdict()} for path, line, problem in self.problems]
        return {"files": self.files, "matches": self.matches, "problems": told, "versions": dict(self.versions)}

    def lines(self) -> list[str]:
        """For people: a line for each problem and one about all."""
        lines = [f"{path}, line {line}, {problem}" for path, line, problem in self.problems[:TOLD]]
        if len(self.problems) > TOLD:
            lines.append(f"and {len(self.problems) - TOLD} more")
        bad = len({(path, line) for path, line, _ in self.problems})
        verdict = (
            f"{bad} not as recorded" if bad else "every one as recorded" if self.matches else "the files are empty"
        )
        lines += [f"{many(count, 'match')} with {told}" for told, count in self.versions.items()]
        return [*lines, f"{self.matches} match{'' if self.matches == 1 else 'es'} replayed: {verdict}"]


def replay_files(paths: Sequence[Path]) -> Findings:
    """Replays every line of the files."""
    found = Findings(files=len(paths))
    total = sum(1 for path in paths for _ in lines_of(path))
    with progress_bar("matches", total) as told:
        for path in paths:
            for line, problems, versions in replay_file(path):
                found.matches += 1
                found.problems += [(path, line, problem) for problem in problems]
                found.versions.update(versions)
                told(1)
    return found
