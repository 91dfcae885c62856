"""Model-predictive control for water auctions: price forecasts and dynamic programming over the own state.

Prices are forecast by simulating rivals with their past bids under sampled supplies.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from econzoo.baselines import argument, view_of
from econzoo.baselines.survival.base import GAMES, Bidder, History, Morning, is_contested, is_served, payable_bid, step
from econzoo.envs.families.survival import DAYS, HEALTH, WATER_GAIN, Condition, survivable_dry_days, update_condition
from econzoo.wrappers import SeatInfo

Array = NDArray[np.float64]

HISTORY_DAYS = 5
"""Days of bids remembered per rival."""


class Rivals(NamedTuple):
    """Living rivals, one column each, in the order of service of equal bids; rows are sampled futures.

    Attributes:
        required: Units needed per day.
        salary: Dollars per day.
        balance: Dollars, including today's salary.
        health: Health points; 0 or less: dead.
    """

    required: Array
    salary: Array
    balance: Array
    health: Array
    dry: Array


def forecast(morning: Morning, history: History, days: int, futures: int, rng: np.random.Generator) -> Array:
    """Forecast the prices to outbid in dollars; infinite if the supply is below the requirement.

    Every rival bids a fraction of its money: that of a random remembered day or, as one additional day, a uniform
    fraction; all of it if a day without water would kill it. The bidder itself does not bid.

    Returns:
        Prices of shape (days, futures), each row sorted in ascending order.
    """
    living = [i for i, died in enumerate(morning.died) if died == 0 and i != morning.seat]
    order = sorted(living, key=lambda i: (morning.requirements[i], i))
    rivals = _rivals(morning, order, futures)
    habits = _habits(history, morning.day, order)
    supplies = rng.integers(morning.low, morning.high + 1, (days, futures)).astype(float)
    supplies[0] = morning.supply
    fractions = _fractions(habits, days, futures, rng)
    prices = np.empty((days, futures))
    for day in range(days):
        desperate = rivals.health <= rivals.dry + 1.0
        bids = np.where(rivals.health > 0.0, np.where(desperate, 1.0, fractions[day]) * rivals.balance, -1.0)
        prices[day], won = auction(bids, rivals, supplies[day], float(morning.requirements[morning.seat]))
        rivals = _night(rivals, bids, won, morning.max_health)
    prices.sort(axis=1)
    return prices


def _rivals(morning: Morning, order: list[int], futures: int) -> Rivals:
    def column(values: tuple[float, ...]) -> Array:
        return np.tile(np.array([values[i] for i in order], float), (futures, 1))

    required, salary = column(morning.requirements)[0], column(morning.salaries)[0]
    return Rivals(required, salary, column(morning.balances), column(morning.healths), column(morning.dry))


def _habits(history: History, day: int, order: list[int]) -> list[list[float]]:
    """Fractions of money that rivals bid on remembered days; bids above the balance count as 0."""
    parts: dict[int, list[float]] = {seat: [] for seat in order}
    for entry in reversed(history):
        if entry["round"] < day - HISTORY_DAYS:
            break
        if entry["seat"] in parts:
            parts[entry["seat"]].append(_part(entry))
    return [parts[seat] for seat in order]


def _part(entry: Mapping[str, Any]) -> float:
    # The recorded balance is that of the evening, after payment.
    money = entry["balance"] + (entry["bid"] if is_served(entry) else 0.0)
    return entry["bid"] / money if 0.0 < entry["bid"] <= money else 0.0


def _fractions(habits: list[list[float]], days: int, futures: int, rng: np.random.Generator) -> Array:
    """Sampled fractions of money, of shape (days, futures, rivals)."""
    fractions = rng.random((days, futures, len(habits)))
    picks = rng.random((days, futures, len(habits)))
    for column, parts in enumerate(habits):
        if parts:
            index = (picks[:, :, column] * (len(parts) + 1)).astype(int)
            # The index after the last remembered day stands for the uniform fraction.
            known = np.append(np.array(parts), 0.0)[index]
            fractions[:, :, column] = np.where(index < len(parts), known, fractions[:, :, column])
    return fractions


def auction(bids: Array, rivals: Rivals, supply: Array, own: float) -> tuple[Array, NDArray[np.bool_]]:
    """Return the bidder's price and which rivals are served without it, vectorised over futures."""
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
        # Nobody else can be served in any future, and no price changes.
        if left.max() < least:
            break
    return price, won


