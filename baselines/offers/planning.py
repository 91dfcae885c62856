"""Posterior and roll-outs of `econzoo.baselines.offers.planner`, as functions that compile.

A match is a sequence of offers, one a round, by the two seats in turn. Opponents are rows of
`econzoo.baselines.offers.productions`, or of level k (`LEVEL`). They act in shares of their own stake; what a share is
worth to this seat depends on their class, that is, on what is private to them. Arguments that several functions take:

* ``strategies``: rows of numbers; ``levels``: demands and thresholds of level-k reasoners by level and round;
* ``kept`` and ``left``: what an opponent keeps in its own shares, and leaves in this seat's gains, by class and demand
  in equal steps from 0 to 1; ``stepwise``: whether the next step applies between two, else the value is interpolated;
* ``given``: an opponent's share of this seat's offers, by class and offer;
* ``ahead``: 1 if an offer is answered in its own round, 0 if in the next;
* ``past`` and ``own``: an opponent's memory and last demand.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from econzoo.baselines.offers.productions import DEMAND, HEAD, RATE, SIZE, acceptable_share, demanded_share, has_changed
from econzoo.baselines.offers.productions import remember
from econzoo.envs.core.contract import UNKNOWN

Array: TypeAlias = Any
"""Array of floats; integers or flags where a docstring says so."""

LEVEL = 8.0
"""Demand rule of level-k reasoners, whose level is their rate."""

LEVELS = 4
"""Levels 0 to 3; the row after them has the equilibrium of players who only want a large share."""

CERTAIN = 30.0
"""Logit from which probabilities count as 0 or 1."""


class Moment(NamedTuple):
    """What sampled strategies read of a view."""

    round: int
    horizon: float


def logistic(z: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(z, -CERTAIN), CERTAIN)))


def demand_of(x: Array, past: Array, own: float, round: int, horizon: float, levels: Array) -> float:
    """Return a strategy's demand in a round."""
    if x[HEAD + DEMAND] == LEVEL:
        return levels[int(x[HEAD + RATE]), round, 0]  # type: ignore[no-any-return]
    at = HEAD + SIZE if has_changed(Moment(round, horizon), x, past) else HEAD
    return demanded_share(x, at, past, own, round, horizon)


def threshold_of(x: Array, past: Array, own: float, round: int, horizon: float, levels: Array, ahead: int) -> float:
    """Return a strategy's acceptance threshold for the offer of a round."""
    if x[HEAD + DEMAND] == LEVEL:
        return levels[int(x[HEAD + RATE]), round, 1]  # type: ignore[no-any-return]
    now = Moment(round + 1 - ahead, horizon)
    at = HEAD + SIZE if has_changed(now, x, past) else HEAD
    return acceptable_share(now, x, at, past, own, ahead)


def look_up(table: Array, of: int, share: float, stepwise: bool) -> float:
    """Return the entry of a class for a demand."""
    place = share * (table.shape[1] - 1)
    if stepwise:
        return table[of, min(max(math.ceil(place - 1e-7), 0), table.shape[1] - 1)]  # type: ignore[no-any-return]
    below = min(max(int(place), 0), table.shape[1] - 2)
    return table[of, below] + (place - below) * (table[of, below + 1] - table[of, below])  # type: ignore[no-any-return]


def update_beliefs(
    strategies: Array,
    spreads: Array,
    slips: Array,
    levels: Array,
    kept: Array,
    stepwise: bool,
    horizon: float,
    ahead: int,
    rounds: Array,
    is_own: Array,
    shares: Array,
    fits: Array,
    pasts: Array,
    owns: Array,
    pressed: Array,
) -> None:
    """Write each opponent's log-likelihood of the offers so far, its memory, last demand, and best refused offer.

    A demand has a Laplace density around the strategy's, an acceptance threshold a logistic distribution that is drawn
    once a match; both have the strategy's spread. With the probability of a slip, demands are uniform and half of the
    offers are refused.

    Args:
        rounds: Rounds of the offers, integers of shape (offers,).
        is_own: Whether this seat made them; all of those were refused.
        shares: What the offer gives the opponent (of its own stake), by class: shape (offers, classes).
        fits, owns, pressed: Outputs of shape (strategies, classes); `pasts` has memories in a third dimension. The best
            refused offer is relative to the threshold in spreads, -`CERTAIN` without one.
    """
    for n in range(len(strategies)):
        x, spread, slip = strategies[n], spreads[n], slips[n]
        for c in range(shares.shape[1]):
            past, own, fit, most = pasts[n, c], UNKNOWN, 0.0, -CERTAIN
            for r in range(len(rounds)):
                share = shares[r, c]
                if is_own[r]:
                    remember(min(max(share, 0.0), 1.0), past)
                    least = threshold_of(x, past, own, rounds[r], horizon, levels, ahead)
                    most = max(most, (share - least) / spread)
                else:
                    wanted = demand_of(x, past, own, rounds[r], horizon, levels)
                    off = abs(look_up(kept, c, wanted, stepwise) - share)
                    fit += math.log((1.0 - slip) * math.exp(-min(off / spread, CERTAIN)) / (2.0 * spread) + slip)
                    own = wanted if off < 1e-6 else min(max(share, 0.0), 1.0)
            if most > -CERTAIN:
                fit += math.log((1.0 - slip) * logistic(-most) + slip * 0.5)
            fits[n, c], owns[n, c], pressed[n, c] = fit, own, most


