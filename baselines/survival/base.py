"""What a bidder knows in the morning, and how its wish becomes a bid that can be paid and that nobody else makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import Seen


class Morning(NamedTuple):
    """What a bidder knows before a day's auction. Tuples have one entry a seat.

    Attributes:
        seat: The bidder's own.
        day: 1-based.
        days: Days that the game lasts.
        supply: Units of the day.
        low: Least supply of a day.
        high: Most supply of a day, as likely as any whole number between the two.
        requirements: Units needed a day.
        salaries: Dollars earned a day.
        balances: Dollars, today's salary included.
        healths: Health points.
        dry: Days in a row without water.
        living: Seats that are alive.
        max_health: Most health points.
        line: Place in the line that turns by one every day where equal bids destroy the water, from 0; always 0 where
            they do not.
        history: The bids of all days before, with what became of them.
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
    living: tuple[int, ...]
    max_health: int
    line: int
    history: tuple[Mapping[str, Any], ...]

    @property
    def balance(self) -> float:
        """Own dollars."""
        return self.balances[self.seat]

    @property
    def salary(self) -> float:
        """Own dollars a day."""
        return self.salaries[self.seat]

    @property
    def days_left(self) -> int:
        """Days after this one."""
        return self.days - self.day


def town_morning(seen: Seen) -> Morning:
    """A morning of water allocation."""
    water = int(seen["supply"]), seen["low"], seen["high"]
    return _morning(seen, water, seen["requirements"], seen["salaries"], 0)


def auction_morning(seen: Seen) -> Morning:
    """A morning of the survival auction: a town of equals in which everybody needs the one unit of the day."""
    seats = len(seen["died"])
    line = (seen["seat"] + seen["round"]) % seats
    return _morning(seen, (1, 1, 1), (1,) * seats, (seen["salary"],) * seats, line)


def _morning(
    seen: Seen, water: tuple[int, int, int], requirements: tuple[int, ...], salaries: tuple[float, ...], line: int
) -> Morning:
    """A morning with its supply and the bounds of that."""
    day, each = (seen["seat"], seen["round"], seen["days"]), (seen["balances"], seen["healths"], seen["no_water_days"])
    living = tuple([seat for seat, died in enumerate(seen["died"]) if died == 0])
    return Morning(*day, *water, requirements, salaries, *each, living, seen["max_health"], line, seen["history"])


MORNINGS: dict[str, Callable[[Seen], Morning]] = {
    "water_allocation": town_morning,
    "survival_auction": auction_morning,
}
"""How the structured observation of each game is read."""


class Bidder(Player):
    """A strategy that bids for water; a subclass says how much (`wish`).

    It bids nothing where a bid changes nothing: where the day brings less than it needs, and where nobody can take from
    it what it needs. Otherwise it bids in whole steps (`step`: one dollar for salaries around a hundred), never more
    than it has. Where equal bids destroy the water, it gives way by its place in a line that turns by one every day, in
    hundredths of a step (cents): no two such players ever bid the same sum above 0, and equals have their turns.
    """

    deterministic: bool = True

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self._morning: Callable[[Seen], Morning] = town_morning
        self.seed = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Learns which game it plays."""
        self._morning = MORNINGS[info.game.name]
        self.seed = seed

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A bid."""
        morning = self._morning(observation)
        return {"bid": payable(self.wish(morning), morning) if contested(morning) else 0.0}

    def wish(self, morning: Morning) -> float:
        """Dollars that it would bid, as if all sums could be named and paid."""
        raise NotImplementedError


def contested(morning: Morning) -> bool:
    """Whether the own water depends on the own bid: others could leave too little, and there is enough for oneself.

    The others who are served before a bidder can be any of the living whose requirements together do not exceed the
    supply, so it asks whether any such sum leaves less than the own requirement. Bit n of ``sums`` stands for sum n.
    """
    own, supply = morning.requirements[morning.seat], morning.supply
    if own > supply:
        return False
    sums, possible = 1, (1 << (supply + 1)) - 1
    for seat in morning.living:
        if seat != morning.seat:
            sums |= (sums << morning.requirements[seat]) & possible
    return sums >> (supply - own + 1) > 0


def payable(wish: float, morning: Morning) -> float:
    """A bid near a wish, in dollars: the next whole step, or all that can be paid; less what the line asks for."""
    size = step(morning.salary)
    wished = math.ceil(wish / size - 1e-9)
    steps = max(0, min(wished, math.floor(morning.balance / size)))
    bid = round(steps * size - morning.line * size / 100.0, 12)
    return min(max(0.0, bid), morning.balance)


def step(salary: float) -> float:
    """The unit of bids in dollars: the power of ten next to a hundredth of a salary, at least 0.0001; 1 around 100."""
    return float(10.0 ** max(round(math.log10(salary)) - 2, -4)) if salary > 0.0 else 1.0


def last_price(morning: Morning) -> float:
    """The lowest bid that was served on the last day that had winners, in dollars; 0 before the first."""
    prices: list[float] = []
    day = 0
    for entry in reversed(morning.history):
        if prices and entry["round"] < day:
            break
        if served(entry):
            day = entry["round"]
            prices.append(entry["bid"])
    return min(prices, default=0.0)


def served(entry: Mapping[str, Any]) -> bool:
    """Whether a bid of the history won water."""
    return bool(entry["no_water_days"] == 0)
