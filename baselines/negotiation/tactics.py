"""Tactics that start high and come down by the clock; see `Aspiring` for what they accept."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.haggling import SCRAP, Aspiring, TimeDependent, conceded
from econzoo.baselines.negotiation.base import NegotiationPlayer
from econzoo.baselines.strategy import argument

HIGHEST = 100.0
"""Most times the surplus that an anchor may ask for."""


class Concede(TimeDependent, NegotiationPlayer):
    """Its aspiration falls with time from ``high`` in round 1 to ``low`` in the last round (see `TimeDependent`).

    Source: Faratin, Sierra and Jennings (1998), Negotiation decision functions for autonomous agents, section 4.1.

    Args:
        e: Concession rate; above 0, at most 1e6.
        high: First ask as a share of the surplus; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "Let me begin with ${price}.",
        "I come towards you: ${price}.",
        "One more step: ${price}. I hope that you will take one too.",
    )

    def __init__(self, spec: str = "concede", e: Any = 1.0, high: Any = 0.9, low: Any = 0.1) -> None:
        super().__init__(spec, e, high, low)


class Anchor(Aspiring, NegotiationPlayer):
    """Opens at an extreme price, then comes down in equal steps to what it really wants.

    The first price is ``x`` times the surplus away from its own value: with x above 1 a price that nobody can accept
    without a loss. It is there to pull the other's idea of the price its way: in experiments whoever opens first and
    far out ends up with more. In the last round, or the only one, it asks for ``goal`` and accepts any gain.

    Source: Galinsky and Mussweiler (2001). First offers as anchors: the role of perspective-taking and negotiator
    focus. Journal of Personality and Social Psychology 81(4), 657-669.

    Args:
        x: Distance of the first price from the own value, in surpluses; from 0 to 100.
        goal: What it comes down to; from 0 to 1 and to `x`.
    """

    lines = (
        "Goods like this go for ${price}, and that is where I start.",
        "Since it is you: ${price}.",
        "I have come a long way already. ${price}.",
    )

    def __init__(self, spec: str = "anchor", x: Any = 2.0, goal: Any = 0.5) -> None:
        super().__init__(spec)
        self.x = argument(spec, "x", x, 0.0, HIGHEST)
        self.goal = argument(spec, "goal", goal, 0.0, min(1.0, self.x))
        self.low = SCRAP

    def aspiration(self, round: int, horizon: int | None) -> float:
        """Share of the surplus that it wants in a round, possibly above 1."""
        if horizon is not None and round >= horizon:
            return self.goal
        return self.x - (self.x - self.goal) * conceded(1.0, round, horizon)