def play_plan(
    x: Array,
    start: Array,
    own: float,
    of: int,
    offset: float,
    levels: Array,
    kept: Array,
    left: Array,
    given: Array,
    stepwise: bool,
    gains: Array,
    horizon: float,
    ahead: int,
    delta: float,
    round: int,
    last: int,
    offers: Array,
    least: Array,
    past: Array,
) -> float:
    """Return what a plan earns against a strategy from an own offer in a round on, discounted to that round.

    Args:
        offset: Added to the strategy's thresholds.
        offers: Index of the offer by round from this one on.
        least: Smallest accepted gain by round.
        past: Buffer for the memory.
    """
    for k in range(len(start)):
        past[k] = start[k]
    discount, mine = 1.0, True
    for step in range(min(last - round + 1, len(offers))):
        now = round + step
        if mine:
            share = given[of, offers[step]]
            remember(share, past)
            if share >= threshold_of(x, past, own, now, horizon, levels, ahead) + offset - 1e-9:
                return discount * gains[offers[step]]  # type: ignore[no-any-return]
        else:
            own = demand_of(x, past, own, now, horizon, levels)
            offered = look_up(left, of, own, stepwise)
            if offered >= least[step] or now == last:
                return discount * max(offered, 0.0)
        discount *= delta
        mine = not mine
    return 0.0


def answer_offers(
    strategies: Array,
    classes: Array,
    offsets: Array,
    pasts: Array,
    owns: Array,
    levels: Array,
    left: Array,
    stepwise: bool,
    horizon: float,
    ahead: int,
    round: int,
    shares: Array,
    met: Array,
) -> None:
    """Write what the next offer of each opponent leaves this seat, or `UNKNOWN` from one that accepts its share.

    Args:
        round: Round of this seat's offers.
        shares: Opponent's share of the offer made to it; shape (opponents,).
        met: Output of shape (opponents,); `pasts` and `owns` are updated.
    """
    for k in range(len(strategies)):
        x, past = strategies[k], pasts[k]
        remember(shares[k], past)
        if shares[k] >= threshold_of(x, past, owns[k], round, horizon, levels, ahead) + offsets[k] - 1e-9:
            met[k] = UNKNOWN
        else:
            owns[k] = demand_of(x, past, owns[k], round + 1, horizon, levels)
            met[k] = max(look_up(left, classes[k], owns[k], stepwise), 0.0)


def evaluate_offers(
    asked: Array,
    strategies: Array,
    classes: Array,
    offsets: Array,
    pasts: Array,
    owns: Array,
    levels: Array,
    kept: Array,
    left: Array,
    given: Array,
    stepwise: bool,
    gains: Array,
    horizon: float,
    ahead: int,
    delta: float,
    round: int,
    last: int,
    offers: Array,
    least: Array,
    blur: float,
    doubt: float,
) -> Array:
    """Return the value of each own offer in a round against opponents that are equally likely.

    An opponent that refuses it makes an offer in the next round. By that offer the seat updates its belief (opponents
    whose offers differ by more than `blur` are told apart, but for the weight `doubt`), and accepts it or follows the
    best plan of those given.

    Args:
        asked: Indices of the offers to evaluate.
        strategies: Rows of the opponents, with `classes`, `offsets`, `pasts` and `owns` of each.
        gains: Gain of every offer.
        offers, least: Plans from two rounds on: see `play_plan`; shape (plans, rounds).
    """
    count, plans = len(strategies), len(offers)
    values, found = np.zeros(len(asked)), np.zeros((count, plans))
    remaining, met = np.zeros(count, np.int64), np.zeros(count)
    memory, past, totals = np.zeros((count, pasts.shape[1])), np.zeros(pasts.shape[1]), np.zeros(plans)
    for a in range(len(asked)):
        total, number = 0.0, 0
        for k in range(count):
            x, c, start = strategies[k], classes[k], memory[number]
            for m in range(len(past)):
                start[m] = pasts[k, m]
            share = given[c, asked[a]]
            remember(share, start)
            if share >= threshold_of(x, start, owns[k], round, horizon, levels, ahead) + offsets[k] - 1e-9:
                total += gains[asked[a]]
            elif round < last:
                wanted = demand_of(x, start, owns[k], round + 1, horizon, levels)
                met[number] = look_up(left, c, wanted, stepwise)
                for j in range(plans):
                    found[number, j] = play_plan(
                        x, start, wanted, c, offsets[k], levels, kept, left, given, stepwise, gains, horizon, ahead,
                        delta, round + 2, last, offers[j], least[j], past,
                    )  # fmt: skip
                remaining[number] = k
                number += 1
        for k in range(number):
            totals[:], weights = 0.0, 0.0
            for other in range(number):
                weight = doubt + (1.0 - doubt) * math.exp(-min(abs(met[k] - met[other]) / blur, CERTAIN))
                weights += weight
                for j in range(plans):
                    totals[j] += weight * found[other, j]
            best = np.argmax(totals)
            waits = delta * totals[best] / weights > met[k]
            total += delta * max(met[k], 0.0) if not waits else delta * delta * found[k, best]
        values[a] = total / count
    return values
