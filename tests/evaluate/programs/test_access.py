"""The opponent-source access score, on programs whose statements can be counted."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_sources import BROKEN, CLIQUE, COOPERATE, HEAD, program

from econzoo.evaluate.analyses.programs.sources import access_score
from econzoo.evaluate.analyses.programs.syntax import MAX_DEPTH
from refusals import refuses

OPP = "opponent_program_code"

BOTH = [
    # The three that were probed on the published code.
    (f"tree = ast.parse({OPP})\nfor node in ast.walk(tree):\n    if 'D' in {OPP}:\n        return 'D'\nreturn 'C'", 3),
    (f"if 'D' in {OPP} and len({OPP}) > 3:\n    return 'D'\nreturn 'C'", 1),
    (f"return 'C' if {OPP} == my_program_code else 'D'", 1),
    # What else both definitions agree on.
    ("return 'C'", 0),
    (f"{OPP}\nreturn 'C'", 0),
    (f"a = {OPP}\nb = a\nif b == 'x':\n    return 'D'", 1),
    (f"a = {OPP}\na = 'x'\nreturn a == 'x'", 0),
    (f"self.code = {OPP}\nreturn self.code == 'x'", 1),
    (f"a = {OPP} + 'x'\nreturn a", 1),
    (f"a = len({OPP})\nb = a % 2\nreturn b == 0", 3),
    (f"for line in {OPP}:\n    pass", 1),
    (f"if {OPP}:\n    a = 'D'\nelse:\n    a = 'C'\nreturn a == 'C'", 0),  # control marks nothing
    (f"while len({OPP}) > 3:\n    return len(my_history)", 1),
]

EXTENDED_ONLY = [
    (f"a, b = {OPP}, 1\nif b == 1:\n    return 'C'\nreturn a == 'x'", 0, 1),
    (f"a, *b = {OPP}\nreturn b == 'x'", 0, 1),
    (f"a = ''\na += {OPP}\nreturn a == 'x'", 0, 2),
    (f"a: str = {OPP}\nreturn a == 'x'", 0, 1),
    (f"if (a := {OPP}):\n    return a == 'x'", 0, 1),
    (f"for line in {OPP}:\n    if line == 'x':\n        return 'D'", 1, 2),
    (f"a = [line for line in {OPP} if line == 'x']\nreturn a", 0, 1),
    (f"a = [b for line in 'x' if (b := {OPP})]\nreturn b == 'x'", 0, 1),
    (f"d = {{}}\nd['k'] = {OPP}\nreturn d['k'] == 'x'", 0, 1),
    (f"with opened({OPP}) as file:\n    return file == 'x'", 1, 2),
    (f"match {OPP}:\n    case [first, *rest]:\n        return first == 'x'", 0, 2),
    (f"def f(text):\n    return len(text)\nreturn f({OPP})", 1, 2),
    (f"def f(a, text='x'):\n    return len(text)\nreturn f(1, text={OPP})", 1, 2),
    (f"def f(*texts):\n    return len(texts)\nreturn f(1, {OPP})", 1, 2),
    (f"def f(text):\n    return len(text)\nreturn f('x') + len({OPP})", 1, 1),
    (f"def f():\n    return code == 'x'\ncode = {OPP}\nreturn f()", 0, 2),  # one in the function, one its call
    (f"def f(text={OPP}):\n    return text == 'x'\nreturn f()", 0, 2),
    (f"f = lambda text: text == 'x'\na = f({OPP})", 1, 2),
    (f"return any(map(lambda line: line == 'x', {OPP}))", 1, 1),
    (f"def f(line):\n    return line == 'x'\nreturn any(map(f, {OPP}))", 1, 2),
    # A mark that is made late in a loop is there at its head in the next turn.
    (f"a = ''\nfor i in range(3):\n    if a == 'x':\n        return 'D'\n    a = {OPP}", 0, 1),
    (f"try:\n    a = {OPP}\nexcept ValueError:\n    a = ''\nreturn a == 'x'", 0, 1),
    (f"if my_history:\n    a = {OPP}\nelse:\n    a = ''\nreturn a == 'x'", 0, 1),
    (f"a = {OPP}\na: str = ''\nreturn a == 'x'", 1, 0),  # and what the paper's definition does not clear
]


def test_where_both_definitions_agree():
    for body, score in BOTH:
        assert access_score(program(body)) == access_score(program(body), "extended") == score, body


def test_assignments_that_the_paper_s_definition_misses():
    for body, paper, extended in EXTENDED_ONLY:
        assert (access_score(program(body)), access_score(program(body), "extended")) == (paper, extended), body


def test_the_source_is_the_last_parameter_whatever_its_name():
    renamed = CLIQUE.replace(OPP, "theirs")
    assert (access_score(renamed), access_score(renamed, "extended")) == (0, 1)
    coins = program("return 'UP' if theirs == mine else 'DOWN'", "def strategy_function(board, a, b, mine, theirs):\n")
    assert access_score(coins, "extended") == 1


def test_recursion_and_helpers_outside_of_the_entry():
    source = "def f(a, n):\n    if n == 0:\n        return len(a)\n    return f(a, n - 1)\n" + program(
        f"return f({OPP}, 3)"
    )
    assert access_score(source, "extended") == 3  # len(a), the call in f, the call in the entry
    assert access_score(source) == 1


def test_what_is_no_program_has_no_score():
    for definition in ["paper", "extended"]:
        for source in [None, "", "  \n", BROKEN, "x = 1\0", "(" * 300 + ")" * 300]:
            assert math.isnan(access_score(source, definition)), (source, definition)


def test_without_an_entry_nothing_can_be_followed():
    assert math.isnan(access_score("async " + COOPERATE.lstrip(), "extended"))  # nobody calls a coroutine
    assert math.isnan(access_score("x = 1", "extended"))
    assert access_score("x = 1") == 0


def test_an_unknown_definition():
    with refuses(ValueError, "definition='both'", "paper", "extended"):
        access_score(COOPERATE, "both")  # type: ignore[arg-type]


def test_programs_made_to_take_long_do_not():
    for body in [
        "return " + "f(" * 120 + OPP + ")" * 120,
        "a = 0\n" + "".join("  " * i + f"for x{i} in {OPP}:\n" for i in range(19)) + "  " * 19 + f"a = {OPP}",
        "if my_history:\n    pass\n" + "".join(f"elif {OPP} == '{i}':\n    pass\n" for i in range(MAX_DEPTH - 20)),
        "\n".join(f"a{i} = a{i + 1}" for i in range(200)),
        "while True:\n" + "\n".join(f"    a{i} = a{i + 1}" for i in range(60)) + f"\n    a60 = {OPP}",
    ]:
        assert access_score(program(body)) >= 0, body[:40]
        assert access_score(program(body), "extended") >= 0, body[:40]


def test_a_chain_too_deep_for_its_readers_is_no_program():
    assert math.isnan(access_score(program("return " + "+".join([OPP] * 3000))))


NAMES = st.sampled_from(["a", "b", OPP, "my_history"])
VALUES = st.one_of(NAMES, st.builds("{} + {}".format, NAMES, NAMES), st.builds("len({})".format, NAMES))
SIMPLE = st.one_of(
    st.builds("{} = {}".format, st.sampled_from("ab"), VALUES),
    st.builds("if {} == 1:\n    pass".format, VALUES),
    st.builds("for i in {}:\n    a = {}".format, VALUES, VALUES),
    # No else: the paper's definition takes marks from one branch into the other.
    st.builds("if len({}) > 1:\n    a = {}".format, NAMES, VALUES),
)


@pytest.mark.long
@settings(max_examples=150)
@given(st.lists(SIMPLE, max_size=8))
def test_the_extended_score_counts_no_less_where_names_are_all_there_is(statements):
    source = HEAD + "    a = b = 0\n" + "".join("    " + line + "\n" for s in statements for line in s.split("\n"))
    assert access_score(source, "extended") >= access_score(source)
