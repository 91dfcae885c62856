"""Scripted players and opponent pools of public goods: the types found in experiments."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines import ScriptedPlayer, argument, read_pools, view_of
from econzoo.envs.core.contract import ZERO_UNIFORMS, Move, MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.games.public_goods.rules import ASSIGN, CONTRIBUTE, MOST_POINTS, View, price

ContributionRule: TypeAlias = Callable[[View, Numbers], float]
"""What a strategy contributes, as a part of the endowment."""

PunishmentRule: TypeAlias = Callable[[View, Numbers, int], float]
"""Points that it would give to another seat, 10 at most; less than 0 means none."""


def mean_of_others(gave: tuple[float, ...], seat: int) -> float:
    """Mean contribution of all but one seat."""
    total = 0.0
    for own in gave:
        total += own
    return (total - gave[seat]) / (len(gave) - 1)


def cost_of(v: View, points: list[float]) -> float:
    """Tokens that all points cost."""
    total = 0.0
    for own in points:
        total += price(v.cost, own)
    return total


@lru_cache(maxsize=64)
def mover(contribution_share: ContributionRule, punishment_points: PunishmentRule) -> MoveFunction:
    """How a strategy moves: whole tokens, then whole points (a half is rounded upwards), as many as it can pay for."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        numbers = [0.0] * (len(v.gave) - 1)
        if not v.assigning:
            numbers[0] = math.floor(contribution_share(v, x) * v.endowment + 0.5) * 1.0
            return Move(CONTRIBUTE, tuple(numbers))
        for place in range(len(numbers)):
            other = place if place < v.seat else place + 1
            numbers[place] = math.floor(max(0.0, punishment_points(v, x, other)) + 0.5) * 1.0
        while cost_of(v, numbers) > v.income[v.seat]:
            for place in range(len(numbers)):
                numbers[place] = max(0.0, numbers[place] - 1.0)
        return Move(ASSIGN, tuple(numbers))

    return move


class Cooperator(ScriptedPlayer):
    """Contributes a constant fraction of the endowment and assigns no punishment points.

    Tokens and points are rounded. If points are unaffordable, all are reduced by one until they are not.

    Source: the unconditional cooperators of Kurzban and Houser (2005), PNAS 102(5), 1803-1807.

    Args:
        share: Fraction of the endowment; from 0 to 1.
    """

    deterministic = True

    def __init__(self, spec: str = "cooperator", share: Any = 1.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "share", share, 0.0, 1.0),)

    @property
    def script(self) -> Script:
        """The strategy as functions of numbers."""
        return Script(mover(type(self).contribution_share, type(self).punishment_points), self.numbers)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Tokens, or points for each of the others."""
        kind, values = self.script.move(view_of(View, observation), self.numbers, (), ZERO_UNIFORMS)
        if kind == CONTRIBUTE:
            return {"kind": "contribute", "tokens": int(values[0])}
        return {"kind": "assign", "points": [int(own) for own in values]}

    @staticmethod
    def contribution_share(v: View, x: Numbers) -> float:
        """What it contributes, as a part of the endowment; numbers: that part."""
        return x[0]

    @staticmethod
    def punishment_points(v: View, x: Numbers, other: int) -> float:
        return 0.0


class FreeRider(Cooperator):
    """Free rides: contributes nothing and assigns no points, the equilibrium.

    Source: the prediction of Fehr and Gächter (2000); free riders of Fischbacher, Gächter and Fehr (2001).
    """

    def __init__(self, spec: str = "free-rider") -> None:
        super().__init__(spec, 0.0)


class ConditionalCooperator(Cooperator):
    """Contributes in proportion to the others' mean contribution in the previous round.

    Source: Fischbacher, Gächter and Fehr (2001), Economics Letters 71(3), 397-404; slopes are mostly below 1. Naive
    expectations are a simple form of the beliefs in Fischbacher and Gächter (2010), AER 100(1), 541-556.

    Args:
        slope: Contribution per token of the others' mean; from 0 to 1.
        first: Contribution in the first round as a fraction of the endowment; from 0 to 1.
    """

    def __init__(self, spec: str = "conditional-cooperator", slope: Any = 1.0, first: Any = 0.5) -> None:
        super().__init__(spec, first)
        self.numbers += (argument(spec, "slope", slope, 0.0, 1.0),)

    @staticmethod
    def contribution_share(v: View, x: Numbers) -> float:
        """Its answer to the others' mean; numbers: the part of the first round, the slope."""
        return x[0] if v.round == 1 else x[1] * (mean_of_others(v.gave, v.seat) / v.endowment)


class HumpShaped(ConditionalCooperator):
    """Conditional cooperator up to a mean of half the endowment, with decreasing contributions beyond it.

    Source: Fischbacher, Gächter and Fehr (2001).
    """

    @staticmethod
    def contribution_share(v: View, x: Numbers) -> float:
        """Up and down again; numbers: the part of the first round, the slope."""
        mean = mean_of_others(v.gave, v.seat) / v.endowment
        return x[0] if v.round == 1 else x[1] * min(mean, 1.0 - mean)


class Punisher(ConditionalCooperator):
    """Conditional cooperator that punishes contributions below the mean of all others.

    Source: Fehr and Gächter (2000), where points increase with the shortfall from the others' mean.

    Args:
        points: Points for the maximum shortfall; from 0 to 10.
        slope, first: As in `ConditionalCooperator`.
    """

    def __init__(self, spec: str = "punisher", points: Any = 5.0, slope: Any = 1.0, first: Any = 0.5) -> None:
        super().__init__(spec, slope, first)
        self.numbers += (argument(spec, "points", points, 0.0, MOST_POINTS),)

    @staticmethod
    def punishment_points(v: View, x: Numbers, other: int) -> float:
        """In proportion to what is missing; numbers: the third for all that can be."""
        return x[2] * (mean_of_others(v.gave, other) - v.gave[other]) / v.endowment


class Antisocial(Cooperator):
    """Antisocial punisher: contributes a tenth of the endowment and punishes higher contributors.

    Source: Herrmann, Thöni and Gächter (2008), Science 319, 1362-1367.

    Args:
        points: Points for the maximum excess; from 0 to 10.
    """

    def __init__(self, spec: str = "antisocial", points: Any = 3.0) -> None:
        super().__init__(spec, 0.1)
        self.numbers += (argument(spec, "points", points, 0.0, MOST_POINTS),)

    @staticmethod
    def punishment_points(v: View, x: Numbers, other: int) -> float:
        """In proportion to what the other contributed more; numbers: the second for all that can be."""
        return x[1] * (v.gave[other] - v.gave[v.seat]) / v.endowment


PLAYERS: dict[str, type[Cooperator]] = {
    "free-rider": FreeRider,
    "cooperator": Cooperator,
    "conditional-cooperator": ConditionalCooperator,
    "hump-shaped": HumpShaped,
    "punisher": Punisher,
    "antisocial": Antisocial,
}

POOLS = read_pools(__package__)
