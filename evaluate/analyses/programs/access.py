"""How much a program reads its opponent's source: the opponent-source access score.

The score counts the statements that compute something of the opponent's source: a call, a binary operation or a
comparison with a part that comes from it, or a loop over it. Each statement counts once.
Source: the score OSAS that Sistla and Kleiman-Weiner 2025 (arXiv:2512.00371) report, as their published code has it.
"""

from __future__ import annotations

import ast
import math
from typing import Literal, get_args

from econzoo.envs.families.open_source.source import entry_of
from econzoo.evaluate.analyses.programs.data_flow import Flow
from econzoo.evaluate.analyses.programs.syntax import dotted, parsed

__all__ = ["access_score"]

PARAMETER = "opponent_program_code"
"""The parameter of the opponent's source as the paper names it."""

Definition = Literal["paper", "extended"]


def access_score(source: str | None, definition: Definition = "paper") -> float:
    """The opponent-source access score.

    ``"paper"`` follows the name `opponent_program_code` and what plain assignments make of it, line by line:
    ``a = ...`` and ``a.b = ...`` of a value with a marked part mark the target, and of any other value they clear it.
    ``"extended"`` follows every assignment there is, and own functions
    (`econzoo.evaluate.analyses.programs.data_flow`); the source is the last parameter of the function that plays,
    whatever its name. Neither follows control: what is assigned inside ``if "D" in source:`` is not marked by the test.

    Args:
        source: The program.
        definition: One of the two.

    Returns:
        A whole number from 0; NaN if there is no program or it is not Python, and with ``"extended"`` also if it has
        no function that plays.

    Raises:
        ValueError: Unknown definition.
    """
    if definition not in get_args(Definition):
        raise ValueError(f"definition={definition!r} is not allowed; allowed: {', '.join(get_args(Definition))}")
    tree = parsed(source)
    if tree is None:
        return math.nan
    if definition == "paper":
        return float(len(_Named({PARAMETER}).read(tree, tree)))
    entry = entry_of(tree)
    return math.nan if entry is None else float(len(Flow(tree, entry).counted()))


class _Named:
    """The paper's definition.

    Args:
        marked: Names that hold the source.
    """

    def __init__(self, marked: set[str]) -> None:
        self._marked = marked

    def read(self, node: ast.AST, statement: ast.AST) -> set[ast.AST]:
        """The statements in a tree that count, read from the first line to the last."""
        statement = node if isinstance(node, ast.stmt) else statement
        if isinstance(node, ast.Assign):
            self._assign(node)
        found = {statement} if any(map(self._has, _operands(node))) else set()
        return found.union(*(self.read(child, statement) for child in ast.iter_child_nodes(node)))

    def _assign(self, node: ast.Assign) -> None:
        names = {name for target in node.targets if (name := dotted(target))}
        self._marked = self._marked | names if self._has(node.value) else self._marked - names

    def _has(self, node: ast.AST) -> bool:
        return any(dotted(part) in self._marked for part in ast.walk(node))


def _operands(node: ast.AST) -> list[ast.expr]:
    """What a node that counts computes with."""
    match node:
        case ast.Call(func=function, args=given, keywords=named):
            return [function, *given, *(one.value for one in named)]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.For(iter=over):
            return [over]
    return []
