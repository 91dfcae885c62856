"""Means, ratios and paired differences of everything that a table of matches shows, with 95% intervals.

Chance comes in by settings and by seeds. All matches of one setting and seed share their random numbers, pair by pair
and in both seat orders: they are one cluster. Different seeds share none, nor do different settings. An interval speaks
of a `Population`: of other *seeds* of the settings that were played, which stay as they are; or of other *settings*
like them, of which each is one draw. Settings as few as `intervals.FEWEST` - 1 say nothing of others.

Every number is a ratio of two sums: a mean is the sum of values over the number of values, an error rate errors
over answers, the share of the equilibrium payoffs over equilibrium payoffs. See `econzoo.evaluate.stats.intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from econzoo.evaluate.stats.columns import Tabular, factorize, values_of
from econzoo.evaluate.stats.intervals import (
    CELLS,
    CONFIDENCE,
    MIN_CLUSTERS,
    IdenticalClusters,
    Interval,
    TooFewClusters,
    has_too_few_clusters,
    holm,
    interval_ends,
    precision,
    ratios,
)
from econzoo.evaluate.stats.outcomes import RATES

Population = Literal["seeds", "settings"]
"""Of what the settings and seeds that were played are a sample."""

MEDIAN, TRIMMED = "median", "trimmed_mean"

TAIL = 0.1
"""Part of the rows that a trimmed mean leaves out at either end."""

ROUNDING = 1e-12
"""Numbers that differ by less, in parts of their size, are the same up to rounding."""

RATIOS = {
    "share": ("payoff / unit", "due / unit"),
    "error_rate": ("errors", "answers"),
    "default_rate": ("defaults", "answers"),
}
"""Columns that are no plain mean: numerator and denominator.

``share``: payoff over equilibrium payoff, both as parts of what the equilibrium pays all seats together, so that
markets with more money do not count more; of the seats to which the equilibrium pays something, up to rounding: to be
read beside ``share_gain``, the gain of just these. ``error_rate`` and ``default_rate``: of all answers.
"""


def population(table: Tabular) -> Population:
    """Of what a table is a sample: of settings if it has enough of them, else of seeds."""
    return "settings" if "market" in table and len(set(values_of(table["market"]))) >= MIN_CLUSTERS else "seeds"


def describe_population(settings: int, over: Population | None = None) -> str:
    """Of what the intervals of a table with so many settings speak, after "intervals"."""
    if (over or ("settings" if settings >= MIN_CLUSTERS else "seeds")) == "settings":
        return f"over markets: each of the {settings} is a draw from markets like it"
    return f"over seeds: {'the market stays as it is' if settings == 1 else f'the {settings} markets stay as they are'}"


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
    """Estimates columns for every group of rows.

    Args:
        table: Of `econzoo.evaluate.analyses.frame.frame` or `econzoo.evaluate.analyses.frame.columns`. Columns: those
            of `by`, the unit, and ``market``, the setting; without it all are of one.
        by: Columns that make a group, e.g. ``["player"]`` or ``["player", "opponent"]``.
        columns: Columns of the table, or names of `RATIOS`.
        over: Of what the intervals speak; None: see `population`.
        unit: The column that tells independent rows of a setting apart.
        confidence: Of the intervals.
        signed: Columns that may be below 0 though none is here, so that they are no shares: differences.

    Returns:
        Group to column to `Interval`; a group is a text if `by` has one column, else a tuple.
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
        made = map(_interval, cells, has_too_few_clusters(found))
        for own in estimated.values():
            own.update(zip(some, made, strict=False))
    return estimated


