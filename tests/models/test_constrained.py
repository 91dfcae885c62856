"""Constrained decoding: legal JSON whatever the model would like to say, and wherever it is cut off."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from move_schema import ACCEPT, MOVE, legal_move, offer

from econzoo.baselines import ModelError

pytest.importorskip("llguidance")

from tiny_llama import tiny_tokenizer

from econzoo.baselines.models.constrained_decoding import MAX_NUMBER, Grammars, _closing_rank, add_number_bounds

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def grammars():
    tokenizer = tiny_tokenizer()
    return Grammars(tokenizer, len(tokenizer) + 24, [tokenizer.eos_token_id])


def accepts(grammars, schema, text):
    guide = grammars.guide(schema)
    for token in grammars.tokens.tokenize_str(text):
        if not guide.allowed_mask()[token]:
            return False
        guide.take_token(token)
    return guide.is_complete or guide._matcher.is_accepting()


def wander(grammars, schema, seed, steps):
    """A reply of random allowed tokens, cut after some steps and closed."""
    guide, rng, tokens = grammars.guide(schema), np.random.default_rng(seed), []
    tokens += guide.take_forced()
    while not guide.is_complete and len(tokens) < steps:
        choices = np.flatnonzero(guide.allowed_mask())
        token = int(rng.choice(choices))
        if token in grammars.tokens.eos_tokens:
            break
        guide.take_token(token)
        tokens += [token, *guide.take_forced()]
    return guide.text(tokens + guide.close())


def test_amounts_within_bounds_are_allowed(grammars):
    for gain in ["0", "5", "0.25", "9999.99", "10000", "10000.0"]:
        assert accepts(grammars, MOVE, f'{{"kind":"offer","gain":{gain},"message":"x"}}'), gain


def test_other_amounts_are_not(grammars):
    for gain in [
        "-1",
        "-0.1",
        "10000.01",
        "10001",
        "1e3",
        "1e999",
        "NaN",
        "Infinity",
        "null",
        '"5"',
        "00",
        "1.",
        ".5",
        "+1",
    ]:
        assert not accepts(grammars, MOVE, f'{{"kind":"offer","gain":{gain},"message":"x"}}'), gain


@pytest.mark.parametrize("number", ["1e999", "1" + "0" * 400, "NaN", "-Infinity", "1" + "0" * 15 + ".5"])
def test_numbers_without_bounds_get_finite_ones(grammars, number):
    schema = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}
    assert not accepts(grammars, schema, f'{{"x":{number}}}')
    assert accepts(grammars, schema, '{"x":-12.5}')
    assert add_number_bounds(schema)["properties"]["x"] == {
        "type": "number",
        "minimum": -MAX_NUMBER,
        "maximum": MAX_NUMBER,
    }


def test_the_form_of_a_move(grammars):
    for text, good in [
        ('{"kind":"accept"}', True),
        ('{"kind": "accept"}', False),  # free whitespace costs a small model its tokens
        ('{"gain":5,"kind":"offer","message":""}', False),  # the order is the schema's
        ('{"kind":"accept","gain":5}', False),
        ('{"kind":"offer","gain":5,"message":"' + "é" * 300 + '"}', True),
        ('{"kind":"offer","gain":5,"message":"' + "é" * 301 + '"}', False),
        ('{"kind":"offer","gain":5,"message":"say \\"no\\"\\n"}', True),
        ('{"kind":"offer","gain":5,"message":"\\ud83d"}', False),  # half a character
    ]:
        assert accepts(grammars, MOVE, text) == good, (text, good)


@given(seed=st.integers(0, 2**32), steps=st.integers(0, 120), one_of=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_reply_is_legal_wherever_it_is_cut(grammars, seed, steps, one_of):
    schema = {"oneOf" if one_of else "anyOf": [offer(40, 0.001, 0.5), ACCEPT]}
    legal_move(wander(grammars, schema, seed, steps), 40, 0.001, 0.5)


def test_other_schemas_close_too(grammars):
    for steps in [0, 3, 9, 30]:
        for schema in [
            {
                "type": "array",
                "items": {"type": "integer", "minimum": 100, "maximum": 999},
                "minItems": 2,
                "maxItems": 3,
            },
            {"type": "object", "properties": {"x": {"type": ["number", "null"]}}, "required": ["x"]},
            {"type": "string", "minLength": 5, "maxLength": 8},
            {"enum": ["cooperate", "defect"]},
            {"$defs": {"a": ACCEPT}, "anyOf": [{"$ref": "#/$defs/a"}, {"type": "boolean"}]},
            {"type": "object", "properties": {"bid": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.0005}}},
        ]:
            for seed in range(5):
                value = json.loads(wander(grammars, schema, seed, steps))
                if schema.get("type") == "array":
                    assert 2 <= len(value) <= 3, (steps, schema)
                    assert all(100 <= number <= 999 for number in value), (steps, schema)
                if schema.get("type") == "string":
                    assert 5 <= len(value) <= 8, (steps, schema)


def test_closing_ends_the_message_instead_of_filling_it(grammars):
    guide = grammars.guide(MOVE)
    tokens = grammars.tokens.tokenize_str('{"kind":"offer","gain":5,"message":"half')
    for token in tokens:
        guide.take_token(token)
    assert guide.text(tokens + guide.close()) == '{"kind":"offer","gain":5,"message":"half"}'
    # Braces alone are text inside a string: a vocabulary with long runs of them must not be drawn into writing those.
    spelled = [b'"}', b'"', b"}}", b"}", b'","', b",", b"9", b"0", b"a", b"ab"]
    ranks = [_closing_rank(token) for token in spelled]
    assert ranks == sorted(set(ranks))


def test_what_is_certain_need_not_be_asked(grammars):
    guide = grammars.guide(MOVE)
    assert guide.text(guide.take_forced()).startswith('{"kind":"')
    only = grammars.guide(ACCEPT)
    assert only.text(only.take_forced()) == '{"kind":"accept"}'
    assert only.is_complete


@pytest.mark.parametrize("schema", [{"type": "foo"}, {"anyOf": []}])
def test_a_schema_that_cannot_be_decoded_is_named(grammars, schema):
    with pytest.raises(ModelError):
        grammars.guide(schema)


def test_a_slow_tokenizer_is_refused_with_advice():
    with pytest.raises(ModelError, match="constrained=False"):
        Grammars([], 10, [1])
