"""Whole episodes: repeatable to the bit, independent of each other, copyable, and with exact bookkeeping."""

from econzoo.testing import Check

PART = "episodes"


def test_conformance(check: Check) -> None:
    check()
