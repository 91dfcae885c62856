"""Conformance cases of the coin game between programs."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases
from econzoo.envs.families.open_source import POLICIES

CASES = Cases(
    long={"rounds": 30, "turns": 1},
    # The suite looks at the match around the programs: every turn costs two calls of a sandbox.
    short={"rounds": 2, "turns": 2},
    revealing_fields=dict.fromkeys(POLICIES, ("policies",)),
)
