"""A tenth of the table of docs/statistics.md: simulated samples, how often intervals hold the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scipy import stats

from econzoo.evaluate.analyses.coverage.__main__ import TITLES
from econzoo.evaluate.analyses.coverage.cells import (
    DRAWS,
    DRAWS_SHARE,
    MANY_MATCHES,
    Cell,
    attainable,
    bounds,
    cell,
    designs,
    is_within_bounds,
    reason,
)
from econzoo.evaluate.analyses.coverage.estimators import ESTIMATORS
from econzoo.evaluate.analyses.coverage.jackknife_estimators import JACKKNIFE_ESTIMATORS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
SMALL = [("settings", 10, 1), ("settings", 30, 1), ("seeds", 1, 10), ("seeds", 5, 3)]
QUICK = DRAWS // 20


def test_intervals_cover_in_small_designs() -> None:
    for estimator in ESTIMATORS:
        found = [cell(estimator, settings, seeds, over, QUICK, seed=1) for over, settings, seeds in SMALL]
        assert [one for one in found if one.interval_share and not (is_within_bounds(one) or reason(one))] == [], (
            estimator
        )
        told = [one.coverage for one in found if one.interval_share]
        assert sum(told) / len(told) >= bounds(QUICK * len(told))[0], estimator


@pytest.mark.long
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_intervals_cover_in_every_design(estimator: str) -> None:
    found = [cell(estimator, settings, seeds, over, DRAWS // 10, seed=2) for over, settings, seeds in designs()]
    assert [one for one in found if one.interval_share and not (is_within_bounds(one) or reason(one))] == []
    told = [one.coverage for one in found if one.interval_share]
    assert sum(told) / len(told) >= bounds(DRAWS // 10 * len(told))[0]


def test_seeds_that_change_nothing_have_no_interval() -> None:
    assert cell("mean: deterministic", 10, 3, "seeds", 20).interval_share == 0.0
    assert cell("mean: deterministic", 10, 3, "settings", 20).interval_share == 1.0


def test_five_settings_have_no_interval_over_settings() -> None:
    for seeds in [1, 3, 10]:
        known = [name for name in ESTIMATORS if not name.startswith(("effect", "several"))]
        assert [name for name in known if cell(name, 5, seeds, "settings", 3).interval_share] == [], seeds


def test_the_page_holds_the_words_of_today_and_what_was_simulated() -> None:
    template = (ROOT / "evaluate" / "show" / "templates" / "statistics.template").read_text("utf-8")
    before, between, after = re.split("<!-- (?:tables|outside) -->", template)
    assert PAGE.startswith(before)
    assert between in PAGE
    assert PAGE.endswith(after)
    for draws in (DRAWS, round(DRAWS_SHARE * DRAWS)):
        low, high = bounds(draws)
        assert f"{draws:,} s" in before or f"{draws}\nsamples" in before
        assert f"{low:.3f} to {high:.3f}" in before


def test_every_cell_of_the_page_is_within_the_bounds_or_stands_among_those_outside_with_a_reason() -> None:
    simulated = list(cells_of_the_page())
    assert len(simulated) > 500
    outside = {(one.estimator, one.over, one.settings, one.seeds) for one in simulated if not is_within_bounds(one)}
    listed = dict(exceptions_of_the_page())
    assert outside == set(listed)
    assert all(listed.values())
    assert sum(one.coverage for one in simulated) / len(simulated) == pytest.approx(0.952, abs=0.005)


def test_the_reasons_of_the_page_are_those_of_today() -> None:
    """The share that is told stays the same however few samples are drawn."""
    for (estimator, over, settings, seeds), why in exceptions_of_the_page():
        assert reason(cell(estimator, settings, seeds, over, 2)) == why


def test_no_interval_covers_a_share_of_few_cases_as_it_should() -> None:
    for cases, share in [(10, 0.02), (30, 0.02), (50, 0.02), (10, 0.5), (10, 0.98)]:
        low, high = attainable(cases, share)
        assert low < 0.93, (cases, share)
        assert high > 0.97, (cases, share)
        reached = stats.binom.cdf(range(cases + 1), cases, min(share, 1 - share))
        if share != 0.5:  # from no yes (or no no) to so many
            assert low == pytest.approx(max(reached[reached < 0.95])), (cases, share)
            assert high == pytest.approx(min(reached[reached >= 0.95])), (cases, share)


def test_ten_even_cases_are_held_by_three_to_seven_or_by_two_to_eight() -> None:
    assert attainable(10, 0.5) == pytest.approx((1 - 2 * 56 / 1024, 1 - 2 * 11 / 1024))


def test_what_can_cover_as_it_should_has_no_excuse() -> None:
    assert reason(Cell("mean: yes in 50%", "settings", 30, 1, 0.5, 1.0, 0.5, 2000)) == ""
    assert reason(Cell("mean: yes in 50%", "settings", 10, 1, 0.5, 1.0, 0.5, 2000))
    assert reason(Cell("mean: stochastic", "settings", 10, 1, 0.5, 1.0, 0.5, 2000)) == ""


def test_every_interval_that_is_printed_has_a_row_and_every_row_is_printed_by_a_command() -> None:
    before, tables = PAGE.split("## How often they cover")
    _, listed = before.split("## Which command prints which")
    cells = [line.split("|")[4].strip() for line in listed.splitlines() if line.startswith("|")][2:]
    assert {name for cell in cells for name in cell.split("; ")} == set(ESTIMATORS)
    for name in ESTIMATORS:
        assert f"| {name} | " in tables


def cells_of_the_page() -> Iterator[Cell]:
    for over, title in TITLES.items():
        _, table = PAGE.split(f"### {title}\n\n")
        head, _, *rows = (line.strip("| ").split(" | ") for line in table.split("\n\n")[0].splitlines())
        for name, *shares in rows:
            for shape, share in zip(head[1:], shares, strict=True):
                settings, seeds = map(int, shape.split(" x "))
                fewer = name in JACKKNIFE_ESTIMATORS and settings * seeds >= MANY_MATCHES
                draws = round(DRAWS * (DRAWS_SHARE if fewer else 1))
                if share != "-":
                    yield Cell(name, over, settings, seeds, float(share), 1.0, 0.0, draws)


def exceptions_of_the_page() -> Iterator[tuple[tuple[str, str, int, int], str]]:
    _, table = PAGE.split("### Outside the bounds")
    lines = [line.strip("| ").split(" | ") for line in table.split("###")[0].splitlines() if line.startswith("|")]
    for name, over, shape, _, why in lines[2:]:
        settings, seeds = map(int, shape.split(" x "))
        yield (name, over, settings, seeds), why
