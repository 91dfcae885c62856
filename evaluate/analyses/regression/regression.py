"""Ordinary least squares of metrics on features, with classical and cluster-robust intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import stats
from statsmodels.regression.linear_model import OLS

from econzoo.evaluate.analyses.regression.design import Column, Design, design
from econzoo.evaluate.analyses.regression.features import PAIR
from econzoo.evaluate.show import NOISE, POINTS
from econzoo.evaluate.show import Column as Shown
from econzoo.evaluate.stats import CONFIDENCE, MIN_CLUSTERS, Errors, errors_over_seeds, errors_over_settings

if TYPE_CHECKING:
    from pandas import Series

    from econzoo.evaluate.analyses.regression.features import Feature
    from econzoo.evaluate.analyses.regression.observations import Observations

MIN_FREEDOM = 4.0
"""Degrees of freedom below which an interval is approximate (Tipton 2015)."""

SETTINGS, SEEDS = "settings", "seeds"

ROUGH_MARK, SEEDS_MARK = "°", "†"
"""Marks of approximate intervals, and of intervals over seeds only."""

POINT = Shown("effect", kind=POINTS)
"""Format of effects: percentage points."""


class Effect(NamedTuple):
    """Effect of a level relative to its baseline, other features held constant, in units of the metric.

    Attributes:
        effect: Difference of coefficients; NaN if it is not identified.
        ci_low: Lower end of the classical 95% interval; NaN without degrees of freedom.
        ci_low_clustered: Lower end of the cluster-robust 95% interval; NaN if undefined.
        n: Matches with the level.
        over: Population of the robust interval: ``"settings"`` (configurations and, if there are enough, player pairs)
            or ``"seeds"``; empty without an interval.
        freedom: Degrees of freedom of the robust interval; NaN without one.
        clear: Whether the effect differs from 0 after correction over all effects of the regression (Holm 1979).
    """

    family: str
    metric: str
    parameter: str
    value: str
    effect: float
    ci_low: float
    ci_high: float
    ci_low_clustered: float
    ci_high_clustered: float
    n: int
    baseline: str
    over: str = ""
    freedom: float = math.nan
    clear: bool = False

    @property
    def is_weak(self) -> bool:
        """Whether the interval is approximate because the level is in few configurations or pairs."""
        return self.freedom < MIN_FREEDOM

    @property
    def marks(self) -> str:
        """Marks of an approximate interval, or one over seeds only."""
        return (ROUGH_MARK if self.is_weak else "") + (SEEDS_MARK if self.over == SEEDS else "")

    @property
    def caution(self) -> str:
        """Explanation of the marks; empty without marks."""
        weak = f"approximate: {self.freedom:.1f} degrees of freedom" if self.is_weak else ""
        seeds_only = "over seeds of these configurations" if self.over == SEEDS else ""
        return "; ".join(filter(None, (weak, seeds_only)))


@dataclass(frozen=True)
class Fit:
    """One regression.

    Attributes:
        dropped: Matches without a value of the metric.
        clusters: Number of configurations.
        pairs: Number of player pairs (with more seats: line-ups).
        two_way: Whether intervals are also clustered by pair; else pairs are fixed.
        constant: The prediction at all baselines; NaN if it is not identified.
        r2: Share of explained variance.
        residual: Root mean square residual.
        freedom: Degrees of freedom of the residuals.
    """

    family: str
    metric: str
    n: int
    dropped: int
    clusters: int
    pairs: int
    two_way: bool
    mean: float
    constant: float
    r2: float
    residual: float
    freedom: int
    effects: list[Effect] = field(repr=False)
    design: Design = field(repr=False)


def fit(observations: Observations, metric: str, features: Sequence[Feature], intervals: bool = True) -> Fit | None:
    """Regress one metric on all features; None if no match has a value of the metric.

    With a collinear design, unidentified effects are NaN; the others do not depend on which column is dropped.
    """
    table = observations.table
    rows = table[metric].notna()
    if not rows.any():
        return None
    settings, seeds, *seats = (
        _number_values(table.loc[rows, name]) for name in ("configuration", "seed", *observations.seats)
    )
    pairs = reduce(_cross_groups, seats)
    # With pairs as a feature every level is one pair, which leaves no variation between pairs to cluster by.
    separate = len(seats) > 1 and not any(feature.name == PAIR for feature in features)
    two_way = bool(separate and pairs.max() + 1 >= MIN_CLUSTERS)
    clusterings = [settings, pairs] if two_way else [settings]
    matrix = design(features, clusterings, rows)
    y = table.loc[rows, metric].to_numpy(float)
    model = OLS(y, matrix.matrix[:, matrix.kept_columns]).fit()
    errors = _errors(model, [*clusterings, _cross_groups(settings, seeds)]) if intervals else (None, None)
    found = _Coefficients(model, *errors)
    return Fit(
        observations.family,
        metric,
        len(y),
        int((~rows).sum()),
        int(settings.max()) + 1,
        int(pairs.max()) + 1,
        two_way,
        float(y.mean()),
        float(model.params[0]) if matrix.is_constant_identified else math.nan,
        r_squared(y, model.resid),
        float(np.sqrt(np.mean(model.resid**2))),
        int(model.df_resid),
        _mark_clear([_effect(observations.family, metric, matrix, column, found) for column in matrix.columns]),
        matrix,
    )


def _number_values(values: Series[str]) -> np.ndarray:
    return np.asarray(values.factorize()[0])


def _cross_groups(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Indices of the combinations of two groupings, without gaps: the largest plus one is their number."""
    return np.unique(one * (other.max() + 1) + other, return_inverse=True)[1].ravel()


