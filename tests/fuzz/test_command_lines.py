"""Command lines at random: each ends with a documented exit code, and what went wrong is told in words."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

from econzoo.__main__ import main
from fuzz.command_lines import command_lines, commands, write_files
from goldens.commands import plain_terminal
from refusals import says

CODES = (0, 1, 2, 3, 4)
"""Done; cannot be done, or a match does not replay; used wrongly; a run in which nothing but failures came."""


def run(arguments: Sequence[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a command line; any error that it does not tell in words is raised."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with plain_terminal(), redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", io.StringIO("")):
        try:
            main(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return code, out.getvalue(), err.getvalue()


def check(arguments: Sequence[str]) -> int:
    """Runs a command line, and looks at how it ends; gives its exit code."""
    code, out, err = run(arguments)
    assert code in CODES
    assert "Traceback" not in out + err
    if code:
        assert (out + err).strip(), "an error is told in words"
    for line in [line for line in err.splitlines() if line.startswith("econzoo: ")]:
        assert line.isprintable()
    return code


def try_all(seed: int, count: int, folder: Path) -> Counter[int]:
    """How often each exit code came."""
    codes: Counter[int] = Counter()
    with contextlib.chdir(folder):
        write_files(folder)
        for arguments in command_lines(seed, count):
            try:
                codes[check(arguments)] += 1
            except BaseException as error:
                error.add_note(f"econzoo {arguments!r}"[:2_000])
                raise
    return codes


def test_command_lines_end_in_words(tmp_path: Path) -> None:
    codes = try_all(seed=0, count=80, folder=tmp_path)
    assert {0, 1, 2} <= set(codes)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_the_same_of_very_many(seed: int, tmp_path: Path) -> None:
    try_all(seed, 100, tmp_path)


def test_every_command_is_tried() -> None:
    tried = {" ".join(line[:2]) for line in command_lines(seed=1, count=2_000)}
    assert all(any(line.startswith(name) for line in tried) for name in commands())


def test_what_ended_otherwise_once_is_told() -> None:
    for arguments, named in [
        (["run", "water", "random", "-p", "seed=1"], "seed"),
        (["run", "auction", "random", "--seeds", "9" * 30], "seeds"),
        (["replay", "\u202e"], "\ufffd"),
        (["train", "tiny", "nothere.jsonl"], "nothere.jsonl"),
    ]:
        code, _, err = run(arguments)
        assert code == 1, arguments
        says(err, named)
