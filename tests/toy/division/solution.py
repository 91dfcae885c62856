"""Solution of the division with one offer: the other accepts the single item that its proposer misses least."""

from __future__ import annotations

from toy.division.rules import Params, most


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """With several offers a bound only: what the first proposer gets if it makes the only offer."""
    least = min(range(len(params.items)), key=lambda k: (params.worth[0][k], params.worth[1][k]))
    return most(params, 0) - params.worth[0][least], float(params.worth[1][least])
