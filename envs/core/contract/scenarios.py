"""Helpers for scenarios: named settings and distributions over settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

__all__ = ["Distribution", "SettingParams", "uniform_over", "grid", "check_split_name"]

SettingParams = dict[str, Any]
"""Public parameters; omitted ones take their defaults."""

Distribution = Callable[[np.random.Generator], SettingParams]


def grid(**values: Sequence[Any]) -> tuple[SettingParams, ...]:
    """Return all combinations of parameter values; the last parameter varies fastest."""
    return tuple(dict(zip(values, combination, strict=True)) for combination in product(*values.values()))


def uniform_over(settings: Sequence[SettingParams]) -> Distribution:
    """Return the uniform distribution over these settings."""
    return lambda rng: dict(settings[int(rng.integers(len(settings)))])


def check_split_name(name: str) -> str:
    """Return the name of a split unless it is from an earlier release.

    Raises:
        ValueError: It is ``held-out``, which was replaced by two splits.
    """
    if name == "held-out":
        raise ValueError("'held-out' was renamed validation; use test for the final evaluation")
    return name
