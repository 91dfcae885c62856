"""Buyers: by the prior, by Bayes' rule from experience, by the seller's reputation, by reciprocity."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.persuasion.base import DECEIVED, Buyer, Listening, Remembering
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED
from econzoo.baselines.strategy import argument
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import Luck, Numbers, Past
from econzoo.envs.games.persuasion.rules import View
from econzoo.envs.games.persuasion.valid import TOLERANCE

UNKNOWN_PRIOR = 0.5
"""What a buyer who is not told how often quality is high starts from."""


def prior_of(v: View) -> float:
    """The probability of high quality, as far as the buyer knows."""
    return UNKNOWN_PRIOR if v.prior == UNKNOWN else v.prior


def worthwhile(v: View, belief: float) -> bool:
    """Whether a product that is high with this probability is worth its price to the buyer, or just worth it."""
    return belief * v.high_value + (1.0 - belief) * v.low_value >= 1.0 - TOLERANCE


def bought(v: View) -> tuple[float, float]:
    """Shares of the rounds before in which a product of low and of high quality was bought."""
    low = max(v.low_share, 0.0)
    return low, max(v.bought_share, 0.0) - low


def of_the_bought(v: View) -> float:
    """Share of high quality among the products that were bought before, or the prior if none was."""
    low, high = bought(v)
    return high / (low + high) if low + high > 0.0 else prior_of(v)


def never(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """No."""
    return False


def by_the_prior(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """By the prior alone."""
    return worthwhile(v, prior_of(v))


def by_experience(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """Whether the posterior mean makes the product worth its price; number: the strength of the prior."""
    if v.myopic:
        return v.said != DISCOURAGED and worthwhile(v, of_the_bought(v))
    low, high = past[2 * v.said], past[2 * v.said + 1]
    return worthwhile(v, (x[0] * prior_of(v) + high) / (x[0] + high + low))


def by_reputation(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """Whether it was recommended by somebody with a good record; number: the smallest share."""
    if v.said != RECOMMENDED:
        return False
    low, high = bought(v) if v.myopic else (past[2 * RECOMMENDED], past[2 * RECOMMENDED + 1])
    return high >= x[0] * (high + low) - TOLERANCE


def until_deceived(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """Whether it was recommended by somebody who never deceived."""
    return v.said == RECOMMENDED and v.low_share <= 0.0


def unless_deceived(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """Whether it was recommended, and the seller's last recommendation was no lie."""
    return v.said == RECOMMENDED and past[DECEIVED] == 0.0


class Never(Buyer):
    """Declines every product.

    Source: the unconditional strategies of Axelrod (1984), The Evolution of Cooperation.
    """

    yes = staticmethod(never)


class Babbling(Buyer):
    """Buys if a product is worth its price by the prior, whatever the seller says.

    The buyer of the babbling equilibrium (`solution.equilibrium_payoffs`). A prior that it is not told it takes to be
    one half.

    Source: Crawford and Sobel (1982), Strategic information transmission.
    """

    yes = staticmethod(by_the_prior)


class Bayes(Remembering):
    """Learns what each signal is worth, and buys if the product is worth its price in expectation.

    Of each signal it holds a Beta(strength * prior, strength * (1 - prior)) belief about how likely high quality is
    after it: before any experience, signals mean nothing. Every product whose quality comes to light after this signal
    counts as one observation. A prior that it is not told it takes to be one half.

    A myopic buyer has two shares only. It believes advice against a product: a seller earns by every sale, so it has no
    reason to give it otherwise. Hence it takes those who bought for buyers to whom the product was recommended, and the
    share of high quality among what they got for the worth of a recommendation; how many they were it does not know, so
    that its prior counts only where nobody has bought.

    Source: Bayes' rule for Bernoulli draws (Gelman et al., Bayesian Data Analysis, chapter 2); the receiver of Kamenica
    and Gentzkow (2011), who has to learn the signal.

    Args:
        strength: How many observations the prior is worth; above 0, at most a million.
    """

    yes = staticmethod(by_experience)

    def __init__(self, spec: str = "bayes", strength: Any = 2.0, *, reader: Any = None) -> None:
        super().__init__(spec, reader=reader)
        self.numbers = (argument(spec, "strength", strength, 0.0, 1e6, open_low=True),)


class Trust(Remembering):
    """Buys on a recommendation while the seller's recommendations are good often enough, and never without one.

    Its measure is the share of high quality among all products recommended so far; a myopic buyer, who does not know
    this, takes the share among the products that were bought. A seller without a record is trusted.

    Source: reputation systems as in Resnick and Zeckhauser (2002), Trust among strangers in internet transactions;
    image scoring of Nowak and Sigmund (1998).

    Args:
        threshold: The smallest share; from 0 (trusts whatever happens) to 1 (trusts until deceived once).
    """

    yes = staticmethod(by_reputation)

    def __init__(self, spec: str = "trust", threshold: Any = 0.5, *, reader: Any = None) -> None:
        super().__init__(spec, reader=reader)
        self.numbers = (argument(spec, "threshold", threshold, 0.0, 1.0),)


class Grim(Listening):
    """Buys on a recommendation until it was deceived once, then never again.

    It has bought whatever was recommended, so that it was deceived if it has ever bought low quality. A myopic buyer
    goes by what happened to those before it.

    Source: the trigger strategies of Friedman (1971), A non-cooperative equilibrium for supergames.
    """

    yes = staticmethod(until_deceived)


class TitForTat(Remembering):
    """Buys on a recommendation unless the product before was recommended and of low quality: it punishes once.

    A myopic buyer does not know the product before and trusts.

    Source: Axelrod (1984), The Evolution of Cooperation.
    """

    yes = staticmethod(unless_deceived)
