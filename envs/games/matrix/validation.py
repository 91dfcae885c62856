"""Validation of the arguments of theory functions."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import MAX_ROUNDS, CustomDomain, Integer, OrNone, Real, TupleOf, check_argument
from econzoo.envs.games.matrix.tables import Table

PROBABILITY = Real(0.0, 1.0)
TABLE = CustomDomain(
    TupleOf(8, Real()), "eight finite numbers: CC, CD, DC, DD of the row seat, then of the column seat"
)
FIRST = CustomDomain(TupleOf(2, PROBABILITY), "two probabilities of C, one per seat")
ROUNDS = CustomDomain(OrNone(Integer(1, MAX_ROUNDS)), f"None or an integer from 1 to {MAX_ROUNDS}")
MEMORY_ONE = CustomDomain(
    TupleOf(4, PROBABILITY), "four probabilities of C: after CC, CD, DC and DD, the own move first"
)


def validate_table(value: Any) -> Table:
    return check_argument("table", value, TABLE)  # type: ignore[return-value]


def validate_noise(value: Any) -> float:
    return check_argument("noise", value, Real(0.0, 0.5))


def validate_memory_one(name: str, value: Any) -> tuple[float, ...]:
    return check_argument(name, value, MEMORY_ONE)
