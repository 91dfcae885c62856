"""Replies as long as allowed, each of a shape that some way of reading finds hard."""

from __future__ import annotations

from collections.abc import Callable

from econzoo.envs.core.faces import MAX_REPLY
from econzoo.envs.families.open_source.source import MAX_SOURCE_LENGTH, MAX_TOKEN_DENSITY, WORD_OR_SIGN

HEAD = "def strategy_function(a, b, c, d):\n    return 'C'\n"
"""A program for the game of two moves; those of the coin game have a parameter more."""

Shape = Callable[[int], str]
"""From a number of characters to a text of as many, or a few less."""


def filled(unit: str, before: str = "", after: str = "") -> Shape:
    """A text that is one unit again and again, with a beginning and an end."""
    return lambda size: before + unit * ((size - len(before) - len(after)) // len(unit)) + after


def nested(opening: str, closing: str, core: str) -> Shape:
    """A text with as many brackets inside each other as fit."""
    return lambda size: (
        opening * (count := (size - len(core)) // (len(opening) + len(closing))) + core + closing * count
    )


def program(unit: str, before: str = "", after: str = "\n") -> Shape:
    """A fenced program, of which the most are too long."""
    return filled(unit, f"```python\n{HEAD}{before}", f"{after}```")


def program_alone(unit: str, before: str = "", after: str = "\n") -> Shape:
    """A program without a fence, as long as one may be, and with as many words and signs."""
    shape = filled(unit, HEAD + before, after)
    count = len(WORD_OR_SIGN.findall(shape(MAX_SOURCE_LENGTH)))
    longest = min(MAX_SOURCE_LENGTH, int(MAX_SOURCE_LENGTH * MAX_SOURCE_LENGTH * MAX_TOKEN_DENSITY / count) - 60)
    return lambda size: shape(min(size, longest))


WORDS: dict[str, Shape] = {
    "one long line": filled("x"),
    "prose": filled("I would rather wait. "),
    "blanks": filled(" "),
    "empty lines": filled("\n"),
    "unicode": filled("\u65e5"),
    "emoji": filled("\U0001f91d"),
    "lone surrogates": filled("\ud83d"),
    "NUL": filled("\0"),
    "quotes": filled('"'),
    "apostrophes": filled("'"),
    "backslashes": filled("\\"),
    "backslashes and quotes": filled('\\"'),
    "smaller than": filled("<"),
    "ends of tags": filled("</"),
}
"""Without any brace."""

THOUGHTS: dict[str, Shape] = {
    "a thought without an end": filled('{"kind": "accept"}\n', "<think>"),
    "a thought and an answer": filled("hm ", "<think>", '</think>{"kind": "accept"}'),
    "openings of thoughts": filled("<think>"),
    "ends of thoughts": filled("</think>"),
    "almost ends of thoughts": filled("</think"),
    "thoughts inside each other": nested("<think>", "</think>", "x"),
}

OBJECTS: dict[str, Shape] = {
    "opening braces": filled("{"),
    "closing braces": filled("}"),
    "braces on lines": filled("{\n"),
    "pairs of braces": filled("{}"),
    "pairs of braces on lines": filled("{}\n"),
    "braces inside each other": nested("{", "}", ""),
    "sets in prose": filled("{a, b} "),
    "objects": filled('{"kind": "accept"}'),
    "objects on lines": filled('{"kind": "accept"}\n'),
    "an object after prose": filled("x", "", '\n{"kind": "accept"}'),
    "an object before prose": filled("x", '{"kind": "accept"}\n'),
    "an object in prose": lambda size: "x" * (size // 2) + '{"kind": "accept"}' + "x" * (size // 2 - 20),
    "deep objects": nested('{"a":', "}", "1"),
    "deep lists": nested("[", "]", ""),
    "deep lists in an object": lambda size: '{"a":' + nested("[", "]", "")(size - 6) + "}",
    "opening lists": filled("["),
    "an object in lists": nested("[", "]", '{"kind": "accept"}'),
    "empty objects in a list": filled("{},", '{"a":[', "1]}"),
    "empty lists in an object": filled("[],", '{"a":[', "1]}"),
    "numbers in a list": filled("1,", '{"a":[', "1]}"),
    "many keys": lambda size: "{" + ",".join(f'"{i:06}":1' for i in range(size // 11)) + "}",
    "one key again and again": filled('"a":1,', "{", '"b":1}'),
    "a long whole number": filled("9", '{"gain":', "}"),
    "a long fraction": filled("1", '{"gain":0.', "}"),
    "a long exponent": filled("9", '{"gain":1e', "}"),
    "a long text": filled("x", '{"message":"', '"}'),
    "a long text of escapes": filled("\\n", '{"message":"', '"}'),
    "a long text of code points": filled("\\u65e5", '{"message":"', '"}'),
    "a long text of words": filled("x ", '{"kind":"', '"}'),
    "a long text of braces": filled("{", '{"message":"', '"}'),
    "a long key": filled("x", '{"', '":1}'),
    "a text without an end": filled("x", '{"message":"'),
    "escaped quotes without an end": filled('\\"', "{" * 101 + '"'),
    "quotes on lines in an object": filled('"\n', "{", "}"),
    "blanks in an object": filled(" ", '{"a":', "1}"),
    "an object in fences": filled("```", "", '\n{"kind": "accept"}\n```'),
}
"""With braces, or what stands in them."""

PROGRAMS: dict[str, Shape] = {
    "fences": filled("```\n"),
    "a fence without an end": filled("x = 1\n", "```python\n"),
    "fenced blocks": filled("```\nx\n```\n"),
    "tildes": filled("~~~\n"),
    "a line of backticks": filled("`"),
    "f-string": program("{a}", 'f"', '"\n'),
    "f-string alone": filled("{a}", 'f"', '"'),
    "program: statements": program("x = 1\n"),
    "program: indented lines": filled(
        "    x = 1\n", "    ```python\n    def strategy_function(a, b, c, d):\n", "    ```"
    ),
    "program: no more than allowed": lambda size: program("x = 1\n")(min(size, MAX_SOURCE_LENGTH)),
    "program: f-string": program_alone("{a}", 'f"', '"\n'),
    "program: f-strings in f-strings": program_alone("{f'{a}'}", 'f"', '"\n'),
    "program: f-string formats": program_alone("{a:>{b}}", 'f"', '"\n'),
    "program: f-strings on lines": program_alone('f"{a}"\n'),
    "program: semicolons": program_alone("a;", after="a\n"),
    "program: carriage returns": program_alone("a\r"),
    "program: a list": program_alone("1,", "[", "]\n"),
    "program: a huge number": program_alone("9", "x = "),
    "program: a huge hexadecimal number": program_alone("f", "x = 0x"),
    "program: a huge text": program_alone("a", "x = '", "'\n"),
    "program: names of characters": program_alone("\\N{DASH}", 'x = "', '"\n'),
    "program: decorators": program_alone("@a\n"),
    "program: brackets inside each other": program_alone("#", f"x = {'(' * 199}1{')' * 199}\n"),
    "program: ligatures": program_alone("\ufdfa", "x = '", "'\n"),
    "program: conditions": program_alone(" and a or b", "x = a"),
    "program: matches": program_alone("match a:\n case 1:1\n"),
    "program: lambdas in a list": program_alone("lambda:1,", "x = [", "]\n"),
    "program: too many signs": lambda size: filled("a,", HEAD)(MAX_SOURCE_LENGTH),
    "program: signs": program_alone("-", "x = ", "1\n"),
    "program: negations": program_alone("not ", "x = ", "1\n"),
    "program: calls": program_alone("()", "x = a"),
    "program: lambdas": program_alone("lambda: ", "x = ", "1\n"),
    "program: comparisons": program_alone("a < ", "x = ", "1\n"),
    "program: chains of assignments": program_alone("a = ", "", "1\n"),
    "program: else if": program_alone("elif a: 0\n", "if a: 0\n"),
    "program: open brackets": program_alone("("),
    "program: after 100,000 characters": lambda size: " " * (size - len(HEAD)) + HEAD,
    "program: in JSON": filled("x = 1\\n", '{"program": "' + HEAD.replace("\n", "\\n"), '"}'),
}
"""Fences and sources; those called a program define what is called."""

SHAPES: dict[str, Shape] = {**WORDS, **THOUGHTS, **OBJECTS, **PROGRAMS}


def longest(name: str) -> str:
    """A reply of the shape with this name, as long as a reply may be."""
    return SHAPES[name](MAX_REPLY)
