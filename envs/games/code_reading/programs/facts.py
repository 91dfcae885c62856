"""Facts about a program: counts in its syntax tree, and its moves by static analysis."""

from __future__ import annotations

import ast
from typing import NamedTuple

from econzoo.envs.games.code_reading.programs.abstract_interpretation import moves
from econzoo.envs.games.code_reading.programs.axelrod_source import parse_module


class Facts(NamedTuple):
    """Facts about one program.

    Attributes:
        lines: Lines that are neither blank nor a comment; docstrings count.
        branches: ``if`` statements and conditional expressions.
        loops: Loops and comprehensions.
        draws: Uses of the player's random numbers.
        cooperates: Statements ``return C``.
        defects: Statements ``return D``.
        reads_length: 1 if it reads the length of the match or has fixed first or last moves by a wrapper, else 0.
        first: First move by static analysis: 1 cooperate, 0 defect, 0.5 unknown.
        sure_cooperations: Rounds of ten with certain cooperation against a cooperator, given cooperation so far.
        sure_defections: Rounds of ten with certain defection, given cooperation so far.
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
    """Compute the facts of the plain text of an item."""
    nodes = list(ast.walk(parse_module(plain)))
    play = moves(plain)
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return Facts(
        lines=count_lines(plain),
        classes=sum(isinstance(node, ast.ClassDef) for node in nodes),
        branches=sum(isinstance(node, ast.If | ast.IfExp) for node in nodes),
        loops=sum(isinstance(node, LOOPS) for node in nodes),
        draws=sum(isinstance(node, ast.Attribute) and node.attr == "_random" for node in nodes),
        cooperates=_count_returns(nodes, "C"),
        defects=_count_returns(nodes, "D"),
        reads_length=int(bool(names & {"match_attributes", "FinalTransformer", "InitialTransformer"})),
        first={"C": 1.0, "D": 0.0}.get(play[0], 0.5),
        sure_cooperations=play.count("C"),
        sure_defections=play.count("D"),
    )


def count_lines(text: str) -> int:
    """Number of lines that are neither blank nor a comment."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())


def _count_returns(nodes: list[ast.AST], move: str) -> int:
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    return sum(isinstance(value, ast.Name) and value.id == move for value in returned)
