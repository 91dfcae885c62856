"""Means and trends, in tables whose numbers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_sources import CLIQUE, COOPERATE, DEFECT

from econzoo.evaluate.programs.estimates import ALL, means, pick, slopes, weighted_slope
from econzoo.evaluate.programs.play import memory_one_index
from econzoo.evaluate.programs.rows import program_table
from econzoo.evaluate.programs.submissions import submissions_of

pytest.importorskip("radon")
GAME = "program_matrix"


@pytest.fixture
def table(by_hand):
    """Two matches; access to the source (paper) grows 0, 1, 1 and 0, 0, 1 for the first player."""
    one = by_hand([(COOPERATE, DEFECT, "CCC", "DDD"), (CLIQUE, DEFECT, "DDD", "DDD"), (CLIQUE, CLIQUE, "CCC", "CCD")])
    two = by_hand([(COOPERATE, DEFECT, "CCC", "DDD"), (COOPERATE, DEFECT, "C", "D"), (CLIQUE, CLIQUE, "CC", "CC")], 1)
    return program_table(submissions_of([one, two]))


def test_means_of_shares_count_every_case_alike(table):
    rows = means(table, 200)
    ann = pick(rows, GAME, "ann")
    assert ann["cooperation"].value == (3 + 0 + 3 + 3 + 1 + 2) / 15
    assert ann["cooperation"].n == 15
    assert pick(rows, GAME, "ben")["after_cc"].value == pytest.approx(2 / 3)  # CC-D and CC


def test_all_together_is_the_paper_s_index(table):
    both = [("CCC", "DDD"), ("DDD", "DDD"), ("CCC", "CCD"), ("CCC", "DDD"), ("C", "D"), ("CC", "CC")]
    found = pick(means(table, 200), GAME, ALL)["after_cc"]
    assert (found.value, found.n) == (memory_one_index(both).value, memory_one_index(both).cases)


def test_means_by_round_and_their_intervals(table):
    rows = means(table, 200)
    access = [pick(rows, GAME, "ann", at)["access_paper"] for at in (1, 2, 3)]
    assert [row.value for row in access] == [0, 0.5, 1]
    assert (access[1].low, access[1].high) == (0, 1)  # two matches: one with, one without


def test_missing_programs_are_counted(three_rounds):
    rows = means(program_table(submissions_of([three_rounds])), 200)
    ben = pick(rows, GAME, "ben")["sloc"]
    assert (ben.n, ben.missing) == (2, 1)
    assert math.isnan(ben.low)  # one match says nothing about chance
    assert math.isnan(pick(rows, GAME, "ben", 3)["sloc"].value)


def test_trends(table):
    found = {(one.player, one.measure): one for one in slopes(table, 200)}
    access = found["ann", "access_paper"]
    assert access.slope == pytest.approx(0.5)
    assert (access.low, access.high) == pytest.approx((0.5, 0.5))  # both matches rise by one half a round
    assert access.p_value == pytest.approx(0, abs=1e-6)  # the means lie on a line
    assert (access.rounds, access.n) == (3, 6)
    lines = found["ann", "token_own"]
    assert lines.rounds == 2
    assert math.isnan(lines.p_value)


def test_one_meta_round_has_no_trend(by_hand):
    (one, *_) = slopes(program_table(submissions_of([by_hand([(COOPERATE, DEFECT, "C", "D")])])), 200)
    assert math.isnan(one.slope)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(-9, 9), st.integers(1, 4)), min_size=2, max_size=9))
def test_weighted_slopes_are_those_of_repeated_points(points):
    x, y, weight = (np.array(column, float) for column in zip(*points, strict=True))
    (found,) = weighted_slope(x, y, weight[None])[0]
    if len(set(x)) == 1:
        assert math.isnan(found)
    else:
        often = weight.astype(int)
        assert found == pytest.approx(np.polyfit(np.repeat(x, often), np.repeat(y, often), 1)[0], abs=1e-9)
