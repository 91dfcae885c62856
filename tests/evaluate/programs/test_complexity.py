"""Complexity of programs whose branches and operators can be counted."""

from __future__ import annotations

import math
import sys

import pytest
from program_sources import BROKEN, COOPERATE, program

from econzoo.evaluate.analyses.programs.sources import UNDEFINED, complexity, tree_similarity
from econzoo.evaluate.analyses.programs.syntax import MAX_DEPTH
from refusals import refuses

pytest.importorskip("radon")


def test_a_program_without_a_branch():
    assert complexity(COOPERATE) == (2, 1, 0, 0, 0)


def test_branches_and_operators_by_hand():
    source = program("# a comment\n\nif my_history and len(opp_history) > 3:\n    return 'D'\nreturn 'C'")
    found = complexity(source)
    assert found.sloc == 4  # the comment and the blank line are none
    assert found.cyclomatic == 3  # 1, the if, the and
    # Two operators, `and` and `>`, and their four operands: N log2(n) = 6 log2(6), and 2/2 * 4/4 of difficulty.
    assert found.volume == pytest.approx(6 * math.log2(6))
    assert found.difficulty == 1
    assert found.effort == pytest.approx(found.volume)


def test_the_mean_is_over_functions():
    helper = "def helper(x):\n    for i in x:\n        if i:\n            return i\n"
    assert complexity(helper + COOPERATE).cyclomatic == pytest.approx((3 + 1) / 2)


def test_what_is_no_program_is_not_simple():
    for source in [None, "", BROKEN, "x = 1\0"]:
        assert all(map(math.isnan, complexity(source))), source
        assert all(map(math.isnan, UNDEFINED)), source


def test_the_deepest_program_that_is_measured():
    source = program("if my_history:\n    pass\n" + "elif opp_history:\n    pass\n" * (MAX_DEPTH - 10))
    assert complexity(source).cyclomatic == MAX_DEPTH - 8
    assert tree_similarity(source, source) == 1


def test_without_radon_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "radon.complexity", None)
    with refuses(ImportError, "radon", "'econzoo[programs]'"):
        complexity(COOPERATE)
