"""Buyers: by the prior, by Bayes' rule from experience, by the seller's reputation, by reciprocity."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.persuasion.base import Buyer, Listening, Remembering
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED
from econzoo.baselines.strategy import Seen, argument
from econzoo.envs.games.persuasion.valid import TOLERANCE

UNKNOWN_PRIOR = 0.5
"""What a buyer who is not told how often quality is high starts from."""


class Never(Buyer):
    """Declines every product.

    Source: the unconditional strategies of Axelrod (1984), The Evolution of Cooperation.
    """

    def buys(self, seen: Seen, signal: int) -> bool:
        """No."""
        return False


class Babbling(Buyer):
    """Buys if a product is worth its price by the prior, whatever the seller says.

    The buyer of the babbling equilibrium (`solution.equilibrium_payoffs`). A prior that it is not told it takes to be
    one half.

    Source: Crawford and Sobel (1982), Strategic information transmission.
    """

    def buys(self, seen: Seen, signal: int) -> bool:
        """By the prior alone."""
        return worthwhile(seen, prior_of(seen))


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

    def __init__(self, spec: str = "bayes", strength: Any = 2.0, *, reader: Any = None) -> None:
        super().__init__(spec, reader=reader)
        self.strength = argument(spec, "strength", strength, 0.0, 1e6, open_low=True)

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether the posterior mean makes the product worth its price."""
        if seen["myopic"]:
            return signal != DISCOURAGED and worthwhile(seen, of_the_bought(seen))
        low, high = self.record[signal]
        return worthwhile(seen, (self.strength * prior_of(seen) + high) / (self.strength + high + low))


class Trust(Remembering):
    """Buys on a recommendation while the seller's recommendations are good often enough, and never without one.

    Its measure is the share of high quality among all products recommended so far; a myopic buyer, who does not know
    this, takes the share among the products that were bought. A seller without a record is trusted.

    Source: reputation systems as in Resnick and Zeckhauser (2002), Trust among strangers in internet transactions;
    image scoring of Nowak and Sigmund (1998).

    Args:
        threshold: The smallest share; from 0 (trusts whatever happens) to 1 (trusts until deceived once).
    """

    def __init__(self, spec: str = "trust", threshold: Any = 0.5, *, reader: Any = None) -> None:
        super().__init__(spec, reader=reader)
        self.threshold = argument(spec, "threshold", threshold, 0.0, 1.0)

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether it was recommended by somebody with a good record."""
        if signal != RECOMMENDED:
            return False
        low, high = bought(seen) if seen["myopic"] else self.record[RECOMMENDED]
        return high >= self.threshold * (high + low) - TOLERANCE


class Grim(Listening):
    """Buys on a recommendation until it was deceived once, then never again.

    It has bought whatever was recommended, so that it was deceived if it has ever bought low quality. A myopic buyer
    goes by what happened to those before it.

    Source: the trigger strategies of Friedman (1971), A non-cooperative equilibrium for supergames.
    """

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether it was recommended by somebody who never deceived."""
        return signal == RECOMMENDED and not seen["low_share"]


class TitForTat(Remembering):
    """Buys on a recommendation unless the product before was recommended and of low quality: it punishes once.

    A myopic buyer does not know the product before and trusts.

    Source: Axelrod (1984), The Evolution of Cooperation.
    """

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether it was recommended, and the seller's last recommendation was no lie."""
        return signal == RECOMMENDED and not self.deceived


def prior_of(seen: Seen) -> float:
    """The probability of high quality, as far as the buyer knows."""
    return UNKNOWN_PRIOR if seen["prior"] is None else seen["prior"]


def worthwhile(seen: Seen, belief: float) -> bool:
    """Whether a product that is high with this probability is worth its price to the buyer, or just worth it."""
    worth: float = belief * seen["high_value"] + (1.0 - belief) * seen["low_value"]
    return worth >= 1.0 - TOLERANCE


def bought(seen: Seen) -> tuple[float, float]:
    """Shares of the rounds before in which a product of low and of high quality was bought."""
    low = seen["low_share"] or 0.0
    return low, (seen["bought_share"] or 0.0) - low


def of_the_bought(seen: Seen) -> float:
    """Share of high quality among the products bought; the prior if there are none."""
    low, high = bought(seen)
    return high / (low + high) if low + high else prior_of(seen)
