"""Features and baselines of GLEE's three games (arXiv:2410.05254, tables 5 and 8).

Other games have no merged feature: each parameter is a feature, and its most frequent level the baseline.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from econzoo.evaluate.run import format_value

INFINITE = "inf"
"""Level of a horizon unknown to the players."""

LENGTH_PARAMETERS = ("horizon", "rounds")
"""Parameters of the length of a match; None: a length unknown to the players."""

HIDDEN_PARAMETERS = ("max_rounds",)
"""Parameters unknown to all players, which do not distinguish configurations."""


@dataclass(frozen=True)
class Family:
    """How the parameters of a game become features.

    Attributes:
        merged_parameters: Parameters merged into the feature ``setting``, to their short names; empty if levels need no
            name.
        baseline: Parameter to its baseline level.
        merged_baseline: Baselines that differ in the merged feature.
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
"""The paper's merged features and baselines (table 8)."""


def family(game: str) -> Family:
    return FAMILIES.get(game, Family())


def level(name: str, value: Any) -> str:
    """Format a parameter value as a level: ``true``, ``0.9``, ``10000``, ``inf`` for an unknown horizon."""
    if value is None and name in LENGTH_PARAMETERS:
        return INFINITE
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6g}"
    return format_value(value)


def levels(params: dict[str, Any]) -> dict[str, str]:
    """Return public parameters as levels; a list such as ``delta`` becomes ``delta_1``, ``delta_2``."""
    found: dict[str, str] = {}
    for name, value in params.items():
        if name in HIDDEN_PARAMETERS:
            continue
        if isinstance(value, list | tuple):
            found |= {f"{name}_{place}": level(name, one) for place, one in enumerate(value, start=1)}
        else:
            found[name] = level(name, value)
    return found