def _batches(columns: Sequence[str], cells: int) -> Iterator[Sequence[str]]:
    """Columns, so many at once as memory allows; never one of several alone, of which numpy adds in another order."""
    count = max(1, min(len(columns) // 2, math.ceil(len(columns) * cells / CELLS)))
    edges = [len(columns) * at // count for at in range(count + 1)]
    yield from (columns[start:end] for start, end in pairwise(edges))


def robust_means(table: Tabular, by: Sequence[str], column: str) -> dict[Any, dict[str, Interval]]:
    """What few rows move little, without intervals: the median of a column, and its mean without both tails.

    Args:
        table: As for `estimate`.
        by: Columns that make a group.
        column: Of the table; rows where it is NaN are left out.

    Returns:
        Group to `MEDIAN_ROUND` and `TRIMMED`, NaN of no rows.
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
    """The mean over groups of what `estimate` says of each: every group counts the same, however many rows it has.

    Groups stay as they are, and settings are drawn within their group.

    Args:
        table: As for `estimate`; a setting (``market``) belongs to one group.
        by: The column that makes the groups.
        columns: As for `estimate`. The mean is over the groups in which a column is defined.
        signed: As for `estimate`.
    """
    clusters, settings = clusters_of(table, "settings")
    group, groups = _groups(table, [by])
    above, below, _ = _sums(table, group, columns, clusters)
    flat, added, strata = *ratios(above, below), np.zeros(len(settings), int)
    strata[clusters] = group
    means, influence = flat.reshape(len(groups), -1), added.reshape(len(settings), len(groups), -1)
    known = np.isfinite(means)
    with np.errstate(all="ignore"):
        whole = np.nansum(means, axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan)
        part = np.nansum(influence, axis=1) / known.sum(axis=0)
    part[~np.isfinite(influence).any(axis=1)] = np.nan
    of = _share_cases(table, columns, signed, below).reshape(len(groups), -1).sum(axis=0)
    found = precision(part, strata)
    low, high = interval_ends(whole, found, of)
    cells = zip(whole.tolist(), low.tolist(), high.tolist(), [len(table)] * len(columns), strict=True)
    named = zip(columns, cells, has_too_few_clusters(found), strict=True)
    return {name: _interval(cell, few) for name, cell, few in named}


def _interval(cell: tuple[float, float, float, int], few: bool) -> Interval:
    """An estimate; without ends it says why: there are too few clusters, or all are alike."""
    mean, low, *_ = cell
    kind = Interval if math.isfinite(low) or math.isnan(mean) else TooFewClusters if few else IdenticalClusters
    return kind(*cell)


class Difference(NamedTuple):
    """How far one of two that are compared is above the other in the same settings and seeds.

    Attributes:
        mean: Of the first minus of the second.
        low: Lower end of its own 95% interval; NaN where there is none.
        high: Upper end.
        distinct: Whether it differs from 0 when all differences that are shown are counted (Holm 1979): together they
            call one that is 0 different in at most 5% of all cases.
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
    """Paired differences: what the two share by their common random numbers cancels.

    Args:
        table: As for `estimate`.
        pairs: Of values of the column `by`.
        column: Column of the table, or name of one of `RATIOS`.
        by: Whose values are compared.
        over: See `estimate`.
        unit: See `estimate`.
    """
    if not len(table) or not pairs:
        return {}
    clusters, strata = clusters_of(table, over or population(table), unit)
    group, groups = _groups(table, [by])
    above, below, _ = _sums(table, group, [column], clusters)
    means, influence = _ratios(above, below)
    first, second = ([groups.index(pair[side]) for pair in pairs] for side in (0, 1))
    both = _subtract(np.nan_to_num(influence[:, first]), np.nan_to_num(influence[:, second]))
    met = np.isfinite(influence[:, first]) | np.isfinite(influence[:, second])
    found, gaps = precision(np.where(met, both, np.nan), strata), _subtract(means[first], means[second])
    low, high = interval_ends(gaps, found)
    distinct = holm(gaps, found)
    cells = zip(gaps.tolist(), low.tolist(), high.tolist(), distinct.tolist(), strict=True)
    return {pair: Difference(*cell) for pair, cell in zip(pairs, cells, strict=True)}


def gaps_to_best(
    table: Tabular, names: Sequence[str], column: str, *, by: str = "player", over: Population | None = None
) -> dict[str, Difference]:
    """How far all but the first of a ranking are below the first one; see `differences`.

    Args:
        table: As for `estimate`.
        names: Those that are ranked, the first one first.
        column: What they are ranked by.
        by: Column of the names.
        over: See `estimate`.
    """
    gaps = differences(table, [(names[0], name) for name in names[1:]], column, by=by, over=over)
    return {str(name): gap for (_, name), gap in gaps.items()}


def clusters_of(table: Tabular, over: Population, unit: str = "cluster") -> tuple[np.ndarray, np.ndarray]:
    """What is drawn independently.

    Returns:
        The number of the cluster of every row, shape (rows,); the number of the stratum of every cluster, shape
        (clusters,), in which alone clusters are drawn.
    """
    settings: list[Hashable] = values_of(table["market"]) if "market" in table else [""] * len(table)
    if over == "settings":
        clusters, names = factorize(settings)
        return clusters, np.zeros(len(names), int)
    clusters, names = factorize(zip(settings, values_of(table[unit]), strict=True))
    return clusters, factorize(setting for setting, _ in names)[0]


def _groups(table: Tabular, by: Sequence[str]) -> tuple[np.ndarray, list[Any]]:
    """The number of the group of every row, shape (rows,), and the groups."""
    keys = [values_of(table[name]) for name in by]
    return factorize(zip(*keys, strict=True) if len(by) > 1 else keys[0])


def _sums(
    table: Tabular, group: np.ndarray, columns: Sequence[str], clusters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Sums of numerators and denominators, shape (clusters, groups * columns), and the number of rows of each."""
    shape = (int(clusters.max()) + 1, int(group.max()) + 1, len(columns))
    above, below, sizes, counts = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape[1:], int)
    for at, column in enumerate(columns):
        top, bottom = _parts(table, column)
        known = np.isfinite(top) & np.isfinite(bottom)
        np.add.at(above[:, :, at], (clusters[known], group[known]), top[known])
        np.add.at(below[:, :, at], (clusters[known], group[known]), bottom[known])
        np.add.at(counts[:, at], group[known], 1)
        np.add.at(sizes[:, :, at], (clusters[known], group[known]), np.abs(top[known]))
    above[np.abs(above) <= ROUNDING * sizes] = 0.0
    flat = shape[0], shape[1] * shape[2]
    return above.reshape(flat), below.reshape(flat), counts.ravel().tolist()


def _ratios(above: np.ndarray, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`ratios` in which clusters that differ by rounding alone are alike."""
    found, influence = ratios(above, below)
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.abs(above - found * below) <= ROUNDING * (np.abs(above) + np.abs(found * below))
    return found, np.where(alike & np.isfinite(influence), 0.0, influence)


def _subtract(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """One less the other, 0 where they differ by rounding alone."""
    less = one - other
    return np.where(np.abs(less) <= ROUNDING * (np.abs(one) + np.abs(other)), 0.0, less)


def _share_cases(table: Tabular, columns: Sequence[str], signed: Collection[str], below: np.ndarray) -> np.ndarray:
    """Of how many cases each group's columns are shares, shape (groups * columns,); see `intervals.ends`."""
    counted = [0.0 if column in signed else cases_per_unit(*_parts(table, column)) for column in columns]
    return share_cases(np.tile(counted, below.shape[1] // len(columns)), below)


def share_cases(per_unit: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Of how many cases ratios are shares, shape (k,); see `econzoo.evaluate.stats.intervals.interval_ends`.

    Args:
        per_unit: See `cases_per_unit`, shape (k,).
        below: Denominators, shape (clusters, k).
    """
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(per_unit * below.sum(axis=0), posinf=np.inf)


def cases_per_unit(top: np.ndarray, bottom: np.ndarray) -> float:
    """Cases that stand in one unit of the denominator.

    Returns:
        1 if numerators are numbers of cases among those of the denominators; infinite if there are half cases (a tie),
        so that a share does not tell its variance; 0 if the ratio is no share.
    """
    known = np.isfinite(top) & np.isfinite(bottom)
    above, below = top[known], bottom[known]
    if not ((above >= 0) & (above <= below) & (2 * above % 1 == 0) & (below % 1 == 0)).all():
        return 0.0
    return 1.0 if (above % 1 == 0).all() else np.inf


def _parts(table: Tabular, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of every row."""
    ratio = RATIOS.get(column) or RATES.get(column)
    if ratio is None:
        top = np.asarray(table[column], float) if column in table else np.full(len(table), np.nan)
        return top, np.ones(len(table))
    return tuple(_quotient(table, part) for part in ratio)  # type: ignore[return-value]


def _quotient(table: Tabular, part: str) -> np.ndarray:
    name, slash, unit = part.partition(" / ")
    values = np.asarray(table[name], float)
    return values / np.asarray(table[unit], float) if slash else values
