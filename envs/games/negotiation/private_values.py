"""Theory for a seat that does not know the other's value, with and without a prior.

Three classic results, each on a one-round game:

* Posted price: with an own value v the seller maximises ``(p - v) * P(V_B >= p)``; the optimal price has the virtual
  value v. No other mechanism earns a seller more.
* Minimax regret without a prior: regret is the gain with a known value minus the actual one; the maximum expected
  regret over values is smallest for a random price.
* Sealed-bid double auction: both submit a price and trade half-way between if the buyer's is at least the seller's.
  With values uniform on one interval there is an equilibrium in linear strategies, and no mechanism has larger total
  gains.

Sources:
    Myerson, R. (1981). Optimal auction design. Mathematics of Operations Research 6(1), 58-73.
    Riley, J. and Zeckhauser, R. (1983). Optimal selling strategies: when to haggle, when to hold firm. Quarterly
        Journal of Economics 98(2), 267-289.
    Bergemann, D. and Schlag, K. (2008). Pricing without priors. Journal of the European Economic Association 6(2-3),
        560-569.
    Bergemann, D. and Schlag, K. (2011). Robust monopoly pricing. Journal of Economic Theory 146(6), 2527-2543.
    Chatterjee, K. and Samuelson, W. (1983). Bargaining under incomplete information. Operations Research 31(5),
        835-851.
    Myerson, R. and Satterthwaite, M. (1983). Efficient mechanisms for bilateral trading. Journal of Economic Theory
        29(2), 265-281.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from econzoo.envs.core.contract import CustomDomain, Real, check_argument, short_repr
from econzoo.envs.families import seat_of
from econzoo.envs.games.negotiation.rules import SELLER, TOLERANCE
from econzoo.envs.games.negotiation.scenarios import GLEE_FACTORS


class Uniform(NamedTuple):
    """Uniform prior over the other's value on an interval.

    Attributes:
        low: Dollars.
        high: Dollars, at least `low`.
    """

    low: float
    high: float


class Atoms(NamedTuple):
    """Uniform prior over a finite list of values, which may contain duplicates.

    Attributes:
        values: Dollars, at least one.
    """

    values: tuple[float, ...]


Prior = Uniform | Atoms


class PostedPrice(NamedTuple):
    """A take-it-or-leave-it price.

    Attributes:
        price: Dollars.
        chance: Probability that the other does not lose by accepting.
        gain: Expected dollars won over the own value.
    """

    price: float
    chance: float
    gain: float


class RandomPrice(NamedTuple):
    """A random take-it-or-leave-it price.

    Attributes:
        own_value: Value of the good to the posting seat in dollars.
        safest: The price nearest to the own value, in dollars.
        boldest: The price farthest from it, in dollars.
        chance: Probability mass of the safest price; prices in between have density 1 over their distance from the own
            value.
        regret: Maximum expected regret over values of the other, in dollars.
    """

    own_value: float
    safest: float
    boldest: float
    chance: float
    regret: float

    def price(self, uniform_draw: float) -> float:
        """Price in dollars for a uniform draw in [0, 1]."""
        # Inverse of the distribution: the safest price has the mass `chance`; beyond it the density 1 / x makes the
        # distance from the own value grow exponentially in the draw.
        bolder = max(uniform_draw - self.chance, 0.0)
        return self.own_value + (self.safest - self.own_value) * math.exp(bolder)


def glee_prior(money: float) -> Atoms:
    """Uniform prior over GLEE's four values at the given scale, as in its grid of settings."""
    return Atoms(tuple(factor * money for factor in GLEE_FACTORS))


def posted_price(seat: int, own_value: float, prior: Prior) -> PostedPrice:
    """Optimal take-it-or-leave-it price (Myerson 1981; Riley and Zeckhauser 1983).

    Uniform on [a, b]: a seller with value v asks ``max((v + b) / 2, a)``, a buyer bids ``min((v + a) / 2, b)``. Atoms:
    the best atom; ties go to the one accepted more often. If no price has a gain, it is the own value.

    Args:
        seat: The posting seat: 0 sells, 1 buys.
        own_value: Its value of the good in dollars.
    """
    value = check_argument("own_value", own_value, Real())
    prior = _validate_prior(prior)
    if seat_of(seat) == SELLER:
        return _seller_price(value, prior)
    price, chance, gain = _seller_price(-value, _negate_prior(prior))  # a buyer sells money for the good
    return PostedPrice(-price, chance, gain)


