"""Sets of prompts: all that can be played can be said in their form and is read back, and nothing is given away."""

from econzoo.testing import Check

PART = "sets"


def test_conformance(check: Check) -> None:
    check()
