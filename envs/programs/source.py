"""Sources of programs: what may be submitted, and how it is found in a free-text reply."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

from econzoo.envs.core.values import Invalid
from econzoo.envs.programs.failures import Failure, Problem, one_line

ENTRY = "strategy_function"
"""The function that is called for each move."""

MODULES = ("re", "math", "random", "json")
"""What a program may import; all four are there without an import."""

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
    return _refused(tree) or _wrong_entry(tree, parameters)


def parsed(source: str) -> ast.Module | Problem:
    """The syntax tree of a source, or why it has none; no source makes this raise."""
    try:
        source.encode("utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except UnicodeEncodeError:
        return Problem(Failure.SYNTAX_ERROR, "the program has characters that no text has (lone surrogates)")
    except (RecursionError, MemoryError):
        return Problem(Failure.SYNTAX_ERROR, "the program is nested too deeply")
    except SyntaxError as error:
        return Problem(Failure.SYNTAX_ERROR, one_line(f"line {error.lineno or 1}: {error.msg}"))
    except ValueError as error:  # NUL characters
        return Problem(Failure.SYNTAX_ERROR, one_line(str(error)))


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
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == ENTRY]
    if not found:
        return Problem(Failure.NO_PROGRAM, f"the program does not define {wanted}")
    spec = found[-1].args
    count = len(spec.posonlyargs) + len(spec.args)
    if count != len(parameters) or spec.kwonlyargs or spec.vararg or spec.kwarg:
        text = f"line {found[-1].lineno}: {ENTRY} must have exactly {len(parameters)} parameters: {wanted}"
        return Problem(Failure.NO_PROGRAM, text)
    return None


THOUGHT_ENDS = "</think>"
"""Before this a model thinks; nothing there is an answer."""

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)


def extracted(reply: str) -> str | Invalid:
    """The program in a free-text reply.

    It is what the one fenced block holds, or the whole reply where that is Python and defines `ENTRY`. What
    stands before ``</think>`` is not read.

    Args:
        reply: What a language model or a person wrote.

    Returns:
        The source; or an `Invalid` with the code ``empty``, ``no_program`` or ``many_programs``.
    """
    answer = reply.rpartition(THOUGHT_ENDS)[2]
    if not answer.strip():
        return Invalid("empty", "the reply is empty; write one program in one fenced block")
    blocks = [textwrap.dedent(found[2]).strip("\n") for found in FENCE.finditer(answer)]
    if len(blocks) > 1:
        return Invalid("many_programs", f"the reply has {len(blocks)} fenced blocks; write one program in one block")
    if blocks:
        return blocks[0] if blocks[0].strip() else Invalid("empty", "the fenced block is empty; write a program in it")
    if _is_program(answer):
        return answer.strip("\n")
    return Invalid("no_program", f"the reply has no program; write one fenced block that defines {ENTRY}")


def _is_program(text: str) -> bool:
    tree = parsed(text)
    return isinstance(tree, ast.Module) and any(
        isinstance(node, ast.FunctionDef) and node.name == ENTRY for node in tree.body
    )
