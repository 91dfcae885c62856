"""The scale of every rubric, and what is taken for a score: whole numbers from 1 to 5 and nothing else."""

from __future__ import annotations

import re
from typing import Any

from econzoo.envs.core.values import Invalid, short

LOWEST, HIGHEST = 1, 5
SCORES = tuple(range(LOWEST, HIGHEST + 1))
ALLOWED = f"whole numbers from {LOWEST} to {HIGHEST}"

_WHOLE = re.compile(r"[+-]?\d{1,9}(?:\.0*)?", re.ASCII)


def score_of(value: Any) -> int | Invalid:
    """A score from a value of JSON.

    Args:
        value: What was given; 4 and 4.0 are the score 4, while true, "4", 2.5, 0 and 6 are none.

    Returns:
        The score, or an `Invalid` whose text names what is allowed.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and value in SCORES:
        return int(value)
    return Invalid("out_of_range" if number else "wrong_type", f"the score {short(value)} is off the scale; {_allowed}")


_allowed = f"allowed: {ALLOWED}"


def score_in(text: str) -> int | Invalid:
    """A score as people write it into a terminal or a table: ``4`` or ``4.0``."""
    found = _WHOLE.fullmatch(text.strip())
    if found and int(float(found[0])) in SCORES:
        return int(float(found[0]))
    return Invalid("out_of_range", f"the score {short(text.strip())} is off the scale; {_allowed}")
