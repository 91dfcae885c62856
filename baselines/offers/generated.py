"""A grammar of strategies for games of offers, sampled by number, with millions of opponents.

A strategy has a demand rule, an acceptance rule, and a memory of the opponent's offers, the components of negotiating
agents in Baarslag et al. (2014). Some are noisy, some change their rules in mid-match. All use shares of the stake and
depend only on what their seat has observed, so that best responses to them can be computed.

Sources. Curves of time and imitation (`clock`, `reciprocal`): Faratin, P., Sierra, C. and Jennings, N. R. (1998),
Negotiation decision functions for autonomous agents, Robotics and Autonomous Systems 24(3-4), 159-182. Acceptance of a
constant share, of the next demand, and of either: Baarslag, T., Hindriks, K. and Jonker, C. (2014),
Effective acceptance conditions in real-time automated negotiation, Decision Support Systems 60, 68-77. Minimum
acceptable shares: Güth, W., Schmittberger, R. and Schwarze, B. (1982), An experimental analysis of ultimatum
bargaining, Journal of Economic Behavior and Organization 3(4), 367-388. Grudges and forgiveness: Axelrod, R. (1984),
The Evolution of Cooperation. Aspiration adaptation: Simon, H. A. (1955), A behavioral model of
rational choice, Quarterly Journal of Economics 69(1), 99-118; Selten, R. (1998), Aspiration adaptation theory, Journal
of Mathematical Psychology 42(2-3), 191-214. The others, and all distributions, are this package's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines import Draw, ObservationDict, argument, offers_of_other
from econzoo.baselines.offers import productions as p
from econzoo.baselines.offers.description import describe_strategy
from econzoo.baselines.offers.haggler import Haggler
from econzoo.envs.core.contract import StrategyMemory, short_repr
from econzoo.envs.families.offers import Memory

MAX_NUMBER = 999_999
"""Highest number of a strategy."""


class Rule(NamedTuple):
    """A demand rule with its distributions.

    Attributes:
        draws: Distributions of other parameters of the rule set by index.
    """

    code: int
    takes: tuple[int, ...]
    draws: Mapping[int, Draw]


def _uniform(low: float, high: float) -> Draw:
    return Draw("uniform", (low, high))


_ANY = Draw("choice", (p.LAST, p.MEAN, p.BEST))
_MOST_TAKES = (p.CONSTANT, p.NEXT, p.EITHER, p.AS_GIVEN, p.BEST_SO_FAR, p.UNLESS_WRONGED)
_FIRM_TAKES = (p.CONSTANT, p.NEXT, p.AS_GIVEN, p.BEST_SO_FAR, p.UNLESS_WRONGED)

RULES: Mapping[str, Rule] = {
    "clock": Rule(p.CLOCK, _MOST_TAKES, {p.RATE: Draw("loguniform", (0.05, 8.0))}),
    "firm": Rule(p.FIRM, _FIRM_TAKES, {}),
    "steps": Rule(p.STEPS, _MOST_TAKES, {p.RATE: _uniform(0.05, 0.7)}),
    "reciprocal": Rule(
        p.RECIPROCAL, _MOST_TAKES, {p.RATE: _uniform(0.3, 2.0), p.DOWN: Draw("choice", (0, 1)), p.RECALL: _ANY}
    ),
    "mirror": Rule(p.MIRROR, _MOST_TAKES, {}),
    "middle": Rule(p.TOWARDS, _MOST_TAKES, {p.RATE: _uniform(0.5, 0.5)}),
    "harden": Rule(p.HARDEN, _MOST_TAKES, {p.RATE: _uniform(0.02, 0.25), p.DOWN: _uniform(0.02, 0.25)}),
    "grudge": Rule(p.GRUDGE, (p.UNLESS_WRONGED,), {}),
    "aspiration": Rule(p.TOWARDS, (p.NEXT, p.EITHER), {p.RATE: _uniform(0.1, 0.9), p.RECALL: _ANY}),
}
"""Demand rules by name."""

FAMILIES = (*RULES, "irregular", "switch")
"""Families of strategies: one demand rule, any rule with noise, or two rules in turn."""

FAIR = 0.25
"""Probability of a fair-minded strategy, which demands little more than half and accepts little less."""

GIVE_IN_PROBABILITY, FORGIVE_PROBABILITY = 0.7, 0.5
"""Probabilities that it accepts anything in a known last round, and that its grudge ends."""

CHANGES = (
    (p.AT_ROUND, Draw("integers", (2, 6)), _uniform(0.0, 0.0)),
    (p.AT_STALL, Draw("integers", (2, p.STALLS)), _uniform(0.02, 0.3)),
    (p.AT_GENEROSITY, _uniform(0.0, 0.0), _uniform(0.25, 0.6)),
)
"""Conditions of a change of rules, with the distributions of their count and amount."""


def _draw_rule_set(name: str, rng: Random) -> list[float]:
    """Sample the numbers of a rule set for a demand rule."""
    rule, out = RULES[name], [0.0] * p.SIZE
    # The order of draws defines the strategy of a number; all are drawn, also those that its rules do not use.
    fair = rng.random() < FAIR
    high = _uniform(*((0.5, 0.6) if fair else (0.6, 1.0))).value(rng)
    low = min(_uniform(*((0.4, 0.5) if fair else (0.05, 0.6))).value(rng), high)
    least = min(_uniform(*((0.35, 0.5) if fair else (0.05, 0.7))).value(rng), high)
    opening, margin = _uniform(low, high).value(rng), _uniform(0.0, 0.1).value(rng)
    harsh, patience = _uniform(max(high, 0.6), 1.0).value(rng), float(Draw("integers", (1, 3)).value(rng))
    out[p.DEMAND], out[p.HIGH], out[p.LOW], out[p.LEAST], out[p.MARGIN] = rule.code, high, low, least, margin
    out[p.TAKE] = Draw("choice", rule.takes).value(rng)
    out[p.SCRAPS] = float(rng.random() < GIVE_IN_PROBABILITY)
    out[p.OPENING] = opening
    out[p.FORGIVES] = patience if rng.random() < FORGIVE_PROBABILITY else 0.0
    for place, draw in rule.draws.items():
        out[place] = draw.value(rng)
    if rule.code == p.FIRM:
        out[p.LOW] = high
    if rule.code == p.GRUDGE:  # its demand is high, and harsh after being wronged
        out[p.HIGH], out[p.LOW], out[p.OPENING] = harsh, 0.0, high
    if out[p.TAKE] == p.UNLESS_WRONGED:
        out[p.MARGIN] = harsh
    return [float(number) for number in out]


@lru_cache(maxsize=100_000)
def sample_numbers(family: str, number: int) -> tuple[float, ...]:
    """Return the numbers of a strategy: a head, then two rule sets, which are equal if it never changes.

    Args:
        number: Integer from 0 to `MAX_NUMBER`.
    """
    # Text seeds are hashed alike in every process.
    rng = Random(f"{family} {number}")
    if family == "switch":
        how, after, by = rng.choice(CHANGES)
        first = rng.choice(list(RULES))
        second = rng.choice([name for name in RULES if name != first])
        head = [float(how), float(after.value(rng)), float(by.value(rng))]
        return float(number), *head, *_draw_rule_set(first, rng), *_draw_rule_set(second, rng)
    only = _draw_rule_set(rng.choice(list(RULES)) if family == "irregular" else family, rng)
    if family == "irregular":
        only[p.SWING] = _uniform(0.01, 0.1).value(rng)
        only[p.REFUSALS] = _uniform(0.05, 0.4).value(rng) if rng.random() < 0.5 else 0.0
    return float(number), p.NEVER, 0.0, 0.0, *only, *only


class GeneratedHaggler(Haggler):
    """A strategy sampled from the grammar (see the module) by family and number.

    A subclass defines the fields of offers and views, and the conversion of amounts to shares.

    Args:
        family: One of `FAMILIES`.
        number: Index within the family; an integer from 0 to 999,999. A number is always the same strategy.

    Attributes:
        field: Field of an offer with its amount.
        observed_field: Field of a view with the opponent's last amount.

    """

    memory: Memory = "history"
    memory_length: ClassVar[int] = 10_000
    initial_memory: ClassVar[tuple[float, ...]] = p.BLANK
    field: ClassVar[str]
    observed_field: ClassVar[str]

    def __init__(self, spec: str = "generated", family: Any = "clock", number: Any = 0) -> None:
        super().__init__(spec)
        if family not in FAMILIES:
            names = " or ".join(map(repr, FAMILIES))
            raise ValueError(f"player {spec[:80]!r}: invalid family={short_repr(family)}: expected {names}")
        self.family, self.number = str(family), int(argument(spec, "number", number, 0, MAX_NUMBER, integer=True))
        self.numbers = sample_numbers(self.family, self.number)
        sets = [self.numbers[at] for at in (p.HEAD, p.HEAD + p.SIZE)]
        # A better offer may change the rules of a switch, and raises the next demand of one that hardens.
        self.monotone = self.family != "switch" and p.HARDEN not in sets
        # Its moves follow from the round and the open offer, so that best responses need no histories.
        by_round = self.numbers[p.HEAD + p.TAKE] in (p.CONSTANT, p.NEXT, p.EITHER) and {*sets} <= {p.CLOCK, p.FIRM}
        if by_round and self.family != "switch":
            self.memory = "round"

    def describe(self) -> str:
        """Describe the strategy in one sentence."""
        return describe_strategy(self.numbers)

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return its memory of the opponent's offers."""
        past, view = list(self.initial_memory), self.view(seen)
        for move in offers_of_other(seen["history"], seen["seat"]):
            type(self).note(view._replace(offered=0.0, **{self.observed_field: move[self.field]}), past)
        return past
