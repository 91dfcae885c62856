"""Runs commands and Python blocks, each in a new process with a folder of its own to work in.

The processes are forked from one that has imported the library and the large ones behind it before, so that a block
costs what it does and not also half a second for each import. Where there is no fork they are started anew.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import shlex
import subprocess
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from documentation.blocks import is_plain, simple_commands
from import_scanner import FILES, module_of

LIBRARIES = ("rich.table", "typer._adapters", "pandas", "scipy.stats", "statsmodels.api", "matplotlib.pyplot", "numba")
PRELOADED = [*map(module_of, FILES), *LIBRARIES]
PROGRAMS = ("econzoo", "python", "pip", "mkdir", "find", "cp", "unzip", "cd", "ls", "cat")
"""What a documented command may start; anything else has to be declared to run elsewhere."""


class Job(NamedTuple):
    """What a process has to do.

    Attributes:
        kind: python (the text is code), econzoo (its words), program (words behind ``python``) or shell (a command).
        text: See `kind`; words are joined as a shell reads them.
        folder: Where it works.
        environment: Variables beside those of the tests.
        typed: What standard input holds.
    """

    kind: str
    text: str
    folder: Path
    environment: Mapping[str, str] = {}
    typed: str = ""


def job_of(command: str, folder: Path, environment: Mapping[str, str], typed: str) -> Job:
    """The job of one command of a page.

    Raises:
        ValueError: It starts a program that no page may start without a declaration.
    """
    started = [
        Path(words[0]).name if words[0].startswith(".venv/bin/") else words[0] for words in simple_commands(command)
    ]
    if strange := [name for name in started if name not in PROGRAMS]:
        raise ValueError(
            f"{strange[0]!r} is not allowed; allowed: {', '.join(PROGRAMS)}, or `in PATH` before the block"
        )
    if is_plain(command) and started[0] in ("econzoo", "python"):
        words = shlex.split(command)[1:]
        return Job(
            {"econzoo": "econzoo", "python": "program"}[started[0]], shlex.join(words), folder, environment, typed
        )
    return Job("shell", command.replace(".venv/bin/", ""), folder, environment, typed)


def run(job: Job) -> tuple[int, str]:
    """Exit code and output of a job."""
    (job.folder / ".typed").write_text(job.typed, encoding="utf-8")
    fork = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if fork else "spawn")
    if fork:
        context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=work, args=(job,))
    process.start()
    process.join()
    output = (job.folder / ".output").read_text(encoding="utf-8", errors="replace")
    return process.exitcode or 0, output


def work(job: Job) -> None:
    """In the new process."""
    os.chdir(job.folder)
    os.environ.update(
        job.environment, COLUMNS="120", PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    os.dup2(os.open(".typed", os.O_RDONLY), 0)
    os.dup2(os.open(".output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(1, 2)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stderr = os.fdopen(1, "w", encoding="utf-8", buffering=1, closefd=False)
    # Not the tests' own main module, which processes started by the job would import again.
    sys.modules["__main__"] = types.ModuleType("__main__")
    DOING[job.kind](job.text)


def python(code: str) -> None:
    """As the main module, so that what it defines can be found again."""
    sys.path.insert(0, "")
    exec(compile(code, "block", "exec"), sys.modules["__main__"].__dict__)


def econzoo(words: str) -> None:
    from econzoo.__main__ import main

    sys.argv = ["econzoo", *shlex.split(words)]
    main()


def program(words: str) -> None:
    """``python FILE ...`` or ``python -m MODULE ...``."""
    sys.argv = shlex.split(words)
    if sys.argv[0] == "-m":
        sys.argv.pop(0)
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))  # as Python does for a script
        runpy.run_path(sys.argv[0], run_name="__main__")


def shell(command: str) -> None:
    raise SystemExit(subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], check=False).returncode)


DOING = {"python": python, "econzoo": econzoo, "program": program, "shell": shell}
