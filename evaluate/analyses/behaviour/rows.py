"""One tidy table for all measures of behaviour: a row is one number with its interval and what it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from econzoo.evaluate.stats import Columns, Interval, estimate

ALL_PLAYERS = "all"
"""Stands for all players together."""


class Row(NamedTuple):
    """One estimate.

    Attributes:
        player: Spec, or `ALL_PLAYERS`.
        role: Name of the seat, or empty where both seats are taken together.
        key: Which number of the measure: a round, a bin, a condition.
        value: The estimate; NaN where it is not defined.
        low: Lower end of the 95% interval; NaN where it is not defined.
        n: Observations (offers, matches or rounds) that the value is made of.
    """

    measure: str
    game: str
    player: str
    role: str
    key: str
    value: float
    low: float
    high: float
    n: int

    @property
    def interval(self) -> Interval:
        """The estimate alone."""
        return Interval(self.value, self.low, self.high, self.n)


def frame_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> pd.DataFrame:
    """A data frame of some columns of rows, of which few are in memory at once."""
    made = Columns.of_rows({name: row[name] for name in names} for row in rows)
    return made.data_frame() if len(made) else pd.DataFrame(columns=list(names))


def new_row(measure: str, place: tuple[str, str, str], key: str, found: Sequence[float], n: int) -> Row:
    """A row of (game, player, role) and of an estimate with the two ends of its interval."""
    value, low, high = found
    return Row(measure, *place, key, value, low, high, n)


def mean_rows(measure: str, table: pd.DataFrame, value: str, key: str = "key", is_share: bool = True) -> list[Row]:
    """Means of a column with their intervals, for every game, player, role and key.

    Args:
        table: Columns ``game``, ``player``, ``role``, ``cluster``, the key and the value; NaN counts for nothing.
        is_share: Whether values between 0 and 1 are shares of cases.
    """
    known = table[table[value].notna()]
    by = ["game", "player", "role", key]
    found = estimate(known, by, [value], signed=() if is_share else (value,))
    return [
        Row(measure, game, player, role, str(name), *one[value]) for (game, player, role, name), one in found.items()
    ]


def add_pooled_players(table: pd.DataFrame) -> pd.DataFrame:
    """The table, and once more with all players as one for games that several played."""
    # With one player the pooled rows would repeat its own.
    several = table[table.groupby("game")["player"].transform("nunique") > 1]
    return pd.concat([table, several.assign(player=ALL_PLAYERS)], ignore_index=True)


def select_rows(rows: Iterable[Row], **wanted: str) -> list[Row]:
    """The rows whose fields have these values."""
    return [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]


def distinct(rows: Iterable[Row], field: str) -> list[str]:
    """The values of a field, in order."""
    return list(dict.fromkeys(getattr(row, field) for row in rows))
