"""Conformance cases of the survival auction."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

CASES = Cases(
    settings=(
        {"days": 1},
        {"players": 1, "salary": 0.01, "days": 12},
        {"players": 30, "salary": 1e9, "days": 3, "reward": "days"},
        {"start_health": 1, "max_health": 1, "days": 4, "reward": "health"},
    ),
    long={"start_health": 1000, "max_health": 1000, "days": 40},
    revealing_fields={"start_health": ("healths",)},
)
