"""A tenth of the table of docs/statistics.md: simulated samples, how often intervals hold the truth."""

from __future__ import annotations

import pytest

from econzoo.evaluate.coverage import ESTIMATORS, cell, designs

SMALL = [("settings", 10, 1), ("settings", 30, 3), ("seeds", 5, 3), ("seeds", 10, 10)]
DRAWS = 200
LOW = 0.95 - 3 * (0.95 * 0.05 / DRAWS) ** 0.5
"""Three standard errors of a share of 0.95."""


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_intervals_cover_in_small_designs(estimator: str) -> None:
    found = [cell(estimator, settings, seeds, over, DRAWS, seed=1) for over, settings, seeds in SMALL]
    told = [one for one in found if one.told]
    assert min(one.covered for one in told) >= LOW
    assert sum(one.covered for one in told) / len(told) >= 0.935
    assert len(told) == (2 if estimator == "mean: deterministic" else 4)


@pytest.mark.long
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_intervals_cover_in_every_design(estimator: str) -> None:
    found = [cell(estimator, settings, seeds, over, DRAWS, seed=2) for over, settings, seeds in designs()]
    told = [one.covered for one in found if one.told]
    assert min(told) >= LOW - 0.01
    assert sum(told) / len(told) >= 0.94


def test_seeds_that_change_nothing_have_no_interval() -> None:
    assert cell("mean: deterministic", 10, 3, "seeds", 20).told == 0.0
    assert cell("mean: deterministic", 10, 3, "settings", 20).told == 1.0
