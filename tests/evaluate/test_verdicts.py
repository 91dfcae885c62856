"""Verdicts on printed numbers: digits, slack, intervals, degrees of freedom, and how often they are wrong."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from econzoo.evaluate.analyses import Comparison, OwnNumber, Paper, Place, agrees, compare_paper, half_unit
from econzoo.evaluate.analyses import printed_number
from econzoo.evaluate.analyses.verdicts import COMPATIBLE, CONTRADICTS, EQUAL, INCOMPARABLE, MISSING, UNIDENTIFIED
from econzoo.evaluate.analyses.verdicts import WITHIN, digits_of, find_verdict
from econzoo.evaluate.show import READER_PLACES, TERMINAL, Table
from econzoo.evaluate.show.files import write_parts
from econzoo.evaluate.stats import MIN_CLUSTERS, Interval, mean_of_draws, wilson


def test_an_exact_number_is_equal_by_the_printed_digits_or_contradicts():
    for printed, ours, word in [
        ("0.83", 0.8312, EQUAL),
        ("0.83", 0.835, EQUAL),
        ("0.83", 0.8361, CONTRADICTS),
        ("4", 4.4, EQUAL),
        ("4.0", 4.4, CONTRADICTS),
        ("4.0", 4.04, EQUAL),
        ("1,320", 1320, EQUAL),
        ("33.7K", 33_749, EQUAL),
        ("33.7K", 33_751, CONTRADICTS),
        ("9.77M", 9_774_999, EQUAL),
        ("9.77M", 9_780_000, CONTRADICTS),
        ("26.8%", 0.2681, EQUAL),
        ("26.8%", 26.81, CONTRADICTS),
        ("27%", 0.268, EQUAL),
        ("-0.5", -0.46, EQUAL),
        ("-0.5", 0.5, CONTRADICTS),
        ("Alice", "Alice", EQUAL),
        ("Alice", "Bob", CONTRADICTS),
        ("7", None, UNIDENTIFIED),
        ("7", math.nan, UNIDENTIFIED),
    ]:
        assert find_verdict(printed, ours).word == word, (printed, ours)
        if isinstance(ours, float | int) and word != UNIDENTIFIED:
            assert agrees(printed, ours) == (word == EQUAL), (printed, ours)


def test_printed_numbers_show_their_value_their_rounding_and_their_digits():
    for printed, value, half, digits in [
        ("4", 4, 0.5, 0),
        ("4.0", 4, 0.05, 1),
        ("1,320", 1_320, 0.5, 0),
        ("33.7K", 33_700, 50, 0),
        ("9.77M", 9_770_000, 5_000, 0),
        ("26.8%", 0.268, 0.0005, 3),
        ("-0.50", -0.5, 0.005, 2),
    ]:
        assert (printed_number(printed), half_unit(printed), digits_of(printed)) == pytest.approx((value, half, digits))


def test_what_needs_slack_is_within_resolution_and_no_more_than_that():
    for printed, ours, slack, word in [
        ("9.77M", 9_780_000, 15_000, WITHIN),
        ("9.77M", 9_790_001, 15_000, CONTRADICTS),
        ("-6.9", -7.11, 0.2, WITHIN),
        ("-6.9", -6.93, 0.2, EQUAL),
        ("-6.9", -7.16, 0.2, CONTRADICTS),
    ]:
        assert find_verdict(printed, ours, slack=slack).word == word, (printed, ours)


def test_a_number_read_from_a_picture_has_no_digits_to_be_equal_by():
    assert find_verdict("0.1234", 0.1234, resolution=0.005).word == WITHIN
    assert find_verdict("0.1234", 0.1285, resolution=0.005).word == CONTRADICTS


def test_an_exact_number_has_a_difference_of_no_width():
    gap = find_verdict("0.5", 0.7).difference
    assert (gap.mean, gap.low, gap.high) == pytest.approx((0.2, 0.2, 0.2))


def test_an_estimate_contradicts_only_where_the_interval_of_the_difference_excludes_0():
    for ours, word in [
        (Interval(0.60, 0.45, 0.75, 20), COMPATIBLE),
        (Interval(0.60, 0.52, 0.68, 20), CONTRADICTS),
        (Interval(0.60, 0.504, 0.68, 20), COMPATIBLE),  # the printed 0.50 may be 0.504
        (Interval(0.502, 0.45, 0.55, 20), EQUAL),
        (Interval(0.60, math.nan, math.nan, 20), UNIDENTIFIED),
        (Interval(0.50, math.nan, math.nan, 20), UNIDENTIFIED),
        (Interval(0.60, 0.52, 0.68, MIN_CLUSTERS - 1), UNIDENTIFIED),
        (Interval(0.50, 0.50, 0.50, 3), UNIDENTIFIED),
        (Interval(math.nan, math.nan, math.nan, 20), UNIDENTIFIED),
    ]:
        assert find_verdict("0.50", ours).word == word, ours


def test_the_papers_own_interval_widens_that_of_the_difference():
    ours, paper = Interval(0.60, 0.52, 0.68, 20), Interval(0.50, 0.43, 0.57, 0)
    assert find_verdict("0.50", ours).word == CONTRADICTS
    found = find_verdict("0.50", ours, printed_interval=paper)
    assert found.word == COMPATIBLE
    assert found.difference.mean - found.difference.low == pytest.approx(math.hypot(0.08, 0.07))


def test_without_degrees_of_freedom_nothing_can_be_said_and_no_difference_is_told():
    for ours in (0.5, 0.7, Interval(0.5, 0.4, 0.6, 50)):
        found = find_verdict("0.5", ours, freedom=0)
        assert (found.word, found.difference) == (UNIDENTIFIED, None), ours


def test_each_fitted_parameter_costs_a_degree_of_freedom():
    cells = {"a": {"x": "0.5", "y": "0.7", "z": "0.9"}}
    numbers = [OwnNumber("a", name, Interval(0.7, 0.6, 0.8, 20)) for name in "xyz"]
    place = Place("T", "figure", cells)
    for count, fitted, freedom, word in [(1, 1, 0, UNIDENTIFIED), (2, 1, 1, CONTRADICTS), (2, 2, 0, UNIDENTIFIED)]:
        one = Comparison("t", place, numbers[:count], fitted=fitted)
        assert (one.freedom, one.verdict(numbers[0]).word) == (freedom, word), (count, fitted)


def test_a_number_that_was_chosen_here_is_not_comparable_even_if_it_is_the_same():
    place = Place("T", "table", {"a": {"seeds": "10", "turns": "5"}})
    one = Comparison("t", place, [OwnNumber("a", "seeds", 10, reason="Set by --seeds.", is_comparable=False)])
    assert one.verdicts() == {INCOMPARABLE: 1, MISSING: 1}


def contradicted(draws, seed, trials=4_000):
    """Shares of verdicts on a true number, of `draws(rng)`: ours and the paper's interval; printed with many digits."""
    rng = np.random.default_rng(seed)
    words = [
        find_verdict(f"{number:.6f}", ours, printed_interval=paper).word
        for number, ours, paper in (draws(rng) for _ in range(trials))
    ]
    return words.count(CONTRADICTS) / trials


