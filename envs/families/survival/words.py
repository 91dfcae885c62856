"""How everybody stands in a game of survival, in words."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.amounts import ROUND_FLOOR, dollars


def purse(balance: float) -> str:
    """What somebody has, in dollars: a bid of all that is shown can be paid."""
    return dollars(balance, ROUND_FLOOR)


def standings(view: Any, names: tuple[str, ...]) -> dict[str, str]:
    """How everybody stands, as fields of the texts.

    Args:
        view: With ``seat``, ``round``, and ``balances``, ``healths``, ``no_water_days`` and ``died`` of every seat.
        names: Of the seats.
    """
    living, own = [i for i in range(len(names)) if view.died[i] == 0], view.seat
    return {
        "round": str(view.round),
        "balance": purse(view.balances[own]),
        "health": str(view.healths[own]),
        "no_water_days": str(view.no_water_days[own]),
        "balances": ", ".join([f"{names[i]} ${purse(view.balances[i])}" for i in living]),
        "healths": ", ".join([f"{names[i]} {view.healths[i]}" for i in living]),
        "dry": ", ".join([f"{names[i]} {view.no_water_days[i]}" for i in living]),
        "living": ", ".join([names[i] for i in living]) or "nobody",
        "dead": ", ".join([f"{names[i]} (day {died})" for i, died in enumerate(view.died) if died]) or "nobody",
        "day_of_death": str(view.died[own]),
    }
