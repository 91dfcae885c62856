"""Solution of the tender: with n seats and uniform values each bids (n - 1) / n of its value (Vickrey 1961)."""

from __future__ import annotations

from toy.tender.rules import Params


def equilibrium_payoffs(params: Params) -> tuple[float, ...]:
    """The expected gain of every seat: highest / (n * (n + 1)), whatever it has whispered."""
    n = params.players
    return (params.highest / (n * (n + 1)),) * n
