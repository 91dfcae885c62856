"""Bidding strategies without a plan: fixed sums, parts of the money, need, the last price, fair shares, chance."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.strategy import argument, draw
from econzoo.baselines.survival.base import Bidder, Morning, last_price, step
from econzoo.envs.families.survival.watering import days_left_dry

MOST = 1e12


class FixedBid(Bidder):
    """Bids the same sum every day, or all it has if that is less.

    Source: the opponents that always play the same, type "fix" of Zhang et al. (2024), K-level reasoning with large
    language models, arXiv:2402.01521.

    Args:
        amount: Dollars; from 0 to 1e12.
    """

    def __init__(self, spec: str = "bid", amount: Any = 100.0) -> None:
        super().__init__(spec)
        self.amount = argument(spec, "amount", amount, 0.0, MOST)

    def wish(self, morning: Morning) -> float:
        """The sum."""
        return self.amount


class AllIn(Bidder):
    """Bids all it has.

    Where money is worth nothing in itself and the day is the last on which it can matter, any lower bid is dominated.

    Source: Che and Gale (1998), Standard auctions with financially constrained bidders: who values the good above the
    budget bids the budget.
    """

    def __init__(self, spec: str = "all-in") -> None:
        super().__init__(spec)

    def wish(self, morning: Morning) -> float:
        """All."""
        return morning.balance


class Shade(Bidder):
    """Bids what it has less a part of it.

    Source: bid shading in first-price auctions, Vickrey (1961), Counterspeculation, auctions, and competitive sealed
    tenders: with n bidders and uniform values the part is 1/n. The money at hand stands for the value.

    Args:
        part: Held back; from 0 to 1.
    """

    def __init__(self, spec: str = "shade", part: Any = 0.5) -> None:
        super().__init__(spec)
        self.part = argument(spec, "part", part, 0.0, 1.0)

    def wish(self, morning: Morning) -> float:
        """The rest."""
        return (1.0 - self.part) * morning.balance


class Reserve(Bidder):
    """Keeps money for some days: bids the sum that it could pay today and on each of these days, salaries included.

    With a balance of B, a salary of w and n days to come that is (B + n w) / (n + 1), or B if B is less. No more days
    are provided for than there are left, so that it bids all it has on the last.

    Source: the annuity of Friedman (1957), A theory of the consumption function; in auctions the pacing of budgets,
    Balseiro and Gur (2019), Learning in repeated auctions with budgets.

    Args:
        days: Days that it keeps money for, after today; a whole number from 0 to 10,000. 0 is all-in.
    """

    def __init__(self, spec: str = "reserve", days: Any = 3) -> None:
        super().__init__(spec)
        self.days = argument(spec, "days", days, 0.0, 1e4, whole=True)

    def wish(self, morning: Morning) -> float:
        """What can be kept up."""
        days = min(self.days, morning.days_left)
        return (morning.balance + days * morning.salary) / (days + 1)


class NeedBased(Bidder):
    """Bids more as health falls: the money at hand, divided by the days until thirst would kill it.

    If it would die today without water it bids all, if tomorrow a half, and so on. With 8 points of health and no dry
    day behind it, the fourth dry day kills (1 + 2 + 3 + 4 points), so it begins with a quarter.

    Source: Roy (1952), Safety first and the holding of assets: first see that ruin is unlikely. The game itself is from
    Mao et al. (2025), ALYMPICS, arXiv:2311.03220, section 4.
    """

    def __init__(self, spec: str = "need-based") -> None:
        super().__init__(spec)

    def wish(self, morning: Morning) -> float:
        """Its part of the money."""
        seat = morning.seat
        return morning.balance / (1 + days_left_dry(morning.healths[seat], morning.dry[seat]))


class LastPrice(Bidder):
    """Bids a dollar more than the lowest winning bid of the last day that had winners; all it has if it has less.

    Before the first price it bids one dollar. The dollar is a step (`econzoo.baselines.survival.base.step`).

    Source: the best reply to what was played last, Cournot (1838); Fudenberg and Levine (1998), The theory of learning
    in games, chapter 1.
    """

    def __init__(self, spec: str = "last-price+1") -> None:
        super().__init__(spec)

    def wish(self, morning: Morning) -> float:
        """The price and a dollar."""
        return last_price(morning) + step(morning.salary)


class HonestShare(Bidder):
    """Bids what its salary buys if everybody living is served on the same part of the days, all its money at most.

    With a mean supply of S and requirements of the living of R in sum, that part is S / R, and the price that a salary
    of w can pay on these days is w R / S; not less than w.

    Source: proportional shares, Kelly (1997), Charging and rate control for elastic traffic.
    """

    def __init__(self, spec: str = "honest-share") -> None:
        super().__init__(spec)

    def wish(self, morning: Morning) -> float:
        """The price of its share."""
        required = sum([morning.requirements[seat] for seat in morning.living])
        supply = (morning.low + morning.high) / 2
        return morning.salary * required / min(supply, required) if supply else morning.balance


class Mixed(Bidder):
    """Bids a part of its money that it draws anew every day, uniformly between two bounds.

    Source: Harsanyi (1973), Games with randomly disturbed payoffs; the mixed strategies of first-price auctions with
    known values.

    Args:
        low: Least part; from 0 to 1.
        high: Greatest part; from ``low`` to 1.
    """

    deterministic = False

    def __init__(self, spec: str = "mixed", low: Any = 0.5, high: Any = 1.0) -> None:
        super().__init__(spec)
        self.low = argument(spec, "low", low, 0.0, 1.0)
        self.high = argument(spec, "high", high, self.low, 1.0)

    def wish(self, morning: Morning) -> float:
        """The part of this day."""
        return morning.balance * draw(self.seed, morning.day).uniform(self.low, self.high)
