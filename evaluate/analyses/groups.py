"""Groups of players that are compared with each other, and the matches that their numbers are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.evaluate.analyses.frame import SHARE
from econzoo.evaluate.show.numbers import known
from econzoo.evaluate.stats.columns import Columns, Tabular, against_all, sorted_roles, values_of
from econzoo.evaluate.stats.estimates import Difference, Population, behind, population, told
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
        markets: (player, market) to estimates.
        behind: All players but the first to how far their mean of the objective is below that of the first.
        matches: How many.
        heard: How words were heard, where that sets these matches apart
            (`econzoo.evaluate.analyses.summary.keyword_buyers`).
        told: Of what the intervals speak, but those by market, which are over seeds.
    """

    role: str
    players: list[str]
    opponents: list[str]
    overall: dict[str, Estimates]
    pairs: dict[tuple[str, str], Estimates]
    markets: dict[tuple[str, str], Estimates]
    behind: dict[str, Difference]
    matches: int = 0
    heard: str = ""
    told: str = ""


def of_the_same_matches(rows: Iterable[Estimates]) -> bool:
    """Whether everybody's share, if any has one, is of the same matches as its gain."""
    rows = list(rows)
    return all(one[SHARE].rows == one[SELF_GAIN].rows for one in rows) or not any(one[SHARE].rows for one in rows)


class Part:
    """Matches whose numbers may be put together, and the groups that are compared in them.

    Args:
        rows: Of the matches.
        by_role: Whether players take different seats.
        heard: See `Group`.
        found: Makes estimates of rows by player and by further columns.
        objective: By whose mean players are ranked.

    All of its intervals but those by market speak of the same `Population`.
    """

    def __init__(
        self, rows: Columns, by_role: bool, heard: str, found: Callable[..., dict[Any, Estimates]], objective: str
    ) -> None:
        self.rows, self._heard, self._found, self._objective = rows, heard, found, objective
        self._alike = alike = against_all(rows, by_role)
        self._over = over = population(alike)
        self.overall, self.pairs = found(alike, over=over), found(rows, "opponent", over=over)
        self.markets = found(alike, "market", over="seeds")
        self.seats = found(alike, "role", over=over)
        self.groups = [self._of_role(role) for role in sorted_roles(rows)] if by_role else [self._of_all()]

    def _of_all(self) -> Group:
        return self._group("", self.rows, self._alike, self.overall, self.pairs, self.markets)

    def _of_role(self, role: str) -> Group:
        own, like = (table[table["role"] == role] for table in (self.rows, self._alike))
        overall = {player: one for (player, took), one in self.seats.items() if took == role}
        markets = self._found(like, "market", over="seeds")
        return self._group(role, own, like, overall, self._found(own, "opponent", over=self._over), markets)

    def _group(self, role: str, rows: Tabular, alike: Tabular, *estimates: Any) -> Group:
        matches, markets = len(set(values_of(self.rows["match"]))), len(set(values_of(alike["market"])))
        group = new_group(role, self._objective, rows, alike, self._over, *estimates)
        return group._replace(matches=matches, heard=self._heard, told=told(markets, self._over))


def new_group(
    role: str,
    objective: str,
    table: Tabular,
    alike: Tabular,
    over: Population,
    overall: dict[str, Estimates],
    pairs: dict[tuple[str, str], Estimates],
    markets: dict[tuple[str, str], Estimates],
) -> Group:
    """A group in the order of its players' means of an objective.

    Args:
        role: See `Group`.
        objective: A column of the table.
        table: Rows of those in it.
        alike: Those of them against opponents that all met.
        over: Of what the intervals speak.
        overall: See `Group`.
        pairs: See `Group`.
        markets: See `Group`.
    """
    names = sorted(overall, key=lambda player: -known(overall[player][objective].mean, -math.inf))
    alone = table[~table["mixed"]]
    faced = set(values_of((alone if len(alone) else table)["opponent"]))
    opponents = [name for name in dict.fromkeys([*names, *values_of(table["opponent"])]) if name in faced]
    return Group(role, names, opponents, overall, pairs, markets, behind(alike, names, objective, over=over))
