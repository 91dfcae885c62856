"""What the conformance suite must know about this game."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

CASES = Cases(
    settings=({"players": 6, "rounds": 1}, {"purse": 1e6, "worth": 1.0, "supply": 1}),
    long={"rounds": 100},
    revealing_fields={"purse": ("start",)},
)
