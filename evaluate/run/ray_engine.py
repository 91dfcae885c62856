"""The engine on a Ray cluster: workers are actors, which Ray starts where there is room and starts again when they die.

Actors write nothing: what they have played comes back to the driver, the process that runs the command.
"""

from __future__ import annotations

import os
import socket
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from econzoo.envs.core.extras import explain_missing_library
from econzoo.evaluate.run.engine import Engine

with explain_missing_library("the engine ray", "cluster"):
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray.exceptions import RayError, RayTaskError

PATIENCE = 20
"""Seconds in which a cluster is to answer."""

OBJECT_STORE_BYTES = 256 * 2**20
"""Bytes of the object store of a cluster on this machine, in which nothing stays: what comes back is read at once."""


class RestartedError(RayError):  # type: ignore[misc]
    """An actor died while it was at nothing, and Ray has started it again."""


class ActorCalls:
    """What an actor runs.

    Args:
        folder: Of the driver, where it exists.
    """

    def __init__(self, folder: str) -> None:
        with suppress(OSError):
            os.chdir(folder)
        self._begun = False

    def run_first(self, call: Callable[..., Any], *args: Any) -> Any:
        """Runs a function; whoever dies meanwhile begins again."""
        self._begun = True
        return call(*args)

    def run(self, call: Callable[..., Any], *args: Any) -> Any:
        """Runs a function once."""
        if not self._begun:
            raise RestartedError("it was started again")
        return call(*args)


class Actor:
    """A worker in an actor; see `econzoo.evaluate.run.engine.Worker`.

    Args:
        gpus: That it has for itself; one without has a CPU for itself.
        idle: Where it goes when it is closed.
    """

    def __init__(self, gpus: int, idle: list[Actor]) -> None:
        had = {"num_gpus": gpus, "num_cpus": 0} if gpus else {"num_cpus": 1}
        self._actor = ray.remote(**had, max_restarts=-1)(ActorCalls).remote(os.getcwd())
        self._idle, self._new = idle, True

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Runs a function."""
        method = self._actor.run_first.options(max_task_retries=-1) if self._new else self._actor.run
        self._new = False
        found: Future[Any] = method.remote(call, *args).future()
        return found

    def describe_death(self, error: BaseException) -> str:
        """What Ray says of it."""
        cause = error.cause if isinstance(error, RayTaskError) else error
        if not isinstance(cause, RayError):
            raise cause
        self._new = True
        return f"died ({type(cause).__name__}: {' '.join(str(cause).split())})"

    def kill(self) -> None:
        """Ends the actor."""
        with suppress(RayError):
            ray.kill(self._actor)

    def close(self) -> None:
        """Keeps the actor for whoever wants one, with the models that it has loaded."""
        self._new = True  # for whoever takes it
        self._idle.append(self)


@contextmanager
def cluster(address: str | None = None) -> Iterator[Engine]:
    """A Ray cluster while it is used.

    Args:
        address: See `econzoo.evaluate.run.engines.open_engine`.

    Raises:
        ConnectionError: There is no cluster at the address, or none can be started here.
    """
    own = not ray.is_initialized()
    if own:
        _check_reachable(address or "")
        new = address is None and "RAY_ADDRESS" not in os.environ  # None would take what others have started here
        here = {"object_store_memory": OBJECT_STORE_BYTES} if new else {}
        path = {"PYTHONPATH": os.pathsep.join(_own_paths())}
        quiet: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        try:
            ray.init("local" if new else address, runtime_env={"env_vars": path}, **quiet, **here)
        except Exception as error:  # Ray has no kind of its own for a machine that is too busy
            raise ConnectionError(f"Ray cannot be {'started' if new else 'reached'}: {error}") from error
    idle: dict[int, list[Actor]] = defaultdict(list)

    def worker(gpus: int) -> Actor:
        return idle[gpus].pop() if idle[gpus] else Actor(gpus, idle[gpus])

    try:
        has = ray.cluster_resources()
        yield Engine(worker, max(1, int(has.get("CPU", 1))), int(has.get("GPU", 0)), remote=True)
    finally:
        if own:
            ray.shutdown()
        else:
            for actor in [one for kept in idle.values() for one in kept]:
                actor.kill()


def _check_reachable(address: str) -> None:
    """Raises `ConnectionError` where nobody listens; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if port.isdecimal() and "/" not in host:
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
        except OSError as error:
            raise ConnectionError(f"no Ray cluster answers at the address {address}: {error}") from None


def _own_paths() -> list[str]:
    """Where this process finds code that is not installed, and the same machines' other processes too."""
    return [path for path in map(os.path.abspath, sys.path) if not path.startswith(sys.base_prefix + os.sep)]
