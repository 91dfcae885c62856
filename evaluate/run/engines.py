"""The engines by their names, and the options of commands that say on which one they play."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import OneOf
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.evaluate.run.engine import use_engine

LOCAL, RAY = ENGINES = ("local", "ray")


EngineName = Annotated[str, Option(OneOf(*ENGINES), "Execution engine: local processes or a Ray cluster.")]
Address = Annotated[str | None, Option(meaning="Address of the Ray cluster, or auto.", default="start a local one")]


@dataclass
class EngineOptions:
    """Where a command plays."""

    engine: EngineName = LOCAL
    ray_address: Address = None


@contextmanager
def open_engine(engine: str = LOCAL, ray_address: str | None = None) -> Iterator[None]:
    """Has everything that is played run on an engine.

    Args:
        engine: One of `ENGINES`.
        ray_address: Of a cluster; ``"auto"``: that of this machine; None: a new one on this machine.

    Raises:
        ValueError: There is no such engine, or none that has an address.
        MissingLibraryError: Ray is not installed.
        ConnectionError: There is no cluster at the address.
    """
    if engine not in ENGINES:
        raise ValueError(unknown_name("engine", engine, ENGINES))
    if engine == LOCAL:
        if ray_address is not None:
            raise ValueError(f"ray_address={ray_address!r} is not allowed with engine={LOCAL!r}; allowed: with {RAY!r}")
        yield
        return
    from econzoo.evaluate.run.ray_engine import cluster

    with cluster(ray_address) as found, use_engine(found):
        yield
