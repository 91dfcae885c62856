"""Theory of the double auction: the linear equilibrium of a pair, and the first best.

A pair has many equilibria (Leininger, Linhart and Radner 1989, Journal of Economic Theory 48(1)), each also with talk
if messages are ignored (babbling). The linear one is that of Chatterjee and Samuelson (1983, Operations Research
31(5)); with k = 1/2 no mechanism without a subsidy has larger expected gains (Myerson and Satterthwaite 1983, Journal
of Economic Theory 29(2)). Larger markets have no closed form: with n traders per side misrepresentation is O(1/n) and
the lost share of the first best O(1/n^2) (Rustichini, Satterthwaite and Williams 1994, Econometrica 62(5)).
"""

from __future__ import annotations

import math

from econzoo.envs.games.double_auction.rules import Params, seats


def linear_offer(buys: bool, value: float, money: float, k: float) -> float:
    """Offer in the linear equilibrium of a pair; the own value if the offer would be a loss, which never trades.

    With values from 0 to 1 the buyer offers ``v / (1 + k) + k (1 - k) / (2 (1 + k))``, the seller
    ``c / (2 - k) + (1 - k) / 2``: with k = 1/2 that is 2/3 v + 1/12 and 2/3 c + 1/4, and they trade if v >= c + 1/4.
    """
    if buys:
        return min((value + money * k * (1 - k) / 2) / (1 + k), value)
    return max(value / (2 - k) + money * (1 - k) / 2, value)


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Ex-ante expected dollars of each seat of a pair in the linear equilibrium; NaN for more seats.

    They trade if v >= a c + b, with a = (1 + k) / (2 - k) and b = (1 - k) / 2. By the envelope theorem, a seat's
    expected payoff changes with its value at the rate of its trading probability (1 - a c - b for the seller).
    Integrated twice: (1 + k)^2 (2 - k) / 48 of the money for the buyer and (1 + k) (2 - k)^2 / 48 for the seller, in
    total 9/64 if k = 1/2.
    """
    if seats(params) > 2:
        return (math.nan,) * seats(params)
    each = params.money * (1 + params.k) * (2 - params.k) / 48
    return each * (1 + params.k), each * (2 - params.k)


def first_best(params: Params) -> float:
    """Expected total gains in dollars if the units go to the highest values, as under truthful offers.

    The m highest of n + m values sum to m - m (m + 1) / (2 (n + m + 1)) in expectation, and the sellers' to m / 2. The
    difference is n m / (2 (n + m + 1)) of the money: 1/6 for a pair.
    """
    return params.money * params.buyers * params.sellers / (2 * (seats(params) + 1))


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name with payoffs in dollars: the equilibrium of a pair, the first best divided equally."""
    even = {"first_best": (first_best(params) / seats(params),) * seats(params)}
    return even if seats(params) > 2 else {"equilibrium": equilibrium_payoffs(params), **even}
