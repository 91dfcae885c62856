"""What can go wrong with a program: every way is an outcome of its own, none is ever taken for a move."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple


class Failure(IntEnum):
    """Why a program gave no move; `NONE` where it gave one."""

    NONE = 0
    NO_PROGRAM = 1
    SYNTAX_ERROR = 2
    WRONG_RETURN = 3
    EXCEPTION = 4
    LIMIT = 5

    @property
    def label(self) -> str:
        """The failure as texts and tables say it."""
        return LABELS[self]


LABELS = {
    Failure.NONE: "none",
    Failure.NO_PROGRAM: "no program",
    Failure.SYNTAX_ERROR: "syntax error",
    Failure.WRONG_RETURN: "wrong return value",
    Failure.EXCEPTION: "exception",
    Failure.LIMIT: "limit exceeded",
}
"""Every failure in words."""


class Problem(NamedTuple):
    """What is wrong with a source before it runs.

    Attributes:
        failure: Which kind of failure every call of it is.
        text: One line for its author: what is wrong, and what is allowed.
    """

    failure: Failure
    text: str


class Answer(NamedTuple):
    """What a program answered when it was asked for a move.

    Attributes:
        value: The move; None where it gave none.
        failure: `Failure.NONE` where there is a move.
        text: One line on what went wrong, with the program's line where it is known; empty where nothing did.
    """

    value: Any
    failure: Failure
    text: str


MAX_TEXT_LENGTH = 200
"""Characters of a failure's text."""


def one_line(text: str) -> str:
    """Words that may come from a hostile program as one short line of printable characters."""
    joined = " ".join(text[: 20 * MAX_TEXT_LENGTH].split())
    shown = "".join(char if char.isprintable() else "\ufffd" for char in joined[: MAX_TEXT_LENGTH + 1])
    return shown if len(shown) <= MAX_TEXT_LENGTH else shown[: MAX_TEXT_LENGTH - 3] + "..."
