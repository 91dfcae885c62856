"""What theory says about the trust game."""

from __future__ import annotations

import pytest

import econzoo
from econzoo_trust.game import rules, solution


@pytest.mark.parametrize("sent", [0.0, 0.5, 1.0])
def test_who_expects_nothing_back_sends_nothing(sent: float) -> None:
    investor, trustee = solution.equilibrium_payoffs(rules.Params(10.0, 3.0, 3))
    payoffs = econzoo.play("trust", [f"trusting({sent})", "trusting(0, 0)"]).payoffs
    assert payoffs == [investor * (1 - sent), trustee + investor * 3 * sent]
