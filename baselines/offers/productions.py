"""Interpreter of sampled bargaining strategies, as functions that compile: one pair for all strategies.

A strategy is a row of numbers: a head of length `HEAD` with the condition of a change, then two rule sets of `SIZE`
numbers each, of which the second applies after the change. Indices in a rule set are named below. All amounts are
shares of the stake from 0 to 1: the seat's demand, and what the opponent's offer gives it. Their distributions are in
`econzoo.baselines.offers.generated`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from econzoo.baselines.offers.demands import SCRAP, concession_share, last_round
from econzoo.envs.core.contract import UNKNOWN, Numbers, StrategyMemory

LastDemand: TypeAlias = Callable[[Any, StrategyMemory], float]
"""Returns the seat's last demand as a share of the stake from view and memory, or UNKNOWN."""

# Indices of the head.
KEY, CHANGE, WHEN, HOW_MUCH = 0, 1, 2, 3
HEAD = 4
"""Length of the head: the strategy's number, condition of change, its count and its amount."""

NEVER, AT_ROUND, AT_STALL, AT_GENEROSITY = 0.0, 1.0, 2.0, 3.0
"""Conditions of change: never; from a round on; after too small concessions in the opponent's first offers; after a
generous offer of the opponent."""

# Indices of a rule set.
DEMAND, HIGH, LOW, RATE, DOWN, OPENING, RECALL, TAKE, LEAST, MARGIN, SCRAPS, SWING, REFUSALS, FORGIVES = range(14)
SIZE = 14
"""Length of a rule set."""

CLOCK, FIRM, STEPS, RECIPROCAL, MIRROR, TOWARDS, HARDEN, GRUDGE = range(8)
"""Demand rules."""

CONSTANT, NEXT, EITHER, AS_GIVEN, BEST_SO_FAR, UNLESS_WRONGED = range(6)
"""Acceptance rules."""

LAST, MEAN, BEST = range(3)
"""Summaries of the opponent's offers."""

# Indices of the memory of the opponent's offers; 1 to 4 have the best of that many first offers.
COUNT, FIRST, TOP, PREVIOUS_TOP, WORST, TOTAL, LATEST, SECOND, THIRD = 0, 1, 5, 6, 7, 8, 9, 10, 11
STALLS = 4
"""Maximum number of the opponent's first offers in a test for a stall."""

BLANK = (0.0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, math.inf, 0.0, UNKNOWN, UNKNOWN, UNKNOWN)
"""Memory before the opponent's first offer."""

OUT_OF_REACH = 1e9
"""Unreachable share."""

PRIME = 67_108_859.0
"""The largest prime below 2**26: squares of integers below it are exact as floats."""


def remember(share: float, past: StrategyMemory) -> None:
    """Remember an offer of the opponent by the share that it gives the seat."""
    past[THIRD], past[SECOND], past[LATEST] = past[SECOND], past[LATEST], share
    past[PREVIOUS_TOP] = past[TOP]
    past[TOP], past[WORST] = max(past[TOP], share), min(past[WORST], share)
    past[TOTAL] += share
    past[COUNT] += 1.0
    if past[COUNT] <= STALLS:
        past[int(past[COUNT])] = past[TOP]


def noise(key: float, round: int, which: float) -> float:
    """Return a pseudorandom number in [0, 1) from a strategy's number, the round and its purpose.

    All steps are exact in floats, so that compiled code and Python agree exactly.
    """
    mixed = (key * 40_692.0 + round * 7_907_513.0 + which * 23_456_789.0 + 1.0) % PRIME
    for step in range(3):
        mixed = (mixed * mixed + key + step) % PRIME
    return mixed / PRIME


def has_changed(v: Any, x: Numbers, past: StrategyMemory) -> bool:
    """Whether the second rule set applies, then for the rest of the match."""
    if x[CHANGE] == AT_ROUND:
        return bool(v.round >= x[WHEN])
    if x[CHANGE] == AT_STALL:
        return bool(past[COUNT] >= x[WHEN] and past[int(x[WHEN])] - past[FIRST] < x[HOW_MUCH])
    return bool(x[CHANGE] == AT_GENEROSITY and past[TOP] >= x[HOW_MUCH])


def recalled_share(past: StrategyMemory, what: float) -> float:
    """Return a summary of the opponent's offers; UNKNOWN before the first."""
    if what == LAST or past[COUNT] == 0.0:
        return past[LATEST]  # type: ignore[no-any-return]
    return past[TOP] if what == BEST else past[TOTAL] / past[COUNT]  # type: ignore[no-any-return]


