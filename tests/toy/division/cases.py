"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret

CASES = Cases(
    secrets=(
        Secret(
            "values of seat 1",
            0,
            {"worth": ((4, 3, 1), (2, 1, 2))},
            {"worth": ((4, 3, 1), (9, 1, 2))},
        ),
        Secret(
            "values of seat 0",
            1,
            {"worth": ((4, 3, 1), (2, 1, 2))},
            {"worth": ((1, 1, 9), (2, 1, 2))},
        ),
    ),
    settings=(
        {"items": (5, 1), "worth": ((10, 1), (1, 10)), "horizon": 1},
        {"items": (5,) * 6, "worth": ((1, 2, 3, 4, 5, 6), (6, 5, 4, 3, 2, 1))},
    ),
    long={"horizon": 100},
)
