"""Typed moves: from one declaration the parser, the JSON schema and the action space."""

from __future__ import annotations

import json
import pickle
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.core.contract import CODES, MAX_MESSAGE, UNPRINTABLE, ActionSchema, Amount, Invalid, Kind, Legal
from econzoo.envs.core.contract import Message, clean
from econzoo.envs.core.contract.validation import REPLACEMENT
from econzoo.envs.core.faces import parse_reply, render_reply
from econzoo.envs.games.bargaining import ACTIONS, Accept, Offer, Reject
from exhaustive import examples
from refusals import refuses, says
from toy_games import COIN, LOWEST_BID, PENNIES

SCHEMAS = {"bargaining": ACTIONS, **{game.name: game.actions for game in (PENNIES, COIN, LOWEST_BID)}}
FIRST = Legal((True, False, False), ((0.0, 100.0),), True)
ANSWER = FIRST._replace(kinds=(False, True, True))
SILENT = FIRST._replace(messages=False)
NAN, INF = float("nan"), float("inf")


# Plain dictionaries


def test_moves_are_read() -> None:
    for plain, typed in [
        ({"kind": "offer", "gain": 60}, Offer(60.0)),
        ({"kind": "offer", "gain": 60.5, "message": "fair"}, Offer(60.5, "fair")),
        ({"gain": 0, "kind": "offer"}, Offer(0.0)),
        ({"kind": "offer", "gain": 100, "message": ""}, Offer(100.0)),
        ({"kind": "offer", "gain": 60, "other_gain": 40}, Offer(60.0)),
        ({"kind": "offer", "gain": 100 / 3, "other_gain": 66.66666666666667}, Offer(100 / 3)),
        ({"kind": "offer", "gain": np.float32(0.5)}, Offer(0.5)),
        ({"kind": "offer", "gain": np.int64(60)}, Offer(60.0)),
        ({"kind": "offer", "gain": np.array(60.0)}, Offer(60.0)),
        ({"kind": "offer", "gain": 60, "message": np.str_("hi")}, Offer(60.0, "hi")),
        ({"kind": "offer", "gain": 60, "message": "m" * MAX_MESSAGE}, Offer(60.0, "m" * MAX_MESSAGE)),
    ]:
        read = ACTIONS.parse(plain, FIRST)
        assert read == typed, plain
        assert type(read) is Offer, plain
        assert type(read.gain) is float, plain


def test_what_is_no_move_is_named() -> None:
    for plain, code, named in [
        (None, "not_an_object", "nothing"),
        ("offer", "not_an_object", "text"),
        ([1, 2], "not_an_object", "list"),
        (60, "not_an_object", "int"),
        ({}, "missing_key", '"offer"'),
        ({"gain": 60}, "missing_key", '"kind"'),
        ({"kind": "offer"}, "missing_key", '"gain"'),
        ({"kind": "Offer", "gain": 60}, "unknown_kind", "'Offer'"),
        ({"kind": None}, "unknown_kind", "None"),
        ({"kind": ["offer"]}, "unknown_kind", "['offer']"),
        ({"kind": {"offer": 1}}, "unknown_kind", "{'offer': 1}"),
        ({"kind": "accept"}, "illegal_now", '"offer"'),
        ({"kind": "offer", "gain": 60, "price": 1}, "unknown_key", "'price'"),
        ({"kind": "offer", "gain": 60, 1: 1}, "unknown_key", 1),
        ({"kind": "offer", "gain": "60"}, "wrong_type", "'60'"),
        ({"kind": "offer", "gain": True}, "wrong_type", "True"),
        ({"kind": "offer", "gain": np.True_}, "wrong_type", "gain"),
        ({"kind": "offer", "gain": None}, "wrong_type", "None"),
        ({"kind": "offer", "gain": [60]}, "wrong_type", "[60]"),
        ({"kind": "offer", "gain": np.array([60.0])}, "wrong_type", "array"),
        ({"kind": "offer", "gain": np.str_("60")}, "wrong_type", "60"),
        ({"kind": "offer", "gain": np.datetime64("2020-01-01")}, "wrong_type", "2020"),
        ({"kind": "offer", "gain": 60j}, "wrong_type", "60j"),
        ({"kind": "offer", "gain": NAN}, "not_finite", "nan"),
        ({"kind": "offer", "gain": INF}, "not_finite", "inf"),
        ({"kind": "offer", "gain": -INF}, "not_finite", "-inf"),
        ({"kind": "offer", "gain": np.float64("nan")}, "not_finite", "nan"),
        ({"kind": "offer", "gain": -0.01}, "out_of_range", -0.01),
        ({"kind": "offer", "gain": 100.01}, "out_of_range", "100.01"),
        ({"kind": "offer", "gain": 10**400}, "out_of_range", 100),
        ({"kind": "offer", "gain": 10**5000}, "out_of_range", UNPRINTABLE),
        ({"kind": "offer", "gain": 60, "other_gain": 60}, "does_not_sum", 100),
        ({"kind": "offer", "gain": 60, "other_gain": 40.001}, "does_not_sum", 100),
        ({"kind": "offer", "gain": 60, "other_gain": NAN}, "not_finite", "other_gain"),
        ({"kind": "offer", "gain": 60, "other_gain": "40"}, "wrong_type", "other_gain"),
        ({"kind": "offer", "gain": 60, "message": None}, "wrong_type", None),
        ({"kind": "offer", "gain": 60, "message": 5}, "wrong_type", 5),
        ({"kind": "offer", "gain": 60, "message": b"hi"}, "wrong_type", "b'hi'"),
        ({"kind": "offer", "gain": 60, "message": "m" * 501}, "message_too_long", 501),
    ]:
        answer = ACTIONS.parse(plain, FIRST)
        assert isinstance(answer, Invalid), plain
        assert answer.code == code, plain
        says(answer.text, named)
        assert len(answer.text) < 250, plain


