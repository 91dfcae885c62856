"""Solution of call-the-coin: words mean nothing, the caller calls the likelier side (babbling)."""

from __future__ import annotations

from toy.coin.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """Expected payoffs when the likelier side is called."""
    likelier = max(params.bias, 1 - params.bias)
    return params.rounds * (1 - likelier), params.rounds * likelier
