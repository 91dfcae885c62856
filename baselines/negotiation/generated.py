"""Strategies of negotiation that a number draws from a grammar."""

from __future__ import annotations

from econzoo.baselines.negotiation.base import NegotiationPlayer, gain_at, surplus
from econzoo.baselines.offers.generated import GeneratedHaggler
from econzoo.baselines.offers.productions import clip_share, make_demand_rules, remember
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import StrategyMemory
from econzoo.envs.games.negotiation.rules import View


def share_won(v: View, price: float) -> float:
    """The share of the surplus that a price wins the seat; UNKNOWN without a price, 0 without a surplus."""
    if price == UNKNOWN:
        return UNKNOWN
    stake = surplus(v)
    return clip_share(gain_at(v, price) / stake) if stake > 0.0 else 0.0


def own_share(v: View, past: StrategyMemory) -> float:
    """The share of the surplus that the seat last asked for, or UNKNOWN."""
    return share_won(v, v.own_price)


def offered_share(v: View) -> float:
    """The share of the surplus that the other's last price wins the seat."""
    return share_won(v, v.other_price)


def remember_offer(v: View, past: StrategyMemory) -> None:
    """An offer of the other waits: it is remembered."""
    if v.offered != UNKNOWN:
        remember(offered_share(v), past)


class Generated(GeneratedHaggler, NegotiationPlayer):
    """Follows rules that a number draws from a grammar of strategies, within a family (see `GeneratedHaggler`).

    Source: `econzoo.baselines.offers.generated` names that of every rule.

    Args:
        family: One of clock, firm, steps, reciprocal, mirror, middle, harden, grudge, aspiration, irregular, switch.
        number: Which of the family; a whole number from 0 to 999,999.
    """

    field, observed_field = "price", "other_price"
    asks, takes = (staticmethod(one) for one in make_demand_rules(own_share))
    note = staticmethod(remember_offer)
