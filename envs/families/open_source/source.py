"""Sources of programs: validation, and extraction from free-text replies."""

from __future__ import annotations

import ast
import keyword
import re
import textwrap
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from econzoo.envs.core.contract import Invalid, clean
from econzoo.envs.core.faces import MAX_TAG_SIGNS, UNFINISHED_THOUGHT, Reply, has_too_many_signs, is_thinking
from econzoo.envs.families.open_source.failures import Failure, Problem, one_line
from econzoo.envs.families.open_source.interfaces import ARGUMENT_PREFIX
from econzoo.envs.families.open_source.limits import Limits

MAX_DEPTH = 1_000
"""Maximum depth of a syntax tree; the limit of Python's parser depends on its version."""

ENTRY = "strategy_function"
"""The function that is called for each move."""

MODULES = ("re", "math", "random", "json")
"""Modules that a program may import; all four are preloaded."""

TOO_DEEP = Problem(Failure.SYNTAX_ERROR, "the program is nested too deeply")

MAX_SOURCE_LENGTH = Limits().source
"""Maximum length of a program in characters; longer texts are not parsed."""

WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")

MAX_TOKEN_DENSITY = 0.4
"""Maximum number of tokens per character; ordinary code has 0.2 to 0.33."""

MOST_FENCES = 1_000
"""Maximum number of fence lines read in a reply; the rest is ignored."""

REFUSED_NAMES = frozenset({"eval", "exec"})
"""Functions that would run unchecked code."""

SUSPICIOUS_WORDS = (*sorted(REFUSED_NAMES), "import")
"""A source without these words needs no search for forbidden names."""


class Outline(NamedTuple):
    """Static facts of a Python source.

    Attributes:
        refusal: Why the sandbox rejects it, or None.
        line: Line of the entry function; 0 without one.
        parameters: Its number of parameters; -1 if some are not positional.
    """

    refusal: Problem | None
    line: int
    parameters: int


def problem_of(source: str, parameters: tuple[str, ...], longest: int) -> Problem | None:
    """Return the error of a source, or None.

    Nothing is executed, and a source that is too long is not parsed.
    """
    if not source.strip():
        return Problem(Failure.NO_PROGRAM, "there is no program")
    if excess := length_problem(source, longest):
        return Problem(Failure.LIMIT, f"the program has {excess}")
    outline = outline_of(source)
    if isinstance(outline, Problem):
        return outline
    return outline.refusal or _entry_problem(outline, parameters)


def length_problem(source: str, longest: int = MAX_SOURCE_LENGTH) -> str:
    """Describe why a source is too long to be parsed; empty if it is not."""
    if len(source) > longest:
        return f"{len(source)} characters; allowed: {longest}"
    most = int(longest * MAX_TOKEN_DENSITY)
    count = len(WORD_OR_SIGN.findall(source)) if len(source) > most else 0
    return f"{count} words and signs; allowed: {most}" if count > most else ""


@lru_cache(maxsize=1024)
def outline_of(source: str) -> Outline | Problem:
    """Return the outline of a source, or why it is not Python; cached."""
    tree = parse_source(source)
    if isinstance(tree, Problem):
        return tree
    as_read = unicodedata.normalize("NFKC", source)  # the normalisation of Python's identifiers
    entry, refused = entry_of(tree), _find_refusal(tree) if any(word in as_read for word in SUSPICIOUS_WORDS) else None
    refused = refused or (_class_scope_problem(tree) if "class" in as_read else None)
    if ARGUMENT_PREFIX in as_read:  # the prefix of the functions that check answers
        refused = Problem(Failure.SYNTAX_ERROR, "a name in the program is one that the sandbox keeps for itself")
    if entry is None:
        return Outline(refused, 0, 0)
    spec = entry.args
    # Arguments are passed by position, so only positional parameters can be counted.
    others = spec.kwonlyargs or spec.vararg or spec.kwarg
    return Outline(refused, entry.lineno, -1 if others else len(spec.posonlyargs) + len(spec.args))


