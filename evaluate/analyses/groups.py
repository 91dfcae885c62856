"""Groups of players that are compared with each other, and the matches of their estimates."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from econzoo.envs.core.contract import SELF_GAIN
from econzoo.evaluate.analyses.frame import SHARE
from econzoo.evaluate.analyses.ranking_values import COUNTED, NO_CASES
from econzoo.evaluate.show import replace_nan
from econzoo.evaluate.stats import MAX_MISSING, WORST, Columns, Difference, Interval, Population, Rows, Tabular
from econzoo.evaluate.stats import add_cases, cases_of, count_established, describe_population, gap_cases, gaps_to_best
from econzoo.evaluate.stats import population, select_common_opponents, sorted_roles, values_of

Estimates = dict[str, Interval]


class Group(NamedTuple):
    """Players that are compared with each other.

    Attributes:
        role: Common role; empty: all seats together.
        players: Players, the highest mean of `ranked` first.
        opponents: Opponents in the same order; mixtures of several only if there are no single opponents.
        pairs: (player, opponent) to estimates.
        settings: (player, setting) to estimates.
        gaps_to_best: Every player but the first to its gap to the first one's mean of `ranked`.
        reading_label: How messages were read if that separates these matches
            (`econzoo.evaluate.analyses.summary.keyword_buyers`).
        population_note: Population of the intervals, except those by setting, which are over seeds.
        ranked: Estimate by which players are ordered: the objective, or `COUNTED`.
        established: Number of first places that hold whatever the missing matches are; all without missing matches.
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
    ranked: str = SELF_GAIN
    established: int = 0

    @property
    def has_cases(self) -> bool:
        """Whether worst and best cases are shown, because matches of a player are missing."""
        return any(WORST in one for one in self.overall.values())

    @property
    def is_ordered(self) -> bool:
        """Whether the whole order of the players holds whatever the missing matches are."""
        return self.established >= len(self.players)

    @property
    def is_over_all(self) -> bool:
        """Whether the means are over all matches of the players, not only those against common opponents."""
        sizes = Counter[str]()
        for (player, _), one in self.pairs.items():
            sizes[player] += one[self.ranked].rows
        return all(one[self.ranked].rows == sizes[player] for player, one in self.overall.items())

    @property
    def gap_cases(self) -> dict[str, tuple[float, float]]:
        """Least and greatest value of each of `gaps_to_best`; empty if no matches are missing."""
        first = self.overall[self.players[0]]
        return {one: gap_cases(first, self.overall[one]) for one in self.gaps_to_best} if self.has_cases else {}


def has_same_matches(rows: Iterable[Estimates]) -> bool:
    """Whether every player's share is of the same matches as its gain, or none has a share."""
    rows = list(rows)
    return all(one[SHARE].rows == one[SELF_GAIN].rows for one in rows) or not any(one[SHARE].rows for one in rows)


class ComparableMatches:
    """Comparable matches, and the groups of players in them.

    All intervals but those by setting are for the same `Population`.

    Args:
        by_role: Whether players take different seats.
        estimate_rows: Function that estimates rows by player and further columns.
        ranked: Column by whose mean players are ordered.
        cases: See `econzoo.evaluate.analyses.ranking_values.case_rows`; used if more than `MAX_MISSING` of a player's
            matches are missing.
    """

    def __init__(
        self,
        rows: Columns,
        by_role: bool,
        reading_label: str,
        estimate_rows: Callable[..., dict[Any, Estimates]],
        ranked: str,
        cases: Columns = NO_CASES,
    ) -> None:
        self.rows, self._reading_label, self._estimate_rows, self._ranked = rows, reading_label, estimate_rows, ranked
        comparable, comparable_cases = comparable_rows(rows, cases, by_role)
        self._comparable_rows, self._comparable_cases = comparable, comparable_cases
        self._cases = cases = cases if len(comparable_cases) else NO_CASES
        self._population = over = population(comparable)
        self.overall = self._estimate(comparable, comparable_cases, over=over)
        # Pairs are of all matches, as no opponent has to be common to be met; within a setting only seeds vary.
        self.pairs = self._estimate(rows, cases, "opponent", over=over)
        self.settings = self._estimate(comparable, comparable_cases, "setting", over="seeds")
        self.seats = self._estimate(comparable, comparable_cases, "role", over=over)
        roles = sorted_roles(cases if len(cases) else rows)
        self.groups = [self._role_group(role) for role in roles] if by_role else [self._all_seats_group()]

    def _estimate(self, rows: Columns, cases: Columns, *key: str, over: Population) -> dict[Any, Estimates]:
        return add_cases(self._estimate_rows(rows, *key, over=over), cases, ["player", *key])

    def _all_seats_group(self) -> Group:
        table = self._cases if len(self._cases) else self.rows
        return self._group("", table, self._comparable_rows, self.overall, self.pairs, self.settings)

    def _role_group(self, role: str) -> Group:
        own, comparable, cases, comparable_cases = (
            table[table["role"] == role]
            for table in (self.rows, self._comparable_rows, self._cases, self._comparable_cases)
        )
        overall = {player: one for (player, own_role), one in self.seats.items() if own_role == role}
        settings = self._estimate(comparable, comparable_cases, "setting", over="seeds")
        pairs = self._estimate(own, cases, "opponent", over=self._population)
        return self._group(role, cases if len(cases) else own, comparable, overall, pairs, settings)

    def _group(
        self,
        role: str,
        table: Tabular,
        comparable: Tabular,
        overall: dict[str, Estimates],
        pairs: dict[tuple[str, str], Estimates],
        settings: dict[tuple[str, str], Estimates],
    ) -> Group:
        ranked, over = self._ranked, self._population
        mishaps = ("forfeit", "left", "default_rate") if ranked == COUNTED else ()

        def place(player: str) -> tuple[float, float]:  # of equal means that with fewer defaults comes first
            own = overall[player]
            return -replace_nan(own[ranked].mean, -math.inf), sum(replace_nan(own[name].mean, 0.0) for name in mishaps)

        names = sorted(overall, key=place)
        single = table[~table["mixed"]]
        known = set(values_of((single if len(single) else table)["opponent"]))
        played = set(values_of(comparable["player"]))
        gaps = gaps_to_best(comparable, [name for name in names if name in played], ranked, over=over)
        return Group(
            role,
            names,
            [name for name in dict.fromkeys([*names, *values_of(table["opponent"])]) if name in known],
            overall,
            pairs,
            settings,
            {player: established_gap(gap, overall[names[0]], overall[player]) for player, gap in gaps.items()},
            matches=len(set(values_of(self.rows["match"]))),
            reading_label=self._reading_label,
            population_note=describe_population(len(set(values_of(comparable["setting"]))), over),
            ranked=ranked,
            established=count_established([overall[name] for name in names]),
        )


def comparable_rows(rows: Rows, cases: Columns, by_role: bool) -> tuple[Rows, Columns]:
    """Select the rows against common opponents, and the cases against opponents that are common if none were missing.

    There are no cases unless more than `MAX_MISSING` of a player's matches are missing.
    """
    kept = select_common_opponents(cases, by_role)
    is_shown = any(one.missing > MAX_MISSING for one in cases_of(kept, ["player"]).values())
    return select_common_opponents(rows, by_role), kept if is_shown else NO_CASES


def established_gap(gap: Difference, first: Mapping[str, Interval], other: Mapping[str, Interval]) -> Difference:
    """Return a gap that is distinct from 0 only if it is so whatever the missing matches are."""
    low, high = gap_cases(first, other)
    return gap._replace(distinct=gap.distinct and not low <= 0 <= high)
