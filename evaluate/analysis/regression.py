"""Ordinary least squares of every metric on the features: effects with classical and cluster-robust intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from statsmodels.api import OLS

from econzoo.evaluate.analysis.design import Column, Design, design

if TYPE_CHECKING:
    from econzoo.evaluate.analysis.features import Feature
    from econzoo.evaluate.analysis.observations import Observations

CONFIDENCE = 0.95
FEW = 40
"""With fewer clusters than this, cluster-robust intervals are known to be too short."""

NONE = (math.nan, math.nan)


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
        ci_low_clustered: Lower end of the 95% interval that is robust to clusters of configurations; NaN where the
            level or the baseline occurs in one cluster only.
        ci_high_clustered: Upper end.
        n: Matches with the level.
        baseline: Level it is compared with.
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


@dataclass(frozen=True)
class Fit:
    """One regression.

    Attributes:
        family: Name of the game.
        metric: Column of the observations.
        n: Matches.
        dropped: Matches without a value of the metric.
        clusters: Configurations.
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
    mean: float
    constant: float
    r2: float
    residual: float
    freedom: int
    effects: list[Effect] = field(repr=False)
    design: Design = field(repr=False)


def fit(observations: Observations, metric: str, features: Sequence[Feature]) -> Fit | None:
    """The regression of one metric on all features; None if no match has a value of the metric.

    Where columns of the design are linearly dependent, effects that are not identified are NaN; all others do not
    depend on which column is left out.

    Args:
        observations: Of one family.
        metric: Column.
        features: See `econzoo.evaluate.analysis.features.features`.
    """
    table = observations.table
    rows = table[metric].notna()
    if not rows.any():
        return None
    made = design(features, table["configuration"], rows)
    y = table.loc[rows, metric].to_numpy(float)
    groups = table.loc[rows, "configuration"].factorize()[0]
    model, ends, clustered = least_squares(made.matrix[:, made.kept], y, groups)
    at = {made.columns[index - 1]: place for place, index in enumerate(made.kept) if index}
    effects = [
        _effect(observations.family, metric, made, c, at.get(c), model.params, ends, clustered) for c in made.columns
    ]
    return Fit(
        observations.family,
        metric,
        len(y),
        int((~rows).sum()),
        int(groups.max()) + 1,
        float(y.mean()),
        float(model.params[0]) if made.anchored else math.nan,
        explained(y, model.resid),
        float(np.sqrt(np.mean(model.resid**2))),
        int(model.df_resid),
        effects,
        made,
    )


def explained(y: np.ndarray, residuals: np.ndarray) -> float:
    """R squared; NaN if there is nothing to explain."""
    total = float(((y - y.mean()) ** 2).sum())
    return 1 - float((residuals**2).sum()) / total if total > 1e-18 * len(y) else math.nan


def least_squares(matrix: np.ndarray, y: np.ndarray, groups: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """Statsmodels' OLS with both kinds of intervals, by Student's t.

    Args:
        matrix: Shape (rows, k), of full rank.
        y: Shape (rows,).
        groups: The cluster of every row, counted from 0.

    Returns:
        The fitted model, classical and cluster-robust intervals, each of shape (k, 2), NaN where not defined.
    """
    model = OLS(y, matrix).fit()
    nothing = np.full((matrix.shape[1], 2), np.nan)
    if model.df_resid < 1:
        return model, nothing, nothing
    ends = model.conf_int(1 - CONFIDENCE)
    if groups.max() < 1:
        return model, ends, nothing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few clusters: told elsewhere, in our own words
        robust = model.get_robustcov_results("cluster", groups=groups, use_t=True)
        return model, ends, robust.conf_int(1 - CONFIDENCE)


def _effect(
    family: str,
    metric: str,
    made: Design,
    column: Column,
    place: int | None,
    params: np.ndarray,
    ends: np.ndarray,
    clustered: np.ndarray,
) -> Effect:
    known = place is not None and column not in made.confused
    effect = float(params[place]) if known else math.nan
    classical = ends[place] if known else NONE
    # A level of one cluster has no variation between clusters: its robust interval would be far too short.
    robust = (
        clustered[place] if known and column.clusters > 1 and not _vanished(ends[place], clustered[place]) else NONE
    )
    low, high, least, most = map(float, (*classical, *robust))
    where = family, metric, column.feature, column.level
    return Effect(*where, effect, low, high, least, most, column.rows, column.baseline)


def _vanished(ends: np.ndarray, clustered: np.ndarray) -> bool:
    """Whether the robust interval is a point though the classical one is not: the clusters are used up."""
    return bool(clustered[1] - clustered[0] < 1e-6 * (ends[1] - ends[0]))


def fits(observations: Observations, features: Sequence[Feature]) -> list[Fit]:
    """The regressions of all metrics of a family that have values."""
    found = [fit(observations, metric, features) for metric in observations.metrics]
    return [one for one in found if one is not None]
