"""What theory says about a contract for hidden effort."""

from __future__ import annotations

from toy.principal_agent.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """Expected: half of the value as the bonus, no wage, and effort up to where its cost meets the bonus."""
    return params.value / (4 * params.cost), params.value / (8 * params.cost)
