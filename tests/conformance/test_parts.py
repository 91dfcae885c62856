"""Every part of a game's rules is there for something: some match of the game calls it."""

from econzoo.testing import Check

PART = "parts"


def test_conformance(check: Check) -> None:
    check()
