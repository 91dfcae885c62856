"""What the conformance suite must know about code reading."""

from __future__ import annotations

from econzoo.envs.core.contract.cases import Cases, Secret
from econzoo.envs.games.code_reading.items import set_members

CASES = Cases(
    secrets=tuple(
        # The label is settled by the program; what hides is which programs the one shown was drawn from.
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
