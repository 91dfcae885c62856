"""Options of the numeric face: where the mask stands, the observation as a Box alone, and the no-op of who waits."""

from econzoo.testing import Check

PART = "numeric_options"


def test_conformance(check: Check) -> None:
    check()
