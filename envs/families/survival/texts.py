"""Text fields shared by survival games: the condition of all residents, and the results of bids."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core import ROUND_FLOOR, dollars, format_count
from econzoo.envs.core.contract import Event


def format_balance(balance: float) -> str:
    """Format a balance in dollars, rounded down so that a bid of the displayed amount is valid."""
    return dollars(balance, ROUND_FLOOR)


def fields(view: Any, names: tuple[str, ...]) -> dict[str, str]:
    """Fields that change from day to day: the condition of all residents.

    Args:
        view: View with ``seat``, ``round``, and ``balances``, ``healths``, ``no_water_days`` and ``died`` of all seats.
    """
    living, own = [i for i in range(len(names)) if view.died[i] == 0], view.seat
    return {
        "round": str(view.round),
        "balance": format_balance(view.balances[own]),
        "health": str(view.healths[own]),
        "no_water_days": str(view.no_water_days[own]),
        "next_loss": format_count(view.no_water_days[own] + 1, "health point"),
        "balances": ", ".join([f"{names[i]} ${format_balance(view.balances[i])}" for i in living]),
        "healths": ", ".join([f"{names[i]} {view.healths[i]}" for i in living]),
        "dry": ", ".join([f"{names[i]} {view.no_water_days[i]}" for i in living]),
        "living": ", ".join([names[i] for i in living]) or "nobody",
        "dead": ", ".join([f"{names[i]} (day {died})" for i, died in enumerate(view.died) if died]) or "nobody",
        "day_of_death": str(view.died[own]),
    }


def turn(view: Any) -> str:
    return "bid_after_deaths" if max(view.died) else "bid"


def ending(view: Any) -> str:
    return "died" if view.died[view.seat] else "survived"


def bid_result_text(view: Any, happened: Event, served: str) -> str:
    """Name of the text on the result of a bid: served, dry or died, with the prefix ``own_`` for the own bid.

    The suffix ``_void`` after dry and died marks a bid above the bidder's balance.

    Args:
        served: Name of the text if the bidder was served; empty if not.
    """
    result = happened.fact
    void = "_void" if not served and happened.action.bid > result.balance else ""
    outcome = served or ("dry" if result.health > 0 else "died")
    return ("own_" if happened.seat == view.seat else "") + outcome + void


def constant_fields(view: Any, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "name": names[view.seat],
        "others": ", ".join([name for i, name in enumerate(names) if i != view.seat]),
    }


def event_fields(view: Any, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    result = happened.fact
    return {
        "event_round": str(happened.round),
        "who": names[happened.seat],
        "bid": dollars(happened.action.bid),
        "event_balance": format_balance(result.balance),
        "event_health": str(result.health),
        "event_dry": str(result.no_water_days),
    }


def fact(result: Any, served: str) -> str:
    """Describe the result of a bid for spectators.

    Args:
        served: Text if the bidder was served; empty if not.
    """
    health = f"health {result.health}" if result.health > 0 else "dead"
    return f"{served or f'dry day {result.no_water_days}'}; ${format_balance(result.balance)}, {health}"
