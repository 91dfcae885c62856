"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

CASES = Cases(
    settings=({"rounds": 1}, {"rounds": 7}),
    long={"rounds": 100},
)
