"""Runs programs that nobody trusts: each in an interpreter of its own inside a worker process (pydantic-monty).

The interpreter knows a part of Python and has no way to files, the network, the environment, processes or the clock
(it stands still; `sleep` returns at once). Random numbers, `hash` and the order of sets depend on the seed and the
program alone, so that the same calls give the same answers on every machine, time limits apart.
"""

from __future__ import annotations

import atexit
import os
import shlex
import subprocess
import sys
import weakref
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import Any

from econzoo.envs.core.contract.validation import check_type
from econzoo.envs.core.extras import explain_missing_library, missing_library_message
from econzoo.envs.families.open_source.failures import one_line
from econzoo.envs.families.open_source.interfaces import MATRIX, Interface
from econzoo.envs.families.open_source.limits import GRACE_SECONDS, Limits
from econzoo.envs.families.open_source.program import Program, ProgramSpec

MOST_PROGRAMS = 64
"""Programs that are open at the same time in one sandbox, simulated ones included."""

HANG_SECONDS = 30.0
"""Seconds after which a worker that does not even open a session is killed; a program's own limits are shorter."""

ATTEMPTS = 3
"""To open a session, or to play a meta-round; a worker that dies once says nothing about the program."""

MOST_SHARED = 4
"""Sandboxes that a process shares at the same time, each for limits of its own."""


@cache
def unavailable_reason() -> str | None:
    """Why programs cannot be run here, in one sentence; None where they can.

    It starts no workers, so that a process which has only asked can still be forked (see `Sandbox.start`).
    """
    if find_spec("pydantic_monty") is None:
        return missing_library_message("the sandbox of programs", "pydantic_monty")
    try:
        from pydantic_monty._binary import find_monty_binary

        subprocess.run([find_monty_binary(), "--version"], capture_output=True, check=True, timeout=60)
    except (ImportError, OSError, subprocess.SubprocessError) as error:
        return one_line(f"the sandbox for programs does not start here: {error}")
    return None


@cache
def write_silent_launcher() -> str | None:
    """What starts workers that write nothing to the user's terminal, as they would of memory bombs; None: no way here.

    They inherit their standard error, so that a script stands in front of them that gives them another one.
    """
    from pydantic_monty._binary import find_monty_binary

    folder = Path(mkdtemp(prefix="econzoo-"))
    atexit.register(_remove_folder, folder, os.getpid())
    script = folder / "monty"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(find_monty_binary())} "$@" 2>/dev/null\n', encoding="utf-8")
    script.chmod(0o700)
    return str(script) if os.name == "posix" and os.access(script, os.X_OK) else None


class Sandbox:
    """Worker processes that run programs; they start with the first program."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Starts nothing yet.

        Args:
            limits: What each program may use.

        Raises:
            ValueError: A limit is out of its range.
        """
        self.limits = check_type("limits", Limits() if limits is None else limits, Limits, "Limits, or None").validate()
        self._pool: Any = None
        self._stop: Any = None
        self._starting = Lock()

    def __reduce__(self) -> tuple[type[Sandbox], tuple[Limits]]:
        return Sandbox, (self.limits,)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> Any:
        """The workers of this process.

        Raises:
            ImportError: The sandbox is not installed.
            RuntimeError: This process was forked from one whose workers had started. What drives them does not
                survive a fork; processes that are spawned, or forked before the first program, can run programs.
        """
        if _WORKER_PROCESS and _WORKER_PROCESS[0] != os.getpid():
            raise RuntimeError("programs cannot run in a process forked from one that ran programs; spawn it instead")
        with self._starting:  # matches in several threads of a server may begin with the same first program
            self._pool = self._pool or self._start_workers()
            return self._pool

    def _start_workers(self) -> Any:
        """Workers that have just been started."""
        with explain_missing_library("the sandbox of programs"):
            import pydantic_monty

        if find_spec("opentelemetry") is None:  # which it imports at each call, looking in every folder anew
            sys.modules["opentelemetry"] = None  # type: ignore[assignment]
        _WORKER_PROCESS[:] = [os.getpid()]
        pool = pydantic_monty.Monty(
            binary_path=write_silent_launcher(),
            min_processes=2,
            max_processes=MOST_PROGRAMS,
            checkout_timeout=10.0,
            request_timeout=HANG_SECONDS,
            feed_duration_limit_grace=GRACE_SECONDS,
        )
        pool.__enter__()
        self._stop = weakref.finalize(self, _stop, pool, os.getpid())
        return pool

    def session(self, **options: Any) -> Any:
        """A fresh session of a worker, opened.

        Args:
            options: See `pydantic_monty.Monty.checkout`.
        """
        from pydantic_monty import MontyCrashedError

        for _ in range(ATTEMPTS - 1):
            with suppress(MontyCrashedError):
                return self._open_session(options)
        return self._open_session(options)

    def _open_session(self, options: dict[str, Any]) -> Any:
        session = self.start().checkout(**options)
        session.__enter__()
        return session

    def close(self) -> None:
        """Ends the workers; the next program starts new ones."""
        if self._stop is not None:
            self._stop()
        self._pool = None

    def load(
        self, source: str, seed: int | str, other_source: str, interface: Interface = MATRIX, seat: int = 0
    ) -> Program:
        """A program for one match.

        A source that cannot be run gives a program too: one that answers with its failure.

        Args:
            source: The program.
            seed: Of its random numbers.
            other_source: Of its opponent; not run unless the program simulates it.
            interface: Of the base game.
            seat: In the base game, 0 or 1.

        Raises:
            ValueError: An argument is of another type; the message names it.
        """
        check_type("source", source, str, "the text of a program")
        check_type("other_source", other_source, str, "the text of a program")
        check_type("seed", seed, (int, str), "a whole number or a text")
        check_type("interface", interface, Interface, "an Interface of econzoo.envs.families.open_source.interfaces")
        check_type("seat", seat, int, "0 or 1")
        return Program(self, ProgramSpec(source, seed, other_source, interface, seat))


@lru_cache(maxsize=MOST_SHARED)
def shared_sandbox(limits: Limits) -> Sandbox:
    """The sandbox with these limits that everybody in this process shares.

    Only those of the last `MOST_SHARED` limits are kept. The workers of another one end with its last program.

    Raises:
        ValueError: A limit is out of its range.
    """
    return Sandbox(limits)


_WORKER_PROCESS: list[int] = []
"""The process that has started workers, once one has; a fork brings it along."""


def _remove_folder(folder: Path, process: int) -> None:
    if process == os.getpid():
        rmtree(folder, ignore_errors=True)


def _stop(pool: Any, process: int) -> None:
    if process == os.getpid():
        pool.__exit__(None, None, None)
