"""Quantal response equilibrium (QRE) of bargaining; see `econzoo.envs.families.offers.quantal`.

Payoffs are self-gains: shares of the money, discounted to round 1. So stakes shrink, and errors grow, over the rounds.
Asks are whole percent of the money.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeAlias

from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.families.offers import LOOKAHEAD_ROUNDS, STEPS, Logit, Stage, build_backward_induction, logit_amounts
from econzoo.envs.families.offers import logit_answers
from econzoo.envs.games.bargaining import validation
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.solution import endless_share

Factors: TypeAlias = tuple[float, float]
"""Discount factors of both seats."""

NEGLIGIBLE = 1e-15
"""Share of the money of round 1 that counts as 0."""


def logit(precision: float) -> Logit:
    return Logit(precision, False, 1, (1, 1))


def discounted_money(delta: Factors, round: int, seat: int) -> float:
    """Value of all the money of a round to a seat in round 1, as a fraction of the money."""
    return delta[seat] ** (round - 1.0)


def stage(delta: Factors, round: int, type_index: int) -> Stage:
    """Stage of a round; seats have one type."""
    proposer = (round + 1) % 2
    own, other = discounted_money(delta, round, proposer), discounted_money(delta, round, 1 - proposer)
    return Stage(0.0, own / STEPS, other, other / STEPS)


expected_values = build_backward_induction(stage)


@lru_cache(maxsize=1024)
def continuation_values(delta: Factors, horizon: float, round: int, precision: float) -> Factors:
    """Expected payoff of each seat of continuing after a round, in shares of the money of round 1.

    Args:
        horizon: Last round, or UNKNOWN: then the value after the next `LOOKAHEAD_ROUNDS` rounds is that of Rubinstein's
            equilibrium, or half each without discounting.
        round: 0 to the horizon.
        precision: >= 0, per share of the money of round 1.
    """
    first, second = 0.0, 0.0
    if horizon == UNKNOWN:
        last = round + LOOKAHEAD_ROUNDS
        # Of the first round after the lookahead.
        proposer = last % 2
        share = endless_share(delta[proposer], delta[1 - proposer])
        first = discounted_money(delta, last + 1, 0) * (share if proposer == 0 else 1.0 - share)
        second = discounted_money(delta, last + 1, 1) * (share if proposer == 1 else 1.0 - share)
    else:
        last = effective_horizon(delta, int(horizon))
    # Only without discounting do rounds repeat each other, so that the induction may stop when it has converged.
    constant = delta[0] == 1.0 and delta[1] == 1.0
    values = expected_values(logit(precision), delta, round + 1, last, [0.0, 0.0], [first, second], constant)
    return values[0], values[1]


def effective_horizon(delta: Factors, horizon: int) -> int:
    """The last round in which all the money is worth more than `NEGLIGIBLE`."""
    # Later rounds change no payoff but cost as much as others, up to thousands of them.
    patient = max(delta[0], delta[1])
    return horizon if patient == 1.0 else min(horizon, 1 + math.ceil(math.log(NEGLIGIBLE) / math.log(patient)))


def ask_probabilities(delta: Factors, horizon: float, round: int, precision: float) -> list[float]:
    """Probability that the proposer of a round asks for each whole percent of the money, from 0 to 100.

    Args:
        round: 1 to the horizon.
    """
    continuation, proposer = continuation_values(delta, horizon, round, precision), (round + 1) % 2
    return logit_amounts(logit(precision), stage(delta, round, 0), proposer, 0, [0.0, 0.0], continuation)


def accept_probability(delta: Factors, horizon: float, round: int, precision: float, offered: float) -> float:
    """Probability of accepting an offer, a fraction of the money; other arguments as in `ask_probabilities`."""
    seat = round % 2
    continuation = continuation_values(delta, horizon, round, precision)[seat]
    return logit_answers(logit(precision), discounted_money(delta, round, seat) * offered, continuation)[0]


def quantal_payoffs(params: Params, precision: float) -> tuple[float, float]:
    """Expected payoff of each seat in the quantal response equilibrium, in dollars of round 1.

    Args:
        precision: >= 0, per share of the money.
    """
    first, second = continuation_values(validation.validate_setting(params).delta, params.horizon, 0, precision)
    return params.money * first, params.money * second