def was_wronged(past: StrategyMemory, least: float, forgives: float) -> bool:
    """Whether the opponent has offered less than `least`, ever (0) or in its last `forgives` offers (1 to 3)."""
    if forgives == 0.0:
        return bool(past[WORST] < least)
    return bool(
        # An empty slot is UNKNOWN, minus infinity.
        UNKNOWN < past[LATEST] < least
        or (forgives >= 2.0 and UNKNOWN < past[SECOND] < least)
        or (forgives >= 3.0 and UNKNOWN < past[THIRD] < least)
    )


def demanded_share(x: Numbers, at: int, past: StrategyMemory, own: float, round: int, horizon: float) -> float:
    """Return the demand of a rule set in a round as a share.

    Args:
        at: Index of the rule set in the numbers `x`.
        own: The seat's last demand, or UNKNOWN.
        round: Round from 1.
        horizon: Last round, or UNKNOWN.
    """
    rule, high, low, rate = x[at + DEMAND], x[at + HIGH], x[at + LOW], x[at + RATE]
    offered, share = recalled_share(past, x[at + RECALL]), high
    if rule == CLOCK:
        share = high - (high - low) * concession_share(rate, round, horizon)
    elif rule == STEPS and own != UNKNOWN:
        share = low + (own - low) * (1.0 - rate)
    elif rule == RECIPROCAL and past[COUNT] >= 2.0:
        if x[at + DOWN] == 0.0:
            share = high - rate * (offered - past[FIRST])
        else:
            share = (high if own == UNKNOWN else own) - rate * (past[LATEST] - past[SECOND])
    elif rule == MIRROR and past[COUNT] >= 1.0:
        share = 1.0 - offered
    elif rule == TOWARDS and past[COUNT] >= 1.0:
        last = high if own == UNKNOWN else own
        share = last + rate * (offered - last)
    elif rule == HARDEN:
        share = x[at + OPENING] if own == UNKNOWN else own
        if past[COUNT] >= 2.0:
            share += rate if past[LATEST] > past[SECOND] else -x[at + DOWN]
    elif rule == GRUDGE and not was_wronged(past, x[at + LEAST], x[at + FORGIVES]):
        share = x[at + OPENING]
    share = min(max(share, low), high)
    shift = x[at + SWING] * (2.0 * noise(x[KEY], round, 0.0) - 1.0) if x[at + SWING] > 0.0 else 0.0
    return min(max(share + shift, 0.0), 1.0)


def acceptable_share(v: Any, x: Numbers, at: int, past: StrategyMemory, own: float, ahead: int) -> float:
    """Return the acceptance threshold of a rule set as a share; the seat's next demand is `ahead` rounds from now."""
    if x[at + SCRAPS] == 1.0 and last_round(v):
        return SCRAP
    if x[at + REFUSALS] > 0.0 and noise(x[KEY], v.round, 1.0) < x[at + REFUSALS]:
        return OUT_OF_REACH
    rule, least = x[at + TAKE], x[at + LEAST]
    if rule in (NEXT, EITHER):
        following = demanded_share(x, at, past, own, v.round + ahead, v.horizon)
        return following if rule == NEXT else min(following, least)
    if rule == AS_GIVEN and own != UNKNOWN:
        return max(1.0 - own, SCRAP)
    if rule == BEST_SO_FAR:
        return min(max(least, past[PREVIOUS_TOP] + x[at + MARGIN]), 1.0)
    if rule == UNLESS_WRONGED and was_wronged(past, least, x[at + FORGIVES]):
        return x[at + MARGIN]
    return least


def make_demand_rules(asked: LastDemand, ahead: int = 1) -> tuple[Any, Any]:
    """Return `Haggler.asks` and `Haggler.takes` of the sampled strategies of a game.

    Args:
        ahead: Rounds from a response to the seat's next demand; 0 if a counteroffer is a response.
    """

    def asks(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        at = HEAD + SIZE if has_changed(v, x, past) else HEAD
        return demanded_share(x, at, past, asked(v, past), v.round, v.horizon) * stake

    def takes(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        at = HEAD + SIZE if has_changed(v, x, past) else HEAD
        return acceptable_share(v, x, at, past, asked(v, past), ahead) * stake

    return asks, takes


def clip_share(share: float) -> float:
    """Clip a share to [0, 1]."""
    return min(max(share, 0.0), 1.0)
