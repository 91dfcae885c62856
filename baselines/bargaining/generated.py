"""Strategies of bargaining sampled from a grammar."""

from __future__ import annotations

from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers.generated import GeneratedHaggler
from econzoo.baselines.offers.productions import clip_share, make_demand_rules, remember
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.scripts import StrategyMemory
from econzoo.envs.games.bargaining.rules import View


def own_share(v: View, past: StrategyMemory) -> float:
    """Return the share of the money that the seat last asked for, or UNKNOWN."""
    return UNKNOWN if v.own_ask == UNKNOWN else clip_share(v.own_ask / v.money)


def offered_share(v: View) -> float:
    """Return the share of the money that the opponent's last ask leaves the seat."""
    return clip_share((v.money - v.other_ask) / v.money)


def remember_offer(v: View, past: StrategyMemory) -> None:
    """Remember the opponent's offer, if one is open."""
    if v.offered != UNKNOWN:
        remember(offered_share(v), past)


class Generated(GeneratedHaggler, BargainingPlayer):
    """Follows rules sampled from a grammar of strategies by family and number (see `GeneratedHaggler`).

    Source: `econzoo.baselines.offers.generated` gives that of every rule.

    Args:
        family: One of clock, firm, steps, reciprocal, mirror, middle, harden, grudge, aspiration, irregular, switch.
        number: Index within the family; an integer from 0 to 999,999.
    """

    field, observed_field = "gain", "other_ask"
    asks, takes = (staticmethod(one) for one in make_demand_rules(own_share))
    note = staticmethod(remember_offer)
