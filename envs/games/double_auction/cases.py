"""Conformance cases of the double auction."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret

FOUR = {"buyers": 2, "sellers": 2}

CASES = Cases(
    secrets=(
        Secret("the seller's value", 0, {}, {}, ([60.0, 20.0], [60.0, 90.0]), steps=4),
        Secret("the buyer's value", 1, {"talk": 0}, {"talk": 0}, ([60.0, 20.0], [5.0, 20.0]), steps=2),
        Secret("the lot", 2, FOUR, FOUR, ([60.0, 50.0, 20.0, 10.0, 0.0], [60.0, 50.0, 20.0, 10.0, 99.0]), steps=8),
    ),
    settings=(
        {"buyers": 1, "sellers": 3, "k": 0.0, "talk": 2},
        {"money": 0.01},
        {"buyers": 20, "sellers": 20, "k": 1.0},
    ),
    long={"talk": 100},
)
