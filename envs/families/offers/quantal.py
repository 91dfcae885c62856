"""Logit agent quantal response equilibrium of games in which two seats take turns to name an amount and to answer it.

Every decision is made by chance, and better ones are likelier: with precision L an alternative of expected payoff u is
chosen with a probability proportional to ``exp(L * u)``, given that all later decisions are made so too. That is the
equation of McKelvey and Palfrey, which backward induction solves in a game with a last round: whoever answers accepts
with probability ``1 / (1 + exp(-L * (gain - value of going on)))`` where it can only accept or go on, and the proposer
draws an amount from the softmax of what each is worth on average. At L = 0 all moves are equally likely; as L grows,
the equilibrium tends to the subgame-perfect one, up to a step of the grid of amounts.

Payoffs are numbers in one unit, which is that of ``1 / L``. A seat may be of several types (values of the good); each
seat knows its own, and takes those of the other to be as likely in every round as at the start: nothing is learned from
offers. The first types of a seat are those that the other reckons with, all as likely; a further one knows itself.

All of it compiles (`econzoo.envs.core.contract.scripts`), and players at tables call the very same functions.

Source: McKelvey, R. and Palfrey, T. (1998). Quantal response equilibria for extensive form games. Experimental
Economics 1(1), 9-41, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

Values: TypeAlias = tuple[list[float], list[float]]
"""What each seat expects, one number for each of its types."""

STEPS = 100
"""Steps of the grid of amounts: whole percent, as people name them."""

AHEAD = 50
"""Rounds that are reckoned with where no last round is known; what follows them is worth what `spe` takes it to be."""

SETTLED = 1e-13
"""Change of what is expected, from a round to the one two before, that counts as none."""

MOST = 700.0
"""Of what is exponentiated; what is likelier by so much is certain to the last digit."""

NEAR = 200.0
"""Exponents within which those of evenly spaced amounts are found by multiplying, to 13 digits."""


class Logit(NamedTuple):
    """How both seats decide.

    Attributes:
        precision: L, at least 0, in one over the unit of payoffs.
        leaves: Whether whoever answers may also end the game, for a payoff of 0 to both.
        met: How many types of each seat the other reckons with; all are as likely.
    """

    precision: float
    leaves: bool
    met: int


class Stage(NamedTuple):
    """A round: what the amounts that one type of the proposer may name in it pay if they are accepted.

    The last digit apart, amount k of `STEPS` pays the proposer ``own + k * more`` and a type of the other
    ``other - k * less``, and what there is in it for the type besides.
    """

    own: float
    more: float
    other: float
    less: float


Stages: TypeAlias = Callable[[Any, int, int], Stage]
"""The rounds of a market, by the market, the number of the round and the type of its proposer."""


class Room(NamedTuple):
    """Numbers of a round, to be written over.

    Attributes:
        worth: What each amount is worth to the proposer.
        weights: How likely the proposer names it, in parts of their sum.
        theirs: What it is worth to each type of the other, one type after the other.
    """

    worth: list[float]
    weights: list[float]
    theirs: list[float]


def room_for(kinds: int) -> Room:
    """Room for so many types of the other."""
    return Room([0.0] * (STEPS + 1), [0.0] * (STEPS + 1), [0.0] * (kinds * (STEPS + 1)))


def weigh(worth: list[float], precision: float, weights: list[float]) -> float:
    """Writes down weights of alternatives, proportional to ``exp(precision * worth)``; gives their sum."""
    best, total = worth[0], 0.0
    for k in range(len(worth)):
        best = max(best, worth[k])
    for k in range(len(worth)):
        weight = math.exp(precision * (worth[k] - best))
        weights[k] = weight
        total += weight
    return total


def drawn(chances: Sequence[float], u: float) -> int:
    """A place that is possible, drawn with these probabilities by a number in [0, 1)."""
    edge, found = 0.0, 0
    for place in range(len(chances)):
        if chances[place] > 0.0:
            edge, found = edge + chances[place], place
            if u < edge:
                break
    return found


def refusing(logit: Logit, waiting: float) -> tuple[float, float]:
    """What weighs against accepting, as a logarithm, and the probability of going on for one who does not accept.

    Args:
        logit: How it decides.
        waiting: Expected payoff of going on.
    """
    weight = logit.precision * waiting
    if not logit.leaves:
        return weight, 1.0
    top = max(weight, 0.0)
    stay, leave = math.exp(weight - top), math.exp(-top)
    return top + math.log(stay + leave), stay / (stay + leave)


def answers(logit: Logit, gain: float, waiting: float) -> tuple[float, float, float]:
    """Probabilities of accepting, of going on and of leaving.

    Args:
        logit: How it decides.
        gain: Payoff of accepting.
        waiting: Expected payoff of going on.
    """
    against, stay = refusing(logit, waiting)
    odds = math.exp(min(against - logit.precision * gain, MOST))
    accepted = 1.0 / (1.0 + odds)
    return accepted, odds * accepted * stay, odds * accepted * (1.0 - stay)


def name(logit: Logit, stage: Stage, besides: list[float], mine: float, others: list[float], room: Room) -> float:
    """Writes down what each amount is worth and how likely a type of the proposer names it; gives the sum of weights.

    Args:
        logit: How both decide.
        stage: The round.
        besides: What there is in a deal for each type of the other, besides.
        mine: What the proposer expects if the amount is not accepted.
        others: The same for each type of the other.
        room: For what is found.
    """
    worth, theirs = room.worth, room.theirs
    for k in range(STEPS + 1):
        worth[k] = 0.0
    slope = logit.precision * stage.less
    for j in range(len(others)):
        waiting, gain, part = others[j], stage.other + besides[j], 1.0 / logit.met if j < logit.met else 0.0
        against, stay = refusing(logit, waiting)
        start, place = against - logit.precision * gain, j * (STEPS + 1)
        near = max(abs(start), abs(start + STEPS * slope)) < NEAR
        odds, step = math.exp(min(start, MOST)), math.exp(slope) if near else 1.0
        for k in range(STEPS + 1):
            if not near:
                odds = math.exp(min(start + k * slope, MOST))
            accepted = 1.0 / (1.0 + odds)
            refused = odds * accepted * stay
            worth[k] += part * (accepted * (stage.own + k * stage.more) + refused * mine)
            theirs[place + k] = accepted * (gain - k * stage.less) + refused * waiting
            odds *= step
    return weigh(worth, logit.precision, room.weights)


def average(weights: list[float], total: float, worth: list[float], first: int) -> float:
    """What is expected of amounts with these weights, of which a list says from some place on what each is worth."""
    found = 0.0
    for k in range(STEPS + 1):
        found += weights[k] * worth[first + k]
    return found / total


def inducing(stages: Stages) -> Callable[..., Values]:
    """Backward induction in a game of these rounds, as the function `expected`."""

    def before(
        logit: Logit, market: Any, round: int, besides: list[float], mine: list[float], others: list[float], room: Room
    ) -> Values:
        """What each type expects when a round begins, of the proposer and of the other."""
        made, left = [0.0] * len(mine), [0.0] * len(others)
        for i in range(len(mine)):
            total = name(logit, stages(market, round, i), besides, mine[i], others, room)
            made[i] = average(room.weights, total, room.worth, 0)
            for j in range(len(others) if i < logit.met else 0):
                left[j] += average(room.weights, total, room.theirs, j * (STEPS + 1)) / logit.met
        return made, left

    def expected(
        logit: Logit, market: Any, first: int, last: int, besides: Values, end: Values, repeats: bool
    ) -> Values:
        """What each type of each seat expects when a round begins.

        Args:
            logit: How both decide.
            market: What the rounds depend on.
            first: The round.
            last: The last one.
            besides: What there is in a deal for each type of each seat when it answers, besides what the round says.
            end: What is expected after the last round.
            repeats: Whether all rounds of one proposer pay the same. Then what is expected settles, far from the end.
        """
        now, after, still, room = end, end, 0, room_for(max(len(end[0]), len(end[1])))
        for round in range(last, first - 1, -1):
            if repeats and still == 2:
                return now if (round - first) % 2 else after
            if round % 2:
                made, left = before(logit, market, round, besides[1], now[0], now[1], room)
            else:
                left, made = before(logit, market, round, besides[0], now[1], now[0], room)
            still = still + 1 if same(made, after[0]) and same(left, after[1]) else 0
            now, after = (made, left), now
        return now

    return expected


def same(one: list[float], other: list[float]) -> bool:
    """Whether two are equal but for rounding."""
    most = 0.0
    for j in range(len(one)):
        most = max(most, abs(one[j] - other[j]))
    return most <= SETTLED


def chances(logit: Logit, stage: Stage, besides: list[float], mine: float, others: list[float]) -> list[float]:
    """Probability with which a type of the proposer names each amount; arguments as in `name`."""
    room = room_for(len(others))
    total = name(logit, stage, besides, mine, others, room)
    return [weight / total for weight in room.weights]
