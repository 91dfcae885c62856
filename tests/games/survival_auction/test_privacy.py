"""Sealed bids: nobody learns anything of the bids of a day before all have bid."""

from __future__ import annotations

from itertools import product

from econzoo.testing.playing import FACES
from games.sealed import compare_sealed, order_of_asking

DAYS = [(1, 2, 3, 4, 5), (70, 0, 0, 0, 9)]


def test_bids_of_the_day_are_sealed_on_every_face() -> None:
    for face, days in product(FACES, (0, 1, 2)):
        assert compare_sealed("survival_auction", face, DAYS[:days], (0, 7, 70, 1, 0), (60, 0, 20, 80, 90)) == 4


def test_bids_are_sealed_after_deaths_too() -> None:
    """Only the winners of days 1 and 2 of three outlive them."""
    for face in FACES:
        days = [(9, 0, 0, 0), (9, 50, 0, 0)]
        params = {"players": 4, "start_health": 3}
        assert compare_sealed("survival_auction", face, days, (0, 7), (60, 20), **params) == 1


def test_who_is_asked_last_knows_no_more_than_who_is_asked_first() -> None:
    for face in FACES:
        one, other = order_of_asking("survival_auction", face)
        assert one == other, face
