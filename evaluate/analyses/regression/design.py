"""The design matrix: one column for every level but the baseline, and which of its columns can be told apart."""

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
"""Share of a column's sum of squares that must be its own."""


class Column(NamedTuple):
    """One column of the matrix: whether a row has this level of this feature.

    Attributes:
        feature: Name.
        level: The level.
        baseline: The level that its effect is measured against.
        rows: How many rows have the level.
        clusters: In how many clusters the level occurs, or the baseline, whichever are fewer; the fewest of all ways.
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
        columns: What the others are.
        constant_features: Features with one level only, and that level: they have no column.
        replaced_baselines: Features whose wanted baseline is not in the data: (wanted, the one that took its place).
        missing_baselines: Features whose baseline is in the data but in none of these rows, and that baseline.
        kept_columns: Indices into `matrix` of columns that are linearly independent, the constant among them.
        dependent_groups: Groups of columns that can be told apart only together, each a tuple of `Column`.
        unidentified_columns: The columns of all these groups: their effects are not identified.
        is_constant_identified: Whether the constant is in none of them.
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
    """Levels sorted: numbers by size before texts by letters."""
    return sorted(levels, key=_key)


def _key(level: str) -> tuple[int, float, str]:
    try:
        return 0, float(level), level
    except ValueError:
        return 1, 0.0, level


def baseline_of(values: Sequence[str], wanted: str | None) -> str:
    """The wanted level if it occurs, else the most frequent one; of several such the first in order."""
    counts = Counter(values)
    return wanted if wanted is not None and wanted in counts else max(sort_levels(counts), key=counts.__getitem__)


def design(features: Sequence[Feature], clusterings: Sequence[np.ndarray], rows: Series[bool] | None = None) -> Design:
    """The design matrix of features.

    The baseline of a feature is chosen from all rows, also from those that do not count, so that it is the same for
    every metric. If it is in none of the rows that count, the columns of the feature add up to the constant, and none
    of its effects is identified.

    Args:
        features: One after the other; where columns say the same, those of earlier features stay.
        clusterings: The cluster of every row that counts, one way of making clusters after the other.
        rows: Which rows count; None: all.
    """
    chosen = np.ones(len(clusterings[0]), bool) if rows is None else rows.to_numpy(bool)
    made = Design(np.ones((int(chosen.sum()), 1)), [])
    parts = [made.matrix]
    for feature in features:
        values = feature.values.to_numpy()[chosen]
        baseline = baseline_of(feature.values.tolist(), feature.baseline)
        parts.append(_encode_feature(feature, baseline, values, clusterings, made))
    matrix = np.hstack(parts)
    kept, alike = independent_columns(matrix)
    named = [tuple(made.columns[i - 1] for i in group if i) for group in alike]
    confused = frozenset(column for group in named for column in group)
    anchored = not any(0 in group for group in alike)
    return Design(
        matrix,
        made.columns,
        made.constant_features,
        made.replaced_baselines,
        made.missing_baselines,
        kept,
        named,
        confused,
        anchored,
    )


def _encode_feature(
    feature: Feature, baseline: str, values: np.ndarray, groups: Sequence[np.ndarray], made: Design
) -> np.ndarray:
    """The columns of one feature; what they are is added to `made`."""
    counts = Counter(values.tolist())
    if set(counts) <= {baseline}:
        made.constant_features[feature.name] = baseline
        return np.empty((len(values), 0))
    if not counts[baseline]:
        made.missing_baselines[feature.name] = baseline
    if feature.baseline not in (None, baseline):
        made.replaced_baselines[feature.name] = (str(feature.baseline), baseline)
    levels = [level for level in sort_levels(counts) if level != baseline]
    reach = {level: min(len(set(one[values == level])) for one in groups) for level in (*levels, baseline)}
    made.columns.extend(
        Column(feature.name, level, baseline, counts[level], min(reach[level], reach[baseline])) for level in levels
    )
    return (values[:, None] == np.array(levels, dtype=object)[None, :]).astype(float)


def independent_columns(matrix: np.ndarray) -> tuple[list[int], list[list[int]]]:
    """Columns that are linearly independent, taken from the left, and what each other column is made of.

    Args:
        matrix: Shape (rows, columns), columns of zeros and ones.

    Returns:
        Indices of the columns that stay; for each other column itself and those it is a combination of.
    """
    gram: Any = matrix.T @ matrix
    kept: list[int] = []
    groups: list[list[int]] = []
    for column in range(len(gram)):
        weights = np.linalg.solve(gram[np.ix_(kept, kept)], gram[kept, column])
        if gram[column, column] - gram[kept, column] @ weights > TOLERANCE * gram[column, column]:
            kept.append(column)
        else:
            groups.append([column, *(k for k, w in zip(kept, weights, strict=True) if abs(w) > 1e-6)])
    return kept, groups
