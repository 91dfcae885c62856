"""``econzoo replay``: the rules once more on recorded matches, and seals of their files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, ListOf, Text
from econzoo.envs.core.contract.validation import clean
from econzoo.envs.core.files import escape_name
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.lines import read_lines
from econzoo.evaluate.run.answer_replay import ask_again
from econzoo.evaluate.run.folder import record_files
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.replay import Problem, replay, replay_file
from econzoo.evaluate.run.seal import check_seal, find_broken_seal, seal_records
from econzoo.evaluate.run.table import EnvPool
from econzoo.evaluate.show.escapes import sanitize_text

SEALS = "Seals"

MAX_LISTED = 100
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
        skipped_players: Who was not asked, and in how many matches.
    """

    files: int = 0
    matches: int = 0
    problems: list[tuple[Path, int, Problem]] = field(default_factory=list)
    versions: Counter[str] = field(default_factory=Counter)
    answers: int | None = None
    skipped_players: Counter[str] = field(default_factory=Counter)

    def replay_and_ask(self, given: dict[str, Any], pool: EnvPool) -> list[Problem]:
        """Replays a match, asks its players again, and counts; returns what is not as recorded."""
        if problems := replay(given, pool):
            return problems
        asked = ask_again(given, pool)
        self.answers = (self.answers or 0) + asked.answers
        self.skipped_players.update(asked.skipped_players)
        return asked.problems

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = [{"file": str(path), "line": line, **problem._asdict()} for path, line, problem in self.problems]
        plain = {"files": self.files, "matches": self.matches, "problems": told, "versions": dict(self.versions)}
        return (
            plain
            if self.answers is None
            else {**plain, "answers": self.answers, "left_out": dict(self.skipped_players)}
        )

    def lines(self) -> list[str]:
        """For people: a line for each problem and one about all."""
        lines = [f"{path}, line {line}, {problem}" for path, line, problem in self.problems[:MAX_LISTED]]
        if len(self.problems) > MAX_LISTED:
            lines.append(f"and {len(self.problems) - MAX_LISTED} more")
        bad = len({(path, line) for path, line, _ in self.problems})
        verdict = (
            f"{bad} not as recorded" if bad else "every one as recorded" if self.matches else "the files are empty"
        )
        lines += [f"{format_count(count, 'match')} with {told}" for told, count in self.versions.items()]
        if self.answers is not None:
            lines += [
                f"not asked again: {sanitize_text(who)}, in {format_count(n, 'match')}"
                for who, n in self.skipped_players.items()
            ]
            lines.append(f"{format_count(self.answers, 'answer')} asked for again")
        return [*lines, f"{self.matches} match{'' if self.matches == 1 else 'es'} replayed: {verdict}"]


def replay_files(paths: Sequence[Path], ask_players: bool = False) -> Findings:
    """Replays every line of the files, and checks the seal of a file that has one.

    Args:
        paths: The files.
        ask_players: Whether players are asked again, too (see `econzoo.evaluate.run.answer_replay`).
    """
    found = Findings(files=len(paths), answers=0 if ask_players else None)
    total = sum(1 for path in paths for _ in read_lines(path))
    with progress_bar("matches", total) as told:
        for path in paths:
            found.problems += [(path, line, problem) for line, problem in find_broken_seal(path)]
            for line, problems, versions in replay_file(path, found.replay_and_ask if ask_players else replay):
                found.matches += 1
                found.problems += [(path, line, problem) for problem in problems]
                found.versions.update(versions)
                told(1)
    return found


@dataclass
class ReplayOptions:
    """Re-run the rules on recorded matches and check every payoff, metric, text and move. Exit code 1: not as recorded.

    Examples: econzoo replay runs/first | econzoo replay runs/first --again | econzoo replay runs/first --seal

    Raises:
        ValueError: A value is not allowed, or a seal is asked for together with players.
    """

    files: Annotated[list[str], Option(ListOf(Text(), 1), "Files of records, or folders with them.", positional=True)]
    again: Annotated[
        bool,
        Option(
            Flag(),
            "Also run programs, and ask anew whoever answers by its seed and what it sees: scripts and policies.",
        ),
    ] = False
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False
    seal: Annotated[
        bool,
        Option(
            Flag(),
            "Instead: chain the records by hashes in FILE.seal, and print the last. A seal is added to, never changed, "
            "but can be made anew: keep the hash elsewhere.",
            panel=SEALS,
        ),
    ] = False
    expect: Annotated[str, Option(Text(), "Instead: check that the seal holds and ends in this hash.", panel=SEALS)] = (
        ""
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.again and (self.seal or self.expect):
            raise ValueError("--again is not allowed with --seal or --expect, which replay nothing")


def run(options: ReplayOptions) -> str:
    """Replays the files, or seals them.

    Raises:
        typer.Exit: A match is not as recorded.
        ValueError: A sealed record is not as it was, or the seal is not the expected one.
        FileNotFoundError: There is no such file.
    """
    paths = [path for given in options.files for path in record_files(given)]
    if options.seal or options.expect:
        seals = {path: check_seal(path, options.expect) if options.expect else seal_records(path) for path in paths}
        if options.json:
            return json.dumps([{"file": str(path), **seal._asdict()} for path, seal in seals.items()], indent=2)
        return "\n".join(
            f"{seal.hash}  {escape_name(path)}: {format_count(seal.lines, 'record')}" for path, seal in seals.items()
        )
    found = replay_files(paths, options.again)
    told = json.dumps(found.to_dict(), indent=2) if options.json else "\n".join(found.lines())
    if found.problems:
        print(clean(told))
        raise typer.Exit(1)
    return told


main = command(ReplayOptions, run)
