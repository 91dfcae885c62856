"""What strategies of the grammar do, as functions of numbers that compile: one pair of functions for all of them.

A strategy is a row of numbers: `HEAD` of them say when it changes, then two rule sets of `SIZE` numbers each follow, of
which the second one holds after the change. The places in a rule set are named below. All amounts are shares of the
stake, from 0 to 1: what the seat asks for itself, and what an offer of the other gives it. Who may draw which numbers
is in `econzoo.baselines.offers.generated`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from econzoo.baselines.offers.demands import SCRAP, concession_share, last_round
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import Numbers, StrategyMemory

LastDemand: TypeAlias = Callable[[Any, StrategyMemory], float]
"""The share of the stake that the seat last asked for, from its view and what it remembers, or UNKNOWN."""

# Places of the head.
KEY, CHANGE, WHEN, HOW_MUCH = 0, 1, 2, 3
HEAD = 4
"""Numbers before the first rule set: the strategy's own, when it changes, and two numbers of that."""

NEVER, AT_ROUND, AT_STALL, AT_GENEROSITY = 0.0, 1.0, 2.0, 3.0
"""When it changes: not; from a round on; once the other's first so many offers came up by too little; once the other
has offered so much."""

# Places of a rule set.
DEMAND, HIGH, LOW, RATE, DOWN, OPENING, RECALL, TAKE, LEAST, MARGIN, SCRAPS, SWING, REFUSALS, FORGIVES = range(14)
SIZE = 14
"""Numbers of a rule set."""

CLOCK, FIRM, STEPS, RECIPROCAL, MIRROR, TOWARDS, HARDEN, GRUDGE = range(8)
"""Rules of demand."""

CONSTANT, NEXT, EITHER, AS_GIVEN, BEST_SO_FAR, UNLESS_WRONGED = range(6)
"""Rules of acceptance."""

LAST, MEAN, BEST = range(3)
"""What of the other's offers counts."""

# Places of what is remembered of the other's offers; 1 to 4 have the best after so many of them.
COUNT, FIRST, TOP, TOP_BEFORE, WORST, TOTAL, LATEST, SECOND, THIRD = 0, 1, 5, 6, 7, 8, 9, 10, 11
STALLS = 4
"""Offers of the other after which it can count as standing still, at most."""

BLANK = (0.0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, math.inf, 0.0, UNKNOWN, UNKNOWN, UNKNOWN)
"""What is remembered before the other has offered anything."""

OUT_OF_REACH = 1e9
"""Share that no offer gives."""

PRIME = 67_108_859.0
"""The largest prime below 2**26: squares of whole numbers below it are exact as floats."""


def remember(share: float, past: StrategyMemory) -> None:
    """Takes in another offer of the other, by the share of the stake that it gives the seat."""
    past[THIRD], past[SECOND], past[LATEST] = past[SECOND], past[LATEST], share
    past[TOP_BEFORE] = past[TOP]
    past[TOP], past[WORST] = max(past[TOP], share), min(past[WORST], share)
    past[TOTAL] += share
    past[COUNT] += 1.0
    if past[COUNT] <= STALLS:
        past[int(past[COUNT])] = past[TOP]


def noise(key: float, round: int, which: float) -> float:
    """A number in [0, 1) that looks random and follows from a strategy's number, the round and what it is for.

    All steps are exact in floats, so compiled code and Python agree to the last digit.
    """
    mixed = (key * 40_692.0 + round * 7_907_513.0 + which * 23_456_789.0 + 1.0) % PRIME
    for step in range(3):
        mixed = (mixed * mixed + key + step) % PRIME
    return mixed / PRIME


def has_changed(v: Any, x: Numbers, past: StrategyMemory) -> bool:
    """Whether the second rule set holds; it does for the rest of a match."""
    if x[CHANGE] == AT_ROUND:
        return bool(v.round >= x[WHEN])
    if x[CHANGE] == AT_STALL:
        return bool(past[COUNT] >= x[WHEN] and past[int(x[WHEN])] - past[FIRST] < x[HOW_MUCH])
    return bool(x[CHANGE] == AT_GENEROSITY and past[TOP] >= x[HOW_MUCH])


def recalled_share(past: StrategyMemory, what: float) -> float:
    """What counts of the other's offers; UNKNOWN before the first."""
    if what == LAST or past[COUNT] == 0.0:
        return past[LATEST]  # type: ignore[no-any-return]
    return past[TOP] if what == BEST else past[TOTAL] / past[COUNT]  # type: ignore[no-any-return]


def was_wronged(past: StrategyMemory, least: float, forgives: float) -> bool:
    """Whether the other has offered less than this, ever (0) or in its last so many offers (1 to 3)."""
    if forgives == 0.0:
        return bool(past[WORST] < least)
    return bool(
        UNKNOWN < past[LATEST] < least
        or (forgives >= 2.0 and UNKNOWN < past[SECOND] < least)
        or (forgives >= 3.0 and UNKNOWN < past[THIRD] < least)
    )


def demanded_share(x: Numbers, at: int, past: StrategyMemory, own: float, round: int, horizon: float) -> float:
    """The share that a rule set asks for in a round.

    Args:
        x: The strategy's numbers.
        at: Where in them the rule set begins.
        past: What the other has offered.
        own: What it last asked for, or UNKNOWN.
        round: 1-based.
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
        before = high if own == UNKNOWN else own
        share = before + rate * (offered - before)
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
    """The smallest share that a rule set accepts in this round; the seat would ask again `ahead` rounds from now."""
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
        return min(max(least, past[TOP_BEFORE] + x[at + MARGIN]), 1.0)
    if rule == UNLESS_WRONGED and was_wronged(past, least, x[at + FORGIVES]):
        return x[at + MARGIN]
    return least


def make_demand_rules(asked: LastDemand, ahead: int = 1) -> tuple[Any, Any]:
    """What all strategies of the grammar ask for and accept in a game: its `Haggler.asks` and `Haggler.takes`.

    Args:
        asked: The share that the seat last asked for.
        ahead: Rounds from an answer to the seat's next ask; 0 where an ask may take the place of the answer.
    """

    def asks(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        at = HEAD + SIZE if has_changed(v, x, past) else HEAD
        return demanded_share(x, at, past, asked(v, past), v.round, v.horizon) * stake

    def takes(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
        at = HEAD + SIZE if has_changed(v, x, past) else HEAD
        return acceptable_share(v, x, at, past, asked(v, past), ahead) * stake

    return asks, takes


def clip_share(share: float) -> float:
    """A share from 0 to 1: what lies beyond counts as all or nothing."""
    return min(max(share, 0.0), 1.0)
