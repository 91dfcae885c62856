"""What belongs into a game's folder; each check lists what is still missing, and where."""

from econzoo.testing import Check

PART = "folder"


def test_conformance(check: Check) -> None:
    check()
