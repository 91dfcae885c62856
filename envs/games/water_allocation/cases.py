"""Conformance cases of the water allocation challenge."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

CASES = Cases(
    settings=(
        {"days": 1},
        {"residents": [("Ada", 1, 0.0)], "supply": (0, 2), "days": 9},
        {"residents": [("Ada", 3, 0.1), ("Ben", 3, 0.1)], "supply": (3, 3), "days": 6, "reward": "days"},
        {"residents": [(f"No. {i}", 1 + i % 7, 10.5 * i) for i in range(50)], "supply": (90, 200), "days": 3},
        {"start_health": 1, "max_health": 1, "days": 4},
        {"supply": (1_000_000, 1_000_000), "days": 3, "start_health": 1000, "max_health": 1000, "reward": "health"},
    ),
    long={"supply": (50, 50), "start_health": 1000, "max_health": 1000, "days": 100},
    revealing_fields={
        "residents": ("requirements", "salaries"),
        "supply": ("low", "high"),
        "start_health": ("healths",),
    },
)
