"""Tactics that start high, concede over time, and accept their next demand."""

from __future__ import annotations

import math
from typing import Any

from econzoo.baselines.negotiation.base import NegotiationPlayer, gain_at
from econzoo.baselines.offers.demands import SCRAP, concession_share, last_round
from econzoo.baselines.offers.haggler import TimeDependent
from econzoo.baselines.strategy import argument
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import Numbers, StrategyMemory
from econzoo.envs.families.offers.protocol import Memory
from econzoo.envs.games.negotiation.rules import SELLER, View

HIGH, LOW = 1.5, 0.5
"""Prices beyond the values of most settings, as fractions of the scale: a seller's and a buyer's."""

NEVER = 1e6
"""More than any possible gain, as a fraction of the scale or of the surplus."""

HIGHEST = 100.0
"""Maximum demand of an anchor as a multiple of the surplus."""


def anchor_share(x: Numbers, round: int, horizon: float) -> float:
    """Return an anchor's demand as a share of the surplus, possibly above 1; numbers: start, goal."""
    if horizon != UNKNOWN and round >= horizon:
        return x[1]
    return x[0] - (x[0] - x[1]) * concession_share(1.0, round, horizon)


def anchor_demand(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return an anchor's demand in this round."""
    return anchor_share(x, v.round, v.horizon) * stake


def anchor_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return an anchor's next demand, or nearly 0 in a known last round."""
    return (SCRAP if last_round(v) else anchor_share(x, v.round + 1, v.horizon)) * stake


def rounds_left(v: View) -> float:
    """Return the number of rounds that follow; infinite if unknown."""
    return math.inf if v.horizon == UNKNOWN else v.horizon - v.round


def unreachable_gain(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return the gain at an unacceptable price; in the last round that at the opponent's last price, if positive."""
    if rounds_left(v) == 0:
        gain = stake / 2 if v.other_price == UNKNOWN else gain_at(v, v.other_price)
        if gain > 0:
            return gain
    return min(max(gain_at(v, (HIGH if v.seat == SELLER else LOW) * v.money), 0.0), NEVER * stake)


def late_gain(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return an unreachable threshold before the end; numbers: late gain over its own value, late rounds."""
    left = rounds_left(v)
    if left == 0 or stake == 0.0:
        return SCRAP * stake
    return x[0] * v.own_value if left <= x[1] or v.horizon == UNKNOWN else NEVER * v.money


class Concede(TimeDependent, NegotiationPlayer):
    """Concedes from ``high`` in round 1 to ``low`` in the last round (see `TimeDependent`).

    Source: Faratin, Sierra and Jennings (1998), Negotiation decision functions for autonomous agents, section 4.1.

    Args:
        e: Concession exponent; above 0, at most 1e6.
        high: First demand as a share of the surplus; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "Let me begin with ${price}.",
        "I come towards you: ${price}.",
        "One more step: ${price}. I hope that you will take one too.",
    )

    def __init__(self, spec: str = "concede", e: Any = 1.0, high: Any = 0.9, low: Any = 0.1) -> None:
        super().__init__(spec, e, high, low)


class Anchor(NegotiationPlayer):
    """Opens at an extreme price, then concedes in equal steps to its goal.

    The first price is ``x`` times the surplus away from its own value: with x above 1 the opponent cannot accept it
    without a loss. Its purpose is anchoring: in experiments extreme first offers lead to better outcomes. In the last
    round, or the only one, it demands ``goal`` and accepts any gain.

    Source: Galinsky and Mussweiler (2001). First offers as anchors: the role of perspective-taking and negotiator
    focus. Journal of Personality and Social Psychology 81(4), 657-669.

    Args:
        x: Distance of the first price from its own value, in surpluses; from 0 to 100.
        goal: Final demand as a share of the surplus; from 0 to 1 and to `x`.
    """

    lines = (
        "Goods like this go for ${price}, and that is where I start.",
        "Since it is you: ${price}.",
        "I have come a long way already. ${price}.",
    )

    asks, takes = staticmethod(anchor_demand), staticmethod(anchor_threshold)

    def __init__(self, spec: str = "anchor", x: Any = 2.0, goal: Any = 0.5) -> None:
        super().__init__(spec)
        start = argument(spec, "x", x, 0.0, HIGHEST)
        self.numbers = (start, argument(spec, "goal", goal, 0.0, min(1.0, start)))


class Holdout(NegotiationPlayer):
    """Holds out: posts an unacceptable price, and accepts the opponent's late concessions.

    Early it accepts nothing, near the end a sufficient gain, and in the last round any gain. As last proposer it
    repeats the opponent's last price if that is a gain. With an unknown last round it accepts the first sufficient
    gain.

    Source: Ma and Manove (1993), Bargaining with deadlines and imperfect player control: waiting for the deadline.

    Args:
        gain: Sufficient gain as a fraction of its own value; from 0 to 1.
        rounds: Number of rounds before the last that count as late; an integer from 0 to 99.
    """

    memory: Memory = "history"
    lines = (
        "${price}, and I have time.",
        "I can wait. ${price}.",
        "Still ${price}.",
    )
    asks, takes = staticmethod(unreachable_gain), staticmethod(late_gain)

    def __init__(self, spec: str = "holdout", gain: Any = 0.1, rounds: Any = 1) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "gain", gain, 0.0, 1.0), argument(spec, "rounds", rounds, 0, 99, integer=True))
