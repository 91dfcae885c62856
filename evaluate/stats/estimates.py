"""Means, ratios and paired differences of tables of matches, with 95% intervals.

Two sources of randomness are settings and seeds. All matches of one setting and seed share their random numbers, across
pairs and seat orders: they are one cluster. Different seeds and settings are independent. An interval is over a
`Population`: other *seeds* of the settings played, which are fixed; or other *settings*, of which those played are a
sample. Fewer than `intervals.MIN_CLUSTERS` settings do not generalise to others.

Every estimate is a ratio of two sums: a mean is the sum of values over their number, an error rate errors over answers,
the share of the equilibrium payoff payoffs over equilibrium payoffs. See `econzoo.evaluate.stats.intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from econzoo.evaluate.stats.columns import Tabular, factorize, values_of
from econzoo.evaluate.stats.intervals import CELLS, CONFIDENCE, MIN_CLUSTERS, IdenticalClusters, Interval
from econzoo.evaluate.stats.intervals import TooFewClusters, has_too_few_clusters, holm, interval_ends, precision
from econzoo.evaluate.stats.intervals import ratios
from econzoo.evaluate.stats.outcomes import RATES

Population = Literal["seeds", "settings"]
"""Population of which the seeds or settings played are a sample."""

MEDIAN, TRIMMED = "median", "trimmed_mean"

TAIL = 0.1
"""Fraction of the rows that a trimmed mean drops at either end."""

ROUNDING = 1e-12
"""Relative differences below this are rounding errors."""

RATIOS = {
    "share": ("payoff / unit", "due / unit"),
    "error_rate": ("errors", "answers"),
    "default_rate": ("defaults", "answers"),
}
"""Columns that are ratios: numerator and denominator.

