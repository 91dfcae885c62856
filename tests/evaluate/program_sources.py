"""Programs for tests."""

from __future__ import annotations

import textwrap

HEAD = "def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):\n"


def program(body: str, head: str = HEAD) -> str:
    """A program from the lines of its body."""
    return head + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


COOPERATE = program('return "C"')
DEFECT = program('return "D"')
CLIQUE = program('return "C" if my_program_code == opponent_program_code else "D"')
BROKEN = "def strategy_function(:\n"
