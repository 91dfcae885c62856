"""The indicators of the K-level paper, worked out by hand."""

import math

import pytest

from econzoo.envs.families import adaption_index
from econzoo.envs.families.survival import Day
from econzoo.envs.games.survival_auction.indicators import deviations, played_rounds, prediction_error, win_rate

NAN = math.nan


def day(number, bids, winner):
    return Day(number, 1, bids, (100.0,) * 3, (winner,), (0.0,) * 3, (8,) * 3, (0,) * 3, (0,) * 3)


DAYS = [
    day(1, (100.0, 60.0, 40.0), 0),
    day(2, (0.0, 60.0, 20.0), 1),
    day(3, (90.0, 80.0, 85.0), 0),
    day(4, (70.0, NAN, 75.0), 2),
]


def test_four_days_by_hand():
    assert deviations(DAYS, 0) == [40.0, 60.0, 5.0, 5.0]
    assert adaption_index(deviations(DAYS, 0), 4) == pytest.approx(10 / 100)
    assert win_rate(DAYS, 0) == 0.5
    assert [len(played_rounds(DAYS, seat)) for seat in range(3)] == [4, 3, 4]


def test_a_game_that_ends_early_is_not_stretched():
    assert len(played_rounds(DAYS[:2], 0)) == 2
    assert math.isnan(adaption_index(deviations(DAYS[:2], 0), 10))


def test_who_is_alone_has_nobody_to_miss():
    assert deviations([day(1, (5.0, NAN, NAN), 0)], 0) == pytest.approx([NAN], nan_ok=True)


def test_the_prediction_error_compares_the_highest_bids():
    for predicted, bids, error in [
        ([50, 80], [90, 10], 10.0),
        ([50, NAN], [NAN, 40], 10.0),
        ([], [40], NAN),
        ([50], [NAN], NAN),
    ]:
        assert prediction_error(predicted, bids) == pytest.approx(error, nan_ok=True)
