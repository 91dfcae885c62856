"""Programs of a grammar that touch nothing: they compute, and return what they saw.

Every program is the body of one function, over a few names that all its parts share, so that scopes meet: functions and
lambdas, classes, comprehensions, `global` and `nonlocal`, loops with `else`, exceptions, unpacking, formatting.
What docs/programs.md names as different in the sandbox is left out: formats of lists, methods that are missing, lists
and sets changed in place by an operator, lambdas in lambdas, parameters of lambdas with names of globals, and which of
several errors comes first. So are identity, hashes and the order of sets, which Python leaves open.
"""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "c", "d")
"""Few, so that the same name is local, free, of a class and of a comprehension."""

ATOMS = ("0", "1", "-3", "7", "2.5", "True", "None", "'C'", "'DC'", "''", "[1, 2, 3]", "(1, 'x')", "{'k': 1}", "[]")

BINARY = ("+", "-", "*", "//", "%", "/", "&", "|", "^", "**", "<<")
COMPARE = ("<", "<=", "==", "!=", ">", ">=", "in", "not in")

CALLS = (
    *("len({0})", "sorted({0})", "sum({0})", "min({0}, {1})", "max({0}, {1})", "abs({0})", "list({0})", "tuple({0})"),
    *(
        "str({0})",
        "repr({0})",
        "bool({0})",
        "int({0})",
        "float({0})",
        "round({0}, 1)",
        "list(range({0}))",
        "sorted(set({0}))",
    ),
    *("list(zip({0}, {1}))", "list(enumerate({0}))", "list(reversed({0}))", "any({0})", "all({0})", "divmod({0}, {1})"),
    *("list(map(str, {0}))", "isinstance({0}, int)", "isinstance({0}, (str, list))", "type({0}).__name__"),
    *("sorted({0}, key=lambda p: (p == {1}, str(p)))", "sorted({0}, reverse=True)", "ord({0})", "chr({0})"),
    *("({0}).upper()", "({0}).split()", "({0}).count({1})", "({0}).index({1})", "({0}).get({1}, 0)"),
    *("({0}).join(['x', 'y'])", "({0}).strip()", "({0}).startswith('D')", "({0}).find({1})", "({0}).copy()"),
    *("({0}).replace('C', 'D')", "list(({0}).items())", "dict({n}={0})", "pow({0}, {1})"),
    "list(filter(None, {0}))",
)


