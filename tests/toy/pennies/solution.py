"""Solution of matching pennies: each side with probability one half (von Neumann 1928)."""

from __future__ import annotations

from toy.pennies.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, float]:
    """Each seat expects to win half of the rounds."""
    return params.rounds / 2, params.rounds / 2
