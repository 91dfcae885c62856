"""Quantal response equilibrium of bargaining: what seats do that err, and err less where it costs them more.

See `econzoo.envs.families.offers.quantal`. Payoffs are measured as self-gain is: shares of the money, discounted to
round 1. So whoever has waited has less to lose, and errs more. Asks are whole percent of the money.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np

from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.families.offers.quantal import AHEAD, NOTHING, STEPS, Logit, Stage, Values, induced
from econzoo.envs.games.bargaining import valid
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.solution import endless_share

Factors = tuple[float, float]
"""Discount factors of both seats."""

SHARES = np.arange(STEPS + 1) / STEPS
"""What a proposer may ask for itself, in parts of the money."""


SCRAP = 1e-15
"""Share of the money of round 1 that counts as nothing."""


def worths(delta: Factors, round: int) -> Factors:
    """What all the money of a round is worth to each seat in round 1, in parts of it."""
    return delta[0] ** (round - 1.0), delta[1] ** (round - 1.0)


def stage(delta: Factors, round: int) -> Stage:
    """A round."""
    worth, proposer = worths(delta, round), (round + 1) % 2
    return Stage(proposer, worth[proposer] * SHARES[None], worth[1 - proposer] * (1.0 - SHARES)[None, :, None])


def going_on(delta: Factors, horizon: float, round: int, precision: float) -> Values:
    """What each seat expects of going on after a round, in shares of the money of round 1.

    Args:
        delta: Discount factors.
        horizon: Last round, or UNKNOWN: then what follows the next `AHEAD` rounds is worth what Rubinstein's
            equilibrium gives, or half each if nobody discounts.
        round: 1 to the horizon.
        precision: At least 0, per share of the money of round 1.
    """
    if horizon == UNKNOWN:
        first, second = _endless(delta, round, precision)
        return first[0], second[0]
    first, second = _table(delta, reckoned(delta, int(horizon)), precision)
    return first[min(round, len(first) - 1)], second[min(round, len(first) - 1)]


def reckoned(delta: Factors, horizon: int) -> int:
    """The last round in which there is anything to win: where all the money is worth next to nothing, the game ends."""
    if max(delta) == 1.0:
        return horizon
    return min(horizon, 1 + math.ceil(math.log(SCRAP) / math.log(max(delta))))


def ask_chances(delta: Factors, horizon: float, round: int, precision: float) -> np.ndarray:
    """Probability with which the proposer of a round asks for each of `SHARES`; arguments as in `going_on`."""
    return Logit(precision).offers(stage(delta, round), going_on(delta, horizon, round, precision))[0]


def answer_chances(delta: Factors, horizon: float, round: int, precision: float, offered: float) -> np.ndarray:
    """Probabilities of accepting and of rejecting an offer, in parts of the money; others as in `going_on`."""
    seat = round % 2
    gain = np.array([worths(delta, round)[seat] * offered])
    return Logit(precision).answers(gain, going_on(delta, horizon, round, precision)[seat])[0]


def quantal_payoffs(params: Params, precision: float) -> tuple[float, float]:
    """Dollars of round 1 that each seat expects in the quantal response equilibrium.

    Args:
        params: The market; as in `spe_payoffs`, all of it is known to both.
        precision: At least 0, per share of the money.
    """
    first, second = _table(valid.market(params).delta, reckoned(params.delta, params.horizon), precision)
    return params.money * float(first[0, 0]), params.money * float(second[0, 0])


@lru_cache(maxsize=128)
def _table(delta: Factors, horizon: int, precision: float) -> Values:
    """What is expected when each round begins; at the end what is expected after the last."""
    return induced(Logit(precision), partial(stage, delta), 1, horizon, NOTHING, delta == (1.0, 1.0))


@lru_cache(maxsize=1024)
def _endless(delta: Factors, round: int, precision: float) -> Values:
    """The same from the next round on, without a known last one."""
    last = round + AHEAD
    proposer, worth = last % 2, worths(delta, last + 1)
    share = endless_share(delta[proposer], delta[1 - proposer])
    shares = (share, 1.0 - share) if proposer == 0 else (1.0 - share, share)
    end = (np.array([worth[0] * shares[0]]), np.array([worth[1] * shares[1]]))
    return induced(Logit(precision), partial(stage, delta), round + 1, last, end, delta == (1.0, 1.0))
