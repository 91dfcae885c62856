"""How alike two programs are: by their words, and by their syntax trees.

Both measures are in [0, 1], symmetric, and 1 for programs that differ in formatting and comments only. Both compare
bags of small parts, in linear time. A tree edit distance (Zhang and Shasha 1989) takes seconds for two programs of
some hundred lines, and is not used.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections import Counter
from collections.abc import Hashable, Iterator
from keyword import iskeyword

from econzoo.evaluate.analyses.programs.syntax import parsed

__all__ = ["token_similarity", "tree_similarity"]

LENGTH = 4
"""Words in a row that are compared."""

NAME = "NAME"
"""Stands for every name where names are not compared."""

_UNSEEN = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_LAYOUT = {tokenize.NEWLINE: "\n", tokenize.INDENT: "{", tokenize.DEDENT: "}"}


def token_similarity(first: str | None, second: str | None, names: bool = True) -> float:
    """The resemblance of two programs as sequences of words (Broder 1997: w-shingling).

    All runs of `LENGTH` words, an end of the program being a word too, are counted in both programs. The resemblance
    is the Jaccard index of the two bags: runs that both have over runs that one of them has. Comments, blank lines,
    blanks, the width of indentation and the quotes of strings are no part of it; docstrings are.

    Args:
        first: A program.
        second: Another one.
        names: Whether names count; else every name that is not a word of Python is the same.

    Returns:
        In [0, 1]; NaN if one of them is no program or not Python.
    """
    both = [_tokens(source, names) for source in (first, second)]
    if not all(both):
        return math.nan
    one, other = (Counter(_runs(words)) for words in both)
    return (one & other).total() / (one | other).total()


def _tokens(source: str | None, names: bool) -> list[str]:
    """The words of a program; none if there is none."""
    if parsed(source) is None or source is None:
        return []
    try:
        every = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):  # a form feed or a null where only the parser takes them
        return []
    return [_word(one, names) for one in every if one.type not in _UNSEEN]


def _word(token: tokenize.TokenInfo, names: bool) -> str:
    if token.type in _LAYOUT:
        return _LAYOUT[token.type]
    if token.type in (tokenize.STRING, tokenize.NUMBER):
        try:
            return repr(ast.literal_eval(token.string))
        except (ValueError, SyntaxError):  # a string with values in it, or one too long a number
            return token.string
    return NAME if token.type == tokenize.NAME and not names and not iskeyword(token.string) else token.string


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    padded = [""] * (LENGTH - 1) + words + [""] * (LENGTH - 1)
    return (tuple(padded[at : at + LENGTH]) for at in range(len(padded) - LENGTH + 1))


def tree_similarity(first: str | None, second: str | None, names: bool = True) -> float:
    """How many of their subtrees two programs share (Baxter et al. 1998, clone detection by syntax trees).

    With S subtrees that both have, and L and R that only the first or the second has, the similarity is
    2 S / (2 S + L + R), counted with repetitions. A subtree is a node with all that is below it: a node is an
    operation, a name, a constant, ... of Python's grammar. Positions, brackets and comments are no part of the tree.

    Args:
        first: A program.
        second: Another one.
        names: Whether names count; else every name is the same.

    Returns:
        In [0, 1], 1 only for equal trees; NaN if one of them is no program or not Python.
    """
    trees = parsed(first), parsed(second)
    if trees[0] is None or trees[1] is None:
        return math.nan
    numbered = _Subtrees(names)
    one, other = (Counter(numbered.of(tree)) for tree in trees if tree is not None)
    return 2 * (one & other).total() / (one.total() + other.total())


class _Subtrees:
    """Numbers subtrees: equal ones have equal numbers, also in different trees.

    Args:
        names: Whether names count.
    """

    def __init__(self, names: bool) -> None:
        self._names = names
        self._known: dict[Hashable, int] = {}
        self._found: list[int] = []

    def of(self, tree: ast.Module) -> list[int]:
        """The number of each subtree of a tree."""
        self._found = []
        self._node(tree)
        return self._found

    def _node(self, node: ast.AST) -> int:
        constant = isinstance(node, ast.Constant)
        fields = [self._field(part, constant) for name, part in ast.iter_fields(node) if name not in _NO_PART]
        self._found.append(self._number((type(node), *fields)))
        return self._found[-1]

    def _field(self, part: object, constant: bool) -> Hashable:
        if isinstance(part, ast.AST):
            return self._node(part)
        if isinstance(part, list):
            return ("list", *[self._field(one, constant) for one in part])
        hidden = isinstance(part, str) and not constant and not self._names
        return (type(part), NAME if hidden else repr(part))

    def _number(self, key: Hashable) -> int:
        return self._known.setdefault(key, len(self._known))


_NO_PART = {"ctx", "kind", "type_comment"}
"""Fields of Python's nodes that repeat what their place says, or how they are written."""
