"""Engines: where calls run, in processes of this machine or on a Ray cluster.

An engine has workers, each of which runs one call after the other and may die without the others. Without any other
being opened, it is the local one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol


class Worker(Protocol):
    """Runs one call after the other; one that has died starts anew at the next call."""

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Runs a function that can be imported; the first call waits until there is room for the worker."""

    def death(self, error: Exception) -> str:
        """How the worker has died, if that is what the error of a call says; else empty."""

    def kill(self) -> None:
        """Ends it, whatever it is at."""

    def close(self) -> None:
        """Ends it when it is at nothing, or keeps it for others."""


class Engine(NamedTuple):
    """Where calls run.

    Attributes:
        worker: Makes a worker that has so many GPUs for itself.
        jobs: Workers without a GPU that have room at once.
        gpus: GPUs of all machines.
        remote: Whether it has other machines too: records come as matches end, not in the order of the plan.
    """

    worker: Callable[[int], Worker]
    jobs: int
    gpus: int = 0
    remote: bool = False


_OPEN: list[Engine] = []


def current() -> Engine | None:
    """The engine that is open; None: the local one."""
    return _OPEN[-1] if _OPEN else None


@contextmanager
def using(engine: Engine) -> Iterator[None]:
    """Has everything that is played run on an engine."""
    _OPEN.append(engine)
    try:
        yield
    finally:
        _OPEN.remove(engine)
