"""Means and trends of the measures of programs, with intervals.

All programs and turns of one setting and seed form a cluster: the programs of a match answer each other, and those of
one author resemble each other, so they are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from pandas import DataFrame
from scipy import stats

from econzoo.evaluate.analyses.programs.rows import MEASURES, Measure
from econzoo.evaluate.stats import Interval, cases_per_unit, clusters_of, interval_ends, jackknife, population
from econzoo.evaluate.stats import precision, ratios, share_cases, weighted_slope

ALL_PLAYERS = "all"
"""Label of all players or all opponents together."""


class Mean(NamedTuple):
    """Mean of one measure.

    Attributes:
        round: Meta-round; 0: all.
        value: Mean; of a share, hits over cases; NaN if undefined.
        low: Lower bound of the 95% interval; NaN if undefined.
        n: Number of programs, or cases of a share.
        missing: Programs for which the measure is undefined.
    """

    measure: str
    game: str
    player: str
    opponent: str
    round: int
    value: float
    low: float
    high: float
    n: int
    missing: int

    @property
    def interval(self) -> Interval:
        return Interval(self.value, self.low, self.high, self.n)


class Slope(NamedTuple):
    """Trend of a measure over meta-rounds.

    Attributes:
        slope: Least-squares slope over all programs, per meta-round; shares are weighted by cases. NaN with fewer than
            two meta-rounds.
        low: Lower bound of the 95% interval; NaN if undefined.
        p_value: P-value of the line through the means of the meta-rounds, as in the paper: it assumes these means to be
            independent, which they are not. NaN with fewer than three meta-rounds.
        rounds: Meta-rounds with a value.
        n: Number of programs.
    """

    measure: str
    game: str
    player: str
    slope: float
    low: float
    high: float
    p_value: float
    rounds: int
    n: int

    @property
    def interval(self) -> Interval:
        return Interval(self.slope, self.low, self.high, self.n)


def means(table: DataFrame, measures: Sequence[Measure] = MEASURES) -> list[Mean]:
    """Compute means by player, by player and opponent, and over all players, per meta-round and over all of them.

    Args:
        table: See `econzoo.evaluate.analyses.programs.rows.program_table`; shares need their columns of hits and cases
            only.
    """
    parts = [part for group in _groups(table) for part in (group, *_pairs(group))]
    return [row for part in parts for row in _means(part, measures)]


class _Group(NamedTuple):
    game: str
    player: str
    table: DataFrame
    opponent: str = ALL_PLAYERS


def _groups(table: DataFrame) -> Iterator[_Group]:
    for game, part in table.groupby("game"):
        players = sorted(part["player"].unique())
        for player in players:
            yield _Group(str(game), player, part[part["player"] == player])
        if len(players) > 1:
            yield _Group(str(game), ALL_PLAYERS, part)


def _pairs(group: _Group) -> Iterator[_Group]:
    if group.player != ALL_PLAYERS:
        for opponent, part in group.table.groupby("opponent"):
            yield group._replace(table=part, opponent=str(opponent))


def _means(group: _Group, measures: Sequence[Measure]) -> Iterator[Mean]:
    table, places = group.table, group.table["round"].to_numpy()
    parts = {0: np.ones(len(table), bool), **{number: places == number for number in sorted(set(places.tolist()))}}
    # Clusters of this group alone: the interval of a pair is over the matches in which the two met.
    clusters, strata = clusters_of(table, population(table))
    sums = {measure.key: sums_of(table, measure) for measure in measures}
    wanted = [(key, number) for key in sums for number in parts]
    above, below = (np.zeros((len(strata), len(wanted))) for _ in range(2))
    for at, (key, number) in enumerate(wanted):
        for total, amounts in zip((above, below), sums[key], strict=True):
            # Not `total[...] += ...`, which would add one program per cluster only.
            np.add.at(total[:, at], clusters[parts[number]], amounts[parts[number]])
    values, influence = ratios(above, below)
    cases = np.array([cases_per_unit(*sums[key]) for key, _ in wanted])
    estimates = values, *interval_ends(values, precision(influence, strata), share_cases(cases, below))
    who = group.game, group.player, group.opponent
    for at, (key, number) in enumerate(wanted):
        missing = int((sums[key][1][parts[number]] == 0).sum())
        value, low, high = (float(end[at]) for end in estimates)
        yield Mean(key, *who, number, value, low, high, int(below[:, at].sum()), missing)


def sums_of(table: DataFrame, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return each program's share of the numerator and denominator of a mean, both of shape (programs,)."""
    if measure.cases:
        hits, cases = (table[f"{measure.key}_{part}"].to_numpy(float) for part in ("hits", "cases"))
        return hits, cases
    values = table[measure.key].to_numpy(float)
    return np.nan_to_num(values), np.isfinite(values).astype(float)


def slopes(table: DataFrame) -> list[Slope]:
    """Compute the trend over meta-rounds of every measure, by player and over all players."""
    return [_slope(group, measure) for group in _groups(table) for measure in MEASURES]


def _slope(group: _Group, measure: Measure) -> Slope:
    above, below = sums_of(group.table, measure)
    known = below > 0
    x, weight = group.table["round"].to_numpy(float)[known], below[known]
    y = above[known] / weight
    rounds = len(np.unique(x))
    place = measure.key, group.game, group.player
    if rounds < 2:
        return Slope(*place, math.nan, math.nan, math.nan, math.nan, rounds, len(x))
    # Slopes over evenly spread points are not skewed (docs/statistics.md).
    found = jackknife(lambda often: weighted_slope(x, y, often * weight), group.table[known], is_skewed=False)
    slope, low, high = (float(end[0]) for end in found)
    return Slope(*place, slope, low, high, _p_value(x, y, weight), rounds, len(x))


def _p_value(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    rounds = np.unique(x)
    if len(rounds) < 3:
        return math.nan
    by_round = [np.average(y[x == number], weights=weight[x == number]) for number in rounds]
    # A line through points that do not differ has no slope to test.
    return float(stats.linregress(rounds, by_round).pvalue) if np.ptp(by_round) > 0 else math.nan


class Cell(NamedTuple):
    """Group of programs over which means are taken.

    Attributes:
        round: Meta-round; 0: all.
    """

    game: str
    player: str
    opponent: str = ALL_PLAYERS
    round: int = 0


def cells(rows: Iterable[Mean]) -> dict[Cell, dict[str, Mean]]:
    found: dict[Cell, dict[str, Mean]] = {}
    for row in rows:
        found.setdefault(Cell(row.game, row.player, row.opponent, row.round), {})[row.measure] = row
    return found
