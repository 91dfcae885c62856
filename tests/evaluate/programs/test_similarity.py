"""Similarity of programs by tokens and by trees."""

from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_sources import BROKEN, CLIQUE, COOPERATE, DEFECT, program

from econzoo.envs.families.open_source import library
from econzoo.evaluate.analyses.programs.sources import token_similarity, tree_similarity
from exhaustive import examples

BOTH = [token_similarity, tree_similarity]
WRITTEN = [library.program(base, name) for base in ("matrix", "coin_game") for name in library.names(base)]
ANY = st.sampled_from([*WRITTEN, COOPERATE, DEFECT, CLIQUE])


@examples(20)
@given(ANY, ANY, st.booleans())
def test_symmetric_and_between_0_and_1(first, second, names):
    for alike in BOTH:
        found = alike(first, second, names)
        assert 0 <= found <= 1
        assert found == alike(second, first, names)


def test_a_program_is_like_itself():
    for source in WRITTEN:
        for alike in BOTH:
            assert alike(source, source) == 1, source


def test_formatting_is_no_difference():
    for source in WRITTEN:
        assert tree_similarity(source, ast.unparse(ast.parse(source))) == 1, source
        spaced = (
            "# a comment\n\n" + source.replace("\n", "  # why\n\n") if '"""' not in source else source + "\n# end\n\n"
        )
        assert token_similarity(source, spaced) == 1, source


def test_layout_and_quotes_are_no_words():
    first = "def strategy_function(a, b, c, d):\n    return 'C'\n"
    second = 'def strategy_function(a,\n        b, c, d):  # yes\n\n  return "C"'
    assert token_similarity(first, second) == tree_similarity(first, second) == 1


def test_words_by_hand():
    """`x` against `y`: with runs of 4, the padded lists share no run that has the word in it."""
    # Words: x NEWLINE, 2 + 3 + 3 padded = 5 runs; "x" is in 4 of them, "y" in the other 4.
    assert token_similarity("x", "y") == pytest.approx(1 / (1 + 4 + 4))
    assert token_similarity("x", "y", names=False) == 1


def test_trees_by_hand():
    """Module, Expr, Name against the same with another name: no subtree in common, as each holds the name."""
    assert tree_similarity("x", "y") == 0
    assert tree_similarity("x", "y", names=False) == 1
    # x + 1 has BinOp, Name x, Add, Constant 1, Expr, Module: of the six, x + 2 shares the name and the sign.
    assert tree_similarity("x + 1", "x + 2") == pytest.approx(2 * 2 / (2 * 2 + 4 + 4))


def test_constants_are_no_names():
    assert tree_similarity(COOPERATE, DEFECT, names=False) < 1
    assert token_similarity(COOPERATE, DEFECT, names=False) < 1


def test_renaming_is_a_difference_only_where_names_count():
    renamed = CLIQUE.replace("my_program_code", "mine").replace("opponent_program_code", "theirs")
    for alike in BOTH:
        assert alike(CLIQUE, renamed) < alike(CLIQUE, renamed, False) == 1


def test_what_stands_twice_counts_twice():
    once, twice = program("a = 1\nreturn 'C'"), program("a = 1\na = 1\nreturn 'C'")
    for alike in BOTH:
        assert alike(once, twice) < 1


def test_what_is_no_program_is_like_nothing():
    for source in [None, " ", BROKEN]:
        for alike in BOTH:
            assert math.isnan(alike(source, COOPERATE)), source
            assert math.isnan(alike(COOPERATE, source)), source
