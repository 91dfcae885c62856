"""Buyers: by the prior, by Bayes' rule from experience, by the seller's reputation, by reciprocity."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.persuasion.base import Buyer, Remembering
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

    A myopic buyer has the statistics only. It takes those who bought for buyers to whom the product was recommended:
    then the qualities they got are its observations of a recommendation, and what is left of the prior's share of high
    quality goes to the others (if the prior is known). With no signal at all, what was bought is what there is.

    Source: Bayes' rule for Bernoulli draws (Gelman et al., Bayesian Data Analysis, chapter 2); the receiver of Kamenica
    and Gentzkow (2011), who has to learn the signal.

    Args:
        strength: How many observations the prior is worth; above 0, at most a million.
    """

    def __init__(self, spec: str = "bayes", strength: Any = 2.0) -> None:
        super().__init__(spec)
        self.strength = argument(spec, "strength", strength, 0.0, 1e6, open_low=True)

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether the posterior mean makes the product worth its price."""
        low, high = statistics(seen, signal) if seen["myopic"] else self.record[signal]
        mean = (self.strength * prior_of(seen) + high) / (self.strength + high + low)
        return worthwhile(seen, mean)


class Trust(Remembering):
    """Buys on a recommendation while the seller's recommendations are good often enough, and never without one.

    Its measure is the share of high quality among all products recommended so far; a myopic buyer, who does not know
    this, takes the share among the products that were bought. A seller without a record is trusted.

    Source: reputation systems as in Resnick and Zeckhauser (2002), Trust among strangers in internet transactions;
    image scoring of Nowak and Sigmund (1998).

    Args:
        threshold: The smallest share; from 0 (trusts whatever happens) to 1 (trusts until deceived once).
    """

    def __init__(self, spec: str = "trust", threshold: Any = 0.5) -> None:
        super().__init__(spec)
        self.threshold = argument(spec, "threshold", threshold, 0.0, 1.0)

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether it was recommended by somebody with a good record."""
        if signal != RECOMMENDED:
            return False
        low, high = bought(seen) if seen["myopic"] else self.record[RECOMMENDED]
        return high >= self.threshold * (high + low)


class Grim(Buyer):
    """Buys on a recommendation until it was deceived once, then never again.

    It has bought whatever was recommended, so that it was deceived if it has ever bought low quality. A myopic buyer
    goes by what happened to those before it.

    Source: the trigger strategies of Friedman (1971), A non-cooperative equilibrium for supergames.
    """

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether it was recommended by somebody who never deceived."""
        return signal == RECOMMENDED and not seen["sold_low"]


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


def bought(seen: Seen) -> tuple[int, int]:
    """How many products of low and of high quality were bought so far."""
    return seen["sold_low"], seen["sold"] - seen["sold_low"]


def statistics(seen: Seen, signal: int) -> tuple[float, float]:
    """What a myopic buyer takes for its observations of a signal: how many of low and of high quality."""
    low, high = bought(seen)
    if signal != DISCOURAGED:
        return low, high
    if seen["prior"] is None:
        return 0.0, 0.0
    declined = seen["round"] - 1 - seen["sold"]
    left = min(max(seen["prior"] * (seen["round"] - 1) - high, 0.0), declined)
    return declined - left, left
