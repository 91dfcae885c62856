"""Sources of programs: what may be submitted, and how it is found in a free-text reply."""

from __future__ import annotations

import ast
import re
import textwrap
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.parse import THINK_END
from econzoo.envs.families.open_source.failures import Failure, Problem, one_line
from econzoo.envs.families.open_source.interfaces import ARGUMENT

MAX_DEPTH = 1_000
"""Nodes of a syntax tree inside each other; what Python itself can still parse depends on its version."""

ENTRY = "strategy_function"
"""The function that is called for each move."""

MODULES = ("re", "math", "random", "json")
"""What a program may import; all four are there without an import."""

TOO_DEEP = Problem(Failure.SYNTAX_ERROR, "the program is nested too deeply")

REFUSED_NAMES = frozenset({"eval", "exec"})
"""Functions that would run text which nobody has checked."""


@lru_cache(maxsize=1024)
def problem_of(source: str, parameters: tuple[str, ...], longest: int) -> Problem | None:
    """What is wrong with a source before it runs, or None.

    Nothing of it is executed.

    Args:
        source: The program.
        parameters: Names of the parameters that `ENTRY` is called with; a program may call them otherwise.
        longest: Characters that a source may have.
    """
    if not source.strip():
        return Problem(Failure.NO_PROGRAM, "there is no program")
    if len(source) > longest:
        return Problem(Failure.LIMIT, f"the program has {len(source)} characters; allowed: {longest}")
    tree = parsed(source)
    if isinstance(tree, Problem):
        return tree
    if ARGUMENT in unicodedata.normalize("NFKC", source):  # as Python reads names; what checks answers is called so
        return Problem(Failure.SYNTAX_ERROR, "a name in the program is one that the sandbox keeps for itself")
    return _refused(tree) or _wrong_entry(tree, parameters)


def parsed(source: str) -> ast.Module | Problem:
    """The syntax tree of a source, or why it has none; no source makes this raise."""
    try:
        source.encode("utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except UnicodeEncodeError:
        return Problem(Failure.SYNTAX_ERROR, "the program has characters that no text has (lone surrogates)")
    except (RecursionError, MemoryError):
        return TOO_DEEP
    except SyntaxError as error:
        return Problem(Failure.SYNTAX_ERROR, one_line(f"line {error.lineno or 1}: {error.msg}"))
    except ValueError as error:  # NUL characters
        return Problem(Failure.SYNTAX_ERROR, one_line(str(error)))
    return TOO_DEEP if _is_too_deep(tree) else tree


def _is_too_deep(tree: ast.AST) -> bool:
    level, depth = [tree], 0
    while level and depth <= MAX_DEPTH:
        level, depth = [child for node in level for child in ast.iter_child_nodes(node)], depth + 1
    return bool(level)


def entry_of(tree: ast.Module) -> ast.FunctionDef | None:
    """The function that is called: the last `ENTRY` that is defined at the top of a program; None if there is none."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == ENTRY]
    return found[-1] if found else None


def _refused(tree: ast.Module) -> Problem | None:
    """Imports of other modules, and names that would run unchecked text."""
    for line, name in _imports(tree):
        if name not in MODULES:
            text = f"line {line}: cannot import {name!r}; allowed: {', '.join(MODULES)}"
            return Problem(Failure.SYNTAX_ERROR, one_line(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in REFUSED_NAMES:
            return Problem(Failure.SYNTAX_ERROR, f"line {node.lineno}: {node.id} is not allowed in a program")
    return None


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, module) of every import, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def _wrong_entry(tree: ast.Module, parameters: Sequence[str]) -> Problem | None:
    wanted = f"def {ENTRY}({', '.join(parameters)})"
    entry = entry_of(tree)
    if entry is None:
        return Problem(Failure.NO_PROGRAM, f"the program does not define {wanted}")
    spec = entry.args
    count = len(spec.posonlyargs) + len(spec.args)
    if count != len(parameters) or spec.kwonlyargs or spec.vararg or spec.kwarg:
        text = f"line {entry.lineno}: {ENTRY} must have exactly {len(parameters)} parameters: {wanted}"
        return Problem(Failure.NO_PROGRAM, text)
    return None


FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)")
"""A line that opens a fenced block, and perhaps closes one."""


BYTE_ORDER_MARK = "\ufeff"


def extracted(reply: str) -> str | Invalid:
    """The program in a free-text reply.

    It is the whole reply where that is Python and defines `ENTRY`, else what the one fenced block holds. What stands
    before ``</think>`` is not read, unless the whole reply is a program.

    Args:
        reply: What a language model or a person wrote.

    Returns:
        The source; or an `Invalid` with the code ``empty``, ``no_program`` or ``many_programs``.
    """
    reply = reply.replace(BYTE_ORDER_MARK, "").replace("\r\n", "\n")
    if _is_program(reply):
        return reply.strip("\n")
    answer = reply.rpartition(THINK_END)[2]
    if not answer.strip():
        return Invalid("empty", "the reply is empty; write one program in one fenced block")
    blocks = fenced_blocks(answer)
    if len(blocks) > 1:
        return Invalid("many_programs", f"the reply has {len(blocks)} fenced blocks; write one program in one block")
    if blocks:
        return blocks[0] if blocks[0].strip() else Invalid("empty", "the fenced block is empty; write a program in it")
    if _is_program(answer):
        return answer.strip("\n")
    return Invalid("no_program", f"the reply has no program; write one fenced block that defines {ENTRY}")


def fenced_blocks(text: str) -> list[str]:
    """What stands in the fenced blocks of a text that are closed (CommonMark 0.31, section 4.5)."""
    blocks: list[str] = []
    inside: list[str] | None = None
    fence = ""
    for line in text.split("\n"):
        mark = FENCE.fullmatch(line)
        if inside is None:
            if mark:
                inside, fence = [], mark[1]
        elif mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
            blocks.append(textwrap.dedent("\n".join(inside)).strip("\n"))
            inside = None
        else:
            inside.append(line)
    return blocks


def _is_program(text: str) -> bool:
    tree = parsed(text)
    return isinstance(tree, ast.Module) and entry_of(tree) is not None
