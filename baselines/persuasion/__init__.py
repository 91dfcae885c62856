"""Scripted players and opponent pools of persuasion.

Sellers play seat 0 and buyers seat 1 (`Player.seats`); ``always`` and ``random`` play both.
"""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines import Player, argument, read_pools
from econzoo.baselines.persuasion.base import DECEPTION, Buyer, ListeningBuyer, RecordKeepingBuyer, Seller
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED
from econzoo.baselines.persuasion.talk import Receiver, Signal
from econzoo.envs.core.contract import UNKNOWN, Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.persuasion.rules import HIGH, SELLER, View
from econzoo.envs.games.persuasion.solution import persuasion_rate
from econzoo.envs.games.persuasion.validation import TOLERANCE
from econzoo.wrappers import SeatInfo


def rate(view: View) -> float:
    """Return the persuasion rate as known to the seller."""
    if view.high_value == UNKNOWN:
        return 0.0
    return persuasion_rate(view.prior, view.high_value, view.low_value)


def account(v: View, past: StrategyMemory) -> None:
    """Update the quota once per round: remaining value, round, and whether to recommend."""
    if v.round > past[1]:
        # Values are in prices, so that a sale at the price adds value - 1.
        value = v.high_value if v.quality == HIGH else v.low_value
        bears = v.quality == HIGH if value == UNKNOWN else past[0] + value - 1.0 >= -TOLERANCE
        if bears and value != UNKNOWN:
            past[0] += value - 1.0
        past[1], past[2] = v.round, 1.0 if bears else 0.0


class Honest(Seller):
    """Recommends high quality only.

    Source: full revelation, the benchmark of Crawford and Sobel (1982), Strategic information transmission; the
    truthful sender of GLEE, arXiv:2410.05254.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        return v.quality == HIGH


class Always(Seller):
    """Recommends every product as a seller, buys every product as a buyer.

    A seller who always recommends plays the babbling equilibrium, in which signals carry no information.

    Source: Crawford and Sobel (1982), Strategic information transmission; the unconditional strategies of Axelrod
    (1984), The Evolution of Cooperation.
    """

    seats: ClassVar[tuple[int, ...] | None] = None

    def __init__(self, spec: str = "always") -> None:
        super().__init__(spec)
        self.sells = True

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a match in either role."""
        self.sells = seat == SELLER
        if self.sells:
            super().reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return a recommendation or a purchase."""
        return super().act(observation, info) if self.sells else {"kind": "buy"}

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        return True


class BayesPersuader(Signal):
    """Plays the optimal signal under commitment (Bayesian persuasion).

    It always recommends high quality, and low quality as often as a rational buyer tolerates. A seller who does not
    know the products' values is honest: no other signal sells at all values.

    Source: Kamenica and Gentzkow (2011), Bayesian persuasion, section I; `solution.persuasion_rate`.

    Args:
        margin: Reduction of the rate of low-quality recommendations as a fraction, so that a buyer who learns from
            noisy experience is convinced; from 0 to 1 (honest).
    """

    def __init__(self, spec: str = "bayes-persuader", margin: Any = 0.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "margin", margin, 0.0, 1.0),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Recommend high quality, and low at the persuasion rate less a margin; number: the margin."""
        return u[0] < (1.0 if v.quality == HIGH else (1.0 - x[0]) * rate(v))


class TrustBuilder(Seller):
    """Builds trust by honesty for some rounds, then recommends everything.

    Source: Sobel (1985), A theory of credibility: an enemy is truthful until it exploits its reputation.

    Args:
        rounds: Number of honest rounds; an integer from 0 to a million.
    """

    def __init__(self, spec: str = "trust-builder", rounds: Any = 10) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "rounds", rounds, 0.0, 1e6, integer=True),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Honest for some rounds; number: how many."""
        return v.quality == HIGH or v.round > x[0]


class Quota(Seller):
    """Recommends low quality as long as its recommended products are worth their price on average.

    Its deterministic rate of low-quality recommendations approximates that of the committed seller. A seller who does
    not know the products' values is honest.

    Source: Jackson and Sonnenschein (2007), Overcoming incentive constraints by linking decisions: reports
    must have the right frequencies.
    """

    note, initial_memory = staticmethod(account), (0.0, 0.0, 0.0)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Recommend if all recommended products, including this one, are worth their price."""
        return past[2] > 0.0


UNKNOWN_PRIOR = 0.5
"""Assumed prior of a buyer who does not know it."""


def prior_of(v: View) -> float:
    """Return the buyer's prior probability of high quality."""
    return UNKNOWN_PRIOR if v.prior == UNKNOWN else v.prior


def is_worth_buying(v: View, belief: float) -> bool:
    """Whether a product with this probability of high quality is worth at least its price to the buyer."""
    return belief * v.high_value + (1.0 - belief) * v.low_value >= 1.0 - TOLERANCE


