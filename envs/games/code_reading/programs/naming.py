"""What a name tells: its words, and which of them are words of the library's engine, which every program uses."""

from __future__ import annotations

import ast
from functools import lru_cache

from econzoo.envs.games.code_reading.programs.installed import Library
from econzoo.envs.games.code_reading.programs.renaming import ENGINE, told

COMMON = tuple(module for module in ENGINE if module != "strategy_transformers")
"""Modules whose words tell nothing: transformers are themselves named after what strategies do."""

SHORTEST = 4
"""Letters of a word that tells something."""


def words(name: str) -> frozenset[str]:
    """The words of a name or a text, in small letters: ``GoByMajority40`` has go, by and majority."""
    spaced = []
    for place, letter in enumerate(name):
        before, after = name[place - 1 : place], name[place + 1 : place + 2]
        if letter.isupper() and (before.islower() or (before.isupper() and after.islower())):
            spaced.append(" ")
        spaced.append(letter if letter.isalpha() else " ")
    return frozenset("".join(spaced).lower().split())


def telling(name: str, library: Library) -> frozenset[str]:
    """The words of a strategy's name that tell of it.

    Not those of fewer than four letters, those that only spell moves (``CCD``), and those of the library's engine and
    of Python: ``random``, ``memory`` and ``strategy`` stand in programs of all kinds.
    """
    return frozenset(
        word for word in words(name) - ordinary(library) if len(word) >= SHORTEST and not set(word) <= {"c", "d"}
    )


@lru_cache(maxsize=8)
def ordinary(library: Library) -> frozenset[str]:
    """The words of the names of the library's players and matches, and of the keys of classifiers."""
    trees = [library.module(f"axelrod.{module}").tree for module in COMMON]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    keys = {text for text in texts if text.isidentifier()}
    names = {name for node in nodes for name in told(node)}
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    return frozenset(word for name in keys | names | classes | {"self", "strategy"} for word in words(name))
