"""Means and trends, in tables whose numbers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_sources import CLIQUE, COOPERATE, DEFECT

from econzoo.evaluate.analyses.programs.estimates import ALL_PLAYERS, Cell, cells, means, slopes
from econzoo.evaluate.analyses.programs.play import memory_one_index
from econzoo.evaluate.analyses.programs.rows import program_table
from econzoo.evaluate.analyses.programs.submissions import submissions_of
from econzoo.evaluate.stats import weighted_slope

pytest.importorskip("radon")
GAME = "program_matrix"


@pytest.fixture
def table(by_hand):
    """Two matches; access to the source (paper) grows 0, 1, 1 and 0, 0, 1 for the first player."""
    one = by_hand([(COOPERATE, DEFECT, "CCC", "DDD"), (CLIQUE, DEFECT, "DDD", "DDD"), (CLIQUE, CLIQUE, "CCC", "CCD")])
    two = by_hand([(COOPERATE, DEFECT, "CCC", "DDD"), (COOPERATE, DEFECT, "C", "D"), (CLIQUE, CLIQUE, "CC", "CC")], 1)
    return program_table(submissions_of([one, two]))


def test_means_of_shares_count_every_case_alike(table):
    rows = means(table)
    ann = cells(rows)[Cell(GAME, "ann")]
    assert ann["cooperation"].value == (3 + 0 + 3 + 3 + 1 + 2) / 15
    assert ann["cooperation"].n == 15
    assert cells(rows)[Cell(GAME, "ben")]["after_cc"].value == pytest.approx(2 / 3)  # CC-D and CC


def test_all_together_is_the_paper_s_index(table):
    both = [("CCC", "DDD"), ("DDD", "DDD"), ("CCC", "CCD"), ("CCC", "DDD"), ("C", "D"), ("CC", "CC")]
    found = cells(means(table))[Cell(GAME, ALL_PLAYERS)]["after_cc"]
    assert (found.value, found.n) == (memory_one_index(both).value, memory_one_index(both).cases)


def test_means_by_round_and_their_intervals(table):
    rows = means(table)
    access = [cells(rows)[Cell(GAME, "ann", round=at)]["access_paper"] for at in (1, 2, 3)]
    assert [row.value for row in access] == [0, 0.5, 1]
    assert math.isnan(access[1].low)  # two matches are too few


@pytest.fixture
def round_robin(by_hand):
    """Ann meets Ben, her like and Cid, once each; Ben meets Cid."""
    kind, harsh = (COOPERATE, DEFECT, "CCCC", "DDDD"), (CLIQUE, CLIQUE, "CCDD", "CCCD")
    made = []
    for players, one in (
        (("ann", "ben"), kind),
        (("ann", "ann"), harsh),
        (("cid", "ann"), harsh),
        (("ben", "cid"), kind),
    ):
        record = by_hand([one], len(made))
        record.players = list(players)
        made.append(record)
    return program_table(submissions_of(made))


def test_actor_by_opponent(round_robin):
    """C of all moves, by hand: Ann has 4 of 4 against Ben, 2 and 3 of 4 against herself, 3 of 4 against Cid."""
    found = cells(means(round_robin))
    shares = {cell: one["cooperation"] for cell, one in found.items() if not cell.round}
    matrix = {(cell.player, cell.opponent): (one.value, one.n) for cell, one in shares.items()}
    assert matrix == {
        ("ann", "ann"): (5 / 8, 8),
        ("ann", "ben"): (1.0, 4),
        ("ann", "cid"): (3 / 4, 4),
        ("ann", ALL_PLAYERS): (12 / 16, 16),
        ("ben", "ann"): (0.0, 4),
        ("ben", "cid"): (1.0, 4),
        ("ben", ALL_PLAYERS): (4 / 8, 8),
        ("cid", "ann"): (2 / 4, 4),
        ("cid", "ben"): (0.0, 4),
        ("cid", ALL_PLAYERS): (2 / 8, 8),
        (ALL_PLAYERS, ALL_PLAYERS): (18 / 32, 32),
    }


def test_an_interval_against_one_opponent_is_of_the_matches_with_it(by_hand):
    """Ann cooperates in half of eight matches with Ben; its moves hang together: 16 are worth 7.5."""
    made = [by_hand([(COOPERATE, DEFECT, moves, "DD")], seed) for seed, moves in enumerate(("CC", "DD") * 4)]
    made.append(by_hand([(COOPERATE, DEFECT, "CC", "DD")], 8))
    made[8].players = ["ann", "cid"]
    found = cells(means(program_table(submissions_of(made))))
    ben, cid = (found[Cell(GAME, "ann", other)]["cooperation"] for other in ("ben", "cid"))
    assert (ben.value, ben.n) == (0.5, 16)
    worth, quantile = 7 * 16 / 15, 1.960 * 2.365 / 2.131  # Student's with 7 degrees for that with 15
    half = quantile / (2 * math.sqrt(worth + quantile**2))
    assert (ben.low, ben.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-3)
    assert math.isnan(cid.low)  # one match


def test_missing_programs_are_counted(three_rounds):
    rows = means(program_table(submissions_of([three_rounds])))
    ben = cells(rows)[Cell(GAME, "ben")]["sloc"]
    assert (ben.n, ben.missing) == (2, 1)
    assert math.isnan(ben.low)  # one match says nothing about chance
    assert math.isnan(cells(rows)[Cell(GAME, "ben", round=3)]["sloc"].value)


def test_trends(table):
    found = {(one.player, one.measure): one for one in slopes(table)}
    access = found["ann", "access_paper"]
    assert access.slope == pytest.approx(0.5)
    assert math.isnan(access.low)  # two matches are too few
    assert access.p_value == pytest.approx(0, abs=1e-6)  # the means lie on a line
    assert (access.rounds, access.n) == (3, 6)
    lines = found["ann", "token_own"]
    assert lines.rounds == 2
    assert math.isnan(lines.p_value)


def test_one_meta_round_has_no_trend(by_hand):
    (one, *_) = slopes(program_table(submissions_of([by_hand([(COOPERATE, DEFECT, "C", "D")])])))
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
