"""What can be counted in the syntax tree of a program, and what can be read from it about a match with a cooperator."""

from __future__ import annotations

import ast
from typing import NamedTuple

from econzoo.envs.games.code_reading.programs.installed import parsed
from econzoo.envs.games.code_reading.programs.reader import moves


class Facts(NamedTuple):
    """Facts about one program.

    Attributes:
        lines: Lines that are neither blank nor a comment; docstrings count.
        classes: Classes that it defines.
        branches: Branches: ``if`` statements and conditional expressions.
        loops: Loops and comprehensions.
        draws: Uses of the player's random numbers.
        cooperates: Statements ``return C``.
        defects: Statements ``return D``.
        reads_length: 1 if it reads the length of the match or is wrapped to end or begin in a given way, else 0.
        first: First move as far as the tree tells: 1 cooperate, 0 defect, 0.5 unknown.
        sure_cooperations: Rounds of ten in which it surely cooperates with a cooperator, if it did so before.
        sure_defections: Rounds of ten in which it surely defects, if it cooperated before.
    """

    lines: int
    classes: int
    branches: int
    loops: int
    draws: int
    cooperates: int
    defects: int
    reads_length: int
    first: float
    sure_cooperations: int
    sure_defections: int


LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def facts(plain: str) -> Facts:
    """The facts of the plain text of an item."""
    nodes = list(ast.walk(parsed(plain)))
    told = moves(plain)
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return Facts(
        lines=lines(plain),
        classes=sum(isinstance(node, ast.ClassDef) for node in nodes),
        branches=sum(isinstance(node, ast.If | ast.IfExp) for node in nodes),
        loops=sum(isinstance(node, LOOPS) for node in nodes),
        draws=sum(isinstance(node, ast.Attribute) and node.attr == "_random" for node in nodes),
        cooperates=_returns(nodes, "C"),
        defects=_returns(nodes, "D"),
        reads_length=int(bool(names & {"match_attributes", "FinalTransformer", "InitialTransformer"})),
        first={"C": 1.0, "D": 0.0}.get(told[0], 0.5),
        sure_cooperations=told.count("C"),
        sure_defections=told.count("D"),
    )


def lines(text: str) -> int:
    """Lines that are neither blank nor a comment."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())


def _returns(nodes: list[ast.AST], move: str) -> int:
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    return sum(isinstance(value, ast.Name) and value.id == move for value in returned)
