"""Engines: where calls run, in processes of this machine or on a Ray cluster.

An engine has workers, each of which runs one call after the other and may die without the others. Without any other
being opened, it is the local one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

TRIES = 3
"""How often something is begun whose workers die."""


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

    def for_models(self, specs: Iterable[str]) -> tuple[int, int]:
        """How many workers have room at once that ask these players, and the GPUs that each of them needs."""
        needed = self.gpus > 0 and any("hf:" in spec for spec in specs)
        return (self.gpus, 1) if needed else (self.jobs, 0)


_OPEN: list[Engine] = []


def current() -> Engine | None:
    """The engine that is open; None: the local one."""
    return _OPEN[-1] if _OPEN else None


def results(
    engine: Engine, call: Callable[..., Any], parts: Iterable[tuple[Any, ...]], jobs: int, gpus: int = 0
) -> Iterator[Any]:
    """Runs a function that can be imported with the arguments of each part, and yields what it returns as it ends.

    Args:
        engine: Where.
        call: May be run twice with the same arguments: a part whose worker has died is begun again.
        parts: Arguments.
        jobs: Number of workers.
        gpus: Of each of them.

    Raises:
        ChildProcessError: Workers have died of one part `TRIES` times.
    """
    todo, tries = deque(enumerate(parts)), Counter[int]()
    free = [engine.worker(gpus) for _ in range(min(jobs, len(todo)))]
    busy: dict[Future[Any], tuple[Worker, tuple[int, tuple[Any, ...]]]] = {}
    try:
        while todo or busy:
            while todo and free:
                worker, part = free.pop(), todo.popleft()
                busy[worker.submit(call, *part[1])] = worker, part
            for done in wait(busy, return_when=FIRST_COMPLETED).done:
                worker, part = busy.pop(done)
                free.append(worker)
                error = done.exception()
                if error is None:
                    yield done.result()
                    continue
                why = worker.death(error) if isinstance(error, Exception) else ""
                if not why:
                    raise error
                tries[part[0]] += 1
                if tries[part[0]] == TRIES:
                    raise ChildProcessError(f"{TRIES} processes that did the same {why}")
                todo.append(part)
    finally:
        for worker, _ in busy.values():
            worker.kill()
        for worker in free:
            worker.close()


@contextmanager
def using(engine: Engine) -> Iterator[None]:
    """Has everything that is played run on an engine."""
    _OPEN.append(engine)
    try:
        yield
    finally:
        _OPEN.remove(engine)
