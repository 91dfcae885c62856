"""The hostile programs: each with a name that says where it comes from, and the places that a statement is put into."""

from __future__ import annotations

from fuzz.programs.bombs import STATEMENTS
from fuzz.programs.values import RETURNED, WAYS_OUT
from fuzz.programs.whole import PROGRAMS
from programs.bombs import BOMBS
from programs.escapes import ESCAPES
from programs.writing import BODY, body, having

PLACES = {
    "in a turn": body,
    "when loaded": lambda line: having(line.replace("own", "'own'").replace("other", "'other'")),
    "in turn 3": lambda line: body("if len(mine) == 2:", f"    {line}"),
    "caught": lambda line: body(f"try: {line}", "except BaseException: pass"),
    "caught for ever": lambda line: body("while True:", f"    try: {line}", "    except BaseException: pass"),
    "in except": lambda line: body("try: 1 / 0", "except Exception:", f"    {line}"),
    "in finally": lambda line: body("try: return 'D'", "finally:", f"    {line}"),
    "in a nested function": lambda line: body("def inner():", f"    {line}", "inner()"),
    "in a sort key": lambda line: body("def key(n):", f"    {line}", "    return n", "sorted([2, 1], key=key)"),
    "in __eq__ of the move": lambda line: body(
        "class A:", "    def __eq__(self, o):", f"        own = other = ''; {line}", "        return True", "return A()"
    ),
    "in a program that is simulated": lambda line: body(f"return simulate({body(line)!r}, [])"),
}
"""How a statement becomes a program."""


def _placed() -> dict[str, str]:
    """Every statement as it stands, and in one more place, by turns."""
    names, found = list(PLACES), {}
    for family, lines in {**STATEMENTS, "way out": WAYS_OUT}.items():
        for number, line in enumerate(lines):
            for place in (names[0], names[1 + number % (len(names) - 1)]):
                found[f"{family} {number} {place}"] = PLACES[place](line)
    return found


_NAMED = {
    **_placed(),
    **{f"{family} {number}": source for family, sources in PROGRAMS.items() for number, source in enumerate(sources)},
    **{f"returned {number}": body(f"return {value}") for number, value in enumerate(RETURNED)},
    **{f"attack: {name}": source for name, source, _ in (*ESCAPES, *BOMBS)},
}

HOSTILE: dict[str, str] = {name: source for source, name in {source: name for name, source in _NAMED.items()}.items()}
"""All of them by name, each once, as programs for `program_matrix`."""


def in_coin_game(source: str) -> str:
    """The same program for `program_coin`, whose function is told the state too."""
    return source.replace(BODY, BODY.replace("(", "(state, ")).replace("return 'C'", "return 'UP'")
