"""A tenth of the table of docs/statistics.md: simulated samples, how often intervals hold the truth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from benchmark_scripts import load_benchmark

coverage = load_benchmark("interval_coverage")
PAGE = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")
TITLES = {"settings": "Over settings", "seeds": "Over seeds"}
SMALL = [("settings", 10, 1), ("settings", 30, 1), ("seeds", 1, 10), ("seeds", 5, 3)]
QUICK = coverage.DRAWS // 20


def test_intervals_cover_in_small_designs() -> None:
    for estimator in coverage.ESTIMATORS:
        found = [coverage.cell(estimator, settings, seeds, over, QUICK, seed=1) for over, settings, seeds in SMALL]
        check_coverage(found, QUICK)


@pytest.mark.long
@pytest.mark.parametrize("estimator", coverage.ESTIMATORS)
def test_intervals_cover_in_every_design(estimator: str) -> None:
    found = [
        coverage.cell(estimator, *shape, over, coverage.DRAWS // 10, seed=2)
        for over in TITLES
        for shape in coverage.designs(over)
    ]
    check_coverage(found, coverage.DRAWS // 10)


def check_coverage(found: list[Any], draws: int) -> None:
    """Each cell is within the bounds or has a reason; the mean of all is not below them."""
    known = [one for one in found if one.interval_share]
    assert [one for one in known if not (coverage.is_within_bounds(one) or coverage.reason(one))] == []
    assert sum(one.coverage for one in known) / len(known) >= coverage.bounds(draws * len(known))[0], known[0].estimator


@pytest.mark.parametrize("seeds", [3, 10])
def test_the_interval_over_training_seeds_contains_the_mean_as_often_as_it_says(seeds: int) -> None:
    found = coverage.cell("mean over training seeds", 5, seeds, "seeds")
    assert found.coverage == pytest.approx(0.95, abs=0.02)


def test_seeds_that_change_nothing_have_no_interval() -> None:
    assert coverage.cell("mean: deterministic", 10, 3, "seeds", 20).interval_share == 0.0
    assert coverage.cell("mean: deterministic", 10, 3, "settings", 20).interval_share == 1.0


def test_five_settings_have_no_interval_over_settings() -> None:
    for seeds in [1, 3, 10]:
        known = [name for name in coverage.ESTIMATORS if not name.startswith(("effect", "several"))]
        assert [name for name in known if coverage.cell(name, 5, seeds, "settings", 3).interval_share] == [], seeds


def test_the_page_names_the_draws_and_the_bounds() -> None:
    for draws in (coverage.DRAWS, round(coverage.DRAWS_SHARE * coverage.DRAWS)):
        low, high = coverage.bounds(draws)
        assert f"{draws:,} s" in PAGE or f"{draws}\nsamples" in PAGE
        assert f"{low:.3f} to {high:.3f}" in PAGE


def test_every_cell_of_the_page_is_within_the_bounds_or_stands_among_those_outside_with_a_reason() -> None:
    simulated = list(cells_of_the_page())
    assert len(simulated) > 500
    outside = {
        (one.estimator, one.over, one.settings, one.seeds) for one in simulated if not coverage.is_within_bounds(one)
    }
    listed = dict(exceptions_of_the_page())
    assert outside == set(listed)
    assert all(listed.values())
    assert sum(one.coverage for one in simulated) / len(simulated) == pytest.approx(0.952, abs=0.005)


def test_the_reasons_of_the_page_are_those_of_the_benchmark() -> None:
    """The named share stays the same however few samples are drawn."""
    for (estimator, over, settings, seeds), why in exceptions_of_the_page():
        assert coverage.reason(coverage.cell(estimator, settings, seeds, over, 2)) == why


def test_no_interval_covers_a_share_of_few_cases_as_it_should() -> None:
    for cases, share in [(10, 0.02), (30, 0.02), (50, 0.02), (10, 0.5), (10, 0.98)]:
        low, high = coverage.attainable(cases, share)
        assert low < 0.93, (cases, share)
        assert high > 0.97, (cases, share)
        reached = stats.binom.cdf(range(cases + 1), cases, min(share, 1 - share))
        if share != 0.5:  # from no yes (or no no) to so many
            assert low == pytest.approx(max(reached[reached < 0.95])), (cases, share)
            assert high == pytest.approx(min(reached[reached >= 0.95])), (cases, share)


def test_ten_even_cases_are_held_by_three_to_seven_or_by_two_to_eight() -> None:
    assert coverage.attainable(10, 0.5) == pytest.approx((1 - 2 * 56 / 1024, 1 - 2 * 11 / 1024))


def test_what_can_cover_as_it_should_has_no_excuse() -> None:
    assert coverage.reason(coverage.Cell("mean: yes in 50%", "settings", 30, 1, 0.5, 1.0, 0.5, 2000)) == ""
    assert coverage.reason(coverage.Cell("mean: yes in 50%", "settings", 10, 1, 0.5, 1.0, 0.5, 2000))
    assert coverage.reason(coverage.Cell("mean: stochastic", "settings", 10, 1, 0.5, 1.0, 0.5, 2000)) == ""


def test_every_interval_that_is_printed_has_a_row_and_every_row_is_printed_by_a_command() -> None:
    commands, tables = PAGE.split("## How often they cover")
    _, listed = commands.split("## Which command prints which")
    cells = [line.split("|")[4].strip() for line in listed.splitlines() if line.startswith("|")][2:]
    assert {name for cell in cells for name in cell.split("; ")} == set(coverage.ESTIMATORS)
    for name in coverage.ESTIMATORS:
        assert f"| {name} | " in tables


def cells_of_the_page() -> Iterator[coverage.Cell]:
    for over, title in TITLES.items():
        _, table = PAGE.split(f"### {title}\n\n")
        head, _, *rows = (line.strip("| ").split(" | ") for line in table.split("\n\n")[0].splitlines())
        for name, *shares in rows:
            for shape, share in zip(head[1:], shares, strict=True):
                settings, seeds = map(int, shape.split(" x "))
                fewer = name in coverage.JACKKNIFE_ESTIMATORS and settings * seeds >= coverage.MANY_MATCHES
                draws = round(coverage.DRAWS * (coverage.DRAWS_SHARE if fewer else 1))
                if share != "-":
                    yield coverage.Cell(name, over, settings, seeds, float(share), 1.0, 0.0, draws)


def exceptions_of_the_page() -> Iterator[tuple[tuple[str, str, int, int], str]]:
    _, table = PAGE.split("### Outside the bounds")
    lines = [line.strip("| ").split(" | ") for line in table.split("###")[0].splitlines() if line.startswith("|")]
    for name, over, shape, _, why in lines[2:]:
        settings, seeds = map(int, shape.split(" x "))
        yield (name, over, settings, seeds), why
