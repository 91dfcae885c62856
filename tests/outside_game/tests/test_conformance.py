"""The trust game passes the tests of every game."""

from __future__ import annotations

from econzoo.testing import check_game
from econzoo_trust.game import GAME


def test_the_game_passes_the_tests_of_every_game() -> None:
    check_game(GAME)
