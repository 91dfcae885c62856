"""Logit agent quantal response equilibrium (QRE) of alternating-offers games.

With precision L an alternative of expected payoff u is chosen with probability proportional to ``exp(L * u)``, given
that all later decisions are made likewise (McKelvey and Palfrey). Backward induction solves this for a finite horizon:
the responder accepts with probability ``1 / (1 + exp(-L * (gain - continuation value)))`` where it can only accept or
continue, and the proposer draws an amount from the softmax of expected payoffs. At L = 0 all moves are equally likely;
as L grows, the equilibrium tends to the subgame-perfect one, up to a step of the grid of amounts.

Payoffs are in the unit of ``1 / L``. A seat may have several types (values of the good); each seat knows its own type
and keeps its prior over those of the other: nothing is learned from offers. The first types of a seat are those of the
prior, equally likely; one more type has the seat's actual value.

All functions compile (`econzoo.envs.core.contract.scripts`); players in Python call the same ones.

Source: McKelvey, R. and Palfrey, T. (1998). Quantal response equilibria for extensive form games. Experimental
Economics 1(1), 9-41, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

Values: TypeAlias = Sequence[float]
"""One number per type of seat 0, then per type of seat 1."""

STEPS = 100
"""Steps of the grid of amounts: whole percent, as people propose them."""

AMOUNTS = STEPS + 1

LOOKAHEAD_ROUNDS = 50
"""Rounds of backward induction if the horizon is unknown; they end with the continuation value of `spe`."""

CONVERGENCE_TOLERANCE = 1e-13
"""Change of expected values over two rounds that counts as converged."""

MAX_EXPONENT = 700.0
"""Clip of exponents, against overflow; beyond it probabilities are 0 or 1 to the last digit."""

SAFE_EXPONENT = 200.0
"""Exponents up to which powers over evenly spaced amounts are found by multiplication, to 13 digits."""


class Logit(NamedTuple):
    """Parameters of logit play, for both seats.

    Attributes:
        precision: L >= 0, per unit of payoff.
        can_leave: Whether the responder may also end the game, for a payoff of 0 to both.
        believed_types: Number of types of each seat in the other's prior, which is uniform.
        type_counts: Number of types of each seat.
    """

    precision: float
    can_leave: bool
    believed_types: int
    type_counts: tuple[int, int]


class Stage(NamedTuple):
    """Payoffs of agreement in a round, for one type of the proposer.

    Up to rounding, amount k of `STEPS` pays the proposer ``own_start + k * own_step`` and the responder
    ``other_start - k * other_step`` plus the offset of its type.
    """

    own_start: float
    own_step: float
    other_start: float
    other_step: float


Stages: TypeAlias = Callable[[Any, int, int], Stage]
"""Function from the setting, the round and the type of its proposer to the `Stage`."""


def sample_place(chances: Sequence[float], uniform_draw: float) -> int:
    """Sample an index with these probabilities by inverting a uniform draw in [0, 1)."""
    edge, found = 0.0, 0
    for place in range(len(chances)):
        # Rounding can leave the sum below the draw: then it is the last index of positive probability.
        if chances[place] > 0.0:
            edge, found = edge + chances[place], place
            if uniform_draw < edge:
                break
    return found


def refusal_weight(logit: Logit, continuation: float) -> tuple[float, float]:
    """Return the log weight of not accepting, and the probability of continuing given that."""
    weight = logit.precision * continuation
    if not logit.can_leave:
        return weight, 1.0
    # Scaled by the larger weight, against overflow.
    top = max(weight, 0.0)
    stay, leave = math.exp(weight - top), math.exp(-top)
    return top + math.log(stay + leave), stay / (stay + leave)


def logit_answers(logit: Logit, gain: float, continuation: float) -> tuple[float, float, float]:
    """Probabilities of accepting, for a payoff of `gain`, of continuing and of leaving."""
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
    """Return the expected payoff of a type of the proposer before it proposes, and the sum of the amounts' weights.

    Args:
        type_offsets: Payoff of a deal to each type, in addition to that of the stage.
        continuation: Expected payoff of each type if the amount is not accepted.
        buffer: Output: the weight of each amount; then, for each type of the responder, its expected payoff from each
            amount.
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
        # One multiplication per amount in place of an exponential, as long as the powers stay exact enough.
        odds, step = math.exp(min(start, MAX_EXPONENT)), math.exp(slope) if near else 1.0
        for k in range(AMOUNTS):
            if not near:
                odds = math.exp(min(start + k * slope, MAX_EXPONENT))
            accepted = 1.0 / (1.0 + odds)
            refused = odds * accepted * stay
            expected = counts * (accepted * (stage.own_start + k * stage.own_step) + refused * mine) + (
                buffer[k] if j > 0 else 0.0
            )
            buffer[k] = expected
            best = expected if k == 0 or expected > best else best
            buffer[place + k] = accepted * (gain - k * stage.other_step) + refused * later
            odds *= step
    total, weighted_sum = 0.0, 0.0
    for k in range(AMOUNTS):
        # Relative to the best amount, against overflow.
        weight = math.exp(logit.precision * (buffer[k] - best))
        total += weight
        weighted_sum += weight * buffer[k]
        buffer[k] = weight
    return weighted_sum / total, total


