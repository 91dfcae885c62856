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

Values: TypeAlias = Sequence[float]
"""A number for each type of seat 0, then for each of seat 1."""

STEPS = 100
"""Steps of the grid of amounts: whole percent, as people name them."""

AMOUNTS = STEPS + 1
"""How many these are."""

LOOKAHEAD_ROUNDS = 50
"""Rounds that are reckoned with where no last round is known; what follows them is worth what `spe` takes it to be."""

CONVERGENCE_TOLERANCE = 1e-13
"""Change of what is expected, from a round to the one two before, that counts as none."""

MAX_EXPONENT = 700.0
"""Of what is exponentiated; what is likelier by so much is certain to the last digit."""

SAFE_EXPONENT = 200.0
"""Exponents within which those of evenly spaced amounts are found by multiplying, to 13 digits."""


class Logit(NamedTuple):
    """How both seats decide.

    Attributes:
        precision: L, at least 0, in one over the unit of payoffs.
        can_leave: Whether whoever answers may also end the game, for a payoff of 0 to both.
        believed_types: How many types of each seat the other reckons with; all are as likely.
        type_counts: How many types there are of each seat.
    """

    precision: float
    can_leave: bool
    believed_types: int
    type_counts: tuple[int, int]


class Stage(NamedTuple):
    """A round: what the amounts that one type of the proposer may name in it pay if they are accepted.

    The last digit apart, amount k of `STEPS` pays the proposer ``own + k * more`` and a type of the other
    ``other - k * less``, and what there is in it for the type besides.
    """

    own_start: float
    own_step: float
    other_start: float
    other_step: float


Stages: TypeAlias = Callable[[Any, int, int], Stage]
"""The rounds of a market, by the market, the number of the round and the type of its proposer."""


def sample_place(chances: Sequence[float], uniform_draw: float) -> int:
    """A place that is possible, drawn with these probabilities by a number in [0, 1)."""
    edge, found = 0.0, 0
    for place in range(len(chances)):
        if chances[place] > 0.0:
            edge, found = edge + chances[place], place
            if uniform_draw < edge:
                break
    return found


def refusal_weight(logit: Logit, continuation: float) -> tuple[float, float]:
    """What weighs against accepting, as a logarithm, and the probability of going on for one who does not accept.

    Args:
        logit: How it decides.
        continuation: Expected payoff of going on.
    """
    weight = logit.precision * continuation
    if not logit.can_leave:
        return weight, 1.0
    top = max(weight, 0.0)
    stay, leave = math.exp(weight - top), math.exp(-top)
    return top + math.log(stay + leave), stay / (stay + leave)


def logit_answers(logit: Logit, gain: float, continuation: float) -> tuple[float, float, float]:
    """Probabilities of accepting, of going on and of leaving.

    Args:
        logit: How it decides.
        gain: Payoff of accepting.
        continuation: Expected payoff of going on.
    """
    against, stay = refusal_weight(logit, continuation)
    odds = math.exp(min(against - logit.precision * gain, MAX_EXPONENT))
    accepted = 1.0 / (1.0 + odds)
    return accepted, odds * accepted * stay, odds * accepted * (1.0 - stay)


