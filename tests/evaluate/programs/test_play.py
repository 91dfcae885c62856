"""Shares of play, counted by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.evaluate.analyses.programs.play import Share, conditional_cooperation, cooperation, cooperation_after
from econzoo.evaluate.analyses.programs.play import memory_one_index, own_coins
from refusals import refuses

PAIRS = st.integers(0, 12).flatmap(lambda n: st.tuples(*[st.text("CD-", min_size=n, max_size=n)] * 2))


def test_the_paper_s_two_numbers():
    """20 matches' worth of moves: 342 of 400 are C; 305 of the 306 moves after mutual cooperation."""
    assert cooperation(["C" * 342 + "D" * 58]).value == 0.855
    first, second = "C" * 153 + "D", "C" * 154  # 153 CC rounds, each followed by another
    found = memory_one_index([(first, second)])
    assert found == Share(305, 306)
    assert found.value == pytest.approx(0.9967, abs=5e-5)


def test_answers_to_each_kind_of_round():
    for own, other, cc, cd, dc, dd in [
        ("", "", (0, 0), (0, 0), (0, 0), (0, 0)),
        ("C", "C", (0, 0), (0, 0), (0, 0), (0, 0)),
        ("CCD", "CCC", (1, 2), (0, 0), (0, 0), (0, 0)),
        ("CDDC", "DDCC", (0, 0), (0, 1), (1, 1), (0, 1)),
        ("CDC", "DCC", (0, 0), (0, 1), (1, 1), (0, 0)),
        ("DDDC", "DDDD", (0, 0), (0, 0), (0, 0), (1, 3)),
        ("C-CC", "CCCC", (1, 1), (0, 0), (0, 0), (0, 0)),
        ("CCCC", "C-CC", (2, 2), (0, 0), (0, 0), (0, 0)),
    ]:
        found = cooperation_after(own, other)
        assert [tuple(found[seen]) for seen in ("CC", "CD", "DC", "DD")] == [cc, cd, dc, dd], (own, other)


def test_a_forfeited_move_is_no_case():
    assert cooperation(["C-D-", "--"]) == Share(1, 2)
    assert memory_one_index([("CC-", "CCC")]) == Share(3, 3)  # the forfeit after CC counts for nobody


def test_without_a_round_of_mutual_cooperation_there_is_no_index():
    found = memory_one_index([("CDC", "DCD"), ("DD", "DD")])
    assert found.cases == 0
    assert math.isnan(found.value)


@settings(max_examples=60)
@given(st.lists(PAIRS, max_size=4))
def test_both_players_count_alike(matches):
    swapped = [(second, first) for first, second in matches]
    assert conditional_cooperation(matches) == conditional_cooperation(swapped)
    one_by_one = sum((memory_one_index([match]) for match in matches), Share(0, 0))
    assert memory_one_index(matches) == one_by_one


@settings(max_examples=60)
@given(PAIRS)
def test_every_round_that_is_answered_is_one_case(pair):
    own, other = pair
    whole = [i for i in range(1, len(own)) if "-" not in own[i - 1 : i + 1] + other[i - 1]]
    assert sum(share.cases for share in cooperation_after(own, other).values()) == len(whole)


def test_own_coins():
    assert own_coins(3, 1).value == 0.75
    assert math.isnan(own_coins(0, 0).value)
    with refuses(ValueError, "coins=-1", 0):
        own_coins(-1, 2)


def test_what_is_no_moves():
    for own, other, named in [("CX", "CC", ("'X'",)), ("CC", "C", (2, 1))]:
        with refuses(ValueError, *named):
            cooperation_after(own, other)
