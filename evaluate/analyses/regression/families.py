"""What the analysis of the paper knows about its three families (GLEE, arXiv:2410.05254, tables 5 and 8).

Every other game works too: it has no market feature and no baseline, so all its parameters stand for themselves and
the most frequent level of each is the baseline.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from econzoo.evaluate.run.settings import format_value

INFINITE = "inf"
"""Level of a horizon that the players are not told."""

LENGTH_PARAMETERS = ("horizon", "rounds")
"""Parameters that say how long a match is; None is a length that the players are not told."""

HIDDEN_PARAMETERS = ("max_rounds",)
"""Parameters that no player is told: matches that differ in nothing else are of one configuration."""


@dataclass(frozen=True)
class Family:
    """How the parameters of a game become features.

    Attributes:
        merged_parameters: Parameters that are merged into the feature ``market``, each with its short name; an empty
            one if
            the level says it all.
        baseline: Parameter to the level that effects are measured against.
        merged_baseline: Baselines that differ where the market is one feature.
    """

    merged_parameters: dict[str, str] = field(default_factory=dict)
    baseline: dict[str, str] = field(default_factory=dict)
    merged_baseline: dict[str, str] = field(default_factory=dict)


_MERGED_PARAMETERS = {"complete_information": "CI", "messages": "MA", "horizon": "T"}

FAMILIES: dict[str, Family] = {
    "bargaining": Family(
        _MERGED_PARAMETERS,
        {
            "delta_1": "0.9",
            "delta_2": "0.9",
            "money": "10000",
            "complete_information": "true",
            "messages": "false",
            "horizon": "12",
        },
        {"horizon": INFINITE},
    ),
    "negotiation": Family(
        _MERGED_PARAMETERS,
        {
            "seller_value": "1",
            "buyer_value": "1",
            "money": "10000",
            "complete_information": "true",
            "messages": "false",
            "horizon": "1",
        },
    ),
    "persuasion": Family(
        {"seller_knows_value": "CI", "message_type": "", "buyer": ""},
        {
            "prior": "0.5",
            "high_value": "1.25",
            "price": "10000",
            "seller_knows_value": "true",
            "message_type": "binary",
            "buyer": "long-living",
        },
    ),
}
"""The paper's market features and its baselines (table 8)."""


def family(game: str) -> Family:
    """How a game is analysed."""
    return FAMILIES.get(game, Family())


def level(name: str, value: Any) -> str:
    """A value of a parameter as a level: ``true``, ``0.9``, ``10000``, ``inf`` for a horizon that is not told."""
    if value is None and name in LENGTH_PARAMETERS:
        return INFINITE
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6g}"
    return format_value(value)


def levels(params: dict[str, Any]) -> dict[str, str]:
    """Public parameters as levels; one that has several values, such as ``delta``, becomes ``delta_1``, ``delta_2``."""
    found: dict[str, str] = {}
    for name, value in params.items():
        if name in HIDDEN_PARAMETERS:
            continue
        if isinstance(value, list | tuple):
            found |= {f"{name}_{place}": level(name, one) for place, one in enumerate(value, start=1)}
        else:
            found[name] = level(name, value)
    return found
