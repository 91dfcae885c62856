"""Metrics of negotiation as in the paper (GLEE, section 3) or, optionally, as in its public code.

With x = price / scale and F the values over the scale: self-gain is x - F_A for the seller, F_B - x for the buyer, 0
without a trade; fairness is 1 - 4 (x - (F_A + F_B) / 2)^2 with a trade, else 1. The definitions differ in efficiency.
The paper's is 1 if there is a trade at a price between the values where F_A <= F_B, or no trade where F_A >= F_B, else
0 (a billionth counts as rounding). The code does not look at the price: any trade is efficient where F_A < F_B, and
everything where F_A = F_B.
"""

from __future__ import annotations

import math

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.negotiation.rules import BUYER, SELLER, Params, State, current_price, gains, price_range
from econzoo.envs.games.negotiation.rules import rounding_tolerance

DEFINITIONS = ("paper", "glee-code")


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position, normally the last one."""
    efficient = is_efficient_by_paper(p, s) if definition == "paper" else is_efficient_by_code(p, s)
    return Outcome(gains(p, s), float(efficient), fairness(p, s), s.agreed)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics by that of prices, which is infinite without a bound; 0 and 1 without a trade."""
    seller, buyer = p.value
    low, high = price_range(p.money, p.bound, p.complete_information, *p.value) if p.bound else (-math.inf, math.inf)
    payoffs = (min(low - seller, 0.0), max(high - seller, 0.0)), (min(buyer - high, 0.0), max(buyer - low, 0.0))
    first, second = ((worst / p.money, best / p.money) for worst, best in payoffs)
    return Ranges(payoffs, (first, second), fairness=(min(fairness_at(p, low), fairness_at(p, high)), 1.0))


def is_efficient_by_paper(p: Params, s: State) -> bool:
    """Whether the good was traded, at a price without losses, if and only if the buyer values it more."""
    seller, buyer = p.value
    if s.agreed:
        return seller - rounding_tolerance(p) <= current_price(s) <= buyer + rounding_tolerance(p)
    return seller >= buyer


def is_efficient_by_code(p: Params, s: State) -> bool:
    """Whether trade was efficient, ignoring the price."""
    seller, buyer = p.value
    return s.agreed == (seller < buyer) or seller == buyer


def fairness(p: Params, s: State) -> float:
    """1 at the middle of the two values, falling with the square of the distance; see `ranges`."""
    return fairness_at(p, current_price(s)) if s.agreed else 1.0


def fairness_at(p: Params, price: float) -> float:
    middle = (p.value[SELLER] + p.value[BUYER]) / 2
    return 1 - 4 * ((price - middle) / p.money) ** 2
