"""Helpers for scenarios: named settings and distributions over settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

__all__ = ["Distribution", "SettingParams", "uniform_over", "grid"]

SettingParams = dict[str, Any]
"""Public parameters; omitted ones take their defaults."""

Distribution = Callable[[np.random.Generator], SettingParams]


def grid(**values: Sequence[Any]) -> tuple[SettingParams, ...]:
    """Return all combinations of parameter values; the last parameter varies fastest."""
    return tuple(dict(zip(values, combination, strict=True)) for combination in product(*values.values()))


def uniform_over(settings: Sequence[SettingParams]) -> Distribution:
    """Return the uniform distribution over these settings."""
    return lambda rng: dict(settings[int(rng.integers(len(settings)))])