``share``: payoff over equilibrium payoff, both relative to the total equilibrium payoff, so that settings with more
money do not weigh more; only for seats with a positive equilibrium payoff, up to rounding, hence to be read beside
``share_gain``, the gain of just these. ``error_rate`` and ``default_rate``: relative to all answers.
"""


def population(table: Tabular) -> Population:
    """Return the population of a table: settings if it has enough, else seeds."""
    return "settings" if "setting" in table and len(set(values_of(table["setting"]))) >= MIN_CLUSTERS else "seeds"


def describe_population(settings: int, over: Population | None = None) -> str:
    """Describe the population of intervals of a table, as a phrase after "intervals"."""
    if (over or ("settings" if settings >= MIN_CLUSTERS else "seeds")) == "settings":
        return f"over settings: each of the {settings} is a draw from settings like it"
    return f"over seeds: the {'setting stays as it is' if settings == 1 else f'{settings} settings stay as they are'}"


def estimate(
    table: Tabular,
    by: Sequence[str],
    columns: Sequence[str],
    *,
    over: Population | None = None,
    unit: str = "cluster",
    confidence: float = CONFIDENCE,
    signed: Collection[str] = (),
) -> dict[Any, dict[str, Interval]]:
    """Estimate columns for every group of rows.

    Args:
        table: Table of `econzoo.evaluate.analyses.frame.frame` or `econzoo.evaluate.analyses.frame.columns`, with the
            columns of `by`, the unit, and ``setting``; without ``setting`` there is one setting.
        by: Columns that define groups, e.g. ``["player"]`` or ``["player", "opponent"]``.
        columns: Columns of the table, or names of `RATIOS`.
        over: Population of the intervals; None: see `population`.
        unit: Column that identifies independent rows within a setting.
        signed: Columns that may be negative although no value is, so that they are not proportions: differences.

    Returns:
        Group to column to `Interval`; a group is a value if `by` has one column, else a tuple.
    """
    if not len(table):
        return {}
    clusters, strata = clusters_of(table, over or population(table), unit)
    group, groups = _groups(table, by)
    estimated = {one: dict[str, Interval]() for one in groups}
    for some in _batches(columns, len(strata) * len(groups)):
        above, below, counts = _sums(table, group, some, clusters)
        means, influence = _ratios(above, below)
        of = _share_cases(table, some, signed, below)
        found = precision(influence, strata)
        low, high = interval_ends(means, found, of, confidence)
        cells = zip(means.tolist(), low.tolist(), high.tolist(), counts, strict=True)
        intervals = map(_interval, cells, has_too_few_clusters(found))
        for own in estimated.values():
            own.update(zip(some, intervals, strict=False))
    return estimated


def _batches(columns: Sequence[str], cells: int) -> Iterator[Sequence[str]]:
    """Split columns into batches that fit in memory, none of a single column, which numpy sums in another order."""
    count = max(1, min(len(columns) // 2, math.ceil(len(columns) * cells / CELLS)))
    edges = [len(columns) * at // count for at in range(count + 1)]
    yield from (columns[start:end] for start, end in pairwise(edges))


def robust_means(table: Tabular, by: Sequence[str], column: str) -> dict[Any, dict[str, Interval]]:
    """Compute robust means without intervals: the median of a column, and its trimmed mean.

    Args:
        column: Column of the table; rows with NaN are skipped.

    Returns:
        Group to `MEDIAN` and `TRIMMED`, NaN without rows.
    """
    values, (group, groups) = np.asarray(table[column], float), _groups(table, by)
    found: dict[Any, dict[str, Interval]] = {}
    for at, name in enumerate(groups):
        own = np.sort(values[(group == at) & np.isfinite(values)])
        cut = int(TAIL * len(own))
        both = (np.median(own), own[cut : len(own) - cut].mean()) if len(own) else (math.nan, math.nan)
        found[name] = {
            key: Interval(float(one), math.nan, math.nan, len(own))
            for key, one in zip((MEDIAN, TRIMMED), both, strict=True)
        }
    return found


def mean_over_groups(
    table: Tabular, by: str, columns: Sequence[str], signed: Collection[str] = ()
) -> dict[str, Interval]:
    """Estimate means over groups of the group estimates: every group has the same weight, whatever its rows.

    Groups are fixed, and settings, each of which belongs to one group, are sampled within their group. The mean is over
    the groups in which a column is defined.
    """
    clusters, settings = clusters_of(table, "settings")
    group, groups = _groups(table, [by])
    above, below, _ = _sums(table, group, columns, clusters)
    flat, added, strata = *ratios(above, below), np.zeros(len(settings), int)
    strata[clusters] = group
    means, influence = flat.reshape(len(groups), -1), added.reshape(len(settings), len(groups), -1)
    known = np.isfinite(means)
    with np.errstate(all="ignore"):
        means_over_groups = np.nansum(means, axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan)
        part = np.nansum(influence, axis=1) / known.sum(axis=0)
    # `nansum` gives 0 for a setting without values, which would count as a cluster.
    part[~np.isfinite(influence).any(axis=1)] = np.nan
    of = _share_cases(table, columns, signed, below).reshape(len(groups), -1).sum(axis=0)
    found = precision(part, strata)
    low, high = interval_ends(means_over_groups, found, of)
    cells = zip(means_over_groups.tolist(), low.tolist(), high.tolist(), [len(table)] * len(columns), strict=True)
    named = zip(columns, cells, has_too_few_clusters(found), strict=True)
    return {name: _interval(cell, few) for name, cell, few in named}


def _interval(cell: tuple[float, float, float, int], few: bool) -> Interval:
    """Return an estimate; without an interval its type says why: too few clusters, or identical ones."""
    mean, low, *_ = cell
    kind = Interval if math.isfinite(low) or math.isnan(mean) else TooFewClusters if few else IdenticalClusters
    return kind(*cell)


class Difference(NamedTuple):
    """Paired difference of two groups in the same settings and seeds.

    Attributes:
        mean: Mean of the first minus the second.
        low: Lower end of its 95% interval; NaN without one.
        distinct: Whether it differs from 0 after Holm's correction (1979) over all differences shown, with a
            family-wise error rate of 5%.
    """

    mean: float
    low: float
    high: float
    distinct: bool


def differences(
    table: Tabular,
    pairs: Sequence[tuple[Hashable, Hashable]],
    column: str,
    *,
    by: str = "player",
    over: Population | None = None,
    unit: str = "cluster",
) -> dict[tuple[Hashable, Hashable], Difference]:
    """Estimate paired differences, in which common random numbers cancel."""
    if not len(table) or not pairs:
        return {}
    clusters, strata = clusters_of(table, over or population(table), unit)
    group, groups = _groups(table, [by])
    above, below, _ = _sums(table, group, [column], clusters)
    means, influence = _ratios(above, below)
    first, second = ([groups.index(pair[side]) for pair in pairs] for side in (0, 1))
    # A cluster that only one of both has contributes its influence on that one; one that neither has does not count.
    both = _subtract(np.nan_to_num(influence[:, first]), np.nan_to_num(influence[:, second]))
    is_present = np.isfinite(influence[:, first]) | np.isfinite(influence[:, second])
    found, gaps = precision(np.where(is_present, both, np.nan), strata), _subtract(means[first], means[second])
    low, high = interval_ends(gaps, found)
    distinct = holm(gaps, found)
    cells = zip(gaps.tolist(), low.tolist(), high.tolist(), distinct.tolist(), strict=True)
    return {pair: Difference(*cell) for pair, cell in zip(pairs, cells, strict=True)}


def gaps_to_best(
    table: Tabular, names: Sequence[str], column: str, *, by: str = "player", over: Population | None = None
) -> dict[str, Difference]:
    """Estimate the gaps between the first of a ranking (best first) and the others; see `differences`."""
    gaps = differences(table, [(names[0], name) for name in names[1:]], column, by=by, over=over)
    return {str(name): gap for (_, name), gap in gaps.items()}


def clusters_of(table: Tabular, over: Population, unit: str = "cluster") -> tuple[np.ndarray, np.ndarray]:
    """Return the independent clusters of a table.

    Returns:
        Cluster index of every row, shape (rows,); stratum index of every cluster, shape (clusters,). Clusters are
        sampled within strata.
    """
    settings: list[Hashable] = values_of(table["setting"]) if "setting" in table else [""] * len(table)
    if over == "settings":
        clusters, names = factorize(settings)
        return clusters, np.zeros(len(names), int)
    # The settings played are fixed: seeds vary within each of them.
    clusters, names = factorize(zip(settings, values_of(table[unit]), strict=True))
    return clusters, factorize(setting for setting, _ in names)[0]


def _groups(table: Tabular, by: Sequence[str]) -> tuple[np.ndarray, list[Any]]:
    """Return the group index of every row, shape (rows,), and the groups."""
    keys = [values_of(table[name]) for name in by]
    return factorize(zip(*keys, strict=True) if len(by) > 1 else keys[0])


def _sums(
    table: Tabular, group: np.ndarray, columns: Sequence[str], clusters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return sums of numerators and denominators, shape (clusters, groups * columns), and their numbers of rows."""
    shape = (int(clusters.max()) + 1, int(group.max()) + 1, len(columns))
    above, below, sizes, counts = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape[1:], int)
    for at, column in enumerate(columns):
        top, bottom = _parts(table, column)
        known = np.isfinite(top) & np.isfinite(bottom)
        # `add.at` adds every row of a cell; `+=` would keep one.
        np.add.at(above[:, :, at], (clusters[known], group[known]), top[known])
        np.add.at(below[:, :, at], (clusters[known], group[known]), bottom[known])
        np.add.at(counts[:, at], group[known], 1)
        np.add.at(sizes[:, :, at], (clusters[known], group[known]), np.abs(top[known]))
    # Values that cancel sum to 0, not to a rounding error, which would have a sign and a variance.
    above[np.abs(above) <= ROUNDING * sizes] = 0.0
    flat = shape[0], shape[1] * shape[2]
    return above.reshape(flat), below.reshape(flat), counts.ravel().tolist()


