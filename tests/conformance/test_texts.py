"""Texts: what is rendered is read back, every example is legal, nothing is left out and nothing is told twice."""

from econzoo.testing import Check

PART = "texts"


def test_conformance(check: Check) -> None:
    check()
