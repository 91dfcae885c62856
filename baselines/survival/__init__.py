"""Scripted bidders for water: a planner, and heuristics.

Heuristics bid fixed amounts, fractions of the balance, by need, by the last price, fair shares, or at random.
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines import ObservationDict, argument
from econzoo.baselines.survival.base import Bidder, Morning, last_price, price_of, required_units, step
from econzoo.baselines.survival.mpc import Mpc
from econzoo.envs.core.contract import Numbers, StrategyMemory, UniformPair
from econzoo.envs.families.survival import survivable_dry_days

MAX_AMOUNT = 1e12


class FixedBid(Bidder):
    """Bids the same amount every day, at most its balance.

    Source: the opponents that always play the same, type "fix" of Zhang et al. (2024), K-level reasoning with large
    language models, arXiv:2402.01521.

    Args:
        amount: Bid in dollars; from 0 to 1e12.
    """

    def __init__(self, spec: str = "bid", amount: Any = 100.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "amount", amount, 0.0, MAX_AMOUNT),)

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        return x[0]


class AllIn(Bidder):
    """Bids its whole balance.

    If money has no value in itself, any lower bid is dominated on the last day on which water matters.

    Source: Che and Gale (1998), Standard auctions with financially constrained bidders: a bidder
    whose value exceeds its budget bids the budget.
    """

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        return m.balances[m.seat]


class Shade(Bidder):
    """Bids a constant fraction of its balance.

    Source: bid shading in first-price auctions, Vickrey (1961), Counterspeculation, auctions, and competitive sealed
    tenders: with n bidders and uniform values the fraction held back is 1/n. The balance replaces the value.

    Args:
        part: Fraction held back; from 0 to 1.
    """

    def __init__(self, spec: str = "shade", part: Any = 0.5) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "part", part, 0.0, 1.0),)

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the balance less the fraction held back."""
        return (1.0 - x[0]) * m.balances[m.seat]


class Reserve(Bidder):
    """Smooths its budget: bids the amount that it could pay today and on the next days, salaries included.

    With a balance of B, a salary of w and n more days it bids (B + n w) / (n + 1), at most B; n is at most the number
    of remaining days, so that it bids its whole balance on the last.

    Source: the annuity of Friedman (1957), A theory of the consumption function; in auctions the pacing of budgets,
    Balseiro and Gur (2019), Learning in repeated auctions with budgets.

    Args:
        days: Days to save for after today; an integer from 0 to 10,000. 0 is all-in.
    """

    def __init__(self, spec: str = "reserve", days: Any = 3) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "days", days, 0.0, 1e4, integer=True),)

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the sustainable bid."""
        days = min(x[0], m.days - m.day)
        return (m.balances[m.seat] + days * m.salaries[m.seat]) / (days + 1)


class NeedBased(Bidder):
    """Bids its balance divided by the days until it would die of thirst, so more as health falls.

    If it would die today without water it bids everything, if tomorrow a half, and so on. With 8 health points and no
    dry day so far, the fourth dry day is fatal (1 + 2 + 3 + 4 points), so it starts with a quarter.

    Source: Roy (1952), Safety first and the holding of assets: first limit the probability of ruin. The game is from
    Mao et al. (2025), ALYMPICS, arXiv:2311.03220, section 4.
    """

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the fraction of the balance."""
        return m.balances[m.seat] / (1 + survivable_dry_days(m.healths[m.seat], m.dry[m.seat]))


class LastPrice(Bidder):
    """Bids a dollar more than the lowest winning bid of the last day with winners, at most its balance.

    Before the first price it bids one dollar. The dollar is a step (`econzoo.baselines.survival.base.step`).

    Source: best response to the last play, Cournot (1838); Fudenberg and Levine (1998), The theory of learning
    in games, chapter 1.
    """

    initial_memory = (0.0,)

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the last price plus a step."""
        return past[0] + step(m.salaries[m.seat])

    @staticmethod
    def note(v: Any, past: StrategyMemory) -> None:
        """Record the lowest winning bid of the day before, if any."""
        past[0] = price_of(v.bids, v.no_water_days, past[0])

    def past(self, seen: ObservationDict) -> StrategyMemory:
        return [last_price(seen["history"])]


class HonestShare(Bidder):
    """Bids its salary's fair price if all living are served equally often, at most its balance.

    With mean supply S and total requirement R of the living, each is served on a fraction S / R of days, so a salary of
    w can pay w R / S on these days; at least w.

    Source: proportional shares, Kelly (1997), Charging and rate control for elastic traffic.
    """

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the price of a fair share."""
        units, supply = required_units(m), (m.low + m.high) / 2
        return m.salaries[m.seat] * units / min(supply, units) if supply else m.balances[m.seat]


class Mixed(Bidder):
    """Bids a random fraction of its balance every day, uniform between two bounds.

    Source: Harsanyi (1973), Games with randomly disturbed payoffs; the mixed strategies of first-price auctions with
    known values.

    Args:
        low: Lowest fraction; from 0 to 1.
        high: Highest fraction; from ``low`` to 1.
    """

    deterministic = False

    def __init__(self, spec: str = "mixed", low: Any = 0.5, high: Any = 1.0) -> None:
        super().__init__(spec)
        least = argument(spec, "low", low, 0.0, 1.0)
        self.numbers = (least, argument(spec, "high", high, least, 1.0))

    @staticmethod
    def wish(m: Morning, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return a random fraction of the balance."""
        return m.balances[m.seat] * (x[0] + (x[1] - x[0]) * u[0])


PLAYERS: dict[str, type[Bidder]] = {
    "reserve": Reserve,
    "need-based": NeedBased,
    "shade": Shade,
    "all-in": AllIn,
    "last-price+1": LastPrice,
    "honest-share": HonestShare,
    "bid": FixedBid,
    "mixed": Mixed,
    "mpc": Mpc,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""
