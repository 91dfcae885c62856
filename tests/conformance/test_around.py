"""What belongs around a game's folder: its versioned module, players, tests and page."""

from econzoo.testing import Check

PART = "around"


def test_conformance(check: Check) -> None:
    check()
