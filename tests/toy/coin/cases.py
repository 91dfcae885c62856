"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret

CASES = Cases(
    secrets=tuple(
        Secret("the side", 1, {"messages": messages}, {"messages": messages}, ([1.0, first], [0.0, first]), steps=2)
        for messages in (True, False)
        for first in (0.0, 1.0)
    ),
    settings=({"bias": 0.9, "rounds": 5},),
    long={"rounds": 100},
)
