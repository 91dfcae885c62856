"""Engines by name, and the options of commands that select one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Integer, OneOf, OrNone
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.evaluate.run.engine import use_engine

LOCAL, RAY = ENGINES = ("local", "ray")


EngineName = Annotated[str, Option(OneOf(*ENGINES), "Execution engine: local processes or a Ray cluster.")]
Concurrent = Annotated[
    int | None,
    Option(
        OrNone(Integer(1, 4096)),
        "Matches in parallel, whose model calls go together.",
        default="32, or twice the largest concurrency of a player",
    ),
]
Address = Annotated[str | None, Option(meaning="Address of the Ray cluster, or auto.", default="start a local one")]


@dataclass
class EngineOptions:
    """Engine options of a command."""

    engine: EngineName = LOCAL
    ray_address: Address = None


def check_engine(engine: str = LOCAL, ray_address: str | None = None) -> None:
    """Check an engine and its address without starting it.

    Raises:
        ValueError: The engine is unknown, or takes no address.
        MissingLibraryError: Ray is not installed.
    """
    if engine not in ENGINES:
        raise ValueError(unknown_name("engine", engine, ENGINES))
    if engine == LOCAL and ray_address is not None:
        raise ValueError(f"invalid ray_address={ray_address!r} with engine={LOCAL!r}: expected None")
    if engine != LOCAL:
        import_module("econzoo.evaluate.run.ray_engine")


@contextmanager
def open_engine(engine: str = LOCAL, ray_address: str | None = None) -> Iterator[None]:
    """Run all matches within the context on an engine.

    Args:
        engine: One of `ENGINES`.
        ray_address: Address of a cluster; ``"auto"``: this machine's cluster; None: a new local cluster.

    Raises:
        ValueError: The engine is unknown, or takes no address.
        MissingLibraryError: Ray is not installed.
        ConnectionError: There is no cluster at the address.
    """
    check_engine(engine, ray_address)
    if engine == LOCAL:
        yield
        return
    from econzoo.evaluate.run.ray_engine import cluster

    with cluster(ray_address) as found, use_engine(found):
        yield
