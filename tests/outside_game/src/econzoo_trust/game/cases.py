"""What the conformance suite must know about the trust game."""

from __future__ import annotations

from econzoo.envs.contract import Cases

CASES = Cases(settings=({"rounds": 1}, {"money": 0.01}, {"money": 1e12, "factor": 100.0}), long={"rounds": 50})