def regret_price(seat: int, own_value: float, low: float, high: float) -> RandomPrice:
    """Minimax-regret random price (Bergemann and Schlag 2008, 2011).

    The other's value is only known to be in [low, high]. Let H be a seller's maximum gain, high minus its own value,
    and k the larger of H / e and low minus its own value. It asks k above its own value with probability 1 - ln(H / k),
    and otherwise k to H above it, with density 1 / x. The maximum expected regret is k ln(H / k), which is H / e if k
    is. A buyer's price is the mirror image.

    Args:
        seat: The posting seat: 0 sells, 1 buys.
        own_value: Its value of the good in dollars.
        low: Smallest possible value of the other in dollars.
        high: Largest possible value of the other in dollars, >= `low`.
    """
    value = check_argument("own_value", own_value, Real())
    low, high = check_argument("low", low, Real()), check_argument("high", high, Real())
    if low > high:
        raise ValueError(f"low={short_repr(low)}: expected at most high={short_repr(high)}")
    side = 1.0 if seat_of(seat) == SELLER else -1.0
    least, most = sorted((side * (low - value), side * (high - value)))
    if most <= 0.0:
        return RandomPrice(value, value, value, 1.0, 0.0)
    safest = max(most / math.e, least)
    spread = math.log(most / safest)
    return RandomPrice(value, value + side * safest, value + side * most, 1.0 - spread, safest * spread)


def linear_price(seat: int, own_value: float, prior: Uniform) -> float:
    """Offer in the linear equilibrium of the double auction (Chatterjee and Samuelson 1983, example 1).

    Both values are uniform on [a, b]. The seller asks ``2 v / 3 + b / 4 + a / 12``, the buyer bids
    ``2 v / 3 + b / 12 + a / 4``; where that would be a loss, the own value. They trade if the values lie at least
    ``(b - a) / 4`` apart.

    Args:
        seat: 0 sells, 1 buys.
        own_value: Its value of the good in dollars.
    """
    value = check_argument("own_value", own_value, Real())
    return linear_equilibrium(seat_of(seat), value, *_validate_interval(prior))


def linear_equilibrium(seat: int, value: float, low: float, high: float) -> float:
    """The `linear_price` for both values uniform from low to high; it compiles."""
    if seat == SELLER:
        return max(2 * value / 3 + high / 4 + low / 12, value)
    return min(2 * value / 3 + high / 12 + low / 4, value)


def _seller_price(value: float, prior: Prior) -> PostedPrice:
    """Optimal price of a seller."""
    if isinstance(prior, Uniform):
        return _evaluate_price(value, max((value + prior.high) / 2, prior.low) if value < prior.high else value, prior)
    return PostedPrice(*best_atom(value, prior.values))


def best_atom(value: float, atoms: Sequence[float]) -> tuple[float, float, float]:
    """Optimal price of a seller against equally likely values, with its probability of sale and gain; it compiles."""
    # Two passes, the second with a tolerance: of prices whose gains differ by rounding alone, the one that is accepted
    # more often wins.
    best = 0.0
    for price in atoms:
        best = max(best, (price - value) * acceptance_probability(price, atoms))
    found = value, acceptance_probability(value, atoms) if best == 0.0 else 0.0, 0.0
    for price in atoms:
        chance = acceptance_probability(price, atoms)
        gain = (price - value) * chance
        if price >= value and gain >= best * (1.0 - TOLERANCE) and chance > found[1]:
            found = price, chance, gain
    return found


def acceptance_probability(price: float, atoms: Sequence[float]) -> float:
    """Probability that one of equally likely values is at least the price."""
    count = 0
    for atom in atoms:
        if atom >= price:
            count += 1
    return count / len(atoms)


def _evaluate_price(value: float, price: float, prior: Prior) -> PostedPrice:
    chance = _acceptance_probability(price, prior)
    return PostedPrice(price, chance, (price - value) * chance)


def _acceptance_probability(price: float, prior: Prior) -> float:
    """Probability that a buyer's value is at least the price."""
    if isinstance(prior, Atoms):
        return acceptance_probability(price, prior.values)
    if price <= prior.low:
        return 1.0
    return max((prior.high - price) / (prior.high - prior.low), 0.0) if prior.high > prior.low else 0.0


def _negate_prior(prior: Prior) -> Prior:
    if isinstance(prior, Atoms):
        return Atoms(tuple(-value for value in prior.values))
    return Uniform(-prior.high, -prior.low)


def _validate_prior(prior: Prior) -> Prior:
    if isinstance(prior, Uniform):
        return Uniform(*_validate_interval(prior))
    if not isinstance(prior, Atoms):
        raise ValueError(f"prior={short_repr(prior)}: expected Uniform(low, high) or Atoms(values)")
    values = check_argument(
        "prior", prior, CustomDomain(lambda p: tuple(map(Real(), p.values)), "Atoms of finite values")
    )
    if not values:
        raise ValueError("prior=Atoms(()): expected at least one value")
    return Atoms(values)


def _validate_interval(prior: Uniform) -> tuple[float, float]:
    finite = CustomDomain(lambda p: (Real()(p.low), Real()(p.high)), "Uniform(low, high), both finite")
    low, high = check_argument("prior", prior, finite)
    if low > high:
        raise ValueError(f"prior={short_repr(prior)}: expected low <= high")
    return low, high
