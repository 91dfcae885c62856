"""How much a program may use."""

from __future__ import annotations

from typing import Any, NamedTuple

GRACE_SECONDS = 0.3
"""Seconds after a time limit within which a worker that does not stop by itself is killed."""


HOST_SECONDS = 10.0
"""Seconds that the host may compute for a program in a whole match."""


class Limits(NamedTuple):
    """How much a program may use; what goes beyond ends in `Failure.LIMIT`.

    Attributes:
        seconds: Of computing for one call, and as many of the host's for what that call asks of it.
        memory: Bytes of its heap over the whole match.
        recursion: Calls inside calls.
        output: Characters printed in one call (they are thrown away).
        source: Characters of its source.
        simulations: Calls of `simulate` in one match, those inside simulations included.
        depth: Simulations inside simulations.
        wall_seconds: Seconds by the clock for one call with all the simulations and syntax trees that it asks for.
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
        """These limits, those that count things as whole numbers.

        Raises:
            ValueError: One of them is outside of its range (see `RANGES`), or not whole where it must be.
        """
        return Limits(**{name: _validate_limit(name, getattr(self, name)) for name in RANGES})


def _validate_limit(name: str, value: Any) -> Any:
    low, high = RANGES[name]
    whole = name not in ("seconds", "wall_seconds")
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"limit {name} must be a number from {low:g} to {high:g}; got {value!r}")
    if whole and value % 1:
        raise ValueError(f"limit {name} must be a whole number; got {value!r}")
    return int(value) if whole else float(value)


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
"""Least and greatest value of each limit."""
