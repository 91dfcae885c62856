"""Measures of program sources: access to the opponent's source, similarity, and complexity.

The opponent-source access score counts the statements that use the opponent's source: a call, a binary operation or a
comparison with an operand derived from it, or a loop over it. Each statement counts once. Source: the score OSAS of
Sistla and Kleiman-Weiner 2025 (arXiv:2512.00371), as in their published code.

Similarity is measured by tokens and by syntax trees. Both measures are in [0, 1], symmetric, and 1 for programs that
differ only in formatting and comments. Both compare bags of small parts in linear time. A tree edit distance (Zhang and
Shasha 1989) would take seconds for two programs of a few hundred lines.

Complexity is measured by radon.
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

from econzoo.envs.core import explain_missing_library
from econzoo.envs.core.contract import check_arguments
from econzoo.envs.families.open_source import entry_of
from econzoo.evaluate.analyses.programs.data_flow import Flow
from econzoo.evaluate.analyses.programs.syntax import dotted_name, parse_program

__all__ = ["access_score", "token_similarity", "tree_similarity"]

PARAMETER = "opponent_program_code"
"""Name of the parameter with the opponent's source in the paper."""

Definition = Literal["paper", "extended"]


def access_score(source: str | None, definition: Definition = "paper") -> float:
    """Compute the opponent-source access score.

    ``"paper"`` follows the name `opponent_program_code` through plain assignments, line by line: ``a = ...`` and
    ``a.b = ...`` mark the target if the value has a marked part, and clear it otherwise. ``"extended"`` follows all
    assignments and own functions (`econzoo.evaluate.analyses.programs.data_flow`); the source is the last parameter of
    the entry function, whatever its name. Neither follows control flow: ``if "D" in source:`` marks no assignment in
    its branches.

    Args:
        source: Source of the program.
        definition: ``"paper"`` or ``"extended"``.

    Returns:
        Integer >= 0; NaN without a valid Python program, and with ``"extended"`` also without an entry function.

    Raises:
        ValueError: Unknown definition.
    """
    if definition not in get_args(Definition):
        raise ValueError(f"invalid definition={definition!r}: expected {' or '.join(get_args(Definition))}")
    tree = parse_program(source)
    if tree is None:
        return math.nan
    if definition == "paper":
        return float(len(_PaperDefinition({PARAMETER}).read(tree, tree)))
    entry = entry_of(tree)
    return math.nan if entry is None else float(len(Flow(tree, entry).counted_statements()))


class _PaperDefinition:
    """Access score of the paper."""

    def __init__(self, marked: set[str]) -> None:
        self._marked = marked

    def read(self, node: ast.AST, statement: ast.AST) -> set[ast.AST]:
        """Return the counted statements of a tree, read in order."""
        # An operand counts for the innermost statement: the body of a loop is not part of the loop.
        statement = node if isinstance(node, ast.stmt) else statement
        if isinstance(node, ast.Assign):
            self._assign(node)
        counted = {statement} if any(map(self._has_marked, _operands(node))) else set()
        return counted.union(*(self.read(child, statement) for child in ast.iter_child_nodes(node)))

    def _assign(self, node: ast.Assign) -> None:
        names = {name for target in node.targets if (name := dotted_name(target))}
        self._marked = self._marked | names if self._has_marked(node.value) else self._marked - names

    def _has_marked(self, node: ast.AST) -> bool:
        return any(dotted_name(part) in self._marked for part in ast.walk(node))


def _operands(node: ast.AST) -> list[ast.expr]:
    """Return the operands of a counted node."""
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
"""Tokens per shingle."""

NAME = "NAME"
"""Placeholder of names that are not compared."""

_IGNORED_TOKENS = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_LAYOUT = {tokenize.NEWLINE: "\n", tokenize.INDENT: "{", tokenize.DEDENT: "}"}


@check_arguments
def token_similarity(first: str | None, second: str | None, names: bool = True) -> float:
    """Compute the w-shingling resemblance of two programs (Broder 1997).

    It is the Jaccard index of the two bags of shingles of `SHINGLE_LENGTH` tokens, with padding at both ends. Comments,
    blank lines, whitespace, indentation width and quote style are ignored; docstrings are not.

    Args:
        first: Source of a program.
        second: Source of another program.
        names: Whether names count; otherwise all names except keywords are equal.

    Returns:
        Resemblance in [0, 1]; NaN if either is not a valid program.
    """
    both = [_tokens(source, names) for source in (first, second)]
    if not all(both):
        return math.nan
    one, other = (Counter(_shingles(tokens)) for tokens in both)
    return (one & other).total() / (one | other).total()


def _tokens(source: str | None, names: bool) -> list[str]:
    """Return the tokens of a program; empty without a valid one."""
    if parse_program(source) is None or source is None:
        return []
    try:
        every = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):  # a form feed or null that only the parser accepts
        return []
    return [_normalize(one, names) for one in every if one.type not in _IGNORED_TOKENS]


