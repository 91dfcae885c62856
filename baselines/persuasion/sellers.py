"""Sellers: honest, empty, committed, building trust to spend it, and within the limits of their record."""

from __future__ import annotations

from random import Random
from typing import Any, ClassVar

from econzoo.baselines.persuasion.base import Seller
from econzoo.baselines.player import SeatInfo
from econzoo.baselines.strategy import Seen, argument
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.games.persuasion.rules import SELLER, View
from econzoo.envs.games.persuasion.solution import persuasion_rate
from econzoo.envs.games.persuasion.valid import TOLERANCE


class Honest(Seller):
    """Recommends high quality and nothing else.

    Source: full revelation, the benchmark of Crawford and Sobel (1982), Strategic information transmission; the
    truthful sender of GLEE, arXiv:2410.05254.
    """

    def recommends(self, seen: Seen) -> bool:
        """Whether the quality is high."""
        return bool(seen["quality"])


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

    def recommends(self, seen: Seen) -> bool:
        """Yes."""
        return True


class Signal(Seller):
    """Recommends each quality with a fixed probability: any signal with two values and no memory.

    Source: the signals (statistical experiments) of Kamenica and Gentzkow (2011), Bayesian persuasion.

    Args:
        low: Probability that low quality is recommended; from 0 to 1.
        high: The same for high quality.
    """

    def __init__(self, spec: str = "signal", low: Any = 0.5, high: Any = 1.0) -> None:
        super().__init__(spec)
        self.low = argument(spec, "low", low, 0.0, 1.0)
        self.high = argument(spec, "high", high, 0.0, 1.0)
        self._random = Random(0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts its own generator."""
        super().reset(seat, info, seed)
        self._random = Random(seed)

    def recommends(self, seen: Seen) -> bool:
        """A draw with the probability of this quality; one in every round, so that rounds can be compared."""
        return self._random.random() < (self.high if seen["quality"] else self.low)


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
        self.margin = argument(spec, "margin", margin, 0.0, 1.0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Works out how often to recommend low quality in this market."""
        super().reset(seat, info, seed)
        self.low = (1.0 - self.margin) * _rate(info.view)


def _rate(view: View) -> float:
    """The persuasion rate of the market, as far as the seller knows it."""
    if view.high_value == UNKNOWN:
        return 0.0
    return persuasion_rate(view.prior, view.high_value, view.low_value)


class TrustBuilder(Seller):
    """Is honest for some rounds, then recommends everything.

    Source: Sobel (1985), A theory of credibility: an enemy is truthful until the moment to make use of it.

    Args:
        rounds: For how many rounds it is honest; a whole number from 0 to a million.
    """

    def __init__(self, spec: str = "trust-builder", rounds: Any = 10) -> None:
        super().__init__(spec)
        self.rounds = argument(spec, "rounds", rounds, 0.0, 1e6, whole=True)

    def recommends(self, seen: Seen) -> bool:
        """The truth, while it builds trust."""
        return bool(seen["quality"]) or seen["round"] > self.rounds


class Quota(Seller):
    """Recommends low quality whenever its record bears it: the products it ever recommended stay worth their price.

    Without chance it says of low quality about what the committed seller says. A seller who does not know what the
    products are worth is honest.

    Source: Jackson and Sonnenschein (2007), Overcoming incentive constraints by linking decisions: what is reported
    must have the right frequencies.
    """

    def __init__(self, spec: str = "quota") -> None:
        super().__init__(spec)
        self._budget, self._round, self._answer = 0.0, 0, False

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts a record."""
        super().reset(seat, info, seed)
        self._budget, self._round, self._answer = 0.0, 0, False

    def recommends(self, seen: Seen) -> bool:
        """Whether the worth of what was recommended, this product included, is at least its price."""
        if seen["round"] > self._round:  # asked again in the same round it says the same
            self._round, self._answer = seen["round"], self._affords(seen)
        return self._answer

    def _affords(self, seen: Seen) -> bool:
        value = seen["high_value"] if seen["quality"] else seen["low_value"]
        if value is None:
            return bool(seen["quality"])
        if self._budget + value - 1.0 < -TOLERANCE:
            return False
        self._budget += value - 1.0
        return True
