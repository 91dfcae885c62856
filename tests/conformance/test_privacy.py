"""No seat learns what it may not know, from no observation, text, info, reward or space, on no face."""

from econzoo.testing import Check

PART = "privacy"


def test_conformance(check: Check) -> None:
    check()
