"""Negotiation tactics: time-dependent and imitative concessions, and rules sampled from a grammar.

Source of all but the last: Faratin, P., Sierra, C. and Jennings, N. R. (1998). Negotiation decision functions for
autonomous agents. Robotics and Autonomous Systems 24(3-4), 159-182. As there, an offer is accepted if it is at
least what the tactic would demand next. In a known last round, anything that reaches the reservation share is
accepted.
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines import ObservationDict, argument, offers_of_other
from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers import GeneratedHaggler, TimeDependent, clip_share, last_round, make_demand_rules
from econzoo.baselines.offers import parse_high_and_low, remember
from econzoo.envs.core.contract import UNKNOWN, Numbers, StrategyMemory
from econzoo.envs.games.bargaining.rules import View

HIGH = 0.9
"""First demand as a share of the money: Faratin's best value of the issue."""

LOW = 0.2
"""Reservation share of the money: smaller offers are rejected about half the time in ultimatum experiments
(Camerer 2003, Behavioral Game Theory, section 2.1)."""


def remember_ask(asked: float, past: StrategyMemory) -> None:
    """Remember the opponent's last two asks in ``past``, the latest first."""
    past[1] = past[0]
    past[0] = asked


def note(v: View, past: StrategyMemory) -> None:
    """Remember the opponent's ask, if an offer is open."""
    if v.offered != UNKNOWN:
        remember_ask(v.other_ask, past)


def imitative_demand(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return its last ask, scaled like the opponent's, which starts from the whole stake; numbers: high, low."""
    previous = stake if past[1] == UNKNOWN else past[1]
    change = 1.0 if past[0] == UNKNOWN or previous <= 0.0 else past[0] / previous
    last = x[0] * stake if v.own_ask == UNKNOWN else v.own_ask
    return min(max(last * change, x[1] * stake), x[0] * stake)


def imitative_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return its next demand, or the reservation share in a known last round."""
    return x[1] * stake if last_round(v) else imitative_demand(v, stake, x, past)


class Boulware(TimeDependent, BargainingPlayer):
    """Concedes little until close to the deadline (see `TimeDependent`).

    Named after Lemuel Boulware, who opened wage negotiations with a final offer (Raiffa 1982).

    Args:
        e: Concession exponent; above 0 and below 1, lower values concede later.
        high: First demand as a share of the money; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "My first word is close to my last: ${own} for me, ${other} for you.",
        "I am in no hurry. ${own} for me and ${other} for you.",
        "This is as far as I go for now: I keep ${own}, you get ${other}.",
    )

    def __init__(self, spec: str = "boulware", e: Any = 0.2, high: Any = HIGH, low: Any = LOW) -> None:
        rate = argument(spec, "e", e, 0.0, 1.0, open_low=True, open_high=True)
        super().__init__(spec, rate, high, low)


class Conceder(TimeDependent, BargainingPlayer):
    """Concedes early towards its reservation share (see `TimeDependent`).

    Source: Faratin et al. (1998); Pruitt (1981), Negotiation Behavior.

    Args:
        e: Concession exponent; above 1, higher values concede sooner.
        high: First demand as a share of the money; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "I hope we agree soon. How about ${own} for me and ${other} for you?",
        "I would rather settle than wait: ${own} for me, ${other} for you.",
        "Let me come towards you once more. ${other} for you, ${own} for me.",
    )

    def __init__(self, spec: str = "conceder", e: Any = 2.0, high: Any = HIGH, low: Any = LOW) -> None:
        rate = argument(spec, "e", e, 1.0, 1e6, open_low=True)
        super().__init__(spec, rate, high, low)


class Linear(TimeDependent, BargainingPlayer):
    """Concedes the same amount in every round (see `TimeDependent`, with e = 1).

    Args:
        high: First demand as a share of the money; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "Let me begin with ${own} for me and ${other} for you.",
        "One more step towards you: ${own} for me, ${other} for you.",
        "As before, I come down a little. I keep ${own}, you get ${other}.",
    )

    def __init__(self, spec: str = "linear", high: Any = HIGH, low: Any = LOW) -> None:
        super().__init__(spec, 1.0, high, low)


class TitForTat(BargainingPlayer):
    """Changes its demand by the same percentage by which the opponent has just changed its own.

    Relative tit-for-tat with a delay of one (Faratin et al., section 4.3) on demands, each side's own share:
    ``ask = last ask * other's last ask / other's ask before that``, clipped to ``low`` to ``high``. The source waits
    for two asks of the opponent; here the first is compared with the whole money, so that a partner who is fair from
    the start is matched at once.

    Args:
        high: First demand as a share of the money; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "I suggest ${own} for me and ${other} for you, and I will move as you move.",
        "You came down, so I come down as well: ${own} for me, ${other} for you.",
        "I stay where I am until you move: ${own} for me, ${other} for you.",
        "You went up, and so do I: ${own} for me, ${other} for you.",
    )

    memory = "history"
    asks, takes = staticmethod(imitative_demand), staticmethod(imitative_threshold)
    note, initial_memory = staticmethod(note), (UNKNOWN, UNKNOWN)

    def __init__(self, spec: str = "tit-for-tat", high: Any = HIGH, low: Any = LOW) -> None:
        super().__init__(spec)
        self.numbers = parse_high_and_low(spec, high, low)

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return the last two asks of the opponent."""
        past = list(self.initial_memory)
        for move in offers_of_other(seen["history"][-self.memory_length :], seen["seat"]):
            remember_ask(move["gain"], past)
        return past

    def line(self, seen: ObservationDict, ask: float) -> str:
        """Return the message that fits its own change."""
        last = seen["own_ask"]
        if last is None:
            return self.wordings[0]
        return self.wordings[1 if ask < last else 2 if ask == last else 3]


def own_share(v: View, past: StrategyMemory) -> float:
    """Return the share of the money that the seat last asked for, or UNKNOWN."""
    return UNKNOWN if v.own_ask == UNKNOWN else clip_share(v.own_ask / v.money)


def offered_share(v: View) -> float:
    """Return the share of the money that the opponent's last ask leaves the seat."""
    return clip_share((v.money - v.other_ask) / v.money)


def remember_offer(v: View, past: StrategyMemory) -> None:
    """Remember the opponent's offer, if one is open."""
    if v.offered != UNKNOWN:
        remember(offered_share(v), past)


class Generated(GeneratedHaggler, BargainingPlayer):
    """Follows rules sampled from a grammar of strategies by family and number (see `GeneratedHaggler`).

    Source: `econzoo.baselines.offers.generated` gives that of every rule.

    Args:
        family: One of clock, firm, steps, reciprocal, mirror, middle, harden, grudge, aspiration, irregular, switch.
        number: Index within the family; an integer from 0 to 999,999.
    """

    field, observed_field = "gain", "other_ask"
    asks, takes = (staticmethod(one) for one in make_demand_rules(own_share))
    note = staticmethod(remember_offer)
