"""Engines: where calls run, in local processes or on a Ray cluster.

An engine has workers, each of which runs one call at a time and can die independently. The default is the local
engine.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

MAX_TRIES = 4
"""Maximum attempts at a part whose workers die."""

START = -1
"""Index of a call that does nothing and returns when a worker has started."""


class Worker(Protocol):
    """Runs one call at a time; a dead worker reports its death at the next call and restarts at the one after."""

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Run an importable function.

        The first call waits until there is room for the worker. The first call, and the first after a death, should be
        cheap: they may be rerun without notice if the worker dies meanwhile.
        """

    def describe_death(self, error: BaseException) -> str:
        """Describe the worker's death if the error of a call reports one; else raise the call's error."""

    def kill(self) -> None:
        """Kill the worker."""

    def close(self) -> None:
        """Close the worker when it is idle, or keep it for reuse."""


class Engine(NamedTuple):
    """Where calls run.

    Attributes:
        make_worker: Returns a worker with exclusive GPUs, given their number.
        jobs: Maximum parallel workers without GPU.
        gpus: GPUs of all machines.
        remote: Whether it includes other machines: records then come in the order in which matches end.
    """

    make_worker: Callable[[int], Worker]
    jobs: int
    gpus: int = 0
    remote: bool = False

    def workers_for_models(self, specs: Iterable[str]) -> tuple[int, int]:
        """Return the maximum parallel workers that can run these players, and the GPUs per worker."""
        needed = self.gpus > 0 and any("hf:" in spec for spec in specs)
        return (self.gpus, 1) if needed else (self.jobs, 0)


_OPEN_ENGINES: list[Engine] = []


def current_engine() -> Engine | None:
    """Return the open engine; None: the local one."""
    return _OPEN_ENGINES[-1] if _OPEN_ENGINES else None


def results(
    engine: Engine,
    call: Callable[..., Any],
    parts: Iterable[tuple[Any, ...]],
    jobs: int,
    gpus: int = 0,
    on_death: Callable[[int, str], None] = lambda place, why: None,
) -> Iterator[tuple[int, Any]]:
    """Run a function on each part, and yield index and outcome as calls end.

    The outcome is the return value, the error raised, or a `ChildProcessError`.

    Args:
        engine: The engine.
        call: Importable and repeatable: a part whose worker died is retried up to `MAX_TRIES` times.
        parts: Arguments of each call.
        jobs: Number of workers.
        gpus: GPUs per worker.
        on_death: Called with index and description of each death.

    Raises:
        ChildProcessError: A worker cannot be started.
    """
    todo, deaths = deque(enumerate(parts)), Counter[int]()
    left, free = len(todo), list[Worker]()
    starting = [engine.make_worker(gpus) for _ in range(min(jobs, left))]
    busy: dict[Future[Any], tuple[Worker, int, tuple[Any, ...]]] = {
        worker.submit(int): (worker, START, ()) for worker in starting
    }
    try:
        while left:
            for ended in wait(busy, return_when=FIRST_COMPLETED).done:
                worker, place, part = busy.pop(ended)
                found, why = _call_outcome(ended, worker)
                if not why:
                    free.append(worker)
                elif place == START:
                    raise ChildProcessError(f"a process {why} before it could do anything")
                else:
                    busy[worker.submit(int)] = worker, START, ()
                    on_death(place, why)
                    deaths[place] += 1
                    if deaths[place] < MAX_TRIES:
                        todo.append((place, part))
                        continue
                    found = ChildProcessError(f"{MAX_TRIES} attempts failed: the process {why}")
                if place != START:
                    left -= 1
                    yield place, found
            while todo and free:
                worker, (place, part) = free.pop(), todo.popleft()
                busy[worker.submit(call, *part)] = worker, place, part
    finally:
        for worker, _, _ in busy.values():
            worker.kill()
        for worker in free:
            worker.close()


def _call_outcome(ended: Future[Any], worker: Worker) -> tuple[Any, str]:
    """Return the outcome of a call, or how its worker died."""
    error = ended.exception()
    try:
        return (ended.result(), "") if error is None else (None, worker.describe_death(error))
    except Exception as cause:
        return cause, ""


@contextmanager
def use_engine(engine: Engine) -> Iterator[None]:
    """Run all matches within the context on an engine."""
    _OPEN_ENGINES.append(engine)
    try:
        yield
    finally:
        _OPEN_ENGINES.remove(engine)
