"""What is observed of every resident in the games of survival, by name and number."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.game import NO_FEATURE


def condition_names(salaries: str) -> tuple[str, ...]:
    """What `condition` says, number by number.

    Args:
        salaries: What money is measured by.
    """
    return (
        f"balance b as b / (b + {salaries}): 0 to 1",
        "health over the most there can be: 0 to 1, or -1 if dead",
        "days n in a row without water as n / (n + 2): 0 to 1",
        f"bid b of the day before as b / (b + {salaries}): 0 to 1, or -1 if none",
    )


def condition(v: Any, seat: int, salaries: float) -> tuple[float, ...]:
    """How a resident stands, by a view of a game of survival; see `condition_names`.

    Args:
        v: The view.
        seat: Of the resident.
        salaries: Dollars that money is measured by.
    """
    bid, dry = v.bids[seat], v.no_water_days[seat]
    return (
        v.balances[seat] / (v.balances[seat] + salaries),
        v.healths[seat] / v.max_health if v.died[seat] == 0 else NO_FEATURE,
        dry / (dry + 2.0),
        bid / (bid + salaries) if bid >= 0.0 else NO_FEATURE,
    )
