"""A model that simulates the others is asked nothing that depends on what its seat may not know."""

from econzoo.testing import Check

PART = "simulations"


def test_conformance(check: Check) -> None:
    check()
