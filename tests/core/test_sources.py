"""Moves that are a text, such as a program: declared once, read on every face."""

from __future__ import annotations

import json
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import ActionSchema, Invalid, Kind, Legal, Message, Source
from econzoo.envs.core.faces import MoveSpace, UnicodeText, parse_reply, render_reply
from econzoo.envs.families.open_source.library import names, program
from econzoo.envs.games.program_coin import ACTIONS as COIN_ACTIONS
from econzoo.envs.games.program_matrix import ACTIONS, Program
from refusals import refuses, says

LEGAL = Legal((True,), (), False)
C = "def strategy_function(a, b, c, d):\n    return 'C'"
BASES = {"program_matrix": ("matrix", ACTIONS), "program_coin": ("coin_game", COIN_ACTIONS)}

POEMS = ("Roses are red", "Violets are blue")


def no_poem(text: str) -> Invalid | None:
    return None if text[0].isupper() else Invalid("syntax_error", "capital")


def quoted(reply: str) -> str | Invalid:
    parts = reply.split('"')
    return parts[1] if len(parts) == 3 else Invalid("no_program", "quote one poem")


POEM = Source("a poem", lambda: POEMS, no_poem, quoted, 40, "verse")


class Recite(NamedTuple):
    """Recite a poem."""

    poem: Annotated[str, POEM]


class Both(NamedTuple):
    """Recite a poem and say something about it."""

    poem: Annotated[str, POEM]
    words: Annotated[str, Message("words")] = ""


POETRY = ActionSchema(Kind("recite", Recite))


def test_nothing_in_the_core_is_about_programs() -> None:
    """A move that is a poem works alike."""
    assert POETRY.parse({"poem": "Roses"}, LEGAL) == Recite("Roses")
    assert POETRY.parse({"poem": "roses"}, LEGAL) == ("syntax_error", "capital")
    assert parse_reply('I recite "Oh", loudly', POETRY, LEGAL) == Recite("Oh")
    assert parse_reply("I recite", POETRY, LEGAL) == ("no_program", "quote one poem")
    code, text = POETRY.parse({"poem": "R" * 41}, LEGAL)
    assert code == "too_long"
    says(text, "poem", 41, 40)
    assert render_reply(POETRY, Recite("Oh")) == '{"poem":"Oh"}', "its reader finds nothing in a fence"
    assert [POETRY.make(0, (float(i),)) for i in (0, 1)] == [Recite(poem) for poem in POEMS]
    assert POETRY.to_plain(Recite("Oh")) == {"poem": "Oh"}
    assert POETRY.move(Recite("Oh")) == (0, (0.0,))
    assert POETRY.keys == ("poem",)


def test_a_source_stands_alone_in_its_kind() -> None:
    with refuses(ValueError, "both", "Both", "Source"):
        ActionSchema(Kind("both", Both))


# Structured


def test_every_text_of_the_library_is_a_move() -> None:
    for name, (base, actions) in BASES.items():
        for source in (program(base, one) for one in names(base)):
            plain = {"program": source}
            move = actions.parse(plain, LEGAL)
            assert not isinstance(move, Invalid), move
            assert actions.to_plain(move) == plain, name
            assert parse_reply(render_reply(actions, move), actions, LEGAL) == move, name


def test_the_json_schema() -> None:
    schema = ACTIONS.json_schema(LEGAL)
    assert schema["required"] == ["program"]
    assert schema["additionalProperties"] is False
    field = schema["properties"]["program"]
    assert (field["type"], field["maxLength"]) == ("string", 20_000)
    says(field["description"], "strategy_function")
    assert set(field) == {"type", "maxLength", "description"}, "nothing that could be copied"
    assert set(schema["properties"]) == {"program"}
    json.dumps(schema)


def test_what_is_refused() -> None:
    for plain, code in [
        ({}, "missing_key"),
        ({"Program": C}, "unknown_key"),
        ({"program": C, "seed": 1}, "unknown_key"),
        ({"program": C, "kind": "submit"}, "unknown_kind"),
        ({"program": 1.0}, "wrong_type"),
        ({"program": ""}, "empty"),
        ({"program": "\n \t\n"}, "empty"),
        ({"program": "x" * 20_001}, "too_long"),
        ({"program": "x ="}, "syntax_error"),
        ({"program": "x = 1"}, "no_program"),
    ]:
        told = ACTIONS.parse(plain, LEGAL)
        assert isinstance(told, Invalid), plain
        assert told.code == code, plain
        assert told.text, plain
        assert "\n" not in told.text, plain


def test_its_kind_may_be_named() -> None:
    assert ACTIONS.parse({"kind": "program", "program": C}, LEGAL) == Program(C)


def test_a_program_when_the_match_is_over_is_not_possible() -> None:
    assert ACTIONS.parse({"program": C}, LEGAL._replace(kinds=(False,))).code == "illegal_now"


def test_characters_that_no_record_can_hold_are_replaced() -> None:
    told = ACTIONS.parse({"program": C + "  # \x1b[31m \u202e \u05e9 \U0001f600"}, LEGAL)
    assert told.program == C + "  # \ufffd[31m \ufffd \u05e9 \U0001f600"


# Spaces


def test_the_space_of_structured_moves() -> None:
    space = MoveSpace(ACTIONS, LEGAL, seed=1)
    assert space.spaces == {"program": UnicodeText(20_000)}
    for wrong in ({"program": "no"}, {"program": 0}, {}, {"program": C, "x": 1}, C):
        assert wrong not in space
    assert {"program": C} in space
    drawn = [space.sample() for _ in range(200)]
    assert all(one in space for one in drawn)
    assert {one["program"] for one in drawn} == {program("matrix", name) for name in names("matrix")}