def _night(rivals: Rivals, bids: Array, won: NDArray[np.bool_], most: int) -> Rivals:
    """Update balances and health overnight."""
    living = rivals.health > 0.0
    dry = np.where(won, 0.0, rivals.dry + 1.0)
    health = np.where(won, np.minimum(most, rivals.health + WATER_GAIN), rivals.health - dry)
    balance = rivals.balance - np.where(won, bids, 0.0) + rivals.salary
    return rivals._replace(balance=balance, health=np.where(living, health, rivals.health), dry=dry)


GRID = 40
"""Number of balances in the value grid."""

LEVELS = 8
"""Number of price levels of a future day."""

MAX_CONDITIONS = 150
"""Maximum health conditions that a plan distinguishes; with more, it looks fewer days ahead."""


class Conditions(NamedTuple):
    """Reachable health conditions of a resident, numbered from the current one (0); the number after the last is death.

    Attributes:
        after_water: Index of the condition after a day with water.
        after_thirst: Index of the condition after a day without water.
        days: Days within which all of them can be reached.
    """

    health: NDArray[np.float64]
    after_water: NDArray[np.int64]
    after_thirst: NDArray[np.int64]
    days: int


@lru_cache(maxsize=4096)
def conditions(now: Condition, most: int, days: int) -> Conditions:
    """Return the conditions reachable within some days, or fewer days (at least 1) beyond `MAX_CONDITIONS`.

    Args:
        days: Number of days, at least 1.
    """
    found, edge, seen = {now: 0}, [now], 0
    while seen < days:
        reached = [after for one in edge for after in _evenings(one, most) if after and after not in found]
        edge = list(dict.fromkeys(reached))
        if seen and len(found) + len(edge) > MAX_CONDITIONS:
            break
        found.update(zip(edge, range(len(found), len(found) + len(edge)), strict=True))
        seen += 1
    return _index_conditions(found, most, seen)


def _index_conditions(found: dict[Condition, int], most: int, days: int) -> Conditions:
    """Index conditions; successors of the last day are irrelevant to plans."""
    after = [
        [found.get(evening, len(found)) if evening else len(found) for evening in _evenings(one, most)] for one in found
    ]
    served, thirsty = np.array(after).T
    return Conditions(np.array([float(health) for health, _ in found]), served, thirsty, days)


def _evenings(condition: Condition, most: int) -> tuple[Condition, Condition | None]:
    """The conditions after a day with and without water; None: dead."""
    thirsty = update_condition(most, condition, served=False)
    return update_condition(most, condition, served=True), thirsty if thirsty[0] > 0 else None


