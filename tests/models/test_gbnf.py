"""Grammars of llama.cpp: what they allow is what the schema allows."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction

import pytest
from move_schema import ACCEPT, MOVE, offer

from econzoo.baselines.models.gbnf import longest_text, to_gbnf


def as_pattern(grammar: str) -> re.Pattern[str]:
    """The same language as a regular expression, which grammars of schemas without recursion have."""
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|\[(?:[^]\\]|\\.)*\]|[^"\[\s]+', grammar.partition("::=")[2])
    return re.compile("".join(re.escape(json.loads(part)) if part[0] == '"' else part for part in parts))


def number(low: float, high: float, kind: str = "number") -> re.Pattern[str]:
    return as_pattern(to_gbnf({"type": kind, "minimum": low, "maximum": high}))


BOUNDS = [(0, 1), (0, 100), (-5, 5), (0.5, 0.75), (0, 4800.0), (12.345, 98.7), (1, 1), (-0.3, -0.1), (-1e15, 1e15)]


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_numbers_are_those_within_the_bounds(low: float, high: float) -> None:
    pattern, rng, width = number(low, high), random.Random(0), (high - low + 1) * 0.3
    for _ in range(1000):
        text = f"{rng.uniform(low - width, high + width):.{rng.randrange(5)}f}"
        if Fraction(text) or text[0] != "-":
            is_within = Fraction(repr(low)) <= Fraction(text) <= Fraction(repr(high))
            assert bool(pattern.fullmatch(text)) == is_within, text


@pytest.mark.parametrize("text", ["007", "5.", ".5", "+5", "-0", "1e2", "", "5.00001"])
def test_other_spellings_of_numbers_are_not_allowed(text: str) -> None:
    assert number(-5, 100).fullmatch(text) is None


def test_integers_have_no_decimals() -> None:
    pattern = number(3, 12, "integer")
    assert [n for n in range(-20, 200) if pattern.fullmatch(str(n))] == list(range(3, 13))
    assert pattern.fullmatch("5.0") is None


ALLOWED = [
    '{"kind": "accept"}',
    '{"kind": "offer", "gain": 0.25, "message": ""}',
    '{"kind": "offer", "gain": 10000, "message": "Half \\"each\\", señor?\\nYes."}',
]
FORBIDDEN = [
    '{"kind":"accept"}',
    '{"kind": "accept", "gain": 5}',
    '{"kind": "offer", "gain": 10000.5, "message": ""}',
    '{"kind": "offer", "gain": 5}',
    '{"kind": "offer", "gain": 5, "message": "\\ud800"}',
    '{"kind": "offer", "gain": 5, "message": "' + "x" * 301 + '"}',
    '{"kind": "offer", "gain": 5, "message": "two\nlines"}',
]


@pytest.mark.parametrize("text", ALLOWED)
def test_moves_are_allowed(text: str) -> None:
    assert as_pattern(to_gbnf(MOVE)).fullmatch(text)


@pytest.mark.parametrize("text", FORBIDDEN)
def test_anything_else_is_not(text: str) -> None:
    assert not as_pattern(to_gbnf(MOVE)).fullmatch(text)


def test_arrays_have_their_length() -> None:
    points = {"type": "integer", "minimum": 0, "maximum": 5}
    same = as_pattern(to_gbnf({"type": "array", "items": points, "minItems": 3, "maxItems": 3}))
    assert same.fullmatch("[0, 5, 2]")
    assert not same.fullmatch("[0, 5]")
    mixed = as_pattern(
        to_gbnf({"type": "array", "prefixItems": [points, {"const": "a"}], "items": False, "minItems": 2})
    )
    assert mixed.fullmatch('[4, "a"]')


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^a"},
        {"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": 3},
        {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": False},
        {"type": "number", "minimum": 0.00001, "maximum": 0.00002},
        {"$ref": "#"},
    ],
)
def test_what_no_game_needs_is_refused(schema: dict) -> None:
    with pytest.raises(ValueError, match="schema without a grammar"):
        to_gbnf(schema)


def test_the_longest_texts_of_a_reply_are_those_of_one_kind() -> None:
    assert longest_text(MOVE) == 300
    assert longest_text(ACCEPT) == 0
    assert longest_text({"anyOf": [offer(20), ACCEPT, offer(30)]}) == 30
