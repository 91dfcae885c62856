"""Which rows of a table of seats compare like with like."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from econzoo.evaluate.columns import Tabular, among, met, values_of

Rows = TypeVar("Rows", bound=Tabular)


def seats_differ(table: Tabular) -> bool:
    """Whether some players took other seats than others, so that only those in the same seat can be compared."""
    return len({frozenset(roles) for roles in met(table["player"], table["role"]).values()}) > 1


def sorted_roles(table: Tabular) -> list[str]:
    """The roles that were taken, in the order of the seats."""
    seats = {role: min(taken) for role, taken in met(table["role"], table["seat"]).items()}
    return sorted(seats, key=lambda role: seats[role])


def against_all(table: Rows, by_role: bool = False) -> Rows:
    """The rows against opponents that every player met: means over these compare like with like.

    If there is no such opponent all rows stay.

    Args:
        table: Of `econzoo.evaluate.frame.frame` or `econzoo.evaluate.frame.columns`.
        by_role: Ask this of every role by itself, for those that took it.
    """
    kept = np.zeros(len(table), bool)
    for role in sorted_roles(table) if by_role else [None]:
        asked = np.ones(len(table), bool) if role is None else among(table["role"], [role])
        players = met(table[asked]["opponent"], table[asked]["player"])
        everybody = set(values_of(table[asked]["player"]))
        common = asked & among(table["opponent"], [name for name, beside in players.items() if beside == everybody])
        kept |= common if common.any() else asked
    return table[kept]