def test_numbers_are_places_in_the_library() -> None:
    """Whatever the grid of amounts: there are as many numbers as written programs."""
    for grid in [2, 101]:
        for name, (base, actions) in BASES.items():
            env = econzoo.make(name, grid=grid)
            env.face("player_0")
            assert env.action_space("player_0").n == len(names(base)), (name, grid)
            legal = LEGAL
            for number, one in enumerate(names(base)):
                move = env.face("player_0").decode(number, legal)
                assert move == actions.kinds[0].model(program(base, one)), (name, grid)
                assert env.face("player_0").encode(move, legal) == number, (name, grid)
            for wrong in (-1, len(names(base)), 0.5, np.float64(1.5)):
                assert isinstance(env.face("player_0").decode(wrong, legal), Invalid), (name, grid)


def test_a_program_outside_the_library_has_no_number() -> None:
    env = econzoo.make("program_matrix")
    with pytest.raises((ValueError, KeyError)):
        env.face("player_0").encode(Program(C + "  # of my own"), LEGAL)


# Replies


def fence(source: str, language: str = "python", mark: str = "```") -> str:
    return f"{mark}{language}\n{source}\n{mark}"


GOOD = [
    fence(C),
    fence(C, ""),
    fence(C, "py"),
    fence(C, "python", "~~~"),
    fence(C, "python", "````"),
    f"Here is my program.\n\n{fence(C)}\n\nIt always cooperates.",
    f"<think>{fence('x = 1')} no, better:</think>\n{fence(C)}",
    f"still thinking </think>{C}",
    C,
    f"\n\n{C}\n\n",
    json.dumps({"program": C}),
    json.dumps({"program": C}, indent=2),
    'My answer:\n{"program": ' + json.dumps(C) + "}",
    f"{fence('x = 1')}\nNo, rather:\n{fence(C)}",
    "\n".join("    " + line for line in fence(C).splitlines()),
]


def test_a_program_is_read_fenced_bare_and_as_json() -> None:
    for reply in GOOD:
        assert parse_reply(reply, ACTIONS, LEGAL) == Program(C), reply


def test_tags_in_a_program_are_part_of_it() -> None:
    for tags in ["<think>", "</think>", "<think> </think>", "[/THINK]"]:
        tagged = Program(f"{C}  # {tags}")
        assert parse_reply(render_reply(ACTIONS, tagged), ACTIONS, LEGAL) == tagged, tags
        assert parse_reply(tagged.program, ACTIONS, LEGAL) == tagged, tags


BLANKS = st.text("\n\t ", max_size=3)
SIGNS = [
    "`" * 3,
    "~" * 4,
    "<think>",
    "</think>",
    "[think]",
    "[/THINK]",
    "<|end|>",
    "</s>",
    "\u25c1/think\u25b7",
    "<" * 1001,
]
COMMENTS = st.lists(st.sampled_from([*SIGNS, "{}", '"', "\\n", "\u00e9", "analysisA", " "]), max_size=4).map("".join)


@given(BLANKS, COMMENTS, COMMENTS, BLANKS)
def test_a_program_is_read_from_its_own_reply_to_the_last_sign(
    before: str, above: str, below: str, behind: str
) -> None:
    move = ACTIONS.parse({"program": f"{before}#{above}\n{C}  #{below}{behind}"}, LEGAL)
    assume(not isinstance(move, Invalid))
    assert parse_reply(render_reply(ACTIONS, move), ACTIONS, LEGAL) == move


BAD = [
    ("", "empty"),
    (" \n", "empty"),
    ("<think>hm</think>", "empty"),
    (fence(""), "empty"),
    ("C", "no_program"),
    ("I shall cooperate.", "no_program"),
    (f"My program: {C}", "no_program"),
    (f"`{C}`", "no_program"),
    ("```python\n" + C, "no_program"),  # the fence does not end
    (f"{fence(C)}\n{fence('x = 1')}", "no_program"),  # the last block counts
    (f"<think>{fence(C)}", "thinking"),
    (f"<think>one</think><think>\n{C}", "thinking"),
    (f"{fence(C)}\n<think>Or rather", "thinking"),
    ('{"program": ' + json.dumps(C) + "} is my answer", "not_alone"),
    (fence("def strategy_function(a, b, c, d):"), "syntax_error"),
    (fence("x = 1"), "no_program"),
    (fence(C + "#" * 20_000), "too_long"),
    ("#" * 100_001, "too_long"),
    (json.dumps({"source": C}), "unknown_key"),
    (json.dumps({"program": C, "note": "hi"}), "unknown_key"),
    (json.dumps({"program": [C]}), "wrong_type"),
    (json.dumps({"program": ""}), "empty"),
    (json.dumps({"program": C})[:-1], "bad_json"),
    (json.dumps({"program": C}) * 2, "many_json"),
    ('{"program": NaN}', "bad_json"),
]


def test_nothing_else_is_taken_for_a_program() -> None:
    for reply, code in BAD:
        told = parse_reply(reply, ACTIONS, LEGAL)
        assert isinstance(told, Invalid), reply
        assert told.code == code, reply


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_words_become_a_program(before: str, after: str) -> None:
    told = parse_reply(f"{before}{after}", ACTIONS, LEGAL)
    assert isinstance(told, Invalid)


def test_a_reply_is_text() -> None:
    for value in [None, 5, b"x", ["x"], {"program": C}]:
        assert parse_reply(value, ACTIONS, LEGAL).code == "wrong_type", value
