"""Engines: where calls run, in local processes or on a Ray cluster.

An engine has workers, each of which runs one call at a time and can die independently. The default is the local
engine.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Annotated, Any, NamedTuple, Protocol

from econzoo.envs.core.contract import Integer, OneOf, Option, OrNone, unknown_name

MAX_WORKER_TRIES = 4
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
        call: Importable and repeatable: a part whose worker died is retried up to `MAX_TRIES` times.
        on_death: Called with index and description of each death.
    """
    todo, deaths = deque(enumerate(parts)), Counter[int]()
    left, free = len(todo), list[Worker]()
    starting = [engine.make_worker(gpus) for _ in range(min(jobs, left))]
    # The first call of a worker may be rerun without notice, so it is `int`, which does nothing (see `Worker.submit`).
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
                    # It would probably die at every start, as in a script without a guarded main part.
                    raise ChildProcessError(f"a process {why} at its start")
                else:
                    busy[worker.submit(int)] = worker, START, ()
                    on_death(place, why)
                    deaths[place] += 1
                    if deaths[place] < MAX_WORKER_TRIES:
                        # At the end of the queue, so that a part that kills its workers delays the others little.
                        todo.append((place, part))
                        continue
                    found = ChildProcessError(f"{MAX_WORKER_TRIES} attempts failed: the process {why}")
                if place != START:
                    left -= 1
                    yield place, found
            while todo and free:
                worker, (place, part) = free.pop(), todo.popleft()
                busy[worker.submit(call, *part)] = worker, place, part
    finally:
        # These are still starting, or the caller has stopped early: nobody waits for their calls.
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


# Engines by name


LOCAL, RAY = ENGINES = ("local", "ray")

RAY_CLUSTER = "econzoo.evaluate.run.ray_engine:cluster"


EngineName = Annotated[str, Option(OneOf(*ENGINES), "Execution engine: local processes or a Ray cluster.")]
Concurrent = Annotated[
    int | None,
    Option(
        OrNone(Integer(1, 4096)),
        "Calls of each model at once: requests to its server, or the batch of a model in this process.",
        default="the concurrency of the player, 8 for servers, 32 in this process",
    ),
]
Address = Annotated[str | None, Option(meaning="Address of the Ray cluster, or auto.", default="start a local one")]


@dataclass
class EngineOptions:
    """Engine options of a command."""

    engine: EngineName = LOCAL
    ray_address: Address = None


def check_engine(engine: str = LOCAL, ray_address: str | None = None) -> None:
    """Check an engine and its address without starting it."""
    if engine not in ENGINES:
        raise ValueError(unknown_name("engine", engine, ENGINES))
    if engine == LOCAL and ray_address is not None:
        raise ValueError(f"invalid ray_address={ray_address!r} with engine={LOCAL!r}: expected None")
    if engine != LOCAL:
        resolve_name(RAY_CLUSTER)


@contextmanager
def open_engine(engine: str = LOCAL, ray_address: str | None = None) -> Iterator[None]:
    """Run all matches within the context on an engine.

    Args:
        ray_address: Address of a cluster; ``"auto"``: this machine's cluster; None: a new local cluster.
    """
    check_engine(engine, ray_address)
    if engine == LOCAL:
        yield
        return
    with resolve_name(RAY_CLUSTER)(ray_address) as found, use_engine(found):
        yield