def evaluate_amounts(
    logit: Logit,
    stage: Stage,
    proposer: int,
    type_index: int,
    type_offsets: Values,
    continuation: Values,
    buffer: list[float],
) -> tuple[float, float]:
    """What a type of the proposer expects when it is about to name an amount, and the sum of the amounts' weights.

    Args:
        logit: How both decide.
        stage: The round.
        proposer: The seat, 0 or 1.
        type_index: Which of its types.
        type_offsets: What there is in a deal, besides what the round says, for each type that answers.
        continuation: What each type expects if an amount is not accepted.
        buffer: For what is found: how likely each amount is named, in parts of the sum of the weights; then, for each
            type of the other, what each amount is worth to it.
    """
    first, others = (logit.type_counts[0], logit.type_counts[1]) if proposer == 0 else (0, logit.type_counts[0])
    mine = continuation[type_index if proposer == 0 else logit.type_counts[0] + type_index]
    slope, best = logit.precision * stage.other_step, 0.0
    for j in range(others):
        later, gain, place = continuation[first + j], stage.other_start + type_offsets[first + j], (j + 1) * AMOUNTS
        counts = 1.0 / logit.believed_types if j < logit.believed_types else 0.0
        against, stay = refusal_weight(logit, later)
        start = against - logit.precision * gain
        near = max(abs(start), abs(start + STEPS * slope)) < SAFE_EXPONENT
        odds, step = math.exp(min(start, MAX_EXPONENT)), math.exp(slope) if near else 1.0
        for k in range(AMOUNTS):
            if not near:
                odds = math.exp(min(start + k * slope, MAX_EXPONENT))
            accepted = 1.0 / (1.0 + odds)
            refused = odds * accepted * stay
            worth = counts * (accepted * (stage.own_start + k * stage.own_step) + refused * mine) + (
                buffer[k] if j > 0 else 0.0
            )
            buffer[k] = worth
            best = worth if k == 0 or worth > best else best
            buffer[place + k] = accepted * (gain - k * stage.other_step) + refused * later
            odds *= step
    total, made = 0.0, 0.0
    for k in range(AMOUNTS):
        weight = math.exp(logit.precision * (buffer[k] - best))
        total += weight
        made += weight * buffer[k]
        buffer[k] = weight
    return made / total, total


def allocate_buffer(logit: Logit) -> list[float]:
    """Room for what is found of a round."""
    return [0.0] * ((1 + max(logit.type_counts[0], logit.type_counts[1])) * AMOUNTS)


def logit_amounts(
    logit: Logit, stage: Stage, proposer: int, type_index: int, type_offsets: Values, continuation: Values
) -> list[float]:
    """Probability with which a type of the proposer names each amount; arguments as in `name`."""
    room = allocate_buffer(logit)
    total = evaluate_amounts(logit, stage, proposer, type_index, type_offsets, continuation, room)[1]
    return [room[k] / total for k in range(AMOUNTS)]


def build_backward_induction(stages: Stages) -> Callable[..., Values]:
    """Backward induction over the rounds, as a function of setting and round."""

    def before(
        logit: Logit, setting: Any, round: int, besides: Values, waiting: Values, found: list[float], room: list[float]
    ) -> None:
        """Writes down what each type expects when a round begins."""
        proposer = (round + 1) % 2
        own, first = (0, logit.type_counts[0]) if proposer == 0 else (logit.type_counts[0], 0)
        others = logit.type_counts[1 - proposer]
        for j in range(others):
            found[first + j] = 0.0
        for i in range(logit.type_counts[proposer]):
            made, total = evaluate_amounts(logit, stages(setting, round, i), proposer, i, besides, waiting, room)
            found[own + i] = made
            for j in range(others if i < logit.believed_types else 0):
                left, place = 0.0, (j + 1) * AMOUNTS
                for k in range(AMOUNTS):
                    left += room[k] * room[place + k]
                found[first + j] += left / total / logit.believed_types

    def expected_values(
        logit: Logit, setting: Any, first: int, last: int, besides: Values, end: Values, repeats: bool
    ) -> Values:
        """What each type expects when a round begins: those of seat 0, then those of seat 1.

        Args:
            logit: How both decide.
            setting: What the rounds depend on.
            first: The round.
            last: The last one.
            besides: As in `name`.
            end: What is expected after the last round.
            repeats: Whether all rounds of one proposer pay the same. Then what is expected settles, far from the end.
        """
        room, still = allocate_buffer(logit), 0
        now, after, found = list(end), list(end), list(end)
        for round in range(last, first - 1, -1):
            if repeats and still == 2:
                return now if (round - first) % 2 else after
            before(logit, setting, round, besides, now, found, room)
            still = still + 1 if is_converged(found, after) else 0
            now, after, found = found, now, after
        return now

    return expected_values


def is_converged(one: Values, other: Values) -> bool:
    """Whether two are equal but for rounding."""
    most = 0.0
    for j in range(len(one)):
        most = max(most, abs(one[j] - other[j]))
    return most <= CONVERGENCE_TOLERANCE
