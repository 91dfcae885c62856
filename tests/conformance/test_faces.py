"""The faces are codecs of one set of rules: the same seed and the same moves give the same game on all of them."""

from econzoo.testing import Check

PART = "faces"


def test_conformance(check: Check) -> None:
    check()
