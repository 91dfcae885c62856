"""What water will cost: the rivals of a bidder, simulated with the supplies that can come and their habits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from econzoo.baselines.survival.base import History, Morning, served
from econzoo.envs.families.survival.health import REFRESHED

Array = NDArray[np.float64]

REMEMBERED = 5
"""Days of bids that are remembered of each rival."""


class Rivals(NamedTuple):
    """The living others, one column each, in the order in which equal bids are served; rows are imagined futures.

    Attributes:
        required: Units needed a day.
        salary: Dollars a day.
        balance: Dollars, today's salary included.
        health: Health points; 0 or less: dead.
        dry: Days in a row without water.
    """

    required: Array
    salary: Array
    balance: Array
    health: Array
    dry: Array


def forecast(morning: Morning, history: History, days: int, futures: int, rng: np.random.Generator) -> Array:
    """What the bidder would have had to outbid to be served, in dollars; infinite where there is too little for it.

    Every rival bids the part of its money that it bid on a day drawn from those remembered, or a part drawn from 0 to
    1, as if that had been one day more; all of it if a day without water would kill it. The bidder itself stays away.

    Args:
        morning: What is known.
        history: Bids of the days before.
        days: Days to look at, today included.
        futures: How many futures to imagine.
        rng: Where they are drawn from.

    Returns:
        One row a day, sorted from the least price to the greatest.
    """
    living = [i for i, died in enumerate(morning.died) if died == 0 and i != morning.seat]
    order = sorted(living, key=lambda i: (morning.requirements[i], i))
    rivals = _rivals(morning, order, futures)
    habits = _habits(history, morning.day, order)
    supplies = rng.integers(morning.low, morning.high + 1, (days, futures)).astype(float)
    supplies[0] = morning.supply
    drawn = _fractions(habits, days, futures, rng)
    found = np.empty((days, futures))
    for day in range(days):
        desperate = rivals.health <= rivals.dry + 1.0
        bids = np.where(rivals.health > 0.0, np.where(desperate, 1.0, drawn[day]) * rivals.balance, -1.0)
        found[day], won = auction(bids, rivals, supplies[day], float(morning.requirements[morning.seat]))
        rivals = _night(rivals, bids, won, morning.max_health)
    found.sort(axis=1)
    return found


def _rivals(morning: Morning, order: list[int], futures: int) -> Rivals:
    def column(values: tuple[float, ...]) -> Array:
        return np.tile(np.array([values[i] for i in order], float), (futures, 1))

    required, salary = column(morning.requirements)[0], column(morning.salaries)[0]
    return Rivals(required, salary, column(morning.balances), column(morning.healths), column(morning.dry))


def _habits(history: History, day: int, order: list[int]) -> list[list[float]]:
    """Parts of their money that the rivals bid on the days remembered; a bid above the balance counts as nothing."""
    parts: dict[int, list[float]] = {seat: [] for seat in order}
    for entry in reversed(history):
        if entry["round"] < day - REMEMBERED:
            break
        if entry["seat"] in parts:
            parts[entry["seat"]].append(_part(entry))
    return [parts[seat] for seat in order]


def _part(entry: Mapping[str, Any]) -> float:
    money = entry["balance"] + (entry["bid"] if served(entry) else 0.0)
    return entry["bid"] / money if 0.0 < entry["bid"] <= money else 0.0


def _fractions(habits: list[list[float]], days: int, futures: int, rng: np.random.Generator) -> Array:
    """Parts of their money that the rivals bid: one for each day, future and rival."""
    drawn = rng.random((days, futures, len(habits)))
    picks = rng.random((days, futures, len(habits)))
    for column, parts in enumerate(habits):
        if parts:
            index = (picks[:, :, column] * (len(parts) + 1)).astype(int)
            known = np.append(np.array(parts), 0.0)[index]
            drawn[:, :, column] = np.where(index < len(parts), known, drawn[:, :, column])
    return drawn


def auction(bids: Array, rivals: Rivals, supply: Array, own: float) -> tuple[Array, NDArray[np.bool_]]:
    """The price for the bidder, and who is served where it stays away: the walk of the rules, all futures at once."""
    rows = np.arange(len(bids))
    ranking = np.argsort(-bids, axis=1, kind="stable")
    price, left = np.where(supply < own, np.inf, 0.0), supply.copy()
    won = np.zeros(bids.shape, bool)
    least = min(float(rivals.required.min()), own)
    for place in range(bids.shape[1]):
        seat = ranking[:, place]
        bid, required = bids[rows, seat], rivals.required[seat]
        takes = (required <= left) & (bid >= 0.0)
        after = left - np.where(takes, required, 0.0)
        price = np.where((left >= own) & (after < own), bid, price)
        won[rows, seat] = takes
        left = after
        if left.max() < least:
            break
    return price, won


def _night(rivals: Rivals, bids: Array, won: NDArray[np.bool_], most: int) -> Rivals:
    """Payment, health and the next salary."""
    living = rivals.health > 0.0
    dry = np.where(won, 0.0, rivals.dry + 1.0)
    health = np.where(won, np.minimum(most, rivals.health + REFRESHED), rivals.health - dry)
    balance = rivals.balance - np.where(won, bids, 0.0) + rivals.salary
    return rivals._replace(balance=balance, health=np.where(living, health, rivals.health), dry=dry)
