"""What is measured in the sources of programs: access to the opponent's, how alike two are, and complexity.

The opponent-source access score says how much a program reads its opponent's source. It counts the statements that
compute something of it: a call, a binary operation or a comparison with a part that comes from it, or a loop over it.
Each statement counts once. Source: the score OSAS that Sistla and Kleiman-Weiner 2025 (arXiv:2512.00371) report, as
their published code has it.

Programs are alike by their words, and by their syntax trees. Both measures are in [0, 1], symmetric, and 1 for programs
that differ in formatting and comments only. Both compare bags of small parts, in linear time. A tree edit distance
(Zhang and Shasha 1989) takes seconds for two programs of some hundred lines, and is not used.

Complexity is measured by the library radon.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator
from keyword import iskeyword
from statistics import fmean
from typing import Literal, NamedTuple, get_args

from econzoo.envs.core.extras import explain_missing_library
from econzoo.envs.families.open_source.source import entry_of
from econzoo.evaluate.analyses.programs.data_flow import Flow
from econzoo.evaluate.analyses.programs.syntax import dotted_name, parse_program

__all__ = ["access_score", "token_similarity", "tree_similarity"]

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
    tree = parse_program(source)
    if tree is None:
        return math.nan
    if definition == "paper":
        return float(len(_PaperDefinition({PARAMETER}).read(tree, tree)))
    entry = entry_of(tree)
    return math.nan if entry is None else float(len(Flow(tree, entry).counted_statements()))


class _PaperDefinition:
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
        found = {statement} if any(map(self._has_marked, _operands(node))) else set()
        return found.union(*(self.read(child, statement) for child in ast.iter_child_nodes(node)))

    def _assign(self, node: ast.Assign) -> None:
        names = {name for target in node.targets if (name := dotted_name(target))}
        self._marked = self._marked | names if self._has_marked(node.value) else self._marked - names

    def _has_marked(self, node: ast.AST) -> bool:
        return any(dotted_name(part) in self._marked for part in ast.walk(node))


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


SHINGLE_LENGTH = 4
"""Words in a row that are compared."""

NAME = "NAME"
"""Stands for every name where names are not compared."""

_IGNORED_TOKENS = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
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
    if parse_program(source) is None or source is None:
        return []
    try:
        every = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):  # a form feed or a null where only the parser takes them
        return []
    return [_word(one, names) for one in every if one.type not in _IGNORED_TOKENS]


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
    padded = [""] * (SHINGLE_LENGTH - 1) + words + [""] * (SHINGLE_LENGTH - 1)
    return (tuple(padded[at : at + SHINGLE_LENGTH]) for at in range(len(padded) - SHINGLE_LENGTH + 1))


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
    trees = parse_program(first), parse_program(second)
    if trees[0] is None or trees[1] is None:
        return math.nan
    numbered = _Subtrees(names)
    one, other = (Counter(numbered.number_subtrees(tree)) for tree in trees if tree is not None)
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

    def number_subtrees(self, tree: ast.Module) -> list[int]:
        """The number of each subtree of a tree."""
        self._found = []
        self._node(tree)
        return self._found

    def _node(self, node: ast.AST) -> int:
        constant = isinstance(node, ast.Constant)
        fields = [self._field(part, constant) for name, part in ast.iter_fields(node) if name not in _IGNORED_FIELDS]
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


_IGNORED_FIELDS = {"ctx", "kind", "type_comment"}
"""Fields of Python's nodes that repeat what their place says, or how they are written."""


# Complexity


class Complexity(NamedTuple):
    """Measures of one program; NaN where there is nothing to measure.

    Attributes:
        sloc: Lines that are neither blank nor comments.
        cyclomatic: Mean of the cyclomatic complexity (McCabe 1976) over the functions and classes, from 1.
        volume: Halstead's volume (Halstead 1977), in bits.
        difficulty: Halstead's difficulty.
        effort: Volume times difficulty.
    """

    sloc: float
    cyclomatic: float
    volume: float
    difficulty: float
    effort: float


UNDEFINED = Complexity(*[math.nan] * 5)


def complexity(source: str | None) -> Complexity:
    """The complexity of a program.

    Args:
        source: The text; None or blank where there is no program.

    Returns:
        Its measures; all NaN if there is no program or it is not Python, never 0: a program that does not run is not a
        simple one.

    Raises:
        ImportError: radon is not installed.
    """
    with explain_missing_library("the complexity of programs"):
        from radon.complexity import cc_visit_ast
        from radon.metrics import h_visit_ast
        from radon.raw import analyze

    tree = parse_program(source)
    if tree is None or source is None:
        return UNDEFINED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the program's own escapes
        blocks = [block.complexity for block in cc_visit_ast(tree)]
        lines, halstead = analyze(source).sloc, h_visit_ast(tree).total
    mean = fmean(blocks) if blocks else math.nan
    return Complexity(float(lines), mean, float(halstead.volume), float(halstead.difficulty), float(halstead.effort))
