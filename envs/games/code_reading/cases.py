"""Conformance cases of code reading."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret
from econzoo.envs.games.code_reading.items import set_members

CASES = Cases(
    secrets=tuple(
        # The program determines the label; hidden is the set from which it was drawn.
        Secret("the set", 0, {"items": "all"}, {"items": chosen}, ([float(first)], [float(first)]))
        for chosen in ("training", "held-out")
        for first in set_members(chosen)[:2]
    ),
    settings=(
        {"item": "TitForTat", "answers": "words", "variant": "masked"},
        {"item": "Random", "items": "held-out", "variant": "obfuscated"},
    ),
    max_moves=1,
    revealing_fields={"answers": ("words",)},
)
