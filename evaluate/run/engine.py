"""Engines: where calls run, in processes of this machine or on a cluster.

An engine has workers, each of which runs one call after the other and may die without the others.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol


class Worker(Protocol):
    """Runs one call after the other; one that has died starts anew at the next call."""

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Runs a function that can be imported."""

    def death(self, error: Exception) -> str:
        """How the worker has died, if that is what the error of a call says; else empty."""

    def kill(self) -> None:
        """Ends it, whatever it is at."""

    def close(self) -> None:
        """Ends it when it is at nothing."""


class Engine(NamedTuple):
    """Where calls run.

    Attributes:
        worker: Makes a worker.
        jobs: Number of workers.
        ordered: Whether records keep the order of the matches; else they come as the matches end.
    """

    worker: Callable[[], Worker]
    jobs: int
    ordered: bool = True
