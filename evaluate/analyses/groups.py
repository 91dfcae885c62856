"""Groups of players that are compared with each other, and the matches that their numbers are made of."""

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
        role: The seat that all of them took, or empty: all seats together.
        players: The highest mean of the objective first.
        opponents: Whom they met, likewise; mixtures of several only if nobody met anything else.
        overall: Player to estimates.
        pairs: (player, opponent) to estimates.
        settings: (player, market) to estimates.
        gaps_to_best: All players but the first to how far their mean of the objective is below that of the first.
        matches: How many.
        reading_label: How words were heard, where that sets these matches apart
            (`econzoo.evaluate.analyses.summary.keyword_buyers`).
        population_note: Of what the intervals speak, but those by market, which are over seeds.
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
    """Whether everybody's share, if any has one, is of the same matches as its gain."""
    rows = list(rows)
    return all(one[SHARE].rows == one[SELF_GAIN].rows for one in rows) or not any(one[SHARE].rows for one in rows)


class ComparableMatches:
    """Matches whose numbers may be put together, and the groups that are compared in them.

    Args:
        rows: Of the matches.
        by_role: Whether players take different seats.
        reading_label: See `Group`.
        estimate_rows: Makes estimates of rows by player and by further columns.
        objective: By whose mean players are ranked.

    All of its intervals but those by market speak of the same `Population`.
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
        self._comparable_rows = alike = select_common_opponents(rows, by_role)
        self._population = over = population(alike)
        self.overall, self.pairs = estimate_rows(alike, over=over), estimate_rows(rows, "opponent", over=over)
        self.settings = estimate_rows(alike, "market", over="seeds")
        self.seats = estimate_rows(alike, "role", over=over)
        self.groups = [self._role_group(role) for role in sorted_roles(rows)] if by_role else [self._all_seats_group()]

    def _all_seats_group(self) -> Group:
        return self._group("", self.rows, self._comparable_rows, self.overall, self.pairs, self.settings)

    def _role_group(self, role: str) -> Group:
        own, like = (table[table["role"] == role] for table in (self.rows, self._comparable_rows))
        overall = {player: one for (player, took), one in self.seats.items() if took == role}
        markets = self._estimate_rows(like, "market", over="seeds")
        return self._group(
            role, own, like, overall, self._estimate_rows(own, "opponent", over=self._population), markets
        )

    def _group(self, role: str, rows: Tabular, comparable_rows: Tabular, *estimates: Any) -> Group:
        matches, markets = len(set(values_of(self.rows["match"]))), len(set(values_of(comparable_rows["market"])))
        group = new_group(role, self._objective, rows, comparable_rows, self._population, *estimates)
        return group._replace(
            matches=matches,
            reading_label=self._reading_label,
            population_note=describe_population(markets, self._population),
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
    """A group in the order of its players' means of an objective.

    Args:
        role: See `Group`.
        objective: A column of the table.
        table: Rows of those in it.
        comparable_rows: Those of them against opponents that all met.
        over: Of what the intervals speak.
        overall: See `Group`.
        pairs: See `Group`.
        settings: See `Group`.
    """
    names = sorted(overall, key=lambda player: -replace_nan(overall[player][objective].mean, -math.inf))
    alone = table[~table["mixed"]]
    faced = set(values_of((alone if len(alone) else table)["opponent"]))
    opponents = [name for name in dict.fromkeys([*names, *values_of(table["opponent"])]) if name in faced]
    return Group(
        role, names, opponents, overall, pairs, settings, gaps_to_best(comparable_rows, names, objective, over=over)
    )
