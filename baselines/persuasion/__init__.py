"""Scripted players of persuasion, by name, and the pools that training and evaluation draw from.

Sellers take seat 0 and buyers seat 1 (`Player.seats`); ``always`` and ``random`` take both.
"""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.persuasion.base import DECEPTION, Buyer, ListeningBuyer, RecordKeepingBuyer, Seller
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED
from econzoo.baselines.persuasion.talk import Receiver, Signal
from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import argument
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.persuasion.rules import HIGH, SELLER, View
from econzoo.envs.games.persuasion.solution import persuasion_rate
from econzoo.envs.games.persuasion.validation import TOLERANCE


def rate(view: View) -> float:
    """The persuasion rate of the market, as far as the seller knows it."""
    if view.high_value == UNKNOWN:
        return 0.0
    return persuasion_rate(view.prior, view.high_value, view.low_value)


def account(v: View, past: StrategyMemory) -> None:
    """Decides once a round whether the record bears the product: what it is still worth, the round, the answer."""
    if v.round > past[1]:
        value = v.high_value if v.quality == HIGH else v.low_value
        bears = v.quality == HIGH if value == UNKNOWN else past[0] + value - 1.0 >= -TOLERANCE
        if bears and value != UNKNOWN:
            past[0] += value - 1.0
        past[1], past[2] = v.round, 1.0 if bears else 0.0


class Honest(Seller):
    """Recommends high quality and nothing else.

    Source: full revelation, the benchmark of Crawford and Sobel (1982), Strategic information transmission; the
    truthful sender of GLEE, arXiv:2410.05254.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether the quality is high."""
        return v.quality == HIGH


class Always(Seller):
    """Recommends every product, or buys every product: the same move whatever it knows.

    A seller who always recommends plays the babbling equilibrium, in which signals mean nothing.

    Source: Crawford and Sobel (1982), Strategic information transmission; the unconditional strategies of Axelrod
    (1984), The Evolution of Cooperation.
    """

    seats: ClassVar[tuple[int, ...] | None] = None

    def __init__(self, spec: str = "always") -> None:
        super().__init__(spec)
        self.sells = True

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Learns on which side it sits."""
        self.sells = seat == SELLER
        if self.sells:
            super().reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A recommendation or a purchase."""
        return super().act(observation, info) if self.sells else {"kind": "buy"}

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Yes."""
        return True


class BayesPersuader(Signal):
    """Plays the signal to which it would commit if it could.

    It recommends high quality always, and low quality as often as a buyer who knows this would bear. A seller who does
    not know what the products are worth is honest: no other signal sells whatever they are worth.

    Source: Kamenica and Gentzkow (2011), Bayesian persuasion, section I; `solution.persuasion_rate`.

    Args:
        margin: By what part it recommends low quality more rarely than that, so that a buyer who learns from experience
            is convinced in spite of chance; from 0 to 1, where 1 is honest.
    """

    def __init__(self, spec: str = "bayes-persuader", margin: Any = 0.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "margin", margin, 0.0, 1.0),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """High quality, and low as often as a buyer would bear, less a margin; number: the margin."""
        return u[0] < (1.0 if v.quality == HIGH else (1.0 - x[0]) * rate(v))


class TrustBuilder(Seller):
    """Is honest for some rounds, then recommends everything.

    Source: Sobel (1985), A theory of credibility: an enemy is truthful until the moment to make use of it.

    Args:
        rounds: For how many rounds it is honest; a whole number from 0 to a million.
    """

    def __init__(self, spec: str = "trust-builder", rounds: Any = 10) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "rounds", rounds, 0.0, 1e6, integer=True),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """The truth, for some rounds; number: how many."""
        return v.quality == HIGH or v.round > x[0]


class Quota(Seller):
    """Recommends low quality whenever its record bears it: the products it ever recommended stay worth their price.

    Without chance it says of low quality about what the committed seller says. A seller who does not know what the
    products are worth is honest.

    Source: Jackson and Sonnenschein (2007), Overcoming incentive constraints by linking decisions: what is reported
    must have the right frequencies.
    """

    note, initial_memory = staticmethod(account), (0.0, 0.0, 0.0)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether the worth of what was recommended, this product included, is at least its price."""
        return past[2] > 0.0


UNKNOWN_PRIOR = 0.5
"""What a buyer who is not told how often quality is high starts from."""


def prior_of(v: View) -> float:
    """The probability of high quality, as far as the buyer knows."""
    return UNKNOWN_PRIOR if v.prior == UNKNOWN else v.prior


def is_worth_buying(v: View, belief: float) -> bool:
    """Whether a product that is high with this probability is worth its price to the buyer, or just worth it."""
    return belief * v.high_value + (1.0 - belief) * v.low_value >= 1.0 - TOLERANCE


def purchase_rates(v: View) -> tuple[float, float]:
    """Shares of the rounds before in which a product of low and of high quality was bought."""
    low = max(v.low_share, 0.0)
    return low, max(v.bought_share, 0.0) - low


def quality_of_purchases(v: View) -> float:
    """Share of high quality among the products that were bought before, or the prior if none was."""
    low, high = purchase_rates(v)
    return high / (low + high) if low + high > 0.0 else prior_of(v)


class Never(Buyer):
    """Declines every product.

    Source: the unconditional strategies of Axelrod (1984), The Evolution of Cooperation.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """No."""
        return False


class Babbling(Buyer):
    """Buys if a product is worth its price by the prior, whatever the seller says.

    The buyer of the babbling equilibrium (`solution.equilibrium_payoffs`). A prior that it is not told it takes to be
    one half.

    Source: Crawford and Sobel (1982), Strategic information transmission.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """By the prior alone."""
        return is_worth_buying(v, prior_of(v))


class Bayes(RecordKeepingBuyer):
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
        self.numbers = (argument(spec, "strength", strength, 0.0, 1e6, open_low=True),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether the posterior mean makes the product worth its price; number: the strength of the prior."""
        if v.myopic:
            return v.said != DISCOURAGED and is_worth_buying(v, quality_of_purchases(v))
        low, high = past[2 * v.said], past[2 * v.said + 1]
        return is_worth_buying(v, (x[0] * prior_of(v) + high) / (x[0] + high + low))


class Trust(RecordKeepingBuyer):
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
        self.numbers = (argument(spec, "threshold", threshold, 0.0, 1.0),)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether it was recommended by somebody with a good record; number: the smallest share."""
        if v.said != RECOMMENDED:
            return False
        low, high = purchase_rates(v) if v.myopic else (past[2 * RECOMMENDED], past[2 * RECOMMENDED + 1])
        return high >= x[0] * (high + low) - TOLERANCE


class Grim(ListeningBuyer):
    """Buys on a recommendation until it was deceived once, then never again.

    It has bought whatever was recommended, so that it was deceived if it has ever bought low quality. A myopic buyer
    goes by what happened to those before it.

    Source: the trigger strategies of Friedman (1971), A non-cooperative equilibrium for supergames.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether it was recommended by somebody who never deceived."""
        return v.said == RECOMMENDED and v.low_share <= 0.0


class TitForTat(RecordKeepingBuyer):
    """Buys on a recommendation unless the product before was recommended and of low quality: it punishes once.

    A myopic buyer does not know the product before and trusts.

    Source: Axelrod (1984), The Evolution of Cooperation.
    """

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether it was recommended, and the seller's last recommendation was no lie."""
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
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
