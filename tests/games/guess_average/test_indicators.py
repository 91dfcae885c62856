"""The indicators of the K-level paper, worked out by hand."""

import math

import pytest

from econzoo.envs.families import adaption_index, mean
from econzoo.envs.games.guess_average.indicators import Round, deviations, played_rounds, prediction_error, win_rate

NAN = math.nan


def one(number, target, won, place):
    return Round(place, (number, 50.0), 50.0, target, (won, not won), (10, 10))


ROUNDS = [one(40, 30, False, 1), one(30, 25, True, 2), one(26, 21, False, 3), one(20, 20, True, 4)]


def test_win_rate_and_adaption_index_of_four_rounds():
    assert win_rate(ROUNDS, 0) == 0.5
    assert adaption_index(deviations(ROUNDS, 0), 4) == pytest.approx((5 + 0) / (10 + 5))
    assert len(played_rounds(ROUNDS, 0)) == 4


def test_who_is_out_plays_no_rounds():
    out = ROUNDS[3]._replace(numbers=(NAN, 50.0))
    assert len(played_rounds([*ROUNDS[:3], out], 0)) == 3
    assert win_rate([*ROUNDS[:3], out], 0) == pytest.approx(1 / 3)
    assert adaption_index(deviations([*ROUNDS[:3], out], 0), 4) == pytest.approx(5 / 7.5)


def test_the_adaption_index_by_hand():
    for missed, rounds, index in [
        ([8, 6, 4, 2, 0, 5, 5, 5, 5, 5], 10, 25 / 20),
        ([4, 4, 2, 2, 2], 5, 2 / 4),  # an odd match: two rounds against three
        ([4, 4, 2], 4, 2 / 4),  # out after the third of four rounds
        ([NAN, 4, 2, NAN], 4, 2 / 4),
        ([0, 0, 3, 3], 4, NAN),  # nothing to improve on
        ([3, 3], 4, NAN),  # no second half
        ([], 4, NAN),
        ([5], 1, NAN),
    ]:
        assert adaption_index(missed, rounds) == pytest.approx(index, nan_ok=True)


def test_the_prediction_error_compares_means():
    for predicted, chosen, error in [
        ([40, 40, 40, 40], [30, 30, 50, 50], 0.0),  # the means agree
        ([40, 20], [30, 34], 2.0),
        ([40, NAN], [30, 34], 8.0),
        ([], [30, 34], NAN),
        ([40], [NAN], NAN),
    ]:
        assert prediction_error(predicted, chosen) == pytest.approx(error, nan_ok=True)


def test_no_rounds():
    assert math.isnan(win_rate([], 0))
    assert len(played_rounds([], 0)) == 0
    assert math.isnan(mean([]))
