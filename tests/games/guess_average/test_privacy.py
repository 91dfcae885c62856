"""Sealed numbers: nobody learns anything of the numbers of a round before all have chosen."""

from __future__ import annotations

import pytest

from econzoo.testing.playing import FACES
from games.sealed import compare_sealed, order_of_asking

ROUNDS = [(1, 2, 3, 4, 5), (70, 1, 100, 40, 9)]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_numbers_of_the_round_are_sealed_on_every_face(face: str, rounds: int) -> None:
    assert compare_sealed("guess_average", face, ROUNDS[:rounds], (1, 7, 70, 1, 5), (60, 100, 20, 80, 90)) == 4


@pytest.mark.parametrize("face", FACES)
def test_numbers_are_sealed_after_exits_too(face: str) -> None:
    """With one health point only the winners of round 1, who chose 1, are left."""
    assert compare_sealed("guess_average", face, [(1, 1, 1, 50, 60)], (9, 7, 3), (60, 20, 4), health=1) == 2


@pytest.mark.parametrize("face", FACES)
def test_who_is_asked_last_knows_no_more_than_who_is_asked_first(face: str) -> None:
    one, other = order_of_asking("guess_average", face)
    assert one == other
