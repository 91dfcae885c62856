"""Solution of call-the-coin: words mean nothing, and nobody is told which side is likelier (babbling)."""

from __future__ import annotations

import math

from toy.coin.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """NaN: what the likelier side would be, only who knows the bias can say."""
    return math.nan, math.nan
