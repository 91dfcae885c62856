"""Conformance cases of public goods."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases

SMALL = {"players": 2, "rounds": 1, "endowment": 1, "mpcr": 0.0}
LARGE = {"players": 5, "rounds": 3, "endowment": 1_000_000, "mpcr": 100.0, "cost": "linear"}

CASES = Cases(
    settings=(SMALL, LARGE), long={"rounds": 30}, short={"rounds": 2}, revealing_fields={"punishment": ("cost",)}
)
