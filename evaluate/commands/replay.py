"""``econzoo replay``: verification of recorded matches, and seals of their files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.command_line import command
from econzoo.envs.core import escape_name, format_count
from econzoo.envs.core.contract import Flag, ListOf, Option, Text, check_options, clean
from econzoo.envs.core.record import read_lines
from econzoo.evaluate.run import EnvPool, Problem, ask_again, check_seal, find_broken_seal, progress_bar, record_files
from econzoo.evaluate.run import replay, replay_file, seal_records
from econzoo.evaluate.show import sanitize_text

SEALS = "Seals"

MAX_LISTED = 100
"""Maximum number of listed problems."""


@dataclass
class Findings:
    """Findings in several files.

    Attributes:
        matches: Number of lines, replayable or not.
        problems: File, line number and problem of each.
        answers: Number of decisions that were requeried; None: players are not queried.
    """

    files: int = 0
    matches: int = 0
    problems: list[tuple[Path, int, Problem]] = field(default_factory=list)
    answers: int | None = None
    skipped_players: Counter[str] = field(default_factory=Counter)

    def replay_and_ask(self, given: dict[str, Any], pool: EnvPool) -> list[Problem]:
        """Replay a match and query its players again; return the differences from the record."""
        if problems := replay(given, pool):
            return problems
        asked = ask_again(given, pool)
        self.answers = (self.answers or 0) + asked.answers
        self.skipped_players.update(asked.skipped_players)
        return asked.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        problems = [{"file": str(path), "line": line, **problem._asdict()} for path, line, problem in self.problems]
        plain = {"files": self.files, "matches": self.matches, "problems": problems}
        return (
            plain
            if self.answers is None
            else {**plain, "answers": self.answers, "left_out": dict(self.skipped_players)}
        )

    def lines(self) -> list[str]:
        """One line per problem, and a verdict."""
        lines = [f"{path}, line {line}, {problem}" for path, line, problem in self.problems[:MAX_LISTED]]
        if len(self.problems) > MAX_LISTED:
            lines.append(f"and {len(self.problems) - MAX_LISTED} more")
        bad = len({(path, line) for path, line, _ in self.problems})
        verdict = f"{bad} differ from the record" if bad else "all match the record" if self.matches else "no records"
        if self.answers is not None:
            lines += [
                f"not queried again: {sanitize_text(who)}, in {format_count(n, 'match')}"
                for who, n in self.skipped_players.items()
            ]
            lines.append(f"{format_count(self.answers, 'decision')} queried again")
        return [*lines, f"{self.matches} match{'' if self.matches == 1 else 'es'} replayed: {verdict}"]


def replay_files(paths: Sequence[Path], ask_players: bool = False) -> Findings:
    """Replay every record of the files and check their seals, if any."""
    found = Findings(files=len(paths), answers=0 if ask_players else None)
    # Read once more for the progress bar: counting lines takes little compared with replaying them.
    total = sum(1 for path in paths for _ in read_lines(path))
    with progress_bar("matches", total) as advance:
        for path in paths:
            found.problems += [(path, line, problem) for line, problem in find_broken_seal(path)]
            for line, problems in replay_file(path, found.replay_and_ask if ask_players else replay):
                found.matches += 1
                found.problems += [(path, line, problem) for problem in problems]
                advance(1)
    return found


@dataclass
class ReplayOptions:
    """Re-run the rules on recorded matches and check every payoff, metric, text and move. Exit code 1: a difference.

    Examples: econzoo replay runs/first | econzoo replay runs/first --again | econzoo replay runs/first --seal

    Raises:
        ValueError: An invalid value, or `again` with `seal` or `expect`.
    """

    files: Annotated[list[str], Option(ListOf(Text(), 1), "Files or folders of records.", positional=True)]
    again: Annotated[
        bool,
        Option(
            Flag(),
            "Also re-run programs and query deterministic players again (scripts, policies).",
        ),
    ] = False
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False
    seal: Annotated[
        bool,
        Option(
            Flag(),
            "Seal the records instead: write a hash chain to FILE.seal and print the last hash. Store the hash "
            "elsewhere, since anyone can rebuild a seal.",
            panel=SEALS,
        ),
    ] = False
    expect: Annotated[
        str, Option(Text(), "Check instead that the seal is valid and ends in this hash.", panel=SEALS)
    ] = ""

    def __post_init__(self) -> None:
        check_options(self)
        if self.again and (self.seal or self.expect):
            raise ValueError("--again cannot be combined with --seal or --expect, which replay nothing")


def run(options: ReplayOptions) -> str:
    paths = [path for given in options.files for path in record_files(given)]
    if options.seal or options.expect:
        seals = {path: check_seal(path, options.expect) if options.expect else seal_records(path) for path in paths}
        if options.json:
            return json.dumps([{"file": str(path), **seal._asdict()} for path, seal in seals.items()], indent=2)
        return "\n".join(
            f"{seal.hash}  {escape_name(path)}: {format_count(seal.lines, 'record')}" for path, seal in seals.items()
        )
    found = replay_files(paths, options.again)
    report = json.dumps(found.to_dict(), indent=2) if options.json else "\n".join(found.lines())
    if found.problems:
        print(clean(report))
        raise typer.Exit(1)
    return report


main = command(ReplayOptions, run)
