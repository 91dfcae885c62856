"""Programs whose own names mean nothing: locals, parameters, functions, constants, attributes and methods."""

from __future__ import annotations

import ast

from econzoo.envs.games.code_reading.programs.installed import Library
from econzoo.envs.games.code_reading.programs.renaming import renamed


def obfuscated(tree: ast.Module, library: Library) -> ast.Module:
    """The tree with every name of its own replaced: variables ``v1``, ``v2``, ..., attributes ``a1``, ``a2``, ..."""
    return renamed(tree, library, lambda name: True, "v{}", "a{}")
