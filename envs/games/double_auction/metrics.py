"""Metrics of the double auction: shares of the gains from trade, and misrepresentation of values."""

from __future__ import annotations

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.double_auction.rules import DONE, Params, State, margin, spreads, to_act
from econzoo.envs.games.double_auction.rules import gains as gains_of

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position; efficiency is the share of the possible gains from trade (Gode and Sunder 1993).

    Efficiency is 1 if no gains were possible and none were lost, and 0 for total losses. Fairness is 1 minus the
    squared difference of the mean gains of both sides, for a pair as in negotiation.
    """
    gains, most = gains_of(p, s), sum([max(spread, 0.0) for spread in spreads(p, s.draws)]) / p.money
    efficiency = sum(gains) / most if most else float(sum(gains) >= 0)
    difference = sum(gains[: p.buyers]) / p.buyers - sum(gains[p.buyers :]) / p.sellers
    traded = to_act(p, s) == DONE and max(spreads(p, s.offers)) >= 0
    return Outcome(gains, min(max(efficiency, 0.0), 1.0), 1 - difference**2, traded)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics: nobody can win or lose more than the highest value.

    Fairness is lowest if all trades are at an end of the prices, each of them a loss of the highest value to one side
    and a gain of it to the other: -3 for a pair.
    """
    trades = min(p.buyers, p.sellers)
    gap, seats = trades / p.buyers + trades / p.sellers, p.buyers + p.sellers
    return Ranges(((-p.money, p.money),) * seats, ((-1.0, 1.0),) * seats, fairness=(1.0 - gap**2, 1.0))


def shading(p: Params, s: State) -> tuple[float, ...]:
    """Misrepresentation of each trader (Rustichini, Satterthwaite and Williams 1994); 0 is truthful.

    It is the difference of value and offer in the trader's favour, as a fraction of the highest value. If it is
    negative, a trade can be a loss.
    """
    both = enumerate(zip(s.draws, s.offers, strict=False))  # draws may end with the lot
    return tuple([margin(p, seat, value, offer) / p.money for seat, (value, offer) in both])