class Plan:
    """Values of conditions (rows; the last row is death) and morning balances (columns).

    Prices are equally likely samples, independent between days. As forecasts are uncertain, every bid fails with some
    probability, so plans do not rely on a single day.

    Args:
        salary: Dollars per day.
        grid: Balances, evenly spaced from 0.
        doubt: Probability that a bid above the price fails, in [0, 1].
    """

    def __init__(self, known: Conditions, reward: int, salary: float, grid: Array, doubt: float) -> None:
        self.known, self.reward, self.salary, self.grid, self.trust = known, reward, salary, grid, 1.0 - doubt
        # Many conditions become the same one with water, so each is interpolated once.
        self.served, self.place = np.unique(known.after_water, return_inverse=True)

    def final_values(self) -> Array:
        """Return values after the last day: 1 for survival, health points, or 0 if days are rewarded."""
        health = self.known.health
        alive = {HEALTH: health, DAYS: np.zeros(len(health))}.get(self.reward, np.ones(len(health)))
        return np.repeat(np.append(alive, 0.0)[:, None], len(self.grid), axis=1)

    def previous_values(self, after: Array, prices: Array) -> Array:
        """Return the values of a morning by backward induction.

        Args:
            prices: Sorted sample of prices of the day, in dollars.
        """
        after = self._add_day_reward(after)
        stride = max(1, len(prices) // LEVELS)
        levels = prices[stride - 1 :: stride]
        # A bid at the k-th level wins at the prices of the first k levels.
        chance = self.trust * np.arange(1, len(levels) + 1)[:, None] / len(levels)
        rest = self.grid - levels[:, None]
        won = self._interpolate_values(after[self.served], np.maximum(rest, 0.0) + self.salary)[self.place]
        lost = self._interpolate_values(after[self.known.after_thirst], self.grid + self.salary)
        gain = (np.where(rest >= 0.0, chance, 0.0) * (won - lost[:, None, :])).max(axis=1)
        return np.vstack([lost + np.maximum(gain, 0.0), np.zeros(len(self.grid))])

    def first_bid(self, after: Array, prices: Array, balance: float, more: float) -> tuple[float, float]:
        """Return today's best bid and its gain over no water.

        Args:
            prices: Sorted sample of today's prices, in dollars.
            balance: Dollars available.
            more: Minimum overbid of a price in dollars.

        Returns:
            Bid in dollars and gain; (0, 0) if no bid has a positive gain.
        """
        after = self._add_day_reward(after)
        # Each price plus a step, and the whole balance: between two of these a bid only costs more.
        bids = np.append(prices[prices + more <= balance] + more, balance)
        chance = self.trust * np.searchsorted(prices, bids) / len(prices)
        won = self._interpolate_values(after[self.known.after_water[:1]], balance - bids + self.salary)[0]
        lost = self._interpolate_values(after[self.known.after_thirst[:1]], np.array([balance + self.salary]))[0]
        gain = chance * (won - lost)
        best = int(gain.argmax())
        return (float(bids[best]), float(gain[best])) if gain[best] > 0.0 else (0.0, 0.0)

    def _add_day_reward(self, after: Array) -> Array:
        """Add the reward of a survived day, if days are rewarded."""
        day = np.append(np.ones(len(after) - 1), 0.0)[:, None]
        return after + day if self.reward == DAYS else after

    def _interpolate_values(self, values: Array, balances: Array) -> Array:
        """Interpolate values at balances, constant above the grid."""
        # By index, since the grid is even: `np.interp` takes one row of values at a time.
        place = np.minimum(balances / self.grid[1], len(self.grid) - 1.0)
        left = np.minimum(place.astype(int), len(self.grid) - 2)
        part = place - left
        return np.asarray(values[:, left] * (1.0 - part) + values[:, left + 1] * part)


class Mpc(Bidder):
    """Model-predictive control: plan the remaining days every morning and play the first bid.

    Prices are forecast from the known distribution of supply and rivals' past bids
    (`econzoo.baselines.survival.mpc.forecast`). Backward induction over own health, dry days and balance then gives the
    plan that maximises the reward (`econzoo.baselines.survival.mpc.Plan`). A plan that trusts its forecast buys as late
    as possible and dies of the first surprise, hence `doubt`.

    Source: receding-horizon control, Rawlings, Mayne and Diehl (2017), Model predictive control; with sampled futures,
    Bertsekas and Castanon (1999), Rollout algorithms for stochastic scheduling problems.

    Args:
        days: Planning horizon in days, including today; an integer from 1 to 100.
        futures: Sampled futures per day; an integer from 8 to 10,000.
        doubt: Assumed probability that any bid fails; from 0 to 0.9.
    """

    deterministic = False

    def __init__(self, spec: str = "mpc", days: Any = 12, futures: Any = 32, doubt: Any = 0.3) -> None:
        super().__init__(spec)
        self.days = int(argument(spec, "days", days, 1.0, 100.0, integer=True))
        self.futures = int(argument(spec, "futures", futures, 8.0, 1e4, integer=True))
        self.doubt = argument(spec, "doubt", doubt, 0.0, 0.9)
        self.reward = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a match and read its kind of reward."""
        super().reset(seat, info, seed)
        self.reward = info.view.reward

    @property
    def script(self) -> None:
        """None: planning does not compile."""
        return None

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the first bid of the best plan."""
        game = GAMES[self.game]
        morning = game.morning(view_of(game.View, observation))
        bid = payable_bid(self.planned_bid(morning, observation["history"]), morning) if is_contested(morning) else 0.0
        return {"bid": bid}

    def planned_bid(self, m: Morning, history: History) -> float:
        """Return the first bid of the best plan; the balance if no bid gains and a dry day would be fatal."""
        seat, left = m.seat, m.days - m.day
        now, balance, salary = (m.healths[seat], m.dry[seat]), m.balances[seat], m.salaries[seat]
        known = conditions(now, m.max_health, min(self.days, left + 1))
        # One generator per day, so that a retry repeats the bid.
        rng = np.random.default_rng((self.seed, m.day))
        prices = forecast(m, history, known.days, self.futures, rng)
        plan = Plan(known, self.reward, salary, _grid(balance, salary, prices), self.doubt)
        values = plan.final_values()
        for day in range(known.days - 1, 0, -1):
            values = plan.previous_values(values, prices[day])
        bid, gain = plan.first_bid(values, prices[0], balance, step(salary))
        return balance if gain <= 0.0 and survivable_dry_days(*now) == 0 else bid


def _grid(balance: float, salary: float, prices: Array) -> Array:
    """Balances from 0 to above any price, or to the maximum attainable."""
    dearest = float(prices[np.isfinite(prices)].max(initial=0.0)) + 2.0 * salary
    most = min(balance + len(prices) * salary, max(dearest, balance))
    # Above 0, as balances are divided by the spacing.
    return np.linspace(0.0, max(most, 1e-9), GRID)
