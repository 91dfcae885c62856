"""Base of scripted bidders for water: information before an auction, and payable, distinct bids."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from econzoo.baselines import ScriptedPlayer, round_generator, view_of
from econzoo.envs.core.contract import ZERO_UNIFORMS, Move, MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.families import fill_like
from econzoo.envs.families.survival import NO_BID
from econzoo.envs.games.survival_auction import rules as survival_auction
from econzoo.envs.games.water_allocation import rules as water_allocation
from econzoo.wrappers import SeatInfo


class Morning(NamedTuple):
    """Information before a day's auction. Tuples have one entry per seat.

    Attributes:
        day: Day from 1.
        supply: Units available today.
        high: Maximum daily supply; uniform on the integers between both.
        requirements: Units needed per day.
        salaries: Dollars earned per day.
        balances: Dollars, including today's salary.
        died: Day of death; 0 while alive.
        line: Position from 0 in the daily rotation that separates bids, where equal bids destroy the water; else 0.
    """

    seat: int
    day: int
    days: int
    supply: int
    low: int
    high: int
    requirements: tuple[int, ...]
    salaries: tuple[float, ...]
    balances: tuple[float, ...]
    healths: tuple[int, ...]
    dry: tuple[int, ...]
    died: tuple[int, ...]
    max_health: int
    line: int


History: TypeAlias = Sequence[Mapping[str, Any]]
"""Bids of all previous days with their outcomes."""

Dawn: TypeAlias = Callable[[Any], Morning]
"""Builds a morning from a view."""

Wish: TypeAlias = Callable[[Morning, Numbers, StrategyMemory, UniformPair], float]
"""Returns a strategy's unrestricted bid in dollars."""


def town_morning(v: water_allocation.View) -> Morning:
    return Morning(
        *(v.seat, v.round, v.days, int(v.supply), v.low, v.high, v.requirements, v.salaries),
        *(v.balances, v.healths, v.no_water_days, v.died, v.max_health, 0),
    )


def auction_morning(v: survival_auction.View) -> Morning:
    """Return a morning of the survival auction, with one unit per day that every seat needs."""
    return Morning(
        *(v.seat, v.round, v.days, 1, 1, 1, fill_like(v.died, 1), fill_like(v.balances, v.salary)),
        *(v.balances, v.healths, v.no_water_days, v.died, v.max_health, (v.seat + v.round) % len(v.died)),
    )


class Bids(NamedTuple):
    """A game with water auctions."""

    View: type[Any]
    morning: Dawn


GAMES: dict[str, Bids] = {
    "water_allocation": Bids(water_allocation.View, town_morning),
    "survival_auction": Bids(survival_auction.View, auction_morning),
}


@lru_cache(maxsize=64)
def mover(wish: Wish, morning: Dawn) -> MoveFunction:
    """Return the move function of a strategy: a payable bid, or 0 if the bid is irrelevant."""

    def move(v: Any, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        m = morning(v)
        return Move(0, (payable_bid(wish(m, x, past, u), m) if is_contested(m) else 0.0,))

    return move


class Bidder(ScriptedPlayer):
    """Base of bidders for water with an unrestricted bid (`wish`).

    It bids 0 where a bid has no effect: if the supply is below its need, or if no rival can take the water that it
    needs. Otherwise it bids in whole steps (`step`: one dollar for salaries around a hundred), at most its balance. If
    equal bids destroy the water, it lowers its bid by its place in an order that rotates daily, in hundredths of a step
    (cents): no two such players ever make the same bid above 0, and equal players take turns.
    """

    deterministic: bool = True

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.game = "water_allocation"

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the unrestricted bid in dollars."""
        raise NotImplementedError

    @property
    def script(self) -> dict[str, Script] | None:
        """Compiled strategies by game."""
        own = type(self)
        return {
            name: Script(mover(own.wish, bids.morning), self.numbers, self.initial_memory, own.note)
            for name, bids in GAMES.items()
        }

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a match of either game."""
        super().reset(seat, info, seed)
        self.game = info.game.name

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        view, bids = view_of(GAMES[self.game].View, observation), mover(type(self).wish, GAMES[self.game].morning)
        return {"bid": bids(view, self.numbers, self.past(observation), self.random_numbers(view.round)).values[0]}

    def random_numbers(self, round: int) -> UniformPair:
        """Return the uniform numbers of a round; only the first is used."""
        return ZERO_UNIFORMS if self.deterministic else (round_generator(self.seed, round).random(), 0.0)


def is_contested(m: Morning) -> bool:
    """Whether being served depends on the own bid: the supply suffices, but others could leave too little.

    Others served first can be any set of survivors whose total requirement is at most the supply; the bid matters if
    any such set leaves less than the own requirement.
    """
    enough = m.supply - m.requirements[m.seat]
    if enough < 0 or required_units(m) - m.requirements[m.seat] <= enough:
        return False
    sums = [True] + [False] * m.supply  # sums[n]: whether a set of others requires n units
    for seat in range(len(m.died)):
        if seat != m.seat and m.died[seat] == 0:
            need = m.requirements[seat]
            # Downwards, so that each seat counts once.
            for units in range(m.supply, need - 1, -1):
                sums[units] = sums[units] or sums[units - need]
                if sums[units] and units > enough:
                    return True
    return False


def required_units(m: Morning) -> int:
    """Return the units that all survivors need per day."""
    units = 0
    for seat in range(len(m.died)):
        if m.died[seat] == 0:
            units += m.requirements[seat]
    return units


def payable_bid(wish: float, m: Morning) -> float:
    """Return a wish rounded up to a step, at most the balance, less the offset of the rotation, in dollars."""
    size, balance = step(m.salaries[m.seat]), m.balances[m.seat]
    # A wish of whole steps may lie above them by a rounding error.
    steps = max(0, min(math.ceil(wish / size - 1e-9), math.floor(balance / size)))
    cents = float(steps * 100 - m.line)
    bid = cents * (size / 100.0) if size >= 100.0 else cents / (100.0 / size)  # exact powers of ten
    return min(max(0.0, bid), balance)


def step(salary: float) -> float:
    """Return the unit of bids in dollars: the power of ten nearest to 1% of a salary, at least 0.0001."""
    return 10.0 ** float(max(round(math.log10(salary)) - 2, -4)) if salary > 0.0 else 1.0


def last_price(history: History) -> float:
    """Return the lowest winning bid of the last day with winners, in dollars; 0 before any."""
    prices: list[float] = []
    day = 0
    for entry in reversed(history):
        if prices and entry["round"] < day:
            break
        if is_served(entry):
            day = entry["round"]
            prices.append(entry["bid"])
    return min(prices, default=0.0)


def is_served(entry: Mapping[str, Any]) -> bool:
    """Whether a bid won water."""
    return bool(entry["no_water_days"] == 0)


def price_of(bids: tuple[float, ...], dry: tuple[int, ...], previous: float) -> float:
    """Return the lowest winning bid of a day, in dollars; the previous price if none won.

    Args:
        bids: Bid per seat in dollars; `NO_BID` without a bid.
        dry: Consecutive days without water after that day; 0: served.
    """
    price = math.inf
    for seat in range(len(bids)):
        if bids[seat] != NO_BID and dry[seat] == 0:
            price = min(price, bids[seat])
    return previous if price == math.inf else price
