"""Quantal response equilibrium of bargaining: what seats do that err, and err less where it costs them more.

See `econzoo.envs.families.offers.quantal`. Payoffs are measured as self-gain is: shares of the money, discounted to
round 1. So whoever has waited has less to lose, and errs more. Asks are whole percent of the money.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeAlias

from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.families.offers.quantal import (
    LOOKAHEAD_ROUNDS,
    STEPS,
    Logit,
    Stage,
    build_backward_induction,
    logit_amounts,
    logit_answers,
)
from econzoo.envs.games.bargaining import validation
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.solution import endless_share

Factors: TypeAlias = tuple[float, float]
"""Discount factors of both seats."""

NEGLIGIBLE = 1e-15
"""Share of the money of round 1 that counts as nothing."""


def logit(precision: float) -> Logit:
    """How both decide."""
    return Logit(precision, False, 1, (1, 1))


def discounted_money(delta: Factors, round: int, seat: int) -> float:
    """What all the money of a round is worth to a seat in round 1, in parts of it."""
    return delta[seat] ** (round - 1.0)


def stage(delta: Factors, round: int, type_index: int) -> Stage:
    """A round; seats are of one type."""
    proposer = (round + 1) % 2
    own, other = discounted_money(delta, round, proposer), discounted_money(delta, round, 1 - proposer)
    return Stage(0.0, own / STEPS, other, other / STEPS)


expected_values = build_backward_induction(stage)


@lru_cache(maxsize=1024)
def continuation_values(delta: Factors, horizon: float, round: int, precision: float) -> Factors:
    """What each seat expects of going on after a round, in shares of the money of round 1.

    Args:
        delta: Discount factors.
        horizon: Last round, or UNKNOWN: then what follows the next `AHEAD` rounds is worth what Rubinstein's
            equilibrium gives, or half each if nobody discounts.
        round: 0 to the horizon.
        precision: At least 0, per share of the money of round 1.
    """
    first, second = 0.0, 0.0
    if horizon == UNKNOWN:
        last = round + LOOKAHEAD_ROUNDS
        proposer = last % 2
        share = endless_share(delta[proposer], delta[1 - proposer])
        first = discounted_money(delta, last + 1, 0) * (share if proposer == 0 else 1.0 - share)
        second = discounted_money(delta, last + 1, 1) * (share if proposer == 1 else 1.0 - share)
    else:
        last = effective_horizon(delta, int(horizon))
    constant = delta[0] == 1.0 and delta[1] == 1.0
    found = expected_values(logit(precision), delta, round + 1, last, [0.0, 0.0], [first, second], constant)
    return found[0], found[1]


def effective_horizon(delta: Factors, horizon: int) -> int:
    """The last round in which there is anything to win: where all the money is worth next to nothing, the game ends."""
    patient = max(delta[0], delta[1])
    return horizon if patient == 1.0 else min(horizon, 1 + math.ceil(math.log(NEGLIGIBLE) / math.log(patient)))


def ask_probabilities(delta: Factors, horizon: float, round: int, precision: float) -> list[float]:
    """Probability with which the proposer of a round asks for each whole percent of the money, from 0 to 100.

    Args:
        delta: Discount factors.
        horizon: As in `continuation_values`.
        round: 1 to the horizon.
        precision: As in `continuation_values`.
    """
    waiting, proposer = continuation_values(delta, horizon, round, precision), (round + 1) % 2
    return logit_amounts(logit(precision), stage(delta, round, 0), proposer, 0, [0.0, 0.0], waiting)


def accept_probability(delta: Factors, horizon: float, round: int, precision: float, offered: float) -> float:
    """Probability of accepting an offer, in parts of the money; others as in `ask_probabilities`."""
    seat = round % 2
    gain, waiting = (
        discounted_money(delta, round, seat) * offered,
        continuation_values(delta, horizon, round, precision)[seat],
    )
    return logit_answers(logit(precision), gain, waiting)[0]


def quantal_payoffs(params: Params, precision: float) -> tuple[float, float]:
    """Dollars of round 1 that each seat expects in the quantal response equilibrium.

    Args:
        params: The market; as in `spe_payoffs`, all of it is known to both.
        precision: At least 0, per share of the money.
    """
    first, second = continuation_values(validation.validate_setting(params).delta, params.horizon, 0, precision)
    return params.money * first, params.money * second
