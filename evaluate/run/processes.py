"""The local engine: worker processes on this machine.

Each worker is a `ProcessPoolExecutor` with one process. A larger pool fails as a whole when one process is killed,
without reporting its call, and so does joblib's ``loky``.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.resource_tracker import ensure_running
from typing import Any

MAX_INHERITED_HANDLE = 256
"""File descriptors below it are closed in new processes if inherited."""


class Starter(SpawnContext):
    """Spawns processes and exposes the last one."""

    process: SpawnProcess

    # `ProcessPoolExecutor` creates its processes by this method and does not expose their exit codes.
    def Process(self, *args: Any, **more: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        self.process = SpawnProcess(*args, **more)
        return self.process


class LocalWorker:
    """A worker in its own process, which starts at its first call; see `econzoo.evaluate.run.engine.Worker`."""

    _pool: ProcessPoolExecutor | None = None

    def __init__(self, gpus: int = 0) -> None:  # 0, since the local engine declares no GPUs
        self._starter = Starter()

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, self._starter, _prepare_process)
        try:
            with block_interrupts(), _hide_missing_main():
                return self._pool.submit(call, *args)
        except BrokenExecutor as error:  # it died while idle
            dead: Future[Any] = Future()
            dead.set_exception(error)
            return dead

    def describe_death(self, error: BaseException) -> str:
        """Describe how the process ended."""
        if not isinstance(error, BrokenExecutor):
            raise error
        self.close()
        # The exit code is known only after `close` has waited for the process.
        code = self._starter.process.exitcode or 0
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        # A process imports the script that started it: without the guard it would start processes itself.
        main = sys.modules["__main__"]
        is_script = code == 1 and main.__spec__ is None and hasattr(main, "__file__")
        guard = ', as it does where a script calls without `if __name__ == "__main__":`,' if is_script else ""
        return f"exited with code {code}{guard}"

    def kill(self) -> None:
        if self._pool is not None:
            self._starter.process.kill()
        self.close()

    def close(self) -> None:
        """Wait until the process has ended."""
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = None


@contextmanager
def _hide_missing_main() -> Iterator[None]:
    """Start processes that do not import the main module, if that is no file, as on standard input."""
    main = sys.modules["__main__"].__dict__
    file = main.get("__file__")
    if file is None or os.path.exists(file):
        yield
        return
    del main["__file__"]
    try:
        yield
    finally:
        main["__file__"] = file


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C from their first moment, so that only this process handles it."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    ensure_running()  # it resets the mask when it starts
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


# In the processes


def _prepare_process() -> None:
    # From here on the signal is ignored; until here the inherited mask has blocked it (`block_interrupts`).
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for handle in range(
        3, MAX_INHERITED_HANDLE
    ):  # processes started by players must not keep pipes open that signal a death
        with suppress(OSError):
            os.set_inheritable(handle, False)
    # A killed command cannot close its pools: without this thread their processes would go on without it.
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
