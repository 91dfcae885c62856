"""The rules compile, and compiled they play the same game to the last bit."""

from econzoo.testing import Check

PART = "compiled"


def test_conformance(check: Check) -> None:
    check()
