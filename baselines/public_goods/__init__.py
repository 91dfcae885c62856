"""Scripted players of public goods, by name: the types that experiments have found; and pools of them."""

from __future__ import annotations

import math
from typing import Any

from econzoo.baselines.player import Player
from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import Seen, argument
from econzoo.envs.games.public_goods.rules import MOST_POINTS, price


def mean_without(gave: list[float], seat: int) -> float:
    """Mean contribution of all but one seat."""
    return (sum(gave) - gave[seat]) / (len(gave) - 1)


class Cooperator(Player):
    """Always contributes the same part of the endowment and assigns no points; the base of the others.

    Tokens and points are rounded. Who cannot pay for its points assigns one less to everybody until it can.

    Source: the unconditional cooperators of Kurzban and Houser (2005), PNAS 102(5), 1803-1807.

    Args:
        share: The part; from 0 to 1.
    """

    deterministic = True

    def __init__(self, spec: str = "cooperator", share: Any = 1.0) -> None:
        super().__init__(spec)
        self.share = argument(spec, "share", share, 0.0, 1.0)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Tokens, or points for each of the others."""
        if "contribute" in observation["legal_actions"]:
            return {"kind": "contribute", "tokens": math.floor(self.part(observation) * observation["endowment"] + 0.5)}
        wanted = [self.wanted(observation, i) for i in range(len(observation["gave"])) if i != observation["seat"]]
        points = [math.floor(max(0.0, own) + 0.5) for own in wanted]
        while sum([price(observation["cost"], own) for own in points]) > observation["income"][observation["seat"]]:
            points = [max(0, own - 1) for own in points]
        return {"kind": "assign", "points": points}

    def part(self, seen: Seen) -> float:
        """What it contributes, as a part of the endowment."""
        return self.share

    def wanted(self, seen: Seen, seat: int) -> float:
        """Points for another seat, 10 at most; less than 0 means none."""
        return 0.0


class FreeRider(Cooperator):
    """Contributes nothing and assigns no points, as in the equilibrium.

    Source: the prediction of Fehr and Gächter (2000); free riders of Fischbacher, Gächter and Fehr (2001).
    """

    def __init__(self, spec: str = "free-rider") -> None:
        super().__init__(spec, 0.0)


class ConditionalCooperator(Cooperator):
    """Contributes in proportion to the mean contribution of the others in the round before.

    Source: Fischbacher, Gächter and Fehr (2001), Economics Letters 71(3), 397-404; slopes are mostly below 1. To expect
    what one saw last is a simple form of the beliefs in Fischbacher and Gächter (2010), AER 100(1), 541-556.

    Args:
        slope: What it contributes for a token of the others' mean; from 0 to 1.
        first: Part of the endowment that it contributes in the first round; from 0 to 1.
    """

    def __init__(self, spec: str = "conditional-cooperator", slope: Any = 1.0, first: Any = 0.5) -> None:
        super().__init__(spec, first)
        self.slope = argument(spec, "slope", slope, 0.0, 1.0)

    def part(self, seen: Seen) -> float:
        """Its answer to the others' mean."""
        mean = mean_without(seen["gave"], seen["seat"]) / seen["endowment"]
        return self.share if seen["round"] == 1 else self.answer(mean)

    def answer(self, mean: float) -> float:
        """What it contributes for the others' mean, both as parts of the endowment."""
        return self.slope * mean


class HumpShaped(ConditionalCooperator):
    """A conditional cooperator up to a mean of half the endowment, who gives less the further the others go beyond it.

    Source: Fischbacher, Gächter and Fehr (2001).
    """

    def answer(self, mean: float) -> float:
        """Up and down again."""
        return self.slope * min(mean, 1.0 - mean)


class Punisher(ConditionalCooperator):
    """A conditional cooperator who assigns points to whoever contributed less than the mean of all others.

    Source: Fehr and Gächter (2000), where points rise with what is missing from the others' mean.

    Args:
        points: For nothing where all others contribute everything; from 0 to 10.
        slope, first: As for a conditional cooperator.
    """

    def __init__(self, spec: str = "punisher", points: Any = 5.0, slope: Any = 1.0, first: Any = 0.5) -> None:
        super().__init__(spec, slope, first)
        self.points = argument(spec, "points", points, 0.0, MOST_POINTS)

    def wanted(self, seen: Seen, seat: int) -> float:
        """In proportion to what is missing."""
        return self.points * (mean_without(seen["gave"], seat) - seen["gave"][seat]) / seen["endowment"]


class Antisocial(Cooperator):
    """Contributes a tenth of the endowment and assigns points to whoever contributed more than it did.

    Source: Herrmann, Thöni and Gächter (2008), Science 319, 1362-1367.

    Args:
        points: For everything where it contributes nothing; from 0 to 10.
    """

    def __init__(self, spec: str = "antisocial", points: Any = 3.0) -> None:
        super().__init__(spec, 0.1)
        self.points = argument(spec, "points", points, 0.0, MOST_POINTS)

    def wanted(self, seen: Seen, seat: int) -> float:
        """In proportion to what the other contributed more."""
        return self.points * (seen["gave"][seat] - seen["gave"][seen["seat"]]) / seen["endowment"]


PLAYERS: dict[str, type[Cooperator]] = {
    "free-rider": FreeRider,
    "cooperator": Cooperator,
    "conditional-cooperator": ConditionalCooperator,
    "hump-shaped": HumpShaped,
    "punisher": Punisher,
    "antisocial": Antisocial,
}

POOLS = read_pools(__package__)