def test_answers_carry_nothing() -> None:
    for plain, code in [
        ({"kind": "offer", "gain": 60}, "illegal_now"),
        ({"kind": "accept", "gain": 60}, "unknown_key"),
        ({"kind": "accept", "message": "yes!"}, "unknown_key"),
    ]:
        assert ACTIONS.parse(plain, ANSWER).code == code, plain
    assert type(ACTIONS.parse({"kind": "accept"}, ANSWER)) is Accept
    assert type(ACTIONS.parse({"kind": "reject"}, ANSWER)) is Reject


def test_words_where_there_are_none() -> None:
    assert ACTIONS.parse({"kind": "offer", "gain": 60, "message": "hi"}, SILENT).code == "message_not_allowed"
    assert ACTIONS.parse({"kind": "offer", "gain": 60, "message": ""}, SILENT) == Offer(60.0)


def test_a_game_with_one_kind_of_move_needs_no_kind() -> None:
    legal = Legal((True,), ((0.0, 10.0),), False)
    assert LOWEST_BID.actions.parse({"bid": 3}, legal) == (3.0,)
    assert LOWEST_BID.actions.to_plain(LOWEST_BID.actions.make(0, (3.0,))) == {"bid": 3.0}
    assert LOWEST_BID.actions.parse({"kind": "bid", "bid": 3}, legal) == (3.0,), "but it may be named"
    assert LOWEST_BID.actions.parse({"kind": "sell", "bid": 3}, legal).code == "unknown_kind"
    assert LOWEST_BID.actions.parse({}, legal).code == "missing_key"


def test_a_kind_without_fields_names_itself_and_the_key() -> None:
    says(ACTIONS.parse({"kind": "accept", "message": "yes!"}, ANSWER).text, "message", "accept")


@pytest.mark.parametrize("name", SCHEMAS)
@given(data=st.data())
@settings(max_examples=40)
def test_plain_and_back(name: str, data: st.DataObject) -> None:
    schema = SCHEMAS[name]
    index = data.draw(st.integers(0, len(schema.kinds) - 1))
    amount = data.draw(st.floats(0, 100)) if schema.kinds[index].amount else 0.0
    words = data.draw(st.text(max_size=50)) if schema.kinds[index].message else ""
    action = schema.make(index, (amount,), words)
    everything = Legal((True,) * len(schema.kinds), ((0.0, 100.0),) * schema.slots, True)
    read = schema.parse(schema.to_plain(action), everything)
    assert (type(read), *read) == (type(action), *(clean(x) if isinstance(x, str) else x for x in action))
    assert schema.move(action) == (index, (amount,))


# The JSON schema


def instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What the schema allows, for the few words of JSON schema that are used."""
    if "anyOf" in schema:
        return st.one_of([instances(part) for part in schema["anyOf"]])
    if "const" in schema:
        return st.just(schema["const"])
    if schema["type"] == "number":
        low, high = schema["minimum"], schema["maximum"]
        whole = st.integers(int(np.ceil(low)), int(np.floor(high))) if np.ceil(low) <= np.floor(high) else st.nothing()
        return st.floats(low, high) | whole | st.sampled_from([low, high])
    if schema["type"] == "string":
        return st.text(max_size=schema["maxLength"])
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    parts = {key: instances(part) for key, part in schema["properties"].items()}
    required = {key: part for key, part in parts.items() if key in schema["required"]}
    return st.fixed_dictionaries(required, optional={k: v for k, v in parts.items() if k not in required})


@pytest.mark.parametrize("name", SCHEMAS)
@given(data=st.data())
@examples(15)
def test_what_the_json_schema_allows_is_a_legal_move(name: str, data: st.DataObject) -> None:
    schema = SCHEMAS[name]
    kinds = data.draw(st.lists(st.booleans(), min_size=len(schema.kinds), max_size=len(schema.kinds)).filter(any))
    low = data.draw(st.floats(-1e6, 1e6))
    bounds = ((low, data.draw(st.floats(low, 1e12))),) * schema.slots
    legal = Legal(tuple(kinds), bounds, data.draw(st.booleans()))
    told = schema.json_schema(legal)
    assert json.loads(json.dumps(told)) == told, "the schema is plain JSON"
    instance = data.draw(instances(told))
    move = schema.parse(instance, legal)
    assert not isinstance(move, Invalid), move
    assert legal.kinds[schema.move(move)[0]]
    assert parse_reply(json.dumps(instance), schema, legal) == move


def test_the_json_schema_of_an_offer() -> None:
    told = ACTIONS.json_schema(SILENT)
    assert "dollars" in told["properties"]["gain"].pop("description")
    assert told == {
        "type": "object",
        "properties": {
            "kind": {"const": "offer"},
            "gain": {"type": "number", "minimum": 0.0, "maximum": 100.0},
        },
        "required": ["kind", "gain"],
        "additionalProperties": False,
    }
    assert ACTIONS.json_schema(FIRST)["properties"]["message"]["maxLength"] == MAX_MESSAGE
    assert [part["properties"]["kind"]["const"] for part in ACTIONS.json_schema(ANSWER)["anyOf"]] == [
        "accept",
        "reject",
    ]


# Messages


def test_messages_are_cleaned_of_what_breaks_terminals_and_records() -> None:
    for message, kept in [
        ("plain words", "plain words"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\U0001f91d \U0001f469\u200d\U0001f9b0 caf\u00e9 \u05e9\u05dc\u05d5\u05dd \u4f60\u597d", None),
        ("\x1b[31mred\x07", f"{REPLACEMENT}[31mred{REPLACEMENT}"),
        ("a\rb\0c\x7f\x9b", f"a{REPLACEMENT}b{REPLACEMENT}c{REPLACEMENT}{REPLACEMENT}"),
        ("\u202egnp.exe\u2066x\u2069", f"{REPLACEMENT}gnp.exe{REPLACEMENT}x{REPLACEMENT}"),
        ("half \ud83d emoji", f"half {REPLACEMENT} emoji"),
    ]:
        assert clean(message) == (message if kept is None else kept), message
        assert clean(clean(message)) == clean(message), message
        assert ACTIONS.parse({"kind": "offer", "gain": 1, "message": message}, FIRST).message == clean(message), message
        clean(message).encode("utf-8")


@given(st.text(st.characters(), max_size=60))
def test_any_clean_message_is_storable_and_as_long_as_before(message: str) -> None:
    assert len(clean(message)) == len(message)
    assert json.loads(json.dumps(clean(message)).encode("utf-8")) == clean(message)


# Declaring kinds of move


def test_a_model_has_an_amount_then_a_message() -> None:
    class Backwards(NamedTuple):
        words: Annotated[str, Message("words")]
        price: Annotated[float, Amount("dollars")]

    with refuses(ValueError, "back", "Backwards"):
        ActionSchema(Kind("back", Backwards))


def test_the_keys_of_all_kinds() -> None:
    assert ACTIONS.keys == ("kind", "gain", "message", "other_gain")
    assert LOWEST_BID.actions.keys == ("bid",)


def test_codes_are_a_closed_list() -> None:
    assert len(set(CODES)) == len(CODES)


def test_a_schema_survives_pickling() -> None:
    again = pickle.loads(pickle.dumps(ACTIONS))
    assert again.kinds == ACTIONS.kinds
    assert render_reply(again, Offer(1.0)) == '{"kind":"offer","gain":1}'
