"""Design matrix: one dummy per level except the baseline, and which effects are identified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pandas import Series

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.features import Feature

TOLERANCE = 1e-9
"""Minimum share of a column's sum of squares not explained by preceding columns."""


class Column(NamedTuple):
    """One dummy column: whether a row has this level of this feature.

    Attributes:
        clusters: Clusters with the level or with the baseline: the fewer of both, and of all clusterings.
    """

    feature: str
    level: str
    baseline: str
    rows: int
    clusters: int

    def __str__(self) -> str:
        return f"{self.feature} {self.level}"


@dataclass(frozen=True)
class Design:
    """A design matrix.

    Attributes:
        matrix: Shape (rows, 1 + columns); the first column is the constant.
        constant_features: Features with one level only, and that level; they have no column.
        replaced_baselines: Feature to (requested, used) baseline, where the requested one is not in the data.
        missing_baselines: Feature to its baseline, where that is in the data but in none of these rows.
        kept_columns: Indices into `matrix` of linearly independent columns, including the constant.
        is_constant_identified: Whether the constant is in none of these groups.
    """

    matrix: np.ndarray
    columns: list[Column]
    constant_features: dict[str, str] = field(default_factory=dict)
    replaced_baselines: dict[str, tuple[str, str]] = field(default_factory=dict)
    missing_baselines: dict[str, str] = field(default_factory=dict)
    kept_columns: list[int] = field(default_factory=list)
    dependent_groups: list[tuple[Column, ...]] = field(default_factory=list)
    unidentified_columns: frozenset[Column] = frozenset()
    is_constant_identified: bool = True


def sort_levels(levels: Iterable[str]) -> list[str]:
    """Sort levels: numbers by value, then other levels alphabetically."""
    return sorted(levels, key=_key)


def _key(level: str) -> tuple[int, float, str]:
    try:
        return 0, float(level), level
    except ValueError:
        return 1, 0.0, level


def baseline_of(values: Sequence[str], wanted: str | None) -> str:
    """Return the requested level if it occurs, else the most frequent one, ties broken by `sort_levels`."""
    counts = Counter(values)
    return wanted if wanted is not None and wanted in counts else max(sort_levels(counts), key=counts.__getitem__)


def design(features: Sequence[Feature], clusterings: Sequence[np.ndarray], rows: Series[bool] | None = None) -> Design:
    """Build the design matrix of features.

    The baseline of a feature is chosen from all rows, including excluded ones, so it is the same for every metric. If
    no included row has it, the columns of the feature sum to the constant, and none of its effects is identified.

    Args:
        features: Features in order; of collinear columns, the first ones are kept.
        clusterings: Per clustering, the cluster of every included row.
        rows: Mask of included rows; None: all.
    """
    chosen = np.ones(len(clusterings[0]), bool) if rows is None else rows.to_numpy(bool)
    built = Design(np.ones((int(chosen.sum()), 1)), [])
    parts = [built.matrix]
    for feature in features:
        values = feature.values.to_numpy()[chosen]
        baseline = baseline_of(feature.values.tolist(), feature.baseline)
        parts.append(_encode_feature(feature, baseline, values, clusterings, built))
    matrix = np.hstack(parts)
    # All columns of a group are unidentified: which of them is dropped is arbitrary.
    kept, collinear = independent_columns(matrix)
    groups = [tuple(built.columns[i - 1] for i in group if i) for group in collinear]
    unidentified = frozenset(column for group in groups for column in group)
    constant_identified = not any(0 in group for group in collinear)
    return Design(
        matrix,
        built.columns,
        built.constant_features,
        built.replaced_baselines,
        built.missing_baselines,
        kept,
        groups,
        unidentified,
        constant_identified,
    )


def _encode_feature(
    feature: Feature, baseline: str, values: np.ndarray, groups: Sequence[np.ndarray], built: Design
) -> np.ndarray:
    """Return the columns of one feature and add their metadata to `built`."""
    counts = Counter(values.tolist())
    if set(counts) <= {baseline}:
        built.constant_features[feature.name] = baseline
        return np.empty((len(values), 0))
    if not counts[baseline]:
        built.missing_baselines[feature.name] = baseline
    if feature.baseline not in (None, baseline):
        built.replaced_baselines[feature.name] = (str(feature.baseline), baseline)
    levels = [level for level in sort_levels(counts) if level != baseline]
    # An effect is a difference to the baseline, so it varies between clusters only as far as both levels do.
    clusters = {level: min(len(set(one[values == level])) for one in groups) for level in (*levels, baseline)}
    built.columns.extend(
        Column(feature.name, level, baseline, counts[level], min(clusters[level], clusters[baseline]))
        for level in levels
    )
    return (values[:, None] == np.array(levels, dtype=object)[None, :]).astype(float)


def independent_columns(matrix: np.ndarray) -> tuple[list[int], list[list[int]]]:
    """Select linearly independent columns from the left, and decompose the others.

    Args:
        matrix: Zeros and ones, of shape (rows, columns).

    Returns:
        Indices of independent columns; per other column, itself and the columns it is a combination of.
    """
    # Counts of rows, hence exact: only the solution below has rounding errors.
    gram: Any = matrix.T @ matrix
    kept: list[int] = []
    groups: list[list[int]] = []
    for column in range(len(gram)):
        weights = np.linalg.solve(gram[np.ix_(kept, kept)], gram[kept, column])
        if gram[column, column] - gram[kept, column] @ weights > TOLERANCE * gram[column, column]:
            kept.append(column)
        else:
            # Weights of a combination of dummies are not that small: what is below is rounding.
            groups.append([column, *(k for k, w in zip(kept, weights, strict=True) if abs(w) > 1e-6)])
    return kept, groups
