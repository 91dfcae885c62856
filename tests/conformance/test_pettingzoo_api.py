"""PettingZoo's own tests on every game and face, and its registry."""

from econzoo.testing import Check

PART = "pettingzoo_api"


def test_conformance(check: Check) -> None:
    check()