def _ratios(above: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `ratios` in which influences that differ only by rounding are equal."""
    found, influence = ratios(above, below)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Without this, identical clusters would seem to vary, and get an interval.
        alike = np.abs(above - found * below) <= ROUNDING * (np.abs(above) + np.abs(found * below))
    return found, np.where(alike & np.isfinite(influence), 0.0, influence)


def _subtract(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Subtract, with 0 where the values differ only by rounding."""
    less = one - other
    return np.where(np.abs(less) <= ROUNDING * (np.abs(one) + np.abs(other)), 0.0, less)


def _share_cases(table: Tabular, columns: Sequence[str], signed: Collection[str], below: np.ndarray) -> np.ndarray:
    """Return the number of cases of each proportion, shape (groups * columns,); see `intervals.interval_ends`."""
    counted = [0.0 if column in signed else cases_per_unit(*_parts(table, column)) for column in columns]
    return share_cases(np.tile(counted, below.shape[1] // len(columns)), below)


def share_cases(per_unit: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return the number of cases of which ratios are proportions, shape (k,).

    Args:
        per_unit: See `cases_per_unit`, shape (k,).
        below: Denominators, shape (clusters, k).
    """
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(per_unit * below.sum(axis=0), posinf=np.inf)


def cases_per_unit(top: np.ndarray, bottom: np.ndarray) -> float:
    """Return the cases per unit of the denominator.

    Returns:
        1 if numerators count cases among those of the denominators; infinite if there are half cases (ties), so that a
        proportion does not determine its variance; 0 if the ratio is not a proportion.
    """
    known = np.isfinite(top) & np.isfinite(bottom)
    above, below = top[known], bottom[known]
    if not ((above >= 0) & (above <= below) & (2 * above % 1 == 0) & (below % 1 == 0)).all():
        return 0.0
    return 1.0 if (above % 1 == 0).all() else np.inf


def _parts(table: Tabular, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the numerator and denominator of every row."""
    ratio = RATIOS.get(column) or RATES.get(column)
    if ratio is None:
        top = np.asarray(table[column], float) if column in table else np.full(len(table), np.nan)
        return top, np.ones(len(table))
    return tuple(_quotient(table, part) for part in ratio)  # type: ignore[return-value]


def _quotient(table: Tabular, part: str) -> np.ndarray:
    name, slash, unit = part.partition(" / ")
    values = np.asarray(table[name], float)
    return values / np.asarray(table[unit], float) if slash else values
