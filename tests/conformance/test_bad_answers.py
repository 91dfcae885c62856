"""Unusable answers never become moves by themselves: asked again, then the declared policy, all of it counted."""

from econzoo.testing import Check

PART = "bad_answers"


def test_conformance(check: Check) -> None:
    check()
