"""Short ways to write a program."""

from __future__ import annotations

from econzoo.envs.families.open_source import ENTRY, Failure

BODY = f"def {ENTRY}(mine, theirs, own, other):"
TIT_FOR_TAT = f"{BODY}\n    return theirs[-1] if theirs else 'C'\n"

NO_PROGRAM, SYNTAX, WRONG = Failure.NO_PROGRAM, Failure.SYNTAX_ERROR, Failure.WRONG_RETURN
EXCEPTION, LIMIT = Failure.EXCEPTION, Failure.LIMIT


def body(*lines: str) -> str:
    """A program with these lines in its entry function; the move is C if they give none."""
    return "\n".join([BODY, *["    " + line for line in lines], "    return 'C'", ""])


def having(head: str, *lines: str) -> str:
    """A program with definitions before its entry function."""
    return head + "\n\n" + body(*lines)
