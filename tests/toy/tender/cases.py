"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret

CASES = Cases(
    secrets=(Secret("what others value the thing at", 0, {}, {}, ([5.0, 1.25, 2.0], [5.0, 7.5, 2.0]), steps=10),),
    long={"rounds": 50},
)
