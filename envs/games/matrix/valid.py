"""What the functions of the theory take; everything else is refused by name."""

from __future__ import annotations

from functools import partial
from typing import Any

from econzoo.envs.core.parameters import real, several
from econzoo.envs.core.valid import checked
from econzoo.envs.games.matrix.tables import Table

probability = partial(real, low=0.0, high=1.0)


def table_like(value: Any) -> Table:
    """A table, if it is one.

    Raises:
        ValueError: These are not eight finite numbers.
    """
    must = "eight finite numbers: CC, CD, DC, DD of the row seat, then of the column seat"
    return checked("table", value, partial(several, length=8, check=real), must)  # type: ignore[return-value]


def noise_of(value: Any) -> float:
    """A probability with which choices come out as the other one.

    Raises:
        ValueError: It is none from 0 to 1/2.
    """
    return checked("noise", value, partial(real, low=0.0, high=0.5), "a number from 0 to 0.5")


def memory_one(name: str, value: Any) -> tuple[float, ...]:
    """Four probabilities of C, after CC, CD, DC and DD.

    Raises:
        ValueError: They are none.
    """
    must = "four probabilities of C: after CC, CD, DC and DD, the own move first"
    return checked(name, value, partial(several, length=4, check=probability), must)