def test_a_true_number_is_contradicted_at_the_nominal_rate_and_a_false_one_nearly_always():
    """Means of 8 normal draws, whose Student's t interval is exact."""

    def mean(rng, true):
        return mean_of_draws(rng.normal(true, 1.0, 8).tolist())._replace(rows=8)

    assert contradicted(lambda rng: (0.3, mean(rng, 0.3), None), 1) == pytest.approx(0.05, abs=0.011)
    assert contradicted(lambda rng: (3.3, mean(rng, 0.3), None), 2) > 0.99


def test_two_estimates_of_one_truth_contradict_each_other_at_the_nominal_rate():
    """As precise as ours, the printed mean would be contradicted thrice as often if it were taken as exact."""

    def both(rng):
        ours, paper = (mean_of_draws(rng.normal(0.3, 1.0, 50).tolist())._replace(rows=50) for _ in range(2))
        return paper.mean, ours, paper

    assert contradicted(both, 3) == pytest.approx(0.05, abs=0.011)
    assert contradicted(lambda rng: (*both(rng)[:2], None), 3) > 0.13


def test_shares_of_ten_games_contradict_shares_of_ten_games_rarely():
    def shares(rng):
        ours, paper = (wilson(int(rng.binomial(10, 0.8)), 10) for _ in range(2))
        return paper.mean, ours, paper

    assert contradicted(shares, 4) < 0.061


def test_files_have_the_slack_of_every_cell_and_readers_see_it_where_there_is_some():
    """Of a long place readers see what contradicts first, then what needs slack; equal cells are in files only."""
    cells = {"a": {str(number): str(number) for number in range(100)}}
    gaps = {"7": 0.6, "50": 2.0}
    own = [OwnNumber("a", name, float(name) + gaps.get(name, 0.0), slack=0.25) for name in cells["a"]]
    place = Place("T", "figure", cells)
    made = compare_paper(Paper("P", "arXiv:1", {"t": place}), [Comparison("t", place, own)])
    files, seen = [part for part in made if isinstance(part, Table) and part.key == "t"]
    assert (len(files.rows), {*files.places} & {*READER_PLACES}) == (100, set())
    shown = seen.restrict_to(TERMINAL)
    at = {column.key: number for number, column in enumerate(shown.columns)}
    assert [(row[at["cell"]], row[at["slack"]].value, row[at["verdict"]]) for row in shown.rows] == [
        ("50", 0.25, CONTRADICTS),
        ("7", 0.25, WITHIN),
    ]
    (without, *_) = [
        part
        for part in compare_paper(
            Paper("P", "arXiv:1", {"t": place}), [Comparison("t", place, [own[0]._replace(slack=0.0)])]
        )
        if isinstance(part, Table) and part.key == "t"
    ]
    assert "slack" not in [column.key for column in without.restrict_to(TERMINAL).columns]
    assert "slack" in [column.key for column in without.restrict_to("files").columns]


def test_files_keep_the_printed_digits_so_that_the_rule_can_be_checked_again(tmp_path):
    place = Place("T", "table", {"a": {"x": "4", "y": "4.0", "z": "9.77M"}})
    own = [OwnNumber("a", "x", 4.1), OwnNumber("a", "y", 4.1), OwnNumber("a", "z", 9_774_999)]
    write_parts(compare_paper(Paper("P", "arXiv:1", {"t": place}), [Comparison("t", place, own)]), tmp_path, ["csv"])
    with (tmp_path / "t.csv").open() as file:
        rows = [(row["printed"], row["ours"], row["verdict"]) for row in csv.DictReader(file)]
    assert [word for _, _, word in rows] == [EQUAL, CONTRADICTS, EQUAL]
    for printed, ours, word in rows:
        assert agrees(printed, float(ours)) == (word == EQUAL)
