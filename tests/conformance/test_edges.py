"""The end of a match and the edges of its spaces, in every view and conversion."""

from econzoo.testing import Check

PART = "edges"


def test_conformance(check: Check) -> None:
    check()
