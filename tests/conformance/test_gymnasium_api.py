"""Gymnasium's own test from every seat, single and several games, and what is drawn of them."""

from econzoo.testing import Check

PART = "gymnasium_api"


def test_conformance(check: Check) -> None:
    check()
