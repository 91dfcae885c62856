"""Solution of talk and bids: words mean nothing (babbling), and competing buyers bid what a thing is worth to them."""

from __future__ import annotations

from toy.talk_then_bid.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """Everybody sells once; a single buyer bids nothing and gets the thing."""
    return (params.worth * params.likely,) * params.players
