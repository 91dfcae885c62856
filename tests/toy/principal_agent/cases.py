"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret

CASES = Cases(
    secrets=(
        Secret("the effort, from a success", 0, {}, {}, ([1.0], [1.0]), moves=("work",)),
        Secret("the effort, from a failure", 0, {}, {}, ([0.0], [0.0]), moves=("work",)),
    ),
    settings=({"value": 0.01}, {"value": 1e6, "cost": 100.0}),
    max_moves=3,
)
