"""Days and indicators of recorded matches: they agree with the record, and predictions are read from its calls."""

import math

import pytest

from econzoo.envs.games.water_allocation import indicators as water
from econzoo.evaluate.analyses.alympics.days import days_of, params_of, steps
from econzoo.evaluate.analyses.alympics.match_indicators import player_indicators
from econzoo.evaluate.run import play_match
from refusals import refuses

WATER = play_match("water_allocation", ["random"] * 5, 1, supply=(10, 20), days=8)
GUESS = play_match("guess_average", ["random"] * 5, 1)
AUCTION = play_match("survival_auction", ["random"] * 5, 1)


def test_water_days_agree_with_the_record():
    days = days_of(WATER, "water_allocation")
    assert [day.supply for day in days] == WATER.chance
    said = [turn.action["bid"] for turn in WATER.turns]
    assert [bid for day in days for bid in day.bids if not math.isnan(bid)] == said
    assert [float(died == 0) for died in days[-1].died] == WATER.payoffs
    needs = (8, 9, 10, 11, 12)
    for day in days:
        assert sum(needs[seat] for seat in day.winners) <= day.supply
        assert all(day.no_water_days[seat] == 0 for seat in day.winners)
        for seat in range(5):
            paid = day.bids[seat] if seat in day.winners else 0.0
            assert day.balances[seat] == pytest.approx(day.budgets[seat] - paid)


def test_water_indicators_agree_with_the_record():
    params, days = params_of(WATER), days_of(WATER, "water_allocation")
    survivors = water.survivors(params, days)
    assert water.rsr_start(params) == 0.30
    assert survivors == sum(WATER.payoffs) == sum(water.alive_mask(params, days))


def test_guess_indicators_agree_with_the_record():
    assert [one.target for one in days_of(GUESS, "guess_average")][-1] > 0
    for seat in range(5):
        found = player_indicators(GUESS, seat)
        assert found.win_rate == pytest.approx(GUESS.payoffs[seat] / 10)
        assert found.survival_round == 10
        assert math.isnan(found.prediction_error)
        assert math.isnan(found.rounds_predicted)


def test_auction_indicators_agree_with_the_record():
    days = days_of(AUCTION, "survival_auction")
    for seat in range(5):
        died = days[-1].died[seat]
        assert player_indicators(AUCTION, seat).survival_round == (died or len(days))
        won = sum(seat in day.winners for day in days)
        assert player_indicators(AUCTION, seat).win_rate == pytest.approx(won / (died or len(days)))


def test_a_round_that_was_broken_off_is_left_out():
    cut = type(WATER)(**{**vars(WATER), "turns": WATER.turns[:7]})
    assert len(days_of(cut, "water_allocation")) == 1
    assert list(steps(type(WATER)(**{**vars(WATER), "chance": []}))) == []


def test_other_games_and_moves_out_of_turn_are_refused():
    with refuses(ValueError, "guess_average", "water_allocation"):
        days_of(GUESS, "water_allocation")
    turned = type(WATER)(**{**vars(WATER), "turns": WATER.turns[::-1]})
    with refuses(ValueError, "round 1"):
        days_of(turned, "water_allocation")


def test_players_of_the_water_game_are_not_measured_so():
    with refuses(ValueError, "water_allocation", "guess_average"):
        player_indicators(WATER)
