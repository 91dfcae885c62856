"""A tenth of the table of docs/statistics.md: simulated samples, how often intervals hold the truth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from econzoo.evaluate.coverage.cells import cell, designs
from econzoo.evaluate.coverage.estimators import ESTIMATORS

ROOT = Path(__file__).resolve().parents[2]
SMALL = [("settings", 10, 1), ("settings", 30, 1), ("seeds", 1, 10), ("seeds", 5, 3), ("seeds", 10, 10)]
DRAWS = 100
LOW = 0.95 - 4 * (0.95 * 0.05 / DRAWS) ** 0.5
"""Four standard errors of a share of 0.95; all designs of an estimator together are held to less."""


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_intervals_cover_in_small_designs(estimator: str) -> None:
    found = [cell(estimator, settings, seeds, over, DRAWS, seed=1) for over, settings, seeds in SMALL]
    told = [one.covered for one in found if one.told]
    assert min(told) >= LOW
    assert sum(told) / len(told) >= 0.93


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


def test_the_page_holds_the_words_of_today_and_what_was_simulated() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    before, after = (
        (ROOT / "evaluate" / "templates" / "statistics.template").read_text("utf-8").split("<!-- tables -->")
    )
    assert page.startswith(before)
    assert page.endswith(after)
    covered = [float(cell) for cell in re.findall(r"(?<=\| )[01]\.\d{3}(?= \|)", page)]
    assert min(covered) >= 0.91
    assert sum(covered) / len(covered) >= 0.945


def test_every_interval_that_is_printed_has_a_row_and_every_row_is_printed_by_a_command() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    before, tables = page.split("## How often they cover")
    _, listed = before.split("## Which command prints which")
    cells = [line.split("|")[4].strip() for line in listed.splitlines() if line.startswith("|")][2:]
    assert {name for cell in cells for name in cell.split("; ")} == set(ESTIMATORS)
    for name in ESTIMATORS:
        assert f"| {name} | " in tables
