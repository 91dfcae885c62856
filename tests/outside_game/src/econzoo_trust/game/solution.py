"""What theory says about the trust game."""

from __future__ import annotations

from econzoo_trust.game.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """The subgame-perfect equilibrium: nothing comes back, so nothing is sent."""
    return params.money * params.rounds, 0.0
