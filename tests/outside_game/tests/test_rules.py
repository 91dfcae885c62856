"""The rules of the trust game, move by move."""

from __future__ import annotations

import pytest

import econzoo


@pytest.mark.parametrize(
    ("sent", "returned", "payoffs"),
    [
        (0.0, 0.0, [10.0, 0.0]),
        (1.0, 0.0, [0.0, 30.0]),
        (1.0, 0.5, [15.0, 15.0]),
        (0.5, 1.0, [20.0, 0.0]),
    ],
)
def test_a_round(sent: float, returned: float, payoffs: list[float]) -> None:
    players = [f"trusting({sent}, 0)", f"trusting(0, {returned})"]
    assert econzoo.play("trust", players, rounds=1).payoffs == payoffs
    assert econzoo.play("trust", players, rounds=4).payoffs == [4 * payoff for payoff in payoffs]
