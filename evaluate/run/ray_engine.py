"""The Ray engine: workers are actors, which Ray places on the cluster and restarts when they die.

Actors write no files: results return to the driver, the process of the command.
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

from econzoo.envs.core import explain_missing_library
from econzoo.evaluate.run.engine import Engine

with explain_missing_library("the engine ray", "cluster"):
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray.exceptions import RayError, RayTaskError

PATIENCE = 20
"""Seconds to wait for a cluster's answer."""

OBJECT_STORE_BYTES = 256 * 2**20
"""Object store of a local cluster in bytes; results are read at once, so that it stays small."""


class RestartedError(RayError):  # type: ignore[misc]
    """An actor died while idle, and Ray has restarted it."""


class ActorCalls:
    """Methods of an actor, which works in the driver's folder if that exists on its machine."""

    def __init__(self, folder: str) -> None:
        with suppress(OSError):
            os.chdir(folder)
        # Ray creates this object anew when it restarts the actor, so that False tells a restart.
        self._begun = False

    def run_first(self, call: Callable[..., Any], *args: Any) -> Any:
        """Run a function, again if the actor restarts."""
        self._begun = True
        return call(*args)

    def run(self, call: Callable[..., Any], *args: Any) -> Any:
        """Run a function once."""
        if not self._begun:
            raise RestartedError("the actor was restarted")
        return call(*args)


class Actor:
    """A worker in an actor with exclusive GPUs, or a CPU, added to `idle` when closed.

    See `econzoo.evaluate.run.engine.Worker`.
    """

    def __init__(self, gpus: int, idle: list[Actor]) -> None:
        resources = {"num_gpus": gpus, "num_cpus": 0} if gpus else {"num_cpus": 1}
        self._actor = ray.remote(**resources, max_restarts=-1)(ActorCalls).remote(os.getcwd())
        self._idle, self._new = idle, True

    def submit(self, call: Callable[..., Any], /, *args: Any) -> Future[Any]:
        # Only the first call is retried: the others need the state that it has left in the process, so that the death
        # of an actor must be reported although Ray restarts it.
        method = self._actor.run_first.options(max_task_retries=-1) if self._new else self._actor.run
        self._new = False
        found: Future[Any] = method.remote(call, *args).future()
        return found

    def describe_death(self, error: BaseException) -> str:
        """Describe the death as Ray reports it."""
        cause = error.cause if isinstance(error, RayTaskError) else error
        if not isinstance(cause, RayError):
            raise cause
        self._new = True
        return f"died ({type(cause).__name__}: {' '.join(str(cause).split())})"

    def kill(self) -> None:
        with suppress(RayError):
            ray.kill(self._actor)

    def close(self) -> None:
        """Keep the actor, with its loaded models, for reuse."""
        self._new = True  # for the next user
        self._idle.append(self)


@contextmanager
def cluster(address: str | None = None) -> Iterator[Engine]:
    """Connect to a Ray cluster within the context."""
    own = not ray.is_initialized()
    if own:
        _check_reachable(address or "")
        new = address is None and "RAY_ADDRESS" not in os.environ  # address None would join a running local cluster
        memory = {"object_store_memory": OBJECT_STORE_BYTES} if new else {}
        # Workers import what the driver can import, such as the script with a registered game.
        path = {"PYTHONPATH": os.pathsep.join(_own_paths())}
        quiet: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        try:
            ray.init("local" if new else address, runtime_env={"env_vars": path}, **quiet, **memory)
        except Exception as error:  # Ray has no specific error for an overloaded machine
            raise ConnectionError(f"Ray cannot be {'started' if new else 'reached'}: {error}") from error
    idle: dict[int, list[Actor]] = defaultdict(list)

    def worker(gpus: int) -> Actor:
        return idle[gpus].pop() if idle[gpus] else Actor(gpus, idle[gpus])

    try:
        has = ray.cluster_resources()
        yield Engine(worker, max(1, int(has.get("CPU", 1))), int(has.get("GPU", 0)), remote=True)
    finally:
        if own:  # a cluster that the caller has connected to stays; only the actors of this engine end
            ray.shutdown()
        else:
            for actor in [one for actors in idle.values() for one in actors]:
                actor.kill()


def _check_reachable(address: str) -> None:
    """Raise `ConnectionError` if nothing listens at the address; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    # Addresses without a port, such as auto, or with a protocol (ray://) are left to Ray.
    if port.isdecimal() and "/" not in host:
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
        except OSError as error:
            raise ConnectionError(f"no Ray cluster answers at the address {address}: {error}") from None


def _own_paths() -> list[str]:
    """Return the import paths outside the installation, for workers on machines with the same files."""
    return [path for path in map(os.path.abspath, sys.path) if not path.startswith(sys.base_prefix + os.sep)]
