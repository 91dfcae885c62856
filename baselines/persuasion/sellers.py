"""Sellers: honest, empty, committed, building trust to spend it, and within the limits of their record."""

from __future__ import annotations

from random import Random
from typing import Any, ClassVar

from econzoo.baselines.persuasion.base import Seller
from econzoo.baselines.player import SeatInfo
from econzoo.baselines.strategy import argument
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import Luck, Numbers, Past
from econzoo.envs.games.persuasion.rules import HIGH, SELLER, View
from econzoo.envs.games.persuasion.solution import persuasion_rate
from econzoo.envs.games.persuasion.valid import TOLERANCE


def truthful(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """Whether the quality is high."""
    return v.quality == HIGH


def always(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """Yes."""
    return True


def by_quality(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """With a probability for each quality; numbers: for low, for high."""
    return u[0] < (x[1] if v.quality == HIGH else x[0])


def committed(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """High quality, and low as often as a buyer would bear, less a margin; number: the margin."""
    return u[0] < (1.0 if v.quality == HIGH else (1.0 - x[0]) * rate(v))


def rate(view: View) -> float:
    """The persuasion rate of the market, as far as the seller knows it."""
    if view.high_value == UNKNOWN:
        return 0.0
    return persuasion_rate(view.prior, view.high_value, view.low_value)


def truthful_at_first(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """The truth, for some rounds; number: how many."""
    return v.quality == HIGH or v.round > x[0]


def account(v: View, past: Past) -> None:
    """Decides once a round whether the record bears the product: what it is still worth, the round, the answer."""
    if v.round > past[1]:
        value = v.high_value if v.quality == HIGH else v.low_value
        bears = v.quality == HIGH if value == UNKNOWN else past[0] + value - 1.0 >= -TOLERANCE
        if bears and value != UNKNOWN:
            past[0] += value - 1.0
        past[1], past[2] = v.round, 1.0 if bears else 0.0


def as_the_record_bears(v: View, x: Numbers, past: Past, u: Luck) -> bool:
    """Whether the worth of what was recommended, this product included, is at least its price."""
    return past[2] > 0.0


class Honest(Seller):
    """Recommends high quality and nothing else.

    Source: full revelation, the benchmark of Crawford and Sobel (1982), Strategic information transmission; the
    truthful sender of GLEE, arXiv:2410.05254.
    """

    yes = staticmethod(truthful)


class Always(Seller):
    """Recommends every product, or buys every product: the same move whatever it knows.

    A seller who always recommends plays the babbling equilibrium, in which signals mean nothing.

    Source: Crawford and Sobel (1982), Strategic information transmission; the unconditional strategies of Axelrod
    (1984), The Evolution of Cooperation.
    """

    seats: ClassVar[tuple[int, ...] | None] = None

    yes = staticmethod(always)

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


class Signal(Seller):
    """Recommends each quality with a fixed probability: any signal with two values and no memory.

    Source: the signals (statistical experiments) of Kamenica and Gentzkow (2011), Bayesian persuasion.

    Args:
        low: Probability that low quality is recommended; from 0 to 1.
        high: The same for high quality.
    """

    yes = staticmethod(by_quality)

    def __init__(self, spec: str = "signal", low: Any = 0.5, high: Any = 1.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "low", low, 0.0, 1.0), argument(spec, "high", high, 0.0, 1.0))
        self._random = Random(0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts its own generator."""
        super().reset(seat, info, seed)
        self._random = Random(seed)

    def luck(self, round: int) -> Luck:
        """One number in every round, so that rounds can be compared."""
        return self._random.random(), 0.0


class BayesPersuader(Signal):
    """Plays the signal to which it would commit if it could.

    It recommends high quality always, and low quality as often as a buyer who knows this would bear. A seller who does
    not know what the products are worth is honest: no other signal sells whatever they are worth.

    Source: Kamenica and Gentzkow (2011), Bayesian persuasion, section I; `solution.persuasion_rate`.

    Args:
        margin: By what part it recommends low quality more rarely than that, so that a buyer who learns from experience
            is convinced in spite of chance; from 0 to 1, where 1 is honest.
    """

    yes = staticmethod(committed)

    def __init__(self, spec: str = "bayes-persuader", margin: Any = 0.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "margin", margin, 0.0, 1.0),)


class TrustBuilder(Seller):
    """Is honest for some rounds, then recommends everything.

    Source: Sobel (1985), A theory of credibility: an enemy is truthful until the moment to make use of it.

    Args:
        rounds: For how many rounds it is honest; a whole number from 0 to a million.
    """

    yes = staticmethod(truthful_at_first)

    def __init__(self, spec: str = "trust-builder", rounds: Any = 10) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "rounds", rounds, 0.0, 1e6, whole=True),)


class Quota(Seller):
    """Recommends low quality whenever its record bears it: the products it ever recommended stay worth their price.

    Without chance it says of low quality about what the committed seller says. A seller who does not know what the
    products are worth is honest.

    Source: Jackson and Sonnenschein (2007), Overcoming incentive constraints by linking decisions: what is reported
    must have the right frequencies.
    """

    yes = staticmethod(as_the_record_bears)
    note, blank = staticmethod(account), (0.0, 0.0, 0.0)
