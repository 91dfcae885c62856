"""Strategies of negotiation sampled from a grammar."""

from __future__ import annotations

from econzoo.baselines.negotiation.base import NegotiationPlayer, gain_at, surplus
from econzoo.baselines.offers.generated import GeneratedHaggler
from econzoo.baselines.offers.productions import clip_share, make_demand_rules, remember
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import StrategyMemory
from econzoo.envs.games.negotiation.rules import View


def share_won(v: View, price: float) -> float:
    """Return the seat's share of the surplus at a price; UNKNOWN without a price, 0 without a surplus."""
    if price == UNKNOWN:
        return UNKNOWN
    stake = surplus(v)
    return clip_share(gain_at(v, price) / stake) if stake > 0.0 else 0.0


def own_share(v: View, past: StrategyMemory) -> float:
    """Return the share of the surplus that the seat last asked for, or UNKNOWN."""
    return share_won(v, v.own_price)


def offered_share(v: View) -> float:
    """Return the seat's share of the surplus at the opponent's last price."""
    return share_won(v, v.other_price)


def remember_offer(v: View, past: StrategyMemory) -> None:
    """Remember the opponent's offer, if one is open."""
    if v.offered != UNKNOWN:
        remember(offered_share(v), past)


class Generated(GeneratedHaggler, NegotiationPlayer):
    """Follows rules sampled from a grammar of strategies by family and number (see `GeneratedHaggler`).

    Source: `econzoo.baselines.offers.generated` gives that of every rule.

    Args:
        family: One of clock, firm, steps, reciprocal, mirror, middle, harden, grudge, aspiration, irregular, switch.
        number: Index within the family; an integer from 0 to 999,999.
    """

    field, observed_field = "price", "other_price"
    asks, takes = (staticmethod(one) for one in make_demand_rules(own_share))
    note = staticmethod(remember_offer)