def allocate_buffer(logit: Logit) -> list[float]:
    return [0.0] * ((1 + max(logit.type_counts[0], logit.type_counts[1])) * AMOUNTS)


def logit_amounts(
    logit: Logit, stage: Stage, proposer: int, type_index: int, type_offsets: Values, continuation: Values
) -> list[float]:
    """Probability that a type of the proposer proposes each amount; arguments as in `evaluate_amounts`."""
    buffer = allocate_buffer(logit)
    total = evaluate_amounts(logit, stage, proposer, type_index, type_offsets, continuation, buffer)[1]
    return [buffer[k] / total for k in range(AMOUNTS)]


def build_backward_induction(stages: Stages) -> Callable[..., Values]:
    """Build the backward induction over the rounds, as a function of setting and round."""

    def write_values(
        logit: Logit,
        setting: Any,
        round: int,
        type_offsets: Values,
        continuation: Values,
        values: list[float],
        buffer: list[float],
    ) -> None:
        """Write the expected payoff of each type at the start of a round to ``values``."""
        proposer = (round + 1) % 2
        own, first = (0, logit.type_counts[0]) if proposer == 0 else (logit.type_counts[0], 0)
        others = logit.type_counts[1 - proposer]
        for j in range(others):
            values[first + j] = 0.0
        for i in range(logit.type_counts[proposer]):
            stage = stages(setting, round, i)
            expected, total = evaluate_amounts(logit, stage, proposer, i, type_offsets, continuation, buffer)
            values[own + i] = expected
            for j in range(others if i < logit.believed_types else 0):
                weighted_sum, place = 0.0, (j + 1) * AMOUNTS
                for k in range(AMOUNTS):
                    weighted_sum += buffer[k] * buffer[place + k]
                values[first + j] += weighted_sum / total / logit.believed_types

    def expected_values(
        logit: Logit, setting: Any, first: int, last: int, besides: Values, end: Values, repeats: bool
    ) -> Values:
        """Compute the expected payoff of each type at the start of round ``first``: types of seat 0, then of seat 1.

        Args:
            besides: Type offsets, as in `evaluate_amounts`.
            end: Expected payoffs after the last round.
            repeats: Whether stages depend on the proposer only; then values converge far from the end.
        """
        buffer, unchanged = allocate_buffer(logit), 0
        now, after, values = list(end), list(end), list(end)
        for round in range(last, first - 1, -1):
            # `now` has the values of the round last computed, which are those of every second round before it; `after`
            # has the others.
            if repeats and unchanged == 2:
                return now if (round - first) % 2 else after
            write_values(logit, setting, round, besides, now, values, buffer)
            # Proposers alternate, so values are compared with those of two rounds later, and both parities must repeat.
            unchanged = unchanged + 1 if is_converged(values, after) else 0
            now, after, values = values, now, after
        return now

    return expected_values


def is_converged(one: Values, other: Values) -> bool:
    """Whether two sets of values are equal up to rounding."""
    most = 0.0
    for j in range(len(one)):
        most = max(most, abs(one[j] - other[j]))
    return most <= CONVERGENCE_TOLERANCE
