"""Metrics of a double auction: shares of the gains from trade, and how far offers are from the truth."""

from __future__ import annotations

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.double_auction.rules import DONE, Params, State, margin, spreads, to_act
from econzoo.envs.games.double_auction.rules import gains as gains_of

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """What all won, as a share of the most that they could have won together (Gode and Sunder 1993).

    Efficiency is 1 where nothing could be won and nothing was lost, and 0 where all together have lost. Fairness is 1
    minus the square of the difference of the mean gains of both sides; for a pair that is negotiation's.
    """
    gains, most = gains_of(p, s), sum([max(spread, 0.0) for spread in spreads(p, s.draws)]) / p.money
    efficiency = sum(gains) / most if most else float(sum(gains) >= 0)
    apart = sum(gains[: p.buyers]) / p.buyers - sum(gains[p.buyers :]) / p.sellers
    traded = to_act(p, s) == DONE and max(spreads(p, s.offers)) >= 0
    return Outcome(gains, min(max(efficiency, 0.0), 1.0), 1 - apart**2, traded)


def shading(p: Params, s: State) -> tuple[float, ...]:
    """By how much of the highest value each offer is less generous than the trader's value; 0 is the truth.

    At an offer below 0 a trade can be a loss. Rustichini, Satterthwaite and Williams (1994) call it misrepresentation.
    """
    both = enumerate(zip(s.draws, s.offers, strict=False))  # the lot is no value
    return tuple([margin(p, seat, value, offer) / p.money for seat, (value, offer) in both])
