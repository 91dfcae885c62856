"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

CASES = Cases(
    settings=({"players": 2, "rounds": 1}, {"players": 6, "start": 0.0, "harm": 100.0, "share": 0.0}),
    long={"rounds": 100, "harm": 0.0},
)
