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

MAX_TRIES = 4
"""How often something is begun whose workers die."""

START = -1
"""In the place of a part: a call that does nothing, and returns when a worker has started."""


class Worker(Protocol):
    """Runs one call after the other; one that has died says so at its next call, and starts anew at the one after."""

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Runs a function that can be imported.

        The first call waits until there is room for the worker. It and the first one after a death should do little:
        it may be run again if the worker dies meanwhile, and nobody hears of that.
        """

    def describe_death(self, error: BaseException) -> str:
        """How the worker has died, if that is what the error of a call says; else raises what the call has raised."""

    def kill(self) -> None:
        """Ends it, whatever it is at."""

    def close(self) -> None:
        """Ends it when it is at nothing, or keeps it for others."""


class Engine(NamedTuple):
    """Where calls run.

    Attributes:
        make_worker: Makes a worker that has so many GPUs for itself.
        jobs: Workers without a GPU that have room at once.
        gpus: GPUs of all machines.
        remote: Whether it has other machines too: records come as matches end, not in the order of the plan.
    """

    make_worker: Callable[[int], Worker]
    jobs: int
    gpus: int = 0
    remote: bool = False

    def workers_for_models(self, specs: Iterable[str]) -> tuple[int, int]:
        """How many workers have room at once that ask these players, and the GPUs that each of them needs."""
        needed = self.gpus > 0 and any("hf:" in spec for spec in specs)
        return (self.gpus, 1) if needed else (self.jobs, 0)


_OPEN_ENGINES: list[Engine] = []


def current_engine() -> Engine | None:
    """The engine that is open; None: the local one."""
    return _OPEN_ENGINES[-1] if _OPEN_ENGINES else None


def results(
    engine: Engine,
    call: Callable[..., Any],
    parts: Iterable[tuple[Any, ...]],
    jobs: int,
    gpus: int = 0,
    on_death: Callable[[int, str], None] = lambda place, why: None,
) -> Iterator[tuple[int, Any]]:
    """Runs a function with the arguments of each part, and yields its place and what came of it, as it ends.

    What came of it is what the function returned, the error that it raised, or a `ChildProcessError`.

    Args:
        engine: Where.
        call: Can be imported, and run again: a part whose worker has died is begun up to `TRIES` times.
        parts: Arguments.
        jobs: Number of workers.
        gpus: Of each of them.
        on_death: Is told of each death: at which place, and how.

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
                    found = ChildProcessError(f"{MAX_TRIES} processes that did the same {why}")
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
    """What a call has returned or raised, or how its worker has died."""
    error = ended.exception()
    try:
        return (ended.result(), "") if error is None else (None, worker.describe_death(error))
    except Exception as cause:
        return cause, ""


@contextmanager
def use_engine(engine: Engine) -> Iterator[None]:
    """Has everything that is played run on an engine."""
    _OPEN_ENGINES.append(engine)
    try:
        yield
    finally:
        _OPEN_ENGINES.remove(engine)