def purchase_rates(v: View) -> tuple[float, float]:
    """Return the shares of earlier rounds with purchases of low and of high quality."""
    low = max(v.low_share, 0.0)
    return low, max(v.bought_share, 0.0) - low


def quality_of_purchases(v: View) -> float:
    """Return the share of high quality among earlier purchases, or the prior without purchases."""
    low, high = purchase_rates(v)
    return high / (low + high) if low + high > 0.0 else prior_of(v)


class Never(Buyer):
    """Declines every product.

    Source: the unconditional strategies of Axelrod (1984), The Evolution of Cooperation.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        return False


class Babbling(Buyer):
    """Buys if a product is worth its price under the prior, and ignores signals.

    The buyer of the babbling equilibrium (`solution.equilibrium_payoffs`). An unknown prior is assumed to be one half.

    Source: Crawford and Sobel (1982), Strategic information transmission.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        return is_worth_buying(v, prior_of(v))


class Bayes(RecordKeepingBuyer):
    """Learns the quality after each signal by Bayes' rule, and buys if the expected value is at least the price.

    Its belief about the probability of high quality after a signal starts as Beta(strength * prior, strength * (1 -
    prior)), so signals are initially uninformative. Every revealed quality after a signal is one observation. An
    unknown prior is assumed to be one half.

    A myopic buyer only knows two shares. It believes advice against a product, since a seller earns from every sale. So
    it assumes that earlier buyers followed recommendations, and estimates the quality after a recommendation by the
    share of high quality among their purchases; their number is unknown, so its prior only matters without purchases.

    Source: Bayes' rule for Bernoulli draws (Gelman et al., Bayesian Data Analysis, chapter 2); the receiver of Kamenica
    and Gentzkow (2011), with a signal to be learned.

    Args:
        strength: Prior weight in observations; above 0, at most a million.
    """

    def __init__(self, spec: str = "bayes", strength: Any = 2.0, *, reader: Any = None) -> None:
        super().__init__(spec, reader=reader)
        self.numbers = (argument(spec, "strength", strength, 0.0, 1e6, open_low=True),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Buy if the product is worth its price under the posterior mean; number: the strength of the prior."""
        if v.myopic:
            return v.said != DISCOURAGED and is_worth_buying(v, quality_of_purchases(v))
        low, high = past[2 * v.said], past[2 * v.said + 1]
        return is_worth_buying(v, (x[0] * prior_of(v) + high) / (x[0] + high + low))


class Trust(RecordKeepingBuyer):
    """Buys on a recommendation while enough of the seller's recommendations were good.

    It compares the share of high quality among all recommended products with a threshold; a myopic buyer uses the share
    among purchased ones instead. A seller without a record is trusted.

    Source: reputation systems as in Resnick and Zeckhauser (2002), Trust among strangers in internet transactions;
    image scoring of Nowak and Sigmund (1998).

    Args:
        threshold: Smallest share; from 0 (trusts always) to 1 (trusts until deceived once).
    """

    def __init__(self, spec: str = "trust", threshold: Any = 0.5, *, reader: Any = None) -> None:
        super().__init__(spec, reader=reader)
        self.numbers = (argument(spec, "threshold", threshold, 0.0, 1.0),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Buy on a recommendation of a seller with a good record; number: the smallest share."""
        if v.said != RECOMMENDED:
            return False
        low, high = purchase_rates(v) if v.myopic else (past[2 * RECOMMENDED], past[2 * RECOMMENDED + 1])
        return high >= x[0] * (high + low) - TOLERANCE


class Grim(ListeningBuyer):
    """Buys on recommendations until deceived once, then never again.

    As it buys every recommended product, any purchase of low quality was a deception. A myopic buyer relies on the
    purchases of earlier buyers.

    Source: the trigger strategies of Friedman (1971), A non-cooperative equilibrium for supergames.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Buy on a recommendation of a seller who never deceived."""
        return v.said == RECOMMENDED and v.low_share <= 0.0


class TitForTat(RecordKeepingBuyer):
    """Buys on a recommendation unless the previous product was recommended and of low quality: punishes once.

    A myopic buyer does not know the previous product and trusts.

    Source: Axelrod (1984), The Evolution of Cooperation.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Buy on a recommendation unless the seller's last one was deceptive."""
        return v.said == RECOMMENDED and past[DECEPTION] == 0.0


PLAYERS: dict[str, type[Player]] = {
    "honest": Honest,
    "always": Always,
    "signal": Signal,
    "bayes-persuader": BayesPersuader,
    "trust-builder": TrustBuilder,
    "quota": Quota,
    "never": Never,
    "babbling": Babbling,
    "bayes": Bayes,
    "trust": Trust,
    "grim": Grim,
    "tit-for-tat": TitForTat,
    "receiver": Receiver,
}
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
