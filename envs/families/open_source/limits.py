"""Resource limits of programs."""

from __future__ import annotations

from typing import Any, NamedTuple

GRACE_SECONDS = 0.3
"""Seconds after a time limit at which a worker that has not stopped is killed."""


HOST_SECONDS = 10.0
"""Seconds of host computation per program and match."""


class Limits(NamedTuple):
    """Resource limits of a program; exceeding one is `Failure.LIMIT`.

    Attributes:
        seconds: CPU seconds per call, and as many of the host for its host functions.
        memory: Heap in bytes, over the match.
        recursion: Call depth.
        output: Characters printed per call (they are discarded).
        source: Characters of the source.
        simulations: Calls of `simulate` per match, nested ones included.
        depth: Nesting depth of simulations.
        wall_seconds: Wall-clock seconds per call, including its simulations and syntax trees.
    """

    seconds: float = 1.0
    memory: int = 32 * 2**20
    recursion: int = 200
    output: int = 2000
    source: int = 20_000
    simulations: int = 100
    depth: int = 8
    wall_seconds: float = 10.0

    def validate(self) -> Limits:
        """Return the limits, counts as integers."""
        return Limits(**{name: _validate_limit(name, getattr(self, name)) for name in RANGES})


def _validate_limit(name: str, value: Any) -> Any:
    low, high = RANGES[name]
    is_integer = name not in ("seconds", "wall_seconds")
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"invalid limit {name}={value!r}: expected a number from {low:g} to {high:g}")
    if is_integer and value % 1:
        raise ValueError(f"invalid limit {name}={value!r}: expected an integer")
    return int(value) if is_integer else float(value)


RANGES = {
    "seconds": (0.01, 60),
    "memory": (2**20, 2**32),
    "recursion": (10, 1000),
    "output": (0, 10**7),
    "source": (1, 10**6),
    "simulations": (0, 10**5),
    "depth": (0, 100),
    "wall_seconds": (0.01, 3600),
}
"""Minimum and maximum of each limit."""
