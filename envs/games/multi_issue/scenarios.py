"""Named settings, distributions of settings, and held-out sets."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from econzoo.envs.core.contract import Distribution, SettingParams, uniform_over

__all__ = ["DISTRIBUTIONS", "SETTINGS", "beliefs", "is_competitive", "possible_values"]

Values = tuple[int, ...]

TOTAL_POINTS = 10
"""Total points of all items to each seat in the settings of Lewis et al."""

POOLS = tuple(pool for pool in product(range(1, 6), repeat=3) if 5 <= sum(pool) <= 7)
"""Their pools: at least one item of each of three kinds, 5 to 7 in total."""

SETTINGS: dict[str, SettingParams] = {
    "default": {},
    "open-values": {"complete_information": True},
    "take-it-or-leave-it": {"horizon": 2, "complete_information": True},
    "impatient": {"delta": 0.9},
    "impatient-open": {"delta": 0.9, "complete_information": True},
    "same-values": {"values": ((2, 1, 2), (2, 1, 2))},
    "one-kind": {"items": (5,), "values": ((2,), (2,))},
    "opposed": {"items": (2, 2), "values": ((4, 1), (1, 4))},
    "silent": {"messages": False},
}


@lru_cache(maxsize=256)
def possible_values(items: Values, total: int = TOTAL_POINTS) -> tuple[Values, ...]:
    """All nonnegative integer values of one seat for which all items are worth `total` points."""
    spans = [range(total // count + 1) for count in items]
    return tuple(v for v in product(*spans) if sum(x * count for x, count in zip(v, items, strict=True)) == total)


def is_competitive(one: Values, other: Values) -> bool:
    """Whether every kind has value to a seat, and some kind to both (Lewis et al. 2017, section 2.2)."""
    return all(map(any, zip(one, other, strict=True))) and any(map(all, zip(one, other, strict=True)))


@lru_cache(maxsize=256)
def value_pairs(items: Values) -> tuple[tuple[Values, Values], ...]:
    """All possible pairs of values in a setting with these items."""
    every = possible_values(items)
    return tuple(pair for pair in product(every, every) if is_competitive(*pair))


def beliefs(items: Values, own_values: Values) -> tuple[tuple[Values, float], ...]:
    """Posterior over the other's values in a random setting, given the own ones."""
    others = [other for own, other in value_pairs(items) if own == own_values]
    return tuple((other, 1.0 / len(others)) for other in others)


def sample_setting(pools: tuple[Values, ...], rng: np.random.Generator) -> SettingParams:
    """Sample a pool uniformly, then one of its pairs of values."""
    items = pools[int(rng.integers(len(pools)))]
    pairs = value_pairs(items)
    return {"items": items, "values": pairs[int(rng.integers(len(pairs)))]}


HELD_OUT_POOLS = ((1, 1, 4), (2, 2, 2), (1, 3, 1), (3, 1, 3))
TRAIN_POOLS = tuple(pool for pool in POOLS if pool not in HELD_OUT_POOLS)

VALIDATION: tuple[SettingParams, ...] = tuple(
    {**sample_setting((pool,), np.random.default_rng([place, number])), "complete_information": bool(number % 2)}
    for place, pool in enumerate(HELD_OUT_POOLS)
    for number in range(6)
)
"""Validation settings: ``sample("train", rng)`` never draws one of these pools."""

TEST: tuple[SettingParams, ...] = tuple(
    {**sample_setting((pool,), np.random.default_rng([place, number])), "complete_information": bool(number % 2)}
    for place, pool in enumerate(HELD_OUT_POOLS)
    for number in range(103, 106)  # other random seeds than those of the validation settings
)
"""Test settings, sampled once and frozen; never used for training or selection."""

DISTRIBUTIONS: dict[str, Distribution] = {
    "train": lambda rng: {**sample_setting(TRAIN_POOLS, rng), "complete_information": bool(rng.integers(2))},
    "lewis": lambda rng: sample_setting(POOLS, rng),
    "validation": uniform_over(VALIDATION),
    "test": uniform_over(TEST),
}
"""``lewis`` is as in the paper; ``train`` excludes the held-out pools, and values are known half of the time."""
