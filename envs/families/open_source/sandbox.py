"""Sandbox of untrusted programs: each in an interpreter of its own inside a worker process (pydantic-monty).

The interpreter supports a subset of Python and has no access to files, the network, the environment, processes or the
clock (it stands still; `sleep` returns at once). Random numbers, `hash` and the order of sets depend only on the seed
and the program, so that the same calls give the same answers on every machine, time limits apart.
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

from econzoo.envs.core import explain_missing_library, missing_library_message
from econzoo.envs.core.contract import check_type
from econzoo.envs.families.open_source.failures import one_line
from econzoo.envs.families.open_source.interfaces import MATRIX, Interface
from econzoo.envs.families.open_source.limits import GRACE_SECONDS, Limits
from econzoo.envs.families.open_source.program import Program, ProgramSpec

MOST_PROGRAMS = 64
"""Maximum number of open programs per sandbox, including simulated ones."""

HANG_SECONDS = 30.0
"""Seconds after which a worker that opens no session is killed; the limits of programs are shorter."""

ATTEMPTS = 3
"""Attempts to open a session, or to play a meta-round; one death of a worker need not be the program's fault."""

MOST_SHARED = 4
"""Maximum number of shared sandboxes per process, one per set of limits."""


@cache
def unavailable_reason() -> str | None:
    """Return why programs cannot run here, in one sentence; None if they can.

    It starts no workers, so that the process can still be forked (see `Sandbox.start`).
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
    """Write a launcher of workers that do not write to the terminal, as they do at memory bombs; None if impossible.

    Workers inherit standard error, so the launcher is a script that redirects it.
    """
    from pydantic_monty._binary import find_monty_binary

    folder = Path(mkdtemp(prefix="econzoo-"))
    # With the process id, as a fork must not remove the folder of its parent.
    atexit.register(_remove_folder, folder, os.getpid())
    script = folder / "monty"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(find_monty_binary())} "$@" 2>/dev/null\n', encoding="utf-8")
    script.chmod(0o700)
    return str(script) if os.name == "posix" and os.access(script, os.X_OK) else None


class Sandbox:
    """Worker processes that run programs; they start with the first program."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Create the sandbox without starting workers."""
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
        """Return the worker pool of this process, started on first use."""
        # The pool does not survive a fork. Processes that are spawned, or forked ahead of the first program, can run
        # programs.
        if _WORKER_PROCESS and _WORKER_PROCESS[0] != os.getpid():
            raise RuntimeError("programs cannot run in a process forked from one that ran programs; spawn it instead")
        with self._starting:  # matches in several threads of a server may begin with the same first program
            self._pool = self._pool or self._start_workers()
            return self._pool

    def _start_workers(self) -> Any:
        with explain_missing_library("the sandbox of programs"):
            import pydantic_monty

        if find_spec("opentelemetry") is None:  # imported at each call, which would search all of sys.path each time
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
        # Also when the sandbox is collected, or at exit; `_stop` does nothing in a fork, whose parent still uses the
        # workers.
        self._stop = weakref.finalize(self, _stop, pool, os.getpid())
        return pool

    def session(self, **options: Any) -> Any:
        """Open a fresh session of a worker; see `pydantic_monty.Monty.checkout` for its options."""
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
        """Stop the workers; the next program starts new ones."""
        if self._stop is not None:
            self._stop()
        self._pool = None

    def load(
        self, source: str, seed: int | str, other_source: str, interface: Interface = MATRIX, seat: int = 0
    ) -> Program:
        """Load a program for one match.

        A source that cannot be run gives a program too: one whose answers are its failure.

        Args:
            other_source: Source of its opponent; run only if the program simulates it.
            seat: Seat in the base game, 0 or 1.
        """
        check_type("source", source, str, "the text of a program")
        check_type("other_source", other_source, str, "the text of a program")
        check_type("seed", seed, (int, str), "an integer or a string")
        check_type("interface", interface, Interface, "an Interface of econzoo.envs.families.open_source.interfaces")
        check_type("seat", seat, int, "0 or 1")
        return Program(self.session, self.limits, ProgramSpec(source, seed, other_source, interface, seat))


@lru_cache(maxsize=MOST_SHARED)
def shared_sandbox(limits: Limits) -> Sandbox:
    """Return the sandbox with these limits that is shared in this process.

    Those of the last `MOST_SHARED` sets of limits are cached; the workers of others stop with their last program.
    """
    return Sandbox(limits)


_WORKER_PROCESS: list[int] = []
"""Id of the process that started workers; a fork inherits it."""


def _remove_folder(folder: Path, process: int) -> None:
    if process == os.getpid():
        rmtree(folder, ignore_errors=True)


def _stop(pool: Any, process: int) -> None:
    if process == os.getpid():
        pool.__exit__(None, None, None)
