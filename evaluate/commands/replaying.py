"""What ``econzoo replay`` finds and tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from econzoo.envs.core.plurals import many
from econzoo.evaluate.commands.seal import broken_seal
from econzoo.evaluate.run.answer_replay import ask_again
from econzoo.evaluate.run.folder import lines_of
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.replay import Problem, replay, replay_file
from econzoo.evaluate.run.table import EnvPool
from econzoo.evaluate.show.escapes import called

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
        answers: How many were given again by players that were asked anew; None where nobody was to be asked.
        left_out: Who was not asked, and in how many matches.
    """

    files: int = 0
    matches: int = 0
    problems: list[tuple[Path, int, Problem]] = field(default_factory=list)
    versions: Counter[str] = field(default_factory=Counter)
    answers: int | None = None
    left_out: Counter[str] = field(default_factory=Counter)

    def ask(self, given: dict[str, Any], pool: EnvPool) -> list[Problem]:
        """Replays a match, asks its players again, and counts; returns what is not as recorded."""
        if problems := replay(given, pool):
            return problems
        asked = ask_again(given, pool)
        self.answers = (self.answers or 0) + asked.answers
        self.left_out.update(asked.left_out)
        return asked.problems

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = [{"file": str(path), "line": line, **problem._asdict()} for path, line, problem in self.problems]
        plain = {"files": self.files, "matches": self.matches, "problems": told, "versions": dict(self.versions)}
        return plain if self.answers is None else {**plain, "answers": self.answers, "left_out": dict(self.left_out)}

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
        if self.answers is not None:
            lines += [f"not asked again: {called(who)}, in {many(n, 'match')}" for who, n in self.left_out.items()]
            lines.append(f"{many(self.answers, 'answer')} asked for again")
        return [*lines, f"{self.matches} match{'' if self.matches == 1 else 'es'} replayed: {verdict}"]


def replay_files(paths: Sequence[Path], again: bool = False) -> Findings:
    """Replays every line of the files, and checks the seal of a file that has one.

    Args:
        paths: The files.
        again: Whether players are asked again, too (see `econzoo.evaluate.run.answer_replay`).
    """
    found = Findings(files=len(paths), answers=0 if again else None)
    total = sum(1 for path in paths for _ in lines_of(path))
    with progress_bar("matches", total) as told:
        for path in paths:
            found.problems += [(path, line, problem) for line, problem in broken_seal(path)]
            for line, problems, versions in replay_file(path, found.ask if again else replay):
                found.matches += 1
                found.problems += [(path, line, problem) for problem in problems]
                found.versions.update(versions)
                told(1)
    return found
