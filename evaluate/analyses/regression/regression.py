"""Ordinary least squares of every metric on the features: effects with classical and cluster-robust intervals."""

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
from econzoo.evaluate.show.numbers import NOISE
from econzoo.evaluate.show.parts import POINTS
from econzoo.evaluate.show.parts import Column as Shown
from econzoo.evaluate.stats.clustered_errors import Errors, errors_over_seeds, errors_over_settings
from econzoo.evaluate.stats.intervals import CONFIDENCE, MIN_CLUSTERS

if TYPE_CHECKING:
    from pandas import Series

    from econzoo.evaluate.analyses.regression.features import Feature
    from econzoo.evaluate.analyses.regression.observations import Observations

MIN_FREEDOM = 4.0
"""Degrees of freedom below which an interval is rough (Tipton 2015)."""

SETTINGS, SEEDS = "settings", "seeds"

ROUGH_MARK, SEEDS_MARK = "°", "†"
"""Marks of effects whose intervals are rough, or over seeds only."""

POINT = Shown("effect", kind=POINTS)
"""How effects are written: in percentage points."""


class Effect(NamedTuple):
    """What a level changes against its baseline, everything else equal; in units of the metric.

    Attributes:
        family: Name of the game.
        metric: Column of the observations.
        parameter: Feature.
        value: Level.
        effect: Difference of coefficients; NaN if it is not identified.
        ci_low: Lower end of the classical 95% interval; NaN without degrees of freedom.
        ci_high: Upper end.
        ci_low_clustered: Lower end of the 95% interval that is robust to clusters; NaN where there is none.
        ci_high_clustered: Upper end.
        n: Matches with the level.
        baseline: Level it is compared with.
        over: Of what the robust interval speaks: ``"settings"`` (configurations and, where there are enough of them,
            pairs of players like these) or ``"seeds"`` of these; empty where there is none.
        freedom: Its degrees of freedom; NaN where there is none.
        clear: Whether the effect differs from 0 when all effects of its regression are counted (Holm 1979).
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
        """Whether few configurations or pairs tell of the level, so that the interval is rough."""
        return self.freedom < MIN_FREEDOM

    @property
    def marks(self) -> str:
        """What stands beside the effect where its interval is rough, or over seeds only."""
        return (ROUGH_MARK if self.is_weak else "") + (SEEDS_MARK if self.over == SEEDS else "")

    @property
    def caution(self) -> str:
        """The same in words; empty if there is no caution."""
        weak = f"rough: {self.freedom:.1f} degrees of freedom" if self.is_weak else ""
        alone = "over seeds of these configurations" if self.over == SEEDS else ""
        return "; ".join(part for part in (weak, alone) if part)


@dataclass(frozen=True)
class Fit:
    """One regression.

    Attributes:
        family: Name of the game.
        metric: Column of the observations.
        n: Matches.
        dropped: Matches without a value of the metric.
        clusters: Configurations.
        pairs: Pairs of players (in games of more seats: all that sat together).
        two_way: Whether intervals are for pairs like these; else pairs stay as they are.
        mean: Of the metric.
        constant: The prediction at all baselines; NaN if it is not identified.
        r2: Share of the variance that is explained.
        residual: Root mean square of the residuals.
        freedom: Degrees of freedom of the residuals.
        effects: See `Effect`.
        design: See `Design`.
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
    """The regression of one metric on all features; None if no match has a value of the metric.

    Where columns of the design are linearly dependent, effects that are not identified are NaN; all others do not
    depend on which column is left out.

    Args:
        observations: Of one family.
        metric: Column.
        features: See `econzoo.evaluate.analyses.regression.features.features`.
        intervals: Whether the effects have any that are robust.
    """
    table = observations.table
    rows = table[metric].notna()
    if not rows.any():
        return None
    settings, seeds, *seats = (
        _number_values(table.loc[rows, name]) for name in ("configuration", "seed", *observations.seats)
    )
    pairs = reduce(_cross_groups, seats)
    alike = len(seats) > 1 and not any(feature.name == PAIR for feature in features)
    two_way = bool(alike and pairs.max() + 1 >= MIN_CLUSTERS)
    ways = [settings, pairs] if two_way else [settings]
    made = design(features, ways, rows)
    y = table.loc[rows, metric].to_numpy(float)
    model = OLS(y, made.matrix[:, made.kept_columns]).fit()
    errors = _errors(model, [*ways, _cross_groups(settings, seeds)]) if intervals else (None, None)
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
        float(model.params[0]) if made.is_constant_identified else math.nan,
        r_squared(y, model.resid),
        float(np.sqrt(np.mean(model.resid**2))),
        int(model.df_resid),
        _mark_clear([_effect(observations.family, metric, made, column, found) for column in made.columns]),
        made,
    )


