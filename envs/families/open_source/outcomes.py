"""What an error of the sandbox means for the program that ran in it."""

from __future__ import annotations

from typing import Any

from econzoo.envs.families.open_source.failures import Failure, Problem, one_line
from econzoo.envs.families.open_source.limits import Limits

PROGRAM_FILE = "<python-input-1>"
"""What tracebacks call the program: the second text that its session was fed, after the prelude."""

MOST_HOST_CALLS = 10_000
"""Calls of the host's functions, and names that nobody knows, in one match."""

UNSUPPORTED = "The monty syntax parser does not yet support "
"""How the interpreter speaks of the parts of the language that it lacks."""

SAID = {
    "time": "feed time limit exceeded: ",
    "memory": "memory limit exceeded: ",
    "recursion": "maximum recursion depth exceeded",
    "host": f"suspension limit {MOST_HOST_CALLS} exceeded",
}
"""How the interpreter's own errors begin where a limit was hit."""


def outcome(error: Exception, limits: Limits, printed: int, loading: bool, alive: bool) -> Problem:
    """The failure that an error of the sandbox stands for.

    Args:
        error: Most often a `pydantic_monty.MontyError`.
        limits: That the program ran under.
        printed: Characters that it had printed in this call.
        loading: Whether the program's own text was read; only there is wrong syntax its own.
        alive: Whether its interpreter can be asked again. One that cannot went beyond a limit, whatever it said last.
    """
    kind, _, said = _message(error).partition(": ")
    where = _line(error)
    if printed > limits.output:
        return Problem(Failure.LIMIT, where + f"printed more than {limits.output} characters")
    if text := _limit(error, kind, said, limits) or ("" if alive else _end(kind, limits)):
        return Problem(Failure.LIMIT, where + text)
    if loading and said.startswith(UNSUPPORTED):
        return Problem(Failure.SYNTAX_ERROR, one_line(where + "not available here: " + said.removeprefix(UNSUPPORTED)))
    if loading and type(error).__name__ == "MontySyntaxError":
        return Problem(Failure.SYNTAX_ERROR, one_line(where + (said or kind)))
    return Problem(Failure.EXCEPTION, one_line(where + (f"{kind}: {said}" if said else kind)))


def _limit(error: Any, kind: str, said: str, limits: Limits) -> str:
    """Which limit was hit, in words; empty where none was.

    An error of the same kind that the program raised itself has other words, and is an exception like any other. A
    program that raises one in the interpreter's own words is believed: it could as well go beyond the limit.
    """
    if getattr(error, "timed_out", False) or (kind == "TimeoutError" and said.startswith(SAID["time"])):
        return f"took longer than {limits.seconds:g} seconds"
    if kind == "MemoryError" and said.startswith(SAID["memory"]):
        return _end(kind, limits)
    if kind == "RecursionError" and said.startswith(SAID["recursion"]):
        return f"made more than {limits.recursion} calls inside calls"
    if kind == "RuntimeError" and said.startswith(SAID["host"]):
        return f"asked for more than {MOST_HOST_CALLS} host functions or unknown names"
    return ""


def _end(kind: str, limits: Limits) -> str:
    """What a program did whose interpreter is gone."""
    if kind == "MemoryError":
        return f"used more than {limits.memory / 2**20:g} MiB of memory"
    return "brought its interpreter down"


def _message(error: Any) -> str:
    """Kind and words of the error, e.g. ``ValueError: bad``."""
    return error.display(format="type-msg") if hasattr(error, "traceback") else f"{type(error).__name__}: {error}"


def _line(error: Any) -> str:
    """``line 7: `` for the innermost line of the program that the error names; empty where it names none."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    lines = [frame.line for frame in frames if frame.filename == PROGRAM_FILE]
    return f"line {lines[-1]}: " if lines else ""
