"""Sources: what may be submitted, and what is found in a reply."""

from __future__ import annotations

import pytest

from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.families.open_source.failures import Failure
from econzoo.envs.families.open_source.interfaces import COIN_GAME, MATRIX
from econzoo.envs.families.open_source.source import extracted, problem_of
from programs.writing import TIT_FOR_TAT, body

PROGRAM = body()


@pytest.mark.parametrize(
    ("source", "failure", "words"),
    [
        (" \n", Failure.NO_PROGRAM, "there is no program"),
        ("x = 1", Failure.NO_PROGRAM, "does not define def strategy_function(my_history, opp_history,"),
        ("def strategy_function(a, b): pass", Failure.NO_PROGRAM, "line 1: strategy_function must have exactly 4"),
        ("def strategy_function(a, b, c, *, d): pass", Failure.NO_PROGRAM, "exactly 4"),
        ("def strategy_function(a, b, c, d, **e): pass", Failure.NO_PROGRAM, "exactly 4"),
        ("def f(:", Failure.SYNTAX_ERROR, "line 1: "),
        (PROGRAM + "import os", Failure.SYNTAX_ERROR, "cannot import 'os'; allowed: re, math, random, json"),
        (PROGRAM + "x = eval", Failure.SYNTAX_ERROR, "eval is not allowed"),
        (PROGRAM + "#" * 1000, Failure.LIMIT, f"the program has {len(PROGRAM) + 1000} characters; allowed: 500"),
    ],
)
def test_a_source_is_refused_for_its_own_reason(source: str, failure: Failure, words: str) -> None:
    problem = problem_of(source, MATRIX.parameters, 500)
    assert problem is not None
    assert problem.failure is failure
    assert words in problem.text


@pytest.mark.parametrize(
    ("unit", "count", "words"),
    [
        ("word ", 3_980, None),
        ("word ", 9_990, "the program has 50015 characters; allowed: 20000"),
        ("+a", 7_970 // 2, None),
        ("+a", 8_000 // 2, "the program has 8017 words and signs; allowed: 8000"),
        ("+1 \n", 8_000 // 2, "the program has 8017 words and signs; allowed: 8000"),
    ],
)
def test_a_program_has_as_many_words_and_signs_as_can_be_parsed_at_once(
    unit: str, count: int, words: str | None
) -> None:
    problem = problem_of(f"{PROGRAM}#{unit * count}", MATRIX.parameters, 20_000)
    assert (problem and problem.text) == words


@pytest.mark.parametrize("signs", [1, 500, 1_000, 2_000, 7_900])
def test_how_deep_a_program_may_be_nested_does_not_depend_on_the_python(signs: int) -> None:
    problem = problem_of(PROGRAM + "-" * signs + "1", MATRIX.parameters, 20_000)
    assert (problem is not None and "nested too deeply" in problem.text) == (signs >= 1_000)


@pytest.mark.parametrize(
    "source",
    [
        PROGRAM,
        TIT_FOR_TAT,
        "import re, math, random, json\nfrom math import pi as p\n" + PROGRAM,
        "def strategy_function(a, b, /, c, d='x'): return 'C'",
        "x = 1\ndef helper(): pass\n" + PROGRAM,
    ],
)
def test_a_source_is_taken(source: str) -> None:
    assert problem_of(source, MATRIX.parameters, 500) is None


def test_the_number_of_parameters_is_that_of_the_game() -> None:
    problem = problem_of(PROGRAM, COIN_GAME.parameters, 500)
    assert problem is not None
    assert "exactly 5 parameters: def strategy_function(state, my_history" in problem.text


@pytest.mark.parametrize(
    "reply",
    [
        PROGRAM,
        f"```python\n{PROGRAM}```",
        f"Here it is:\n\n```\n{PROGRAM}```\nGood luck!",
        f"~~~py\n{PROGRAM}~~~",
        f"<think>```python\nnot this\n```</think>\n```python\n{PROGRAM}```",
        f"    ```python\n{''.join('    ' + line for line in PROGRAM.splitlines(keepends=True))}    ```",
    ],
)
def test_the_program_of_a_reply_is_found(reply: str) -> None:
    found = extracted(reply)
    assert isinstance(found, str)
    assert found.strip() == PROGRAM.strip()


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("<think>a plan</think> ", "empty"),
        ("```python\n\n```", "empty"),
        ("I cooperate.", "no_program"),
        ("x = 1", "no_program"),
        (f"Here it is: {PROGRAM}", "no_program"),
        (f"<think>\n```\n{PROGRAM}```\n", "thinking"),
    ],
)
def test_a_reply_without_one_program_is_refused(reply: str, code: str) -> None:
    found = extracted(reply)
    assert isinstance(found, Invalid)
    assert found.code == code


PLAIN = 'def strategy_function(a, b, c, d):\n    return "C"'


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{PLAIN}\n```",
        f"```python\r\n{PLAIN}\r\n```\r\n",
        f"\ufeff```python\n\ufeff{PLAIN}\n```",
        f"\ufeff{PLAIN}",
        f"````python\n{PLAIN}\n`````",
        f"~~~\n{PLAIN}\n~~~",
        f"A draft is in my head.</think>\n```\n{PLAIN}\n```\nDone.",
    ],
)
def test_however_a_program_is_wrapped(reply: str) -> None:
    assert extracted(reply) == PLAIN


@pytest.mark.parametrize("source", [f'"""Like so:\n\n```\nx\n```\n"""\n{PLAIN}', f"# not </think> yet\n{PLAIN}"])
def test_a_bare_program_is_taken_whole(source: str) -> None:
    assert extracted(source) == source


@pytest.mark.parametrize("reply", ["~" * 16_000 + "x\n" * 16_000, "```x\n" * 19_000, "```a\n```\n" * 9_000])
def test_a_model_that_repeats_itself_writes_no_program(reply: str) -> None:
    found = extracted(reply)
    assert isinstance(found, Invalid)
