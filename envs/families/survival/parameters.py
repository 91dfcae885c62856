"""Public parameters that the games of survival have in common, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from econzoo.envs.core.contract.parameters import OneOf, Parameter, Whole
from econzoo.envs.families.survival.health import MAX_HEALTH, REWARDS

StartHealth = Annotated[int, Whole(1, MAX_HEALTH), "Health points at the beginning."]
MaxHealth = Annotated[int, Whole(1, MAX_HEALTH), "Most health points."]

REWARD = Parameter(
    "reward",
    "survival",
    OneOf(*REWARDS),
    "What payoffs count: being alive at the end (1 or 0), health points at the end, or days lived.",
)


def in_numbers(game: str, public: Mapping[str, Any]) -> dict[str, Any]:
    """The reward as a number.

    Raises:
        ValueError: There would be more health points at the beginning than one can have; the message names both.
    """
    if public["start_health"] > public["max_health"]:
        told = f"start_health={public['start_health']} is not allowed"
        raise ValueError(f"{game}: {told}; allowed: at most max_health={public['max_health']}")
    return {"reward": REWARDS.index(public["reward"])}
