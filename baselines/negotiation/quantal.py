"""Who errs in negotiation, and less where it costs more."""

from __future__ import annotations

from typing import Any

import numpy as np

from econzoo.baselines.asking import in_cents
from econzoo.baselines.negotiation.base import NegotiationPlayer
from econzoo.baselines.quantal import QuantalHaggler
from econzoo.envs.games.negotiation.quantal import Known, answer_chances, price_chances
from econzoo.envs.games.negotiation.rules import SELLER, View


class Quantal(QuantalHaggler, NegotiationPlayer):
    """Plays the quantal response equilibrium: it errs, and expects errors, the less the more they cost.

    It answers, and posts one of 101 prices that are no loss to it, with probabilities proportional to
    ``exp(precision * expected gain)``, in parts of the scale, with both seats expected to do so in all rounds that
    follow. At 0 all moves are as likely; as the precision grows it tends to `spe` where both values are known. Since
    waiting costs nothing, prices mean little in a round that others follow. A private value of the other it takes to be
    any of GLEE's four, and learns nothing about it; what follows where no last round is known it takes to be worth what
    `spe` does.

    By default it errs as in bargaining, there 8 per share of the money: a trade is worth about 0.4 of the scale.

    Source: McKelvey and Palfrey (1998), Quantal response equilibria for extensive form games.

    Args:
        precision: Per scale; from 0 to a million.
    """

    lines = (
        "How about ${price}?",
        "Then perhaps ${price}.",
        "Let me try this: ${price}.",
    )

    def __init__(self, spec: str = "quantal", precision: Any = 20) -> None:
        super().__init__(spec, precision)

    def offers(self, view: View) -> tuple[np.ndarray, np.ndarray]:
        """Its prices, in dollars, and the probability of each."""
        prices, chances = price_chances(self.known(view), view.round)
        up = view.seat != SELLER
        return np.array([max(in_cents(price, view.money, up), 0.0) for price in prices.tolist()]), chances

    def answers(self, view: View) -> np.ndarray:
        """Probabilities of accepting, of rejecting and, if that is possible, of opting out."""
        return answer_chances(self.known(view), view.round, view.offered)

    def known(self, view: View) -> Known:
        """The market as its seat knows it."""
        own, other = view.own_value, view.other_value
        values = (own, other) if view.seat == SELLER else (other, own)
        return Known(view.money, values, view.horizon, view.outside_option == 1, self.precision)
