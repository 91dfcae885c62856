"""What theory tells a player, where a game offers advice: there is some in every position, and it has no secrets."""

from econzoo.testing import Check

PART = "advice"


def test_conformance(check: Check) -> None:
    check()
