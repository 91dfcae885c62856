"""Failures of programs: each kind is an outcome of its own, and none is ever taken for a move."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple


class Failure(IntEnum):
    """Reason that a program returned no move; `NONE` if it returned one."""

    NONE = 0
    NO_PROGRAM = 1
    SYNTAX_ERROR = 2
    WRONG_RETURN = 3
    EXCEPTION = 4
    LIMIT = 5

    @property
    def label(self) -> str:
        return LABELS[self]


LABELS = {
    Failure.NONE: "none",
    Failure.NO_PROGRAM: "no program",
    Failure.SYNTAX_ERROR: "syntax error",
    Failure.WRONG_RETURN: "wrong return value",
    Failure.EXCEPTION: "exception",
    Failure.LIMIT: "limit exceeded",
}


class Problem(NamedTuple):
    """An error of a source, found without running it."""

    failure: Failure
    text: str


class Answer(NamedTuple):
    """Result of a call of a program.

    Attributes:
        value: The move, or None.
        failure: `Failure.NONE` if there is a move.
        text: One line on the failure, with the program's line number if known; empty without one.
    """

    value: Any
    failure: Failure
    text: str


MAX_TEXT_LENGTH = 200
"""Maximum length of a failure's text in characters."""


def one_line(text: str) -> str:
    """Reduce a text, which may come from a hostile program, to one short line of printable characters."""
    # Cut before it is split: a program can raise an error of any length. What is left has room for long runs of spaces.
    joined = " ".join(text[: 20 * MAX_TEXT_LENGTH].split())
    line = "".join(char if char.isprintable() else "\ufffd" for char in joined[: MAX_TEXT_LENGTH + 1])
    return line if len(line) <= MAX_TEXT_LENGTH else line[: MAX_TEXT_LENGTH - 3] + "..."
