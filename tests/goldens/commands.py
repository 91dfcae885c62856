"""Outputs of a few commands that the repository keeps word by word, on the records in ``records``."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

RECORDS = Path(__file__).parent / "records"

COMMANDS: dict[str, list[str]] = {
    "games": ["games --json"],
    **{
        f"show_{name}": [f"show {name} --json"]
        for name in ("bargaining", "negotiation", "persuasion", "matrix", "guess_average", "water_allocation")
    },
    "play": [
        "play bargaining spe fair --json -p horizon=3 --seed 3",
        "play persuasion honest bayes --json -p rounds=3 --seed 3",
        "play water_allocation random random random random random --json -p days=3 --seed 3",
        "play matrix tit-for-tat random --json -p noise=0.2 -p rounds=4 --seed 3",
    ],
    "replay": [f"replay records/{name}.jsonl" for name in ("bargaining", "persuasion", "water_allocation", "glee")],
}
"""Name of the file, and the command lines whose outputs it holds."""

_SOFTWARE = re.compile(r',"software":\{[^{}]*\}')
_TIMES = re.compile(r'("seconds": ?)[0-9.e-]+|\b[0-9.]+ ?(s|seconds)\b')


@contextlib.contextmanager
def plain_terminal(columns: int = 100) -> Iterator[None]:
    """Output of so many columns, without colours and warnings."""
    with patch.dict(os.environ, {"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def run(line: str) -> str:
    """What a command line prints, and how it ends."""
    from econzoo.__main__ import main

    printed, code = io.StringIO(), 0
    argv = patch.object(sys, "argv", ["econzoo", *line.split()])
    with plain_terminal(), argv, redirect_stdout(printed), redirect_stderr(printed):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    lasting = _TIMES.sub(_untimed, _SOFTWARE.sub("", printed.getvalue()))
    return f"$ econzoo {line}\n{lasting}exit code {code}\n"


def _untimed(match: re.Match[str]) -> str:
    return f"{match[1]}0" if match[1] else "TIME"


@contextlib.contextmanager
def first_games() -> Iterator[None]:
    """Only the games that lists begin with are known: no output changes with a new one."""
    from econzoo.envs import LISTED_FIRST
    from econzoo.envs.core import registry

    with patch.object(registry, "_GAMES", {name: registry.game_entry(name) for name in LISTED_FIRST}):
        yield


def output(name: str) -> str:
    """The content of a file; all paths are relative, so that lines break in the same places everywhere."""
    with first_games(), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(RECORDS, "records")
        return "\n".join(run(line) for line in COMMANDS[name])
