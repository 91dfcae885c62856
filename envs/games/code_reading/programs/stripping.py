"""Programs without comments and docstrings."""

from __future__ import annotations

import ast

from econzoo.envs.games.code_reading.programs.installed import Library


def stripped(tree: ast.Module, library: Library) -> ast.Module:
    """The tree without statements that are nothing but a string; comments are in no tree."""
    _Stripper().visit(tree)
    return tree


class Remover(ast.NodeTransformer):
    """Takes statements out of a tree; a body that would be left empty says ``pass``."""

    def unwanted(self, node: ast.stmt) -> bool:
        """Whether a statement goes."""
        raise NotImplementedError

    def visit(self, node: ast.AST) -> ast.AST | None:
        """The node without what is unwanted in it; None if it goes itself."""
        if isinstance(node, ast.stmt) and self.unwanted(node):
            return None
        super().generic_visit(node)
        if getattr(node, "body", None) == [] and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node


class _Stripper(Remover):
    def unwanted(self, node: ast.stmt) -> bool:
        is_expression = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        return is_expression and isinstance(node.value.value, str)  # type: ignore[attr-defined]