def r_squared(y: np.ndarray, residuals: np.ndarray) -> float:
    """Return R squared; NaN without variance."""
    # A standard deviation below 1e-9 is that of a constant metric after rounding.
    total = float(((y - y.mean()) ** 2).sum())
    return 1 - float((residuals**2).sum()) / total if total > 1e-18 * len(y) else math.nan


class _Coefficients(NamedTuple):
    """A fitted model with errors over settings and over seeds; None with too few clusters."""

    model: Any
    settings: Errors | None
    seeds: Errors | None


def _errors(model: Any, groups: Sequence[np.ndarray]) -> tuple[Errors | None, Errors | None]:
    """Errors over settings and over seeds, clustered by settings, optionally pairs, and seeds."""
    if model.df_resid < 1:
        return None, None
    settings, *pairs, clusters = groups
    residuals = model.resid[:, None]
    enough = settings.max() + 1 >= MIN_CLUSTERS
    # The setting of each cluster of setting and seed, read from the cluster's first row.
    strata = settings[np.unique(clusters, return_index=True)[1]]
    first = errors_over_settings(model.model.exog, residuals, settings, *pairs) if enough else None
    return first, errors_over_seeds(model.model.exog, residuals, clusters, strata)


def _effect(family: str, metric: str, matrix: Design, column: Column, found: _Coefficients) -> Effect:
    nan, named = math.nan, (family, metric, column.feature, column.level)
    unknown = Effect(*named, nan, nan, nan, nan, nan, column.rows, column.baseline)
    if column in matrix.unidentified_columns:
        return unknown
    at, model = matrix.kept_columns.index(1 + matrix.columns.index(column)), found.model
    effect = float(model.params[at])
    classical = model.conf_int(1 - CONFIDENCE)[at] if model.df_resid > 0 else [math.nan, math.nan]
    # A level in one cluster has no variation between clusters, so its interval would be far too short.
    errors = {SETTINGS: found.settings if column.clusters > 1 else None, SEEDS: found.seeds}
    known = {over: one for over, one in errors.items() if one is not None and _has_variation(one, at, model)}
    over = next(iter(known), "")  # settings before seeds, because they generalise to more
    error, freedom = (float(part[at, 0]) for part in known[over]) if known else (math.nan, math.nan)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) * error
    return unknown._replace(
        effect=effect,
        ci_low=float(classical[0]),
        ci_high=float(classical[1]),
        ci_low_clustered=effect - half,
        ci_high_clustered=effect + half,
        over=over,
        freedom=freedom,
    )


def _has_variation(errors: Errors, at: int, model: Any) -> bool:
    """Whether the error exceeds rounding: clusters may be identical, or saturated by the columns."""
    error, freedom = errors.error[at, 0], errors.freedom[at, 0]
    # Relative to the classical error and to the effect, and absolute where both are 0.
    least = max(1e-6 * model.bse[at], 1e-12 * abs(model.params[at]), 1e-12)
    return bool(error > least and freedom > 0)


def _mark_clear(effects: list[Effect]) -> list[Effect]:
    """Mark the effects that differ from 0 by Holm's procedure."""
    # Effects without an interval have no p-value, and do not count as tests.
    tested = [one for one in effects if one.over]
    if not tested:
        return effects
    freedom = np.array([one.freedom for one in tested])
    errors = np.array([one.ci_high_clustered - one.effect for one in tested]) / stats.t.ppf(
        (1 + CONFIDENCE) / 2, freedom
    )
    p_values = 2 * stats.t.sf(np.abs([one.effect for one in tested]) / errors, freedom)
    order = np.argsort(p_values, kind="stable")
    small = p_values[order] <= (1 - CONFIDENCE) / np.arange(len(tested), 0, -1)
    # Step down from the smallest p-value, up to the first that exceeds its level. An effect that is a rounding error
    # may have an even smaller error, and is not significant.
    distinct = {tested[place] for place in order[np.logical_and.accumulate(small)]}
    return [one._replace(clear=one in distinct and abs(one.effect) > NOISE) for one in effects]


def fits(observations: Observations, features: Sequence[Feature]) -> list[Fit]:
    """Return the regressions of all metrics with values."""
    found = [fit(observations, metric, features) for metric in observations.metrics]
    return [one for one in found if one is not None]
