"""The indicators of ALYMPICS: the figures of the paper's settings, and small tables by hand."""

import math

import pytest

from econzoo.envs.families.survival import Day
from econzoo.envs.games.water_allocation import GAME
from econzoo.envs.games.water_allocation.indicators import alive_mask, daily_medians, mean_of_daily_medians
from econzoo.envs.games.water_allocation.indicators import minimum_successful_bid, rsr, rsr_by_day, rsr_end, rsr_start
from econzoo.envs.games.water_allocation.indicators import survivors

NAN = math.nan


def town(supply):
    return GAME.params(supply=supply)[1]


def test_rsr_at_the_start_of_the_papers_settings():
    for supply, ratio in (((10, 20), 0.30), ((15, 25), 0.40), ((20, 30), 0.50)):
        assert rsr_start(town(supply)) == ratio


def test_rsr_of_survivors_by_hand():
    for supply, alive, ratio in [
        ((10, 20), (False, False, False, True, True), 15 / 23),  # David and Eric: 0.652
        ((20, 30), (False, True, True, True, True), 25 / 42),  # without Alex: 0.595
        ((20, 30), (True, True, True, True, False), 25 / 38),
        ((10, 20), (False, False, False, False, True), 15 / 12),
        ((10, 20), (False,) * 5, NAN),
    ]:
        assert rsr(town(supply), alive) == pytest.approx(ratio, nan_ok=True)


def day(number, bids, winners, died):
    return Day(number, 20, bids, (100.0,) * 5, winners, (0.0,) * 5, (8,) * 5, (0,) * 5, died)


DAYS = [
    day(1, (50.0, 60.0, 70.0, 80.0, 90.0), (4, 0), (0, 0, 0, 0, 0)),
    day(2, (50.0, 60.0, 70.0, 80.0, 90.0), (3, 1), (0, 0, 2, 0, 0)),
    day(3, (50.0, 60.0, NAN, 80.0, 90.0), (), (3, 3, 2, 0, 0)),
]


def test_three_days_by_hand():
    params = town((10, 20))
    assert [minimum_successful_bid(one) for one in DAYS] == pytest.approx([50.0, 60.0, NAN], nan_ok=True)
    assert alive_mask(params, DAYS) == (False, False, False, True, True)
    assert survivors(params, DAYS) == 2
    assert rsr_end(params, DAYS) == pytest.approx(0.652, abs=5e-4)
    assert rsr_by_day(params, DAYS) == pytest.approx([15 / 50, 15 / 50, 15 / 40])


def test_before_the_first_day_all_live():
    params = town((10, 20))
    assert survivors(params, []) == 5
    assert rsr_end(params, []) == 0.30


def test_medians_leave_out_days_without_winner():
    games = [[50.0, 60.0, NAN], [70.0, NAN, NAN], [90.0, 80.0]]
    assert daily_medians(games) == pytest.approx([70.0, 70.0, NAN], nan_ok=True)
    assert mean_of_daily_medians(games) == 70.0
    assert daily_medians([]) == []
    assert math.isnan(mean_of_daily_medians([[NAN]]))
