"""Bargaining player that plans against a posterior over strategies."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from econzoo.baselines import ObservationDict, argument
from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.bargaining.equilibrium import factors
from econzoo.baselines.offers import FAR, Frame, Offers, Outlook, Planner, frame_history, linear_tables, round_to_cents
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.games.bargaining.rules import View


def opponent_share(move: dict[str, Any], seen: ObservationDict) -> float:
    """Return the opponent's share of the money under an offer."""
    kept: float = move["gain"] / seen["money"]
    return 1.0 - kept if move["seat"] == seen["seat"] else kept


@cache
def divisions(security: float) -> Offers:
    """Return the divisions in percent that leave this seat at least a share."""
    gains = np.arange(101) / 100.0
    gains = gains[gains >= security - 1e-9]
    return Offers(gains, gains, 1.0 - gains[None])


class Plan(Planner, BargainingPlayer):
    """Keeps a posterior over strategies and best responds to it, planning anew at every decision (see `Planner`).

    With `security` it takes and asks for no less, and plans so: nobody who knows it gets more than the rest.

    Source: Kalai and Lehrer (1993); see `Planner`. Security: Ganzfried and Sandholm (2015), Safe opponent exploitation,
    ACM Transactions on Economics and Computation 3(2), article 8.

    Args:
        seconds: Seconds per move, about; above 0, at most 60.
        policy: Folder or file of a trained policy, which plays on in roll-outs; None: plans alone.
        security: Least share of the money that it takes and asks for; from 0 to 0.5.
    """

    outlook = Outlook(fair=0.35, touchy=0.2, gives_in=0.2, lead=0.03)
    lines = (
        "How about ${own} for me and ${other} for you?",
        "Then let me suggest ${own} for me, ${other} for you.",
    )

    def __init__(self, spec: str = "plan", seconds: Any = 0.03, policy: Any = None, security: Any = 0.0) -> None:
        super().__init__(spec, seconds, policy)
        self.security = argument(spec, "security", security, 0.0, 0.5)

    def frame(self, seen: ObservationDict) -> Frame:
        """Return the decision in shares of the money."""
        v = self.view(seen)
        delta = factors(v)
        round = v.round if v.proposing else v.round + 1
        return Frame(
            round,
            int(v.horizon) if v.horizon != UNKNOWN else round + FAR,
            v.horizon,
            1,
            (delta[v.seat], delta[1 - v.seat]),
            v.offered / v.money if v.offered != UNKNOWN else UNKNOWN,
            *frame_history(seen, lambda move: [opponent_share(move, seen)]),
            np.zeros(1),
            *linear_tables(np.ones(1), np.ones(1)),
            False,
        )

    def offers(self, seen: ObservationDict, classes: Any) -> Offers:
        """Return the divisions in percent."""
        return divisions(self.security)

    def make_offer(self, seen: ObservationDict, amount: Any) -> dict[str, Any]:
        """Return the offer of a division."""
        return {"kind": "offer", "gain": round_to_cents(float(amount) * seen["money"], seen["money"], False)}

    def imagine(self, v: View, round: int, own: float, met: float, responds: bool) -> View:
        """Return the view of a later decision."""
        return v._replace(
            round=round,
            proposing=int(not responds),
            offered=met * v.money if responds else UNKNOWN,
            own_ask=v.own_ask if own == UNKNOWN else own * v.money,
            other_ask=v.other_ask if met == UNKNOWN else (1.0 - met) * v.money,
        )

    def policy_gains(self, v: View, fractions: Any) -> Any:
        """Return the shares that it asks for."""
        return fractions
