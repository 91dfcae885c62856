"""Groups of players that are compared with each other, and the matches of their estimates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.evaluate.analyses.frame import SHARE
from econzoo.evaluate.show.numbers import replace_nan
from econzoo.evaluate.stats.columns import Columns, Tabular, select_common_opponents, sorted_roles, values_of
from econzoo.evaluate.stats.estimates import Difference, Population, describe_population, gaps_to_best, population
from econzoo.evaluate.stats.intervals import Interval

Estimates = dict[str, Interval]


class Group(NamedTuple):
    """Players that are compared with each other.

    Attributes:
        role: Common role; empty: all seats together.
        players: Players, the highest mean of the objective first.
        opponents: Opponents in the same order; mixtures of several only if there are no single opponents.
        overall: Player to estimates.
        pairs: (player, opponent) to estimates.
        settings: (player, setting) to estimates.
        gaps_to_best: Every player but the first to its gap to the first one's mean of the objective.
        matches: Number of matches.
        reading_label: How messages were read if that separates these matches
            (`econzoo.evaluate.analyses.summary.keyword_buyers`).
        population_note: Population of the intervals, except those by setting, which are over seeds.
    """

    role: str
    players: list[str]
    opponents: list[str]
    overall: dict[str, Estimates]
    pairs: dict[tuple[str, str], Estimates]
    settings: dict[tuple[str, str], Estimates]
    gaps_to_best: dict[str, Difference]
    matches: int = 0
    reading_label: str = ""
    population_note: str = ""


def has_same_matches(rows: Iterable[Estimates]) -> bool:
    """Whether every player's share is of the same matches as its gain, or none has a share."""
    rows = list(rows)
    return all(one[SHARE].rows == one[SELF_GAIN].rows for one in rows) or not any(one[SHARE].rows for one in rows)


class ComparableMatches:
    """Comparable matches, and the groups of players in them.

    All intervals but those by setting are for the same `Population`.

    Args:
        rows: Rows of the matches.
        by_role: Whether players take different seats.
        reading_label: See `Group`.
        estimate_rows: Function that estimates rows by player and further columns.
        objective: Objective whose mean ranks players.
    """

    def __init__(
        self,
        rows: Columns,
        by_role: bool,
        reading_label: str,
        estimate_rows: Callable[..., dict[Any, Estimates]],
        objective: str,
    ) -> None:
        self.rows, self._reading_label, self._estimate_rows, self._objective = (
            rows,
            reading_label,
            estimate_rows,
            objective,
        )
        self._comparable_rows = comparable = select_common_opponents(rows, by_role)
        self._population = over = population(comparable)
        self.overall, self.pairs = estimate_rows(comparable, over=over), estimate_rows(rows, "opponent", over=over)
        self.settings = estimate_rows(comparable, "market", over="seeds")
        self.seats = estimate_rows(comparable, "role", over=over)
        self.groups = [self._role_group(role) for role in sorted_roles(rows)] if by_role else [self._all_seats_group()]

    def _all_seats_group(self) -> Group:
        return self._group("", self.rows, self._comparable_rows, self.overall, self.pairs, self.settings)

    def _role_group(self, role: str) -> Group:
        own, comparable = (table[table["role"] == role] for table in (self.rows, self._comparable_rows))
        overall = {player: one for (player, own_role), one in self.seats.items() if own_role == role}
        settings = self._estimate_rows(comparable, "market", over="seeds")
        return self._group(
            role, own, comparable, overall, self._estimate_rows(own, "opponent", over=self._population), settings
        )

    def _group(self, role: str, rows: Tabular, comparable_rows: Tabular, *estimates: Any) -> Group:
        matches, settings = len(set(values_of(self.rows["match"]))), len(set(values_of(comparable_rows["market"])))
        group = new_group(role, self._objective, rows, comparable_rows, self._population, *estimates)
        return group._replace(
            matches=matches,
            reading_label=self._reading_label,
            population_note=describe_population(settings, self._population),
        )


def new_group(
    role: str,
    objective: str,
    table: Tabular,
    comparable_rows: Tabular,
    over: Population,
    overall: dict[str, Estimates],
    pairs: dict[tuple[str, str], Estimates],
    settings: dict[tuple[str, str], Estimates],
) -> Group:
    """Build a group whose players are in the order of their means of an objective.

    Args:
        role: See `Group`.
        objective: A column of the table.
        table: Rows of the group's players.
        comparable_rows: Rows against opponents common to all players.
        over: Population of the intervals.
        overall: See `Group`.
        pairs: See `Group`.
        settings: See `Group`.
    """
    names = sorted(overall, key=lambda player: -replace_nan(overall[player][objective].mean, -math.inf))
    single = table[~table["mixed"]]
    known = set(values_of((single if len(single) else table)["opponent"]))
    opponents = [name for name in dict.fromkeys([*names, *values_of(table["opponent"])]) if name in known]
    return Group(
        role, names, opponents, overall, pairs, settings, gaps_to_best(comparable_rows, names, objective, over=over)
    )
