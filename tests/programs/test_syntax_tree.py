"""The syntax tree as plain data."""

from __future__ import annotations

import ast
import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.envs.families.open_source import library
from econzoo.envs.families.open_source.simulation import MAX_TREE_DEPTH, syntax_tree
from econzoo.envs.families.open_source.source import MAX_SOURCE_LENGTH
from exhaustive import examples

NUMBER = {"node": "Constant", "value": 1}


def expression(source: str) -> object:
    return syntax_tree(source)["body"][0]["value"]


def test_a_tree_by_hand() -> None:
    for source, tree in [
        ("1", NUMBER),
        ("x", {"node": "Name", "id": "x"}),
        ("-1", {"node": "UnaryOp", "op": "USub", "operand": NUMBER}),
        ("x == 1", {"node": "Compare", "left": {"node": "Name", "id": "x"}, "ops": ["Eq"], "comparators": [NUMBER]}),
        ("[1, 1]", {"node": "List", "elts": [NUMBER, NUMBER]}),
        ("'a'", {"node": "Constant", "value": "a"}),
        ("b'a'", {"node": "Constant", "value": "b'a'", "type": "bytes"}),
        ("1j", {"node": "Constant", "value": "1j", "type": "complex"}),
        ("...", {"node": "Constant", "value": "Ellipsis", "type": "ellipsis"}),
    ]:
        assert expression(source) == tree, source


def test_layout_makes_no_difference() -> None:
    for one, other, equal in [
        ("x = 1", "x=1  # a number", True),
        ("if x: y", "if x:\n\n    y\n", True),
        ("f('a')", 'f("a")', True),
        ("x = 1", "y = 1", False),
        ("1", "1.0", True),  # equal numbers
        ("1", "True", True),
        ("a < b", "a <= b", False),
    ]:
        assert (syntax_tree(one) == syntax_tree(other)) is equal, (one, other, equal)


def test_it_is_json_and_names_every_node() -> None:
    for name in library.names("matrix"):
        source = library.program("matrix", name)
        tree = syntax_tree(source)
        assert json.loads(json.dumps(tree)) == tree, name
        skipped = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
        nodes = [node for node in ast.walk(ast.parse(source)) if not isinstance(node, skipped)]
        assert json.dumps(tree).count('"node": ') == len(nodes), name


def test_it_is_unchanged_by_ast_unparse() -> None:
    source = library.program("matrix", "syntactic")
    assert syntax_tree(ast.unparse(ast.parse(source))) == syntax_tree(source)


def test_what_is_no_source_is_refused() -> None:
    for source, error in [
        (None, TypeError),
        (b"x", TypeError),
        ("(", SyntaxError),
        ("\0", SyntaxError),
        ("\ud800", SyntaxError),
        ("-" * 5000 + "1", SyntaxError),
        ("-" * (MAX_TREE_DEPTH + 1) + "1", ValueError),
        ("#" * (MAX_SOURCE_LENGTH + 1), ValueError),
    ]:
        with pytest.raises(error):
            syntax_tree(source)


@examples(30)
@given(st.text(max_size=40))
def test_no_text_does_harm(text: str) -> None:
    with contextlib.suppress(SyntaxError, ValueError):
        assert syntax_tree(text)["node"] == "Module"
