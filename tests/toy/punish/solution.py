"""Solution of contributing and punishing: nobody pays for a point, so nobody contributes."""

from __future__ import annotations

from toy.punish.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """All keep their endowments."""
    return (params.start + params.rounds * params.endowment,) * params.players
