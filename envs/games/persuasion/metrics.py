"""Metrics of persuasion by the paper (GLEE, section 3) and, as an option, by the paper's public code.

Over T rounds with n products of high quality, of which k were bought, and r of the others not bought: efficiency is
k / n and fairness r / (T - n), each undefined (NaN) if there was no such product; the seller's self-gain is sales / T,
the buyer's the mean of worth minus price, as a fraction of the price. The two definitions differ in the buyer's: the
code takes the low quality products that were *declined* for those that were bought, and their worth for 0, so its
figure is (k (v - 1) - r) / T. A match that was stopped early counts the rounds that are over.
"""

from __future__ import annotations

import math

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.persuasion.rules import SELLER, Params, State, gains

DEFINITIONS = ("paper", "glee-code")


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one."""
    seller, buyer = gains(p, s)
    if definition == "glee-code":
        buyer = (s.sold_high * (p.high_value - 1.0) - s.declined_low) / p.rounds
    efficiency = ratio(s.sold_high, s.sold_high + s.declined_high)
    fairness = ratio(s.declined_low, s.declined_low + s.sold_low)
    return Outcome((seller, buyer), efficiency, fairness, s.sold_high + s.sold_low > 0)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics: the buyer buys all products, of low quality or of high.

    By ``"glee-code"`` a product of low quality that was declined counts -1.
    """
    worst, best, every = p.low_value - 1.0, p.high_value - 1.0, p.price * p.rounds
    buyer = (-1.0 if definition == "glee-code" else worst, best)
    return Ranges(((0.0, every), (worst * every, best * every)), ((0.0, 1.0), buyer))


def agreement_rate(outcome: Outcome) -> float:
    """The sale rate: products sold over the rounds of the setting; rounds that were not played have no sale.

    That is the seller's self-gain, in both definitions. Of the good products, how many were bought is the efficiency;
    of the bad ones, how many were not the fairness.
    """
    return outcome.gains[SELLER]


def ratio(part: int, whole: int) -> float:
    """Part of a whole; NaN if there is none."""
    return part / whole if whole else math.nan