def _normalize(token: tokenize.TokenInfo, names: bool) -> str:
    if token.type in _LAYOUT:
        return _LAYOUT[token.type]
    if token.type in (tokenize.STRING, tokenize.NUMBER):
        try:
            # The value: neither the quotes of a string nor the notation of a number is a difference.
            return repr(ast.literal_eval(token.string))
        except (ValueError, SyntaxError):  # an f-string, or too long a number
            return token.string
    return NAME if token.type == tokenize.NAME and not names and not iskeyword(token.string) else token.string


def _shingles(tokens: list[str]) -> Iterator[tuple[str, ...]]:
    # With padding every token is in `SHINGLE_LENGTH` shingles, those at the ends too, and no program is too short.
    padded = [""] * (SHINGLE_LENGTH - 1) + tokens + [""] * (SHINGLE_LENGTH - 1)
    return (tuple(padded[at : at + SHINGLE_LENGTH]) for at in range(len(padded) - SHINGLE_LENGTH + 1))


@check_arguments
def tree_similarity(first: str | None, second: str | None, names: bool = True) -> float:
    """Compute the share of common subtrees of two programs (Baxter et al. 1998, clone detection by syntax trees).

    With S shared subtrees, and L and R found only in the first or the second program, the similarity is
    2 S / (2 S + L + R), counted with repetitions. A subtree is a node of the abstract syntax tree with its descendants.
    Positions, brackets and comments are ignored.

    Args:
        first: Source of a program.
        second: Source of another program.
        names: Whether names count; otherwise all names are equal.

    Returns:
        Similarity in [0, 1], 1 only for equal trees; NaN if either is not a valid program.
    """
    trees = parse_program(first), parse_program(second)
    if trees[0] is None or trees[1] is None:
        return math.nan
    numbered = _Subtrees(names)
    one, other = (Counter(numbered.number_subtrees(tree)) for tree in trees if tree is not None)
    return 2 * (one & other).total() / (one.total() + other.total())


class _Subtrees:
    """Numbering of subtrees; equal subtrees have equal numbers across trees."""

    def __init__(self, names: bool) -> None:
        self._names = names
        self._known: dict[Hashable, int] = {}
        self._found: list[int] = []

    def number_subtrees(self, tree: ast.Module) -> list[int]:
        self._found = []
        self._node(tree)
        return self._found

    def _node(self, node: ast.AST) -> int:
        constant = isinstance(node, ast.Constant)
        fields = [self._field(part, constant) for name, part in ast.iter_fields(node) if name not in _IGNORED_FIELDS]
        # Subtrees below are represented by their numbers, so that keys stay short and the whole takes linear time.
        self._found.append(self._number((type(node), *fields)))
        return self._found[-1]

    def _field(self, part: object, constant: bool) -> Hashable:
        if isinstance(part, ast.AST):
            return self._node(part)
        if isinstance(part, list):
            # Each list is one part: `if a: b` with `else: c` is not `if a: b; c`.
            return ("list", *[self._field(one, constant) for one in part])
        hidden = isinstance(part, str) and not constant and not self._names
        return (type(part), NAME if hidden else repr(part))

    def _number(self, key: Hashable) -> int:
        return self._known.setdefault(key, len(self._known))


_IGNORED_FIELDS = {"ctx", "kind", "type_comment"}
"""Fields of nodes that are implied by position or encode notation."""


# Complexity


class Complexity(NamedTuple):
    """Complexity of a program; NaN if undefined.

    Attributes:
        sloc: Lines that are neither blank, comment nor docstring.
        cyclomatic: Mean cyclomatic complexity (McCabe 1976) of functions and classes, >= 1.
        volume: Halstead volume (Halstead 1977), in bits.
        effort: Volume times difficulty.
    """

    sloc: float
    cyclomatic: float
    volume: float
    difficulty: float
    effort: float


UNDEFINED = Complexity(*[math.nan] * 5)


def complexity(source: str | None) -> Complexity:
    """Compute the complexity of a program.

    Args:
        source: Source of the program; None or blank without one.

    Returns:
        Measures; all NaN, not 0, without a valid Python program.
    """
    with explain_missing_library("the complexity of programs"):
        from radon.complexity import cc_visit_ast
        from radon.metrics import h_visit_ast
        from radon.raw import analyze

    tree = parse_program(source)
    if tree is None or source is None:
        return UNDEFINED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about invalid escapes in the program
        blocks = [block.complexity for block in cc_visit_ast(tree)]
        lines, halstead = analyze(source).sloc, h_visit_ast(tree).total
    mean = fmean(blocks) if blocks else math.nan
    return Complexity(float(lines), mean, float(halstead.volume), float(halstead.difficulty), float(halstead.effort))