def _number_values(values: Series[str]) -> np.ndarray:
    return np.asarray(values.factorize()[0])


def _cross_groups(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Numbers of the combinations of two numberings."""
    return np.unique(one * (other.max() + 1) + other, return_inverse=True)[1].ravel()


def r_squared(y: np.ndarray, residuals: np.ndarray) -> float:
    """R squared; NaN if there is nothing to explain."""
    total = float(((y - y.mean()) ** 2).sum())
    return 1 - float((residuals**2).sum()) / total if total > 1e-18 * len(y) else math.nan


class _Coefficients(NamedTuple):
    """What a regression found; errors over settings and over seeds, None where there are too few clusters."""

    model: Any
    settings: Errors | None
    seeds: Errors | None


def _errors(model: Any, groups: Sequence[np.ndarray]) -> tuple[Errors | None, Errors | None]:
    """Errors over settings and over seeds of a fitted model, by its clusters: settings, perhaps pairs, and seeds."""
    if model.df_resid < 1:
        return None, None
    settings, *pairs, clusters = groups
    residuals = model.resid[:, None]
    enough = settings.max() + 1 >= MIN_CLUSTERS
    strata = settings[np.unique(clusters, return_index=True)[1]]
    first = errors_over_settings(model.model.exog, residuals, settings, *pairs) if enough else None
    return first, errors_over_seeds(model.model.exog, residuals, clusters, strata)


def _effect(family: str, metric: str, made: Design, column: Column, found: _Coefficients) -> Effect:
    nan, named = math.nan, (family, metric, column.feature, column.level)
    unknown = Effect(*named, nan, nan, nan, nan, nan, column.rows, column.baseline)
    if column in made.unidentified_columns:
        return unknown
    at, model = made.kept_columns.index(1 + made.columns.index(column)), found.model
    effect = float(model.params[at])
    classical = model.conf_int(1 - CONFIDENCE)[at] if model.df_resid > 0 else [math.nan, math.nan]
    # A level of one cluster has no variation between clusters: its interval over them would be far too short.
    errors = {SETTINGS: found.settings if column.clusters > 1 else None, SEEDS: found.seeds}
    known = {over: one for over, one in errors.items() if one is not None and _has_variation(one, at, model)}
    over = next(iter(known), "")
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
    """Whether there is an error, and it is more than rounding: clusters may be alike, or used up by the columns."""
    error, freedom = errors.error[at, 0], errors.freedom[at, 0]
    least = max(1e-6 * model.bse[at], 1e-12 * abs(model.params[at]), 1e-12)
    return bool(error > least and freedom > 0)


def _mark_clear(effects: list[Effect]) -> list[Effect]:
    """The effects, of which those that differ from 0 by Holm's procedure are marked."""
    told = [one for one in effects if one.over]
    if not told:
        return effects
    freedom = np.array([one.freedom for one in told])
    errors = np.array([one.ci_high_clustered - one.effect for one in told]) / stats.t.ppf((1 + CONFIDENCE) / 2, freedom)
    chances = 2 * stats.t.sf(np.abs([one.effect for one in told]) / errors, freedom)
    order = np.argsort(chances, kind="stable")
    small = chances[order] <= (1 - CONFIDENCE) / np.arange(len(told), 0, -1)
    distinct = {told[place] for place in order[np.logical_and.accumulate(small)]}
    return [one._replace(clear=one in distinct and abs(one.effect) > NOISE) for one in effects]


def fits(observations: Observations, features: Sequence[Feature]) -> list[Fit]:
    """The regressions of all metrics of a family that have values."""
    found = [fit(observations, metric, features) for metric in observations.metrics]
    return [one for one in found if one is not None]
