"""What the scenarios of every game share: markets by name, and distributions to draw them from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

__all__ = ["Distribution", "SettingParams", "uniform_over", "grid", "check_split_name"]

SettingParams = dict[str, Any]
"""Public parameters; what is left out keeps its default."""

Distribution = Callable[[np.random.Generator], SettingParams]


def grid(**values: Sequence[Any]) -> tuple[SettingParams, ...]:
    """All combinations of the values of each parameter; the last one named changes fastest."""
    return tuple(dict(zip(values, combination, strict=True)) for combination in product(*values.values()))


def uniform_over(settings: Sequence[SettingParams]) -> Distribution:
    """Any of these markets with equal probability."""
    return lambda rng: dict(settings[int(rng.integers(len(settings)))])


def check_split_name(name: str) -> str:
    """The name of a split, if it is not one of earlier releases.

    Raises:
        ValueError: It is ``held-out``, in place of which there are two now.
    """
    if name == "held-out":
        raise ValueError("'held-out' is called validation now; the last test, by which nothing is chosen, is test")
    return name
