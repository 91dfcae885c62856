"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret

CASES = Cases(
    secrets=tuple(Secret("the quality", seat, {}, {}, ([0.0, 1.0], [0.0, 0.0]), steps=3) for seat in (1, 2)),
    settings=({"players": 2, "likely": 1.0}, {"players": 6, "likely": 0.0}),
    long={"players": 9},
)
