"""Who knows whom it may meet in negotiation."""

from __future__ import annotations

from econzoo.baselines.identifying import Identifier
from econzoo.baselines.negotiation.base import ASSUMED_SURPLUS, NegotiationPlayer
from econzoo.baselines.strategy import Seen
from econzoo.envs.games.negotiation.best_response import haggling
from econzoo.envs.games.negotiation.rules import SELLER, Params


class Identify(Identifier, NegotiationPlayer):
    """Finds out which opponent of a pool it has met, and plays the best response (see `Identifier`).

    An unknown value of the other it takes to be `ASSUMED_SURPLUS` of the scale away, an unknown last round to be far.

    Source: Kalai and Lehrer (1993); see `Identifier`.

    Args:
        pool: Name of the pool that it knows: standard, training, validation or test.
    """

    game, field, haggling = "negotiation", "price", staticmethod(haggling)

    def believed(self, seen: Seen, horizon: int) -> Params:
        """The market with an unknown value replaced."""
        own, told, sign = seen["own_value"], seen["other_value"] is not None, 1 if seen["seat"] == SELLER else -1
        other = seen["other_value"] if told else max(own + sign * ASSUMED_SURPLUS * seen["money"], 0.0)
        value = (own, other) if seen["seat"] == SELLER else (other, own)
        option = bool(seen["outside_option"])
        return Params(seen["money"], value, horizon, seen["horizon"] is not None, told, option)
