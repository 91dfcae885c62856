"""What a seat imagines of another's position: never more than it can know, and true wherever it claims to know."""

from econzoo.testing import Check

PART = "perspective"


def test_conformance(check: Check) -> None:
    check()
