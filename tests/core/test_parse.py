"""Replies: the last object that stands alone is read strictly, everything else is a named error, nothing is guessed."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from econzoo.envs.core.contract import CODES, Invalid, Legal
from econzoo.envs.core.faces import MAX_REPLY, parse_reply, render_reply
from econzoo.envs.core.faces.parse import MAX_OUTSIDE_TEXTS
from econzoo.envs.games.bargaining import ACTIONS, Accept, Offer, Reject

ANY = Legal((True, True, True), ((0.0, 100.0),), True)
OFFER = '{"kind": "offer", "gain": 60}'
ACCEPT = '{"kind": "accept"}'


def read(reply: Any) -> Any:
    return parse_reply(reply, ACTIONS, ANY)


def test_an_object_that_stands_alone_is_the_answer() -> None:
    for reply in [
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
        "x" * 10_000 + OFFER,
        "x" * 90_000 + "\n" + OFFER + "\n" + "y" * 9_000,
    ]:
        assert read(reply) == Offer(60.0), reply
        assert type(read(reply)) is Offer, reply


def test_the_last_object_on_lines_of_its_own_in_a_fence_or_at_the_end_counts() -> None:
    for reply in [
        f"My answer: {OFFER}",
        f"**Answer:** {OFFER}  \n\n",
        f'I say "60" and mean it: {OFFER}',
        f"Thus:\n\n    {OFFER}\n\nThat is fair.",
        f"My answer is ```json {OFFER} ```",
        f"```json\n\n{OFFER}\n\n```\nYours, Alice",
        f"~~~\n{OFFER}\n~~~",
        f"{ACCEPT}\nNo, rather:\n{OFFER}",
        f"```json\n{ACCEPT}\n```\n\nOr better:\n\n```json\n{OFFER}\n```",
        f"You offered {ACCEPT} before.\n{OFFER}",
        f"{OFFER}\nI would not say {ACCEPT} now.",
        f"The set {{1, 2}} has two numbers.\n{OFFER}",
        f"smile }}: {OFFER}",
        f"Dear Bob,\n{OFFER}\nYours, Alice",
        f'The range is [0, 100) and you said "yes".\n{OFFER}\n"I hope" it suits you.',
        f"x < y, or so I thought\n{OFFER}",
        f"[Thinking aloud] 60 it is.\n{OFFER}",
        f"<think>{ACCEPT}</think>\nI thought <b>much</b>.\n{OFFER}",
        f"<thinking>{ACCEPT}</thinking>{OFFER}",
        f"[THINK]{ACCEPT}[/THINK]{OFFER}",
        f"<THINK>{ACCEPT}</Think>\u0130{OFFER}",
    ]:
        assert read(reply) == Offer(60.0), reply


ASIDE = [
    f"I would never answer {ACCEPT}. I reject.",
    f"{ACCEPT} is what you want to hear.",
    f"Answer: {ACCEPT}\nbut only if you insist",
    f"{ACCEPT}.",
    f"{ACCEPT};",
    f"`{ACCEPT}`",
    f"**{ACCEPT}**",
    f"<b>{ACCEPT}</b>",
    f"\U0001f91d {ACCEPT} \U0001f600",
    f'He said "{ACCEPT}".',
    f'He said: "I take {ACCEPT}',
    f"'{ACCEPT}'",
    f"\u201c{ACCEPT}\u201d",
    f"'''\n{ACCEPT}\n'''",
    f'She wrote: "\n{ACCEPT}\n"',
    f"> {ACCEPT}",
    f"> You could say {ACCEPT}",
    f"> ```json\n> {ACCEPT}\n> ```",
    f"- {ACCEPT}",
    f"* reject\n* {ACCEPT}",
    f"1. {ACCEPT}",
    f"(b) {ACCEPT}",
    f"| answer | {ACCEPT}",
    f"[{ACCEPT}]",
    "[" * 10_000 + ACCEPT,
    f"[\n{ACCEPT}\n]",
    f"[\n  {OFFER},\n  {ACCEPT}\n]",
    f"[\n{OFFER},\n{ACCEPT}",
    f'["a",\n{ACCEPT}',
    f"{ACCEPT},\n{{",
    f"{OFFER},\n{ACCEPT}",
    f"{ACCEPT}\n}}",
]
"""An object that is part of something else."""


def test_an_object_in_a_sentence_a_list_or_a_quotation_is_asked_about_again() -> None:
    for reply in ASIDE:
        answer = read(reply)
        assert isinstance(answer, Invalid), answer
        assert answer.code == ("bad_json" if reply.endswith("\n{") else "not_alone"), reply


def test_a_reply_that_runs_on_into_other_turns_is_asked_about_again() -> None:
    for who in ["User:", "Human:", "Assistant:", "System:", "user :", "**User:**", "### Human:", "  USER:"]:
        for reply in [
            f"{ACCEPT}\n\n{who} Round 2. It is your turn.\n\n{OFFER}",
            f"{ACCEPT}\n{who} {OFFER}",
            f"I accept.\n```json\n{ACCEPT}\n```\n{who}\n{OFFER}\nYours, Alice",
            f"{ACCEPT}\n{OFFER}\n{who} well\n{OFFER}",
        ]:
            answer = read(reply)
            assert isinstance(answer, Invalid), reply
            assert answer.code == "not_alone", reply
    assert read(f"{ACCEPT}\n" * 50 + "User:\n" * 10_000 + ACCEPT).code == "not_alone"


def test_a_line_of_another_turn_beside_one_object_alone_is_read_over() -> None:
    for reply in [
        f"Assistant: {OFFER}",
        f"User: what now?\nAssistant:\n{OFFER}",
        f"{OFFER}\n\nUser: Round 2. It is your turn.",
        f"{OFFER}\nUser: I could say {ACCEPT} now.",
        f"You said {ACCEPT} before.\nUser: And now?\n{OFFER}",
        f"{ACCEPT}\nNo, as the user: rather\n{OFFER}",
        f"{ACCEPT}\nUsers: none\n{OFFER}",
    ]:
        assert read(reply) == Offer(60.0), reply


def test_a_key_with_null_is_left_out() -> None:
    assert read('{"kind": "offer", "gain": 60, "message": null}') == Offer(60.0)
    assert type(read('{"kind": "accept", "gain": null, "message": null}')) is Accept
    for reply, code in [
        ('{"kind": "offer", "gain": null}', "wrong_type"),
        ('{"kind": null, "gain": 60}', "unknown_kind"),
        ('{"kind": "offer", "gain": 60, "message": null, "message": null}', "bad_json"),
        ('{"kind": "offer", "gain": [null]}', "wrong_type"),
        ('{"kind": "offer", "gain": 60, "message": "null", "more": 1}', "unknown_key"),
    ]:
        answer = read(reply)
        assert isinstance(answer, Invalid), reply
        assert answer.code == code, reply


def test_nothing_in_a_thought_that_does_not_end_is_the_answer() -> None:
    for reply in [
        f"TAG I could say {ACCEPT} but that would be",
        f"TAG\n{ACCEPT}\n",
        f"TAG\n```json\n{ACCEPT}\n```\n",
        f"Well. TAG {ACCEPT}",
        f"TAG one</think> and TAG\n{ACCEPT}",
        f"{ACCEPT}\nTAG But is it wise?",
        f"{ACCEPT}\nTAG\n{OFFER}\n",
        "TAG",
        'TAG {"kind": ',
    ]:
        for tag in ["<think>", "<THINK>", "<think >", "<thinking>", "<thought>", "<reasoning>", "[THINK]"]:
            answer = read(reply.replace("TAG", tag))
            assert isinstance(answer, Invalid), (tag, reply)
            assert answer.code == "thinking", (tag, reply)


def test_answers_are_told_apart() -> None:
    for reply, kind in [('{"kind": "accept"}', Accept), ('{"kind": "reject"}', Reject)]:
        assert type(read(reply)) is kind, kind


def test_messages_may_hold_anything() -> None:
    for message in [
        "braces {inside} the {message} }{",
        'quotes "and" {"kind": "accept"}',
        "back\\slash and \\n",
        "emoji \U0001f469\u200d\U0001f9b0, \u05e2\u05d1\u05e8\u05d9\u05ea, \u4e2d\u6587",
        "lines\nand\ttabs",
        "</think> I thought",
        "<think>{</think>}",
        "<thinking> [THINK] [/think]",
        "<|end|> \u25c1/think\u25b7 <channel|> <|channel|>final<|message|>",
        "```json",
    ]:
        offer = Offer(60.0, message)
        assert read(render_reply(ACTIONS, offer)) == offer, message
        assert read(f"Well.\n```json\n{render_reply(ACTIONS, offer)}\n```") == offer, message


def test_what_cannot_be_read_for_sure_is_no_move() -> None:
    for reply, code in [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("<think>I accept</think>", "empty"),
        ("I accept.", "no_json"),
        ("kind: offer, gain: 60", "no_json"),
        ('["offer", 60]', "no_json"),
        ("60", "no_json"),
        ("{", "bad_json"),
        ("{}{", "bad_json"),
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
        (f"{OFFER} or {ACCEPT}", "many_json"),
        (f"{{thinking}} {OFFER}", "many_json"),
        (f"{OFFER} {{thinking}}", "many_json"),
        (f"{ACCEPT}\n{{kind: offer, gain: 60}}", "bad_json"),
        (f'{ACCEPT}\n{{"kind": "offer", "gain": 6', "bad_json"),
        (f'{{"move":\n{ACCEPT}\n', "bad_json"),
        (f'My answer: {{"move":\n{ACCEPT}\n}}', "missing_key"),
        ("{a} " * 1_000 + "\n" + ACCEPT, "bad_json"),
        ('{"kind": "offer", "gain":' + " " * MAX_OUTSIDE_TEXTS + "60}", "bad_json"),
        ("{" * 101 + '"' + '\\"' * 49_000, "bad_json"),
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
    ]:
        answer = read(reply)
        assert isinstance(answer, Invalid), answer
        assert answer.code == code, reply
        assert answer.code in CODES, reply
        assert len(answer.text) < 300, "the feedback is one sentence, whatever the reply was"


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


@given(gain=st.floats(0, 100))
def test_amounts_keep_every_digit(gain: float) -> None:
    assert read(render_reply(ACTIONS, Offer(gain))).gain == gain
