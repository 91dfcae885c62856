"""Solution of last-one-standing: everybody bids the most, and of equal bids the later seat leaves."""

from __future__ import annotations

from toy.lowest_bid.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """The later the seat, the earlier it leaves."""
    return tuple(float(params.players - 1 - seat) for seat in range(params.players))
