"""The local engine: processes of this machine.

Each worker is a `ProcessPoolExecutor` of one process. A pool of several fails as a whole when one of its processes is
killed and says nothing of which call it was at, and neither does that of joblib's ``loky``; with one process each this
is known.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.resource_tracker import ensure_running
from typing import Any

MAX_INHERITED_HANDLE = 256
"""File descriptors below it are looked at: those that a process was started with."""


class Starter(SpawnContext):
    """Starts new processes, which know what can be imported and nothing else.

    Attributes:
        process: The last one.
    """

    process: SpawnProcess

    def Process(self, *args: Any, **more: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """A new process."""
        self.process = SpawnProcess(*args, **more)
        return self.process


class LocalWorker:
    """A worker in a process of its own, which starts at its first call; see `econzoo.evaluate.run.engine.Worker`.

    Args:
        gpus: Means nothing here.
    """

    _pool: ProcessPoolExecutor | None = None

    def __init__(self, gpus: int = 0) -> None:
        self._starter = Starter()

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Runs a function."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, self._starter, _prepare_process)
        try:
            with block_interrupts():
                return self._pool.submit(call, *args)
        except BrokenExecutor as error:  # it has died while it was at nothing
            dead: Future[Any] = Future()
            dead.set_exception(error)
            return dead

    def describe_death(self, error: BaseException) -> str:
        """How the process has ended."""
        if not isinstance(error, BrokenExecutor):
            raise error
        self.close()
        code = self._starter.process.exitcode or 0
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with the exit code {code}"

    def kill(self) -> None:
        """Ends the process."""
        if self._pool is not None:
            self._starter.process.kill()
        self.close()

    def close(self) -> None:
        """Waits until the process has ended."""
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = None


@contextmanager
def block_interrupts() -> Iterator[None]:
    """What is started here leaves Ctrl-C to this process, from its first moment on."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    ensure_running()  # once it runs, it leaves the mask as it is
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In the processes


def _prepare_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for handle in range(
        3, MAX_INHERITED_HANDLE
    ):  # what players start must not keep pipes open by which a death is heard
        with suppress(OSError):
            os.set_inheritable(handle, False)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
