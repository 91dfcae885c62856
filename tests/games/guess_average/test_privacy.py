"""Sealed numbers: nobody learns anything of the numbers of a round before all have chosen."""

from __future__ import annotations

from itertools import product

from econzoo.testing.playing import FACES
from games.sealed import compare_sealed, order_of_asking

ROUNDS = [(1, 2, 3, 4, 5), (70, 1, 100, 40, 9)]


def test_numbers_of_the_round_are_sealed_on_every_face() -> None:
    for face, rounds in product(FACES, (0, 1, 2)):
        assert compare_sealed("guess_average", face, ROUNDS[:rounds], (1, 7, 70, 1, 5), (60, 100, 20, 80, 90)) == 4


def test_numbers_are_sealed_after_exits_too() -> None:
    """With one health point only the winners of round 1, who chose 1, are left."""
    for face in FACES:
        assert compare_sealed("guess_average", face, [(1, 1, 1, 50, 60)], (9, 7, 3), (60, 20, 4), health=1) == 2


def test_who_is_asked_last_knows_no_more_than_who_is_asked_first() -> None:
    for face in FACES:
        one, other = order_of_asking("guess_average", face)
        assert one == other, face
