"""Strategies of multi-issue bargaining sampled from a grammar.

Shares are fractions of the seat's own value of all items: what the opponent's offers leave it, and its demands. Since
items are indivisible, an offer can keep slightly more than demanded; the next demand follows from the demand.
"""

from __future__ import annotations

from econzoo.baselines import ObservationDict
from econzoo.baselines.multi_issue.base import TOLERANCE, Divider, cheapest_items, known_or_equal_values, no_items
from econzoo.baselines.multi_issue.base import stake as stake_of
from econzoo.baselines.offers import BLANK, GeneratedHaggler, last_round, make_demand_rules, remember
from econzoo.envs.core.contract import UNKNOWN, Move, MoveFunction, Numbers, StrategyMemory, UniformPair
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, View, remaining_items, total_value

OWN = len(BLANK)
"""Index of the seat's last demand in memory, after the opponent's offers."""


def own_share(v: View, past: StrategyMemory) -> float:
    """Return the seat's last demand as a share, or UNKNOWN."""
    return past[OWN]  # type: ignore[no-any-return]


def remember_offer(v: View, past: StrategyMemory) -> None:
    """Remember the share that the opponent's open offer leaves the seat."""
    if v.by == 1 - v.seat:
        remember(total_value(v.own_values, v.own_items) / stake_of(v), past)


asks, takes = make_demand_rules(own_share, ahead=0)


def generated_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """Accept, leave in the last turn, or offer a division worth its demand and remember the demand."""
    total = stake_of(v)
    if v.by == 1 - v.seat and total_value(v.own_values, v.own_items) >= takes(v, total, x, past) - TOLERANCE:
        return Move(ACCEPT, no_items(v))
    if last_round(v):
        return Move(LEAVE, no_items(v))
    wanted = asks(v, total, x, past)
    past[OWN] = wanted / total
    return Move(OFFER, cheapest_items(v, wanted - TOLERANCE, known_or_equal_values(v, past)))


class Generated(GeneratedHaggler, Divider):
    """Follows rules sampled from a grammar of strategies by family and number (see `GeneratedHaggler`).

    Source: `econzoo.baselines.offers.generated` gives that of every rule.

    Args:
        family: One of clock, firm, steps, reciprocal, mirror, middle, harden, grudge, aspiration, irregular, switch.
        number: Index within the family; an integer from 0 to 999,999.
    """

    asks, takes, note = staticmethod(asks), staticmethod(takes), staticmethod(remember_offer)
    initial_memory = (*BLANK, UNKNOWN)
    lines = ("How about {own} for me and {other} for you?", "I would take {own}, and you {other}.")

    @property
    def moves(self) -> MoveFunction:
        return generated_move

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return its memory of the opponent's offers, and its last demand."""
        past, view, own = list(self.initial_memory), self.view(seen), seen["own_values"]
        for move in seen["history"]:
            if move["kind"] != "offer":
                continue
            if move["seat"] == seen["seat"]:
                # The demand is recomputed: the items that it kept may be worth more.
                past[OWN] = asks(view._replace(round=move["round"]), 1.0, self.numbers, past)
            else:
                remember(total_value(own, remaining_items(seen["items"], move["keep"])) / stake_of(view), past)
        return past