class Writer:
    """Writes one program from a seed."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        self._functions, self._in_lambda = 0, False

    def program(self) -> str:
        body = "\n".join(self._block(2, 1, top=True))
        head, value = "a, b = 5, 'CD'\ndef f(c, d):\n    seen = []", "repr((f([1, 2, 'C'], 4), a, b))"
        return f"{head}\n{body}\n    return seen, c, d\n{value}"

    def _pick(self, *among: str) -> str:
        return self._draw.choice(among)

    def _name(self) -> str:
        return self._pick(*NAMES)

    def expression(self, depth: int) -> str:
        if depth <= 0 or self._draw.random() < 0.2:
            return self._name() if self._draw.random() < 0.6 else self._pick(*ATOMS)
        e = lambda: self.expression(depth - 1)  # noqa: E731
        n = self._name()
        kind = self._draw.randrange(17)
        if kind < 3:
            return f"({e()} {self._pick(*BINARY)} {e()})"
        if kind < 5:
            return f"({e()} {self._pick(*COMPARE)} {e()})" if self._draw.random() < 0.9 else f"({e()} is None)"
        if kind < 9:
            return f"({self._pick(*CALLS).format(e(), e(), n=n)})"
        return (
            f"({e()} {self._pick('and', 'or')} {e()})",
            f"({e()} if {e()} else {e()})",
            f"[{e()} for {n} in {e()} if {e()}]",
            self._pick(f"{{{n}: {e()} for {n} in {e()}}}", f"sum({e()} for {n} in {e()})", f"[*{e()}, {e()}]"),
            self._lambda(depth),
            f"{e()}[{self._pick(e(), f'{e()}:', f':{e()}', '::-1', '::2', '-1')}]",
            f"f'{{{n}}}|{{{n}!r}}|{{str({n}):{self._pick('>4', '<5', '^6')}}}|"
            f"{{len(str({n})):{self._pick('03d', ',')}}}'",
            f"[{e()} for {n} in {e()} for {self._name()} in {e()}]",
        )[kind - 9]

    def _lambda(self, depth: int) -> str:
        """A lambda whose parameter has a name of its own."""
        if self._in_lambda:
            return "7"
        given, default = self._pick("", self.expression(depth - 1)), self.expression(depth - 1)
        self._in_lambda = True
        result = self.expression(depth - 1)
        self._in_lambda = False
        return f"(lambda p={default}: (p, {result}))({given})"

    def _block(self, depth: int, indent: int, top: bool = False, loop: bool = False) -> list[str]:
        lines = []
        for _ in range(self._draw.randint(2, 5) if top else self._draw.randint(1, 3)):
            # An error ends one statement, and the program goes on.
            lines += [f"{'    ' * indent}try:", *self._statement(depth, indent + 1, loop)]
            lines += [f"{'    ' * indent}except Exception: seen.append('error')"]
        return lines

    def _statement(self, depth: int, indent: int, loop: bool) -> list[str]:
        pad, e, n = "    " * indent, self.expression(2), self._name()
        kind = self._draw.randrange(20 if depth > 0 else 9)
        if kind < 4:
            return [f"{pad}seen.append({e})"]
        if kind < 9:
            return [
                pad
                + (
                    f"{n} = {e}",
                    f"{n} {self._pick('+', '-')}= len(str({e}))",
                    self._pick(f"{n}, {self._name()} = {e}", f"{n}, *{self._name()} = {e}", f"({n} := {e})"),
                    self._pick("break", "continue") if loop else "pass",
                    self._pick(f"{n} = {self._name()} = {e}", f"{n}[{self.expression(1)}] = {e}", f"assert {e}"),
                )[kind - 4]
            ]
        inner = indent + 1
        block = lambda loop=loop: self._block(depth - 1, inner, loop=loop)  # noqa: E731
        if kind < 11:
            return [f"{pad}if {e}:", *block(), f"{pad}else:", *block()]
        if kind < 13:
            ended = [f"{pad}else:", *block()] if self._draw.random() < 0.4 else []
            return [f"{pad}for {n} in {self._pick(e, 'range(3)', '[c, d]')}:", *block(True), *ended]
        if kind < 15:
            last = [f"{pad}finally:", *block(False)] if self._draw.random() < 0.4 else []
            return [f"{pad}try:", *block(), f"{pad}except Exception:", *block(), *last]
        self._functions += 1
        if kind < 18:
            name, other = f"g{self._functions}", self._name()
            scope = self._pick("", "", "", f"global {other}", "nonlocal c")
            words = self._pick("", n, f"{n}={e}", f"*{n}", f"{n}, **{other}")
            given = self._pick("", self.expression(1), f"{self.expression(1)}, {self.expression(1)}")
            lines = [f"{pad}def {name}({words}):", *([f"{pad}    {scope}"] if scope else []), *block(False)]
            return [*lines, f"{pad}    return {self.expression(2)}", f"{pad}seen.append({name}({given}))"]
        name = f"K{self._functions}"
        lines = [f"{pad}class {name}:", f"{pad}    {n} = {e}", f"{pad}    {self._name()} = {self.expression(2)}"]
        lines += [f"{pad}    def m(self, {self._name()}=1):", f"{pad}        return {self.expression(1)}"]
        return [*lines, f"{pad}seen.append({name}.{n})", f"{pad}seen.append({name}().m())"]


def safe_program(seed: int) -> str:
    """Return the program of a seed; its last line is an expression."""
    return Writer(seed).program()
