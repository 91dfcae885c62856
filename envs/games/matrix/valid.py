"""What the functions of the theory take; everything else is refused by name."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.arguments import checked
from econzoo.envs.core.contract.parameters import MAX_ROUNDS, Described, OrNone, Real, Several, Whole
from econzoo.envs.games.matrix.tables import Table

PROBABILITY = Real(0.0, 1.0)
TABLE = Described(Several(8, Real()), "eight finite numbers: CC, CD, DC, DD of the row seat, then of the column seat")
FIRST = Described(Several(2, PROBABILITY), "two probabilities of C, one a seat")
ROUNDS = Described(OrNone(Whole(1, MAX_ROUNDS)), f"None or a whole number from 1 to {MAX_ROUNDS}")
MEMORY_ONE = Described(Several(4, PROBABILITY), "four probabilities of C: after CC, CD, DC and DD, the own move first")


def table_like(value: Any) -> Table:
    """A table, if it is one.

    Raises:
        ValueError: These are not eight finite numbers.
    """
    return checked("table", value, TABLE)  # type: ignore[return-value]


def noise_of(value: Any) -> float:
    """A probability with which choices come out as the other one.

    Raises:
        ValueError: It is none from 0 to 1/2.
    """
    return checked("noise", value, Real(0.0, 0.5))


def memory_one(name: str, value: Any) -> tuple[float, ...]:
    """Four probabilities of C, after CC, CD, DC and DD.

    Raises:
        ValueError: They are none.
    """
    return checked(name, value, MEMORY_ONE)