def parse_source(source: str) -> ast.Module | Problem:
    """Parse a source; return a `Problem` if it is not Python. Never raises."""
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
    return TOO_DEEP if _is_too_deep(tree) else _compile_problem(source) or tree


def _compile_problem(source: str) -> Problem | None:
    """Return what only Python's compiler finds, such as ``global`` of a parameter, which the sandbox plays."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Nothing runs. The future statements of this module do not apply.
            compile(source, "program", "exec", dont_inherit=True)
    except SyntaxError as error:
        return Problem(Failure.SYNTAX_ERROR, one_line(f"line {error.lineno or 1}: {error.msg}"))
    except (RecursionError, MemoryError, OverflowError, ValueError):
        return TOO_DEEP
    return None


def _is_too_deep(tree: ast.AST) -> bool:
    # Level by level: recursion would fail on the very trees that are to be found.
    level, depth = [tree], 0
    while level and depth <= MAX_DEPTH:
        level, depth = [child for node in level for child in ast.iter_child_nodes(node)], depth + 1
    return bool(level)


def entry_of(tree: ast.Module) -> ast.FunctionDef | None:
    """Return the entry function: the last top-level definition of `ENTRY`, or None."""
    entries = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == ENTRY]
    return entries[-1] if entries else None


def _find_refusal(tree: ast.Module) -> Problem | None:
    """Find imports of other modules, and names that would run unchecked code."""
    for line, name in _imports(tree):
        if name not in MODULES:
            text = f"line {line}: cannot import {name!r}; allowed: {', '.join(MODULES)}"
            return Problem(Failure.SYNTAX_ERROR, one_line(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in REFUSED_NAMES:
            return Problem(Failure.SYNTAX_ERROR, f"line {node.lineno}: {node.id} is not allowed in a program")
    return None


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _class_scope_problem(tree: ast.Module) -> Problem | None:
    """Find comprehensions in the body of a class that read its names: Python looks outside, the sandbox inside."""
    for made in ast.walk(tree):
        if not isinstance(made, ast.ClassDef):
            continue
        inside = list(_nodes_in_scope(made.body))
        bound = {node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.name for node in inside if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        for node in inside:
            if isinstance(node, COMPREHENSIONS):
                # All but the first iterable, which Python evaluates in the class.
                parts = [part for part in ast.iter_child_nodes(node) if part is not node.generators[0]]
                first = node.generators[0]
                names = [name for part in (*parts, first.target, *first.ifs) for name in ast.walk(part)]
                own = {one.id for one in names if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
                read = {one.id for one in names if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
                if found := sorted((read & bound) - own):
                    text = f"line {node.lineno}: a comprehension in class {made.name} reads its name {found[0]}"
                    return Problem(Failure.SYNTAX_ERROR, one_line(f"{text}, which Python looks up outside of it"))
    return None


def _nodes_in_scope(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of functions and classes in it."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, module) of every import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def _entry_problem(outline: Outline, parameters: Sequence[str]) -> Problem | None:
    signature = f"def {ENTRY}({', '.join(parameters)})"
    if not outline.line:
        return Problem(Failure.NO_PROGRAM, f"the program does not define {signature}")
    if outline.parameters != len(parameters):
        text = f"line {outline.line}: {ENTRY} must have exactly {len(parameters)} parameters: {signature}"
        return Problem(Failure.NO_PROGRAM, text)
    return None


# Programs in replies

BYTE_ORDER_MARK = "\ufeff"

DEFINITION = re.compile(rf"^def[ \t]+{ENTRY}\b", re.MULTILINE)
"""Definition of the entry function, required in every program."""

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
"""A line that opens or closes a fenced block."""


@lru_cache(maxsize=32)
def _clean_reply(reply: str) -> Reply:
    return Reply(clean(reply.replace(BYTE_ORDER_MARK, "")))


# Cached, as a reply with an invalid program is read again to submit it all the same.
@lru_cache(maxsize=32)
def extract_program(reply: str) -> str | Invalid:
    """Extract the program from a free-text reply.

    It is the whole reply if that is Python and defines `ENTRY`, else the last fenced block. Text up to the end of a
    thought is ignored, unless the whole reply is a program.

    Returns:
        The source, cleaned; or an `Invalid` with the code ``empty``, ``no_program`` or ``thinking``.
    """
    text = _clean_reply(reply)
    if _is_program(text):
        return text.strip("\n")
    if has_too_many_signs(text):
        return Invalid("no_program", f"the reply has more than {MAX_TAG_SIGNS:,} signs <; write one fenced block")
    answer = text.answer
    if not answer.strip():
        return Invalid("empty", "the reply is empty; write one program in one fenced block")
    block = last_fenced_block(answer)
    if not block and DEFINITION.search(answer) and (length_problem(answer) or _is_program(answer)):
        return answer.strip("\n")
    start, end = (block.start, block.end) if block else (0, 0)
    # Around the block only: a program may have such words in its strings.
    if is_thinking(f"{answer[:start]}\n{answer[end:]}"):
        return UNFINISHED_THOUGHT
    if not block:
        return Invalid("no_program", f"the reply has no program; write one fenced block that defines {ENTRY}")
    source = textwrap.dedent(block.content).strip("\n")
    return source if source.strip() else Invalid("empty", "the fenced block is empty; write a program in it")


class Block(NamedTuple):
    """A fenced block of a text.

    Attributes:
        start: Start of the opening line.
        end: End of the closing line.
        content: Text between the two.
    """

    start: int
    end: int
    content: str


def extract_complete_program(reply: str) -> str | None:
    """Extract the program from a truncated reply if it is certainly complete.

    It is in the last fenced block. If that is not closed, prose must have begun below the program: a line that starts
    with two adjacent words, as no line of Python does.
    """
    answer = _clean_reply(reply).answer
    block = last_fenced_block(answer)
    opening = FENCE.search(answer, block.end if block else 0)
    if opening is None:
        program = extract_program(reply) if block else None
        return program if isinstance(program, str) else None
    lines = textwrap.dedent(answer[opening.end() + 1 :]).split("\n")
    prose = next((place for place, line in enumerate(lines) if _is_prose(line)), 0)
    program = "\n".join(lines[:prose]).strip("\n")
    return program if _is_program(program) else None


_TWO_WORDS = re.compile(r"([A-Za-z]+) ([A-Za-z]+)[ ,.;:]")


def _is_prose(line: str) -> bool:
    words = _TWO_WORDS.match(line)
    return words is not None and not any(keyword.iskeyword(one) or keyword.issoftkeyword(one) for one in words.groups())


def last_fenced_block(text: str) -> Block | None:
    """Return the last closed fenced block of a text (CommonMark 0.31, section 4.5)."""
    last: tuple[re.Match[str], re.Match[str]] | None = None
    opening: re.Match[str] | None = None
    for mark in islice(FENCE.finditer(text), MOST_FENCES):
        if opening is None:
            opening = mark
        # A fence closes with at least as many of the same characters, and nothing behind them.
        elif mark[1].startswith(opening[1]) and not mark[2].strip():
            last, opening = (opening, mark), None
    if last is None:
        return None
    opens, closes = last
    return Block(opens.start(), closes.end(), text[opens.end() + 1 : closes.start()])


def _is_program(text: str) -> bool:
    # No Python begins with a backtick, so fenced replies are not parsed in vain.
    if text.lstrip().startswith("`") or not DEFINITION.search(text) or length_problem(text):
        return False
    outline = outline_of(text.strip("\n"))
    return isinstance(outline, Outline) and outline.line > 0
