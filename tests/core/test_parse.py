"""Replies: one JSON object is read strictly, everything else is a named error, and nothing is guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.contract.validation import CODES, Invalid
from econzoo.envs.core.faces.parse import MAX_REPLY, parse_reply, render_reply
from econzoo.envs.games.bargaining import ACTIONS, Accept, Offer, Reject

ANY = Legal((True, True, True), ((0.0, 100.0),), True)
OFFER = '{"kind": "offer", "gain": 60}'


def read(reply: Any) -> Any:
    return parse_reply(reply, ACTIONS, ANY)


@pytest.mark.parametrize(
    "reply",
    [
        OFFER,
        f"  \n{OFFER}\n\n",
        f"I think 60 is fair.\n{OFFER}",
        f"{OFFER}\nI hope you accept, Bob!",
        f"```json\n{OFFER}\n```",
        f"```\n{OFFER}```",
        f"<think>Maybe {{}} or {{a}}? Or {OFFER}? Yes.</think>{OFFER}",
        f"<think>one</think> and <think>two</think> {OFFER}",
        f"no opening tag, still thinking {{ </think>\n{OFFER}",
        '{\n  "gain" : 60.0,\n  "kind" : "offer"\n}',
        '{"kind": "offer", "gain": 6e1}',
        '{"kind": "offer", "gain": 60, "message": ""}',
        '{"kind": "offer", "gain": 60, "other_gain": 40}',
        '\ufeff{"kind": "offer", "gain": 60}',
        '{"\\u006bind": "offer", "gain": 60}',
        "\U0001f91d\u202e" + OFFER + "\U0001f600",
        "[" + OFFER + "]",
        "x" * 10_000 + OFFER,
    ],
)
def test_one_object_is_read_whatever_stands_around_it(reply: str) -> None:
    assert read(reply) == Offer(60.0)
    assert type(read(reply)) is Offer


@pytest.mark.parametrize(("reply", "kind"), [('{"kind": "accept"}', Accept), ('{"kind": "reject"}', Reject)])
def test_answers_are_told_apart(reply: str, kind: type) -> None:
    assert type(read(reply)) is kind


@pytest.mark.parametrize(
    "message",
    [
        "braces {inside} the {message} }{",
        'quotes "and" {"kind": "accept"}',
        "back\\slash and \\n",
        "emoji \U0001f469\u200d\U0001f9b0, \u05e2\u05d1\u05e8\u05d9\u05ea, \u4e2d\u6587",
        "lines\nand\ttabs",
        "</think> I thought",
        "<think>{</think>}",
        "```json",
    ],
)
def test_messages_may_hold_anything(message: str) -> None:
    offer = Offer(60.0, message)
    assert read(render_reply(ACTIONS, offer)) == offer
    assert read(f"Well.\n```json\n{render_reply(ACTIONS, offer)}\n```") == offer


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("<think>I accept</think>", "empty"),
        ("I accept.", "no_json"),
        ("kind: offer, gain: 60", "no_json"),
        ('["offer", 60]', "no_json"),
        ("60", "no_json"),
        ("{", "bad_json"),
        ("{}{", "many_json"),
        ('{"kind": "offer", "gain": 60', "bad_json"),
        ("{'kind': 'offer', 'gain': 60}", "bad_json"),
        ("{kind: offer}", "bad_json"),
        ('{"kind": "offer", "gain": 60,}', "bad_json"),
        ('{"kind": "offer", "gain": $60}', "bad_json"),
        ('{"kind": "offer", "gain": 6,000}', "bad_json"),
        ('{"kind": "offer", "gain": 060}', "bad_json"),
        ('{"kind": "offer", "gain": NaN}', "bad_json"),
        ('{"kind": "offer", "gain": Infinity}', "bad_json"),
        ('{"kind": "offer", "gain": -Infinity}', "bad_json"),
        ('{"kind": "offer", "gain": 60, "gain": 70}', "bad_json"),
        ('{"kind": "offer", "gain": 60, "kind": "accept"}', "bad_json"),
        ('{"kind": "offer", "gain": 60, "message": "a\nb"}', "bad_json"),
        ('{"kind": "offer", "gain": ' + "9" * 5000 + "}", "bad_json"),
        ('{"a":' * 9_000 + "1" + "}" * 9_000, "bad_json"),
        ('{"a":' * 101 + "1" + "}" * 101, "bad_json"),
        ('{"a":' + "[" * 100 + "]" * 100 + "}", "bad_json"),
        ('{"a":' * 100 + "1" + "}" * 100, "missing_key"),
        ('{"a": "' + "[" * 200 + '\\"' + "{" * 200 + '"}', "missing_key"),
        (f"{OFFER} {OFFER}", "many_json"),
        (f'{OFFER}\n{{"kind": "accept"}}', "many_json"),
        (f"{{thinking}} {OFFER}", "bad_json"),
        (f"{OFFER} {{thinking}}", "many_json"),
        (f"smile }}: {OFFER}", "many_json"),
        ('{"action": {"kind": "offer", "gain": 60}}', "missing_key"),
        ('{"kind": "offer", "gain": {"amount": 60}}', "wrong_type"),
        ('{"kind": "offer", "gain": 1e999}', "not_finite"),
        ('{"kind": "offer", "gain": 60, "message": "' + "m" * 501 + '"}', "message_too_long"),
        ("m" * 10_000, "no_json"),
        ("{" * 10_000, "bad_json"),
        ("x" * (MAX_REPLY + 1), "too_long"),
        (OFFER + " " * MAX_REPLY, "too_long"),
        (None, "wrong_type"),
        (OFFER.encode(), "wrong_type"),
        ({"kind": "accept"}, "wrong_type"),
        (60, "wrong_type"),
    ],
)
def test_what_cannot_be_read_for_sure_is_no_move(reply: Any, code: str) -> None:
    answer = read(reply)
    assert isinstance(answer, Invalid), answer
    assert answer.code == code
    assert answer.code in CODES
    assert len(answer.text) < 300, "the feedback is one sentence, whatever the reply was"


def test_a_long_reply_is_read_in_time() -> None:
    assert read("a" * 50_000 + OFFER + "b" * 49_000) == Offer(60.0)


PIECES = st.sampled_from(
    [
        "{",
        "}",
        '"',
        ":",
        ",",
        "[",
        "]",
        "\\",
        "kind",
        "offer",
        "accept",
        "gain",
        "60",
        "NaN",
        "</think>",
        OFFER,
        "\ud83d",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join))
def test_any_reply_is_a_legal_move_or_a_named_error(reply: str) -> None:
    answer = read(reply)
    if isinstance(answer, Invalid):
        assert answer.code in CODES
        assert answer.text
    else:
        kind, (amount,) = ACTIONS.move(answer)
        assert ANY.kinds[kind]
        assert 0 <= amount <= 100
        # Strict: the move was written as one object, word for word.
        start = reply.rpartition("</think>")[2]
        told = json.loads(start[start.index("{") : start.rindex("}") + 1])
        assert told["kind"] == ACTIONS.names[kind]
        assert told.get("gain", 0.0) == amount


@given(gain=st.floats(0, 100))
def test_amounts_keep_every_digit(gain: float) -> None:
    assert read(render_reply(ACTIONS, Offer(gain))).gain == gain
