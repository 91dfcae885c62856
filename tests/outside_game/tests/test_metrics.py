"""The metrics of the trust game."""

from __future__ import annotations

import pytest

import econzoo


@pytest.mark.parametrize(("sent", "efficiency"), [(0.0, 1 / 3), (0.5, 2 / 3), (1.0, 1.0)])
def test_what_is_sent_grows(sent: float, efficiency: float) -> None:
    metrics = econzoo.play("trust", [f"trusting({sent})", "trusting"]).metrics
    assert metrics["efficiency"] == pytest.approx(efficiency)
