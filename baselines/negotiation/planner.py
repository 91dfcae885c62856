"""Negotiation player that plans against a posterior over strategies."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from econzoo.baselines import ObservationDict
from econzoo.baselines.negotiation.base import ASSUMED_SURPLUS, NegotiationPlayer, gain_at, highest_price
from econzoo.baselines.negotiation.base import price_for_gain, surplus
from econzoo.baselines.offers import FAR, Frame, Offers, Outlook, Planner, frame_history, linear_tables, round_to_cents
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.games.negotiation.rules import SELLER, View
from econzoo.envs.games.negotiation.scenarios import TRAIN_VALUES

VALUES = 11
"""Private values of the opponent that are told apart, in equal steps over the range of training."""

STEPS = 100
"""Prices to compare, in equal steps from the seat's own value to the last value with a surplus."""


@cache
def class_stakes(v: View) -> tuple[Any, Any]:
    """Return the surplus, and what the opponent assumes it to be, by possible value of the opponent, in dollars."""
    if v.other_value != UNKNOWN:
        return np.array([surplus(v)]), np.array([surplus(v)])
    values = np.linspace(*TRAIN_VALUES, VALUES) * v.money
    return np.array([gain_at(v, value) for value in values]), np.full(VALUES, ASSUMED_SURPLUS * v.money)


class Plan(Planner, NegotiationPlayer):
    """Keeps a posterior over strategies and best responds to it, planning anew at every decision (see `Planner`).

    It believes a private value of the opponent to be uniform over the range of values in training.

    Source: Kalai and Lehrer (1993); see `Planner`.

    Args:
        seconds: Seconds per move, about; above 0, at most 60.
        policy: Folder or file of a trained policy, which plays on in roll-outs; None: plans alone.
    """

    outlook = Outlook(fair=0.35, touchy=0.25, gives_in=0.1)
    lines = ("How about ${price}?", "Then let me suggest ${price}.")

    def frame(self, seen: ObservationDict) -> Frame:
        """Return the decision in dollars over the seat's own value, and shares of the assumed surplus."""
        v = self.view(seen)
        stakes, assumed = class_stakes(self.setting(v))
        round = v.round if v.proposing else v.round + 1
        return Frame(
            round,
            int(v.horizon) if v.horizon != UNKNOWN else round + FAR,
            v.horizon,
            1,
            (1.0, 1.0),
            gain_at(v, v.offered) if v.offered != UNKNOWN else UNKNOWN,
            *frame_history(seen, lambda move: (stakes - gain_at(v, move["price"])) / assumed, len(stakes)),
            np.zeros(len(stakes)),
            *linear_tables(stakes, assumed),
            False,
        )

    @staticmethod
    def setting(v: View) -> View:
        """Return the parts of a view that stay the same in a match."""
        blank: dict[str, Any] = dict.fromkeys(
            ("offered", "own_price", "other_price", "traded_at", "own_payoff"), UNKNOWN
        )
        return v._replace(round=0, proposing=0, **blank)

    def offers(self, seen: ObservationDict, classes: Any) -> Offers:
        """Return prices from the seat's own value to the last with a surplus."""
        stakes, assumed = class_stakes(self.setting(self.view(seen)))
        gains = np.linspace(0.0, max(stakes.max(), 0.0), STEPS + 1)
        return Offers(gains, gains, ((stakes[:, None] - gains) / assumed[:, None]).clip(0.0, 1.0))

    def make_offer(self, seen: ObservationDict, amount: Any) -> dict[str, Any]:
        """Return the offer of a price, given the gain."""
        v = self.view(seen)
        price = round_to_cents(price_for_gain(v, float(amount)), v.money, v.seat != SELLER)
        return {"kind": "offer", "price": min(max(price, 0.0), highest_price(v))}

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """Return a price or a response; without a surplus its own value, or a refusal."""
        v = self.view(seen)
        if class_stakes(self.setting(v))[0].max() > 0.0:
            return super().move(seen)
        if v.proposing:
            return self.make_offer(seen, 0.0)
        leaves = v.outside_option == 1
        return {"kind": "accept" if gain_at(v, v.offered) > 0.0 else "opt_out" if leaves else self.refusal}

    def imagine(self, v: View, round: int, own: float, met: float, responds: bool) -> View:
        """Return the view of a later decision."""
        own_price, met_price = (price_for_gain(v, gain) for gain in (own, met))
        return v._replace(
            round=round,
            proposing=int(not responds),
            offered=met_price if responds else UNKNOWN,
            own_price=v.own_price if own == UNKNOWN else own_price,
            other_price=v.other_price if met == UNKNOWN else met_price,
        )

    def policy_gains(self, v: View, fractions: Any) -> Any:
        """Return the gains at the prices that it names."""
        return gain_at(v, fractions * highest_price(v))
