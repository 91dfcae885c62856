"""Sources: what may be submitted, and what is found in a reply."""

from __future__ import annotations

from econzoo.envs.core.contract import Invalid
from econzoo.envs.families.open_source import COIN_GAME, MATRIX, Failure, problem_of
from econzoo.envs.families.open_source.source import extract_program
from programs.writing import TIT_FOR_TAT, body
from refusals import says

PROGRAM = body()


def test_a_source_is_refused_for_its_own_reason() -> None:
    for source, failure, *named in [
        (" \n", Failure.NO_PROGRAM),
        ("x = 1", Failure.NO_PROGRAM, "strategy_function", "my_history", "opp_history"),
        ("def strategy_function(a, b): pass", Failure.NO_PROGRAM, "line 1", "strategy_function", 4),
        ("def strategy_function(a, b, c, *, d): pass", Failure.NO_PROGRAM, 4),
        ("def strategy_function(a, b, c, d, **e): pass", Failure.NO_PROGRAM, 4),
        ("def f(:", Failure.SYNTAX_ERROR, "line 1"),
        (PROGRAM + "import os", Failure.SYNTAX_ERROR, "'os'", "re", "math", "random", "json"),
        (PROGRAM + "x = eval", Failure.SYNTAX_ERROR, "eval"),
        (PROGRAM + "#" * 1000, Failure.LIMIT, len(PROGRAM) + 1000, 500),
    ]:
        problem = problem_of(source, MATRIX.parameters, 500)
        assert problem is not None, source
        assert problem.failure is failure, source
        says(problem.text, *named)
        assert ("line" in problem.text) is ("def " in source and failure is not Failure.LIMIT), source


def test_a_program_has_as_many_words_and_signs_as_can_be_parsed_at_once() -> None:
    for unit, count, *named in [
        ("word ", 3_980),
        ("word ", 9_990, 50015, 20000),
        ("+a", 7_970 // 2),
        ("+a", 8_000 // 2, 8017, 8000),
        ("+1 \n", 8_000 // 2, 8017, 8000),
    ]:
        problem = problem_of(f"{PROGRAM}#{unit * count}", MATRIX.parameters, 20_000)
        assert (problem is not None) == bool(named), (unit, count)
        says(problem.text if problem else "", *named)


def test_how_deep_a_program_may_be_nested_does_not_depend_on_the_python() -> None:
    for signs in [1, 500, 1_000, 2_000, 7_900]:
        problem = problem_of(PROGRAM + "-" * signs + "1", MATRIX.parameters, 20_000)
        assert (problem is not None) == (signs >= 1_000), signs


def test_what_python_would_play_otherwise_is_refused() -> None:
    """The sandbox reads names of a class in comprehensions of its body, and takes `global` of a parameter."""
    for made in [
        "class A:\n  x = 'C'\n  y = [x for _ in 'a']",
        "class A:\n  x = 'C'\n  y = {k: v for k in 'a' for v in x}",
        "class A:\n  def x(self): pass\n  y = sum(1 for _ in 'a' if x)",
        "class A:\n  x = 'C'\n  y = [[x for _ in 'a'] for _ in 'b']",
    ]:
        problem = problem_of(f"{made}\n{PROGRAM}", MATRIX.parameters, 20_000)
        assert problem is not None, made
        says(problem.text, "line 3", "class A", "x")
    for made, word in [
        ("def g(a):\n  global a", "global"),
        ("def g(a, a): pass", "duplicate"),
        ("def g():\n  nonlocal b", "nonlocal"),
        ("return 1", "return"),
        ("continue", "loop"),
    ]:
        problem = problem_of(f"{made}\n{PROGRAM}", MATRIX.parameters, 20_000)
        assert problem is not None, made
        says(problem.text, "line", word)
    for made in ("class A:\n  x = 'C'\n  y = [z for z in x]", "class A:\n  x = 1\ny = [A.x for x in 'a']"):
        assert problem_of(f"{made}\n{PROGRAM}", MATRIX.parameters, 20_000) is None, made


def test_a_source_is_taken() -> None:
    for source in [
        PROGRAM,
        TIT_FOR_TAT,
        "import re, math, random, json\nfrom math import pi as p\n" + PROGRAM,
        "def strategy_function(a, b, /, c, d='x'): return 'C'",
        "x = 1\ndef helper(): pass\n" + PROGRAM,
    ]:
        assert problem_of(source, MATRIX.parameters, 500) is None, source


def test_the_number_of_parameters_is_that_of_the_game() -> None:
    problem = problem_of(PROGRAM, COIN_GAME.parameters, 500)
    assert problem is not None
    says(problem.text, 5, "strategy_function", "state")


def test_the_program_of_a_reply_is_found() -> None:
    for reply in [
        PROGRAM,
        f"```python\n{PROGRAM}```",
        f"Here it is:\n\n```\n{PROGRAM}```\nGood luck!",
        f"~~~py\n{PROGRAM}~~~",
        f"<think>```python\nnot this\n```</think>\n```python\n{PROGRAM}```",
        f"    ```python\n{''.join('    ' + line for line in PROGRAM.splitlines(keepends=True))}    ```",
    ]:
        found = extract_program(reply)
        assert isinstance(found, str), reply
        assert found.strip() == PROGRAM.strip(), reply


def test_a_reply_without_one_program_is_refused() -> None:
    for reply, code in [
        ("", "empty"),
        (" \n", "empty"),
        ("<think>a plan</think> ", "empty"),
        ("```python\n\n```", "empty"),
        ("I cooperate.", "no_program"),
        ("x = 1", "no_program"),
        (f"Here it is: {PROGRAM}", "no_program"),
        (f"<think>\n```\n{PROGRAM}```\n", "thinking"),
    ]:
        found = extract_program(reply)
        assert isinstance(found, Invalid), reply
        assert found.code == code, reply


PLAIN = 'def strategy_function(a, b, c, d):\n    return "C"'


def test_however_a_program_is_wrapped() -> None:
    for reply in [
        f"```python\n{PLAIN}\n```",
        f"```python\r\n{PLAIN}\r\n```\r\n",
        f"\ufeff```python\n\ufeff{PLAIN}\n```",
        f"\ufeff{PLAIN}",
        f"````python\n{PLAIN}\n`````",
        f"~~~\n{PLAIN}\n~~~",
        f"A draft is in my head.</think>\n```\n{PLAIN}\n```\nDone.",
    ]:
        assert extract_program(reply) == PLAIN, reply


def test_a_bare_program_is_taken_whole() -> None:
    for source in [f'"""Like so:\n\n```\nx\n```\n"""\n{PLAIN}', f"# not </think> yet\n{PLAIN}"]:
        assert extract_program(source) == source, source


def test_a_model_that_repeats_itself_writes_no_program() -> None:
    for reply in ["~" * 16_000 + "x\n" * 16_000, "```x\n" * 19_000, "```a\n```\n" * 9_000]:
        found = extract_program(reply)
        assert isinstance(found, Invalid)
