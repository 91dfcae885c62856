"""Who knows whom it may meet in bargaining."""

from __future__ import annotations

from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.identifying import Identifier
from econzoo.baselines.strategy import Seen
from econzoo.envs.games.bargaining.best_response import haggling
from econzoo.envs.games.bargaining.rules import Params


class Identify(Identifier, BargainingPlayer):
    """Finds out which opponent of a pool it has met, and plays the best response (see `Identifier`).

    An unknown discount factor of the other it takes to be its own, an unknown last round to be far.

    Source: Kalai and Lehrer (1993); see `Identifier`.

    Args:
        pool: Name of the pool that it knows: standard, training, validation or test.
    """

    game, field, haggling = "bargaining", "gain", staticmethod(haggling)

    def believed(self, seen: Seen, horizon: int) -> Params:
        """The market with an unknown discount factor replaced by the own one."""
        own, told = seen["own_delta"], seen["other_delta"] is not None
        other = seen["other_delta"] if told else own
        delta = (own, other) if seen["seat"] == 0 else (other, own)
        return Params(seen["money"], delta, horizon, seen["horizon"] is not None, told)
