"""All faces tell the same: what a seat may see of a move is seen on every face, and what it may not on none."""

from econzoo.testing import Check

PART = "audience"


def test_conformance(check: Check) -> None:
    check()
