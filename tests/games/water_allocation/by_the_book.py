"""The Water Allocation Challenge once more, written from its description alone: slow, and without the package."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


def to_a_millionth(dollars: float) -> float:
    """Accounts below a billion are kept to a millionth of a dollar, half of one upwards."""
    return math.floor(dollars * 10**6 + 0.5) / 10**6


@dataclass
class Resident:
    """Somebody with an account and a NO_DRINK counter that says what the next dry day will cost."""

    seat: int
    need: int
    salary: float
    health: int
    money: float = 0.0
    no_drink: int = 1
    dead_since: int | None = None


class Town:
    """Residents, and the days that they have lived through."""

    def __init__(self, needs: Sequence[int], salaries: Sequence[float], days: int, health: int, most: int) -> None:
        pairs = zip(needs, salaries, strict=True)
        self.residents = [Resident(seat, need, salary, health) for seat, (need, salary) in enumerate(pairs)]
        self.last_day, self.most, self.day = days, most, 1

    def living(self) -> list[Resident]:
        return [one for one in self.residents if one.dead_since is None]

    def morning(self) -> None:
        """Salaries come before the bids."""
        for one in self.living():
            one.money = to_a_millionth(one.money + one.salary)

    def evening(self, supply: int, bids: Mapping[int, float]) -> list[int]:
        """One auction; returns the seats that were served, in order."""
        queue, served = self.living(), []
        while queue:
            best = queue[0]
            for one in queue[1:]:
                higher = bids[one.seat] > bids[best.seat]
                if higher or (bids[one.seat] == bids[best.seat] and one.need < best.need):
                    best = one
            queue.remove(best)
            if bids[best.seat] <= best.money and best.need <= supply:
                supply -= best.need
                best.money = to_a_millionth(best.money - bids[best.seat])
                served.append(best.seat)
        for one in self.living():
            if one.seat in served:
                one.health, one.no_drink = min(self.most, one.health + 2), 1
            else:
                one.health, one.no_drink = one.health - one.no_drink, one.no_drink + 1
            if one.health <= 0:
                one.dead_since = self.day
        self.day += 1
        return served

    def over(self) -> bool:
        return self.day > self.last_day or not self.living()
