"""Conformance cases of the guessing game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

CASES = Cases(
    settings=(
        {"rounds": 1},
        {"players": 3, "health": 2, "rounds": 6},
        {"players": 2, "low": 7, "high": 8, "factor": 0.99, "health": 3},
        {"players": 30, "high": 1_000_000, "factor": 0.01, "rounds": 3},
    ),
    long={"health": 100, "rounds": 100},
    revealing_fields={"health": ("healths",)},
)
