"""Matches as tables: every parameter and every field of a move is a column, in any statistics program."""

from econzoo.testing import Check

PART = "tables"


def test_conformance(check: Check) -> None:
    check()
