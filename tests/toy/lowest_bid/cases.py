"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

CASES = Cases(
    settings=({"players": 2}, {"players": 6, "highest": 123.45}),
    long={"players": 9},
)
