"""Days and indicators of recorded matches: they agree with the record, and predictions are read from its calls."""

import math

import pytest

from econzoo.evaluate.alympics.days import auction_days, guess_rounds, steps, water_days
from econzoo.evaluate.alympics.indicators_of import (
    auction_indicators,
    guess_indicators,
    most_survivors_of,
    predictions_of,
    price_of_anarchy_of,
    water_indicators,
)
from econzoo.evaluate.match import play_match

WATER = play_match("water_allocation", ["random"] * 5, 1, supply=(10, 20), days=8)
GUESS = play_match("guess_average", ["random"] * 5, 1)
AUCTION = play_match("survival_auction", ["random"] * 5, 1)


def test_water_days_agree_with_the_record():
    days = water_days(WATER)
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
            assert day.balances[seat] == day.purses[seat] - paid


def test_water_indicators_agree_with_the_record():
    found = water_indicators(WATER)
    assert found.rsr_start == 0.30
    assert found.survivors == sum(WATER.payoffs) == sum(found.lives)
    assert len(found.minimum_bids) == len(water_days(WATER))
    best = most_survivors_of(WATER)
    assert best.survivors >= found.survivors
    assert price_of_anarchy_of(WATER) == (best.welfare / found.survivors if found.survivors else math.inf)


def test_guess_indicators_agree_with_the_record():
    assert [one.target for one in guess_rounds(GUESS)][-1] > 0
    for seat in range(5):
        found = guess_indicators(GUESS, seat)
        assert found.win_rate == pytest.approx(GUESS.payoffs[seat] / 10)
        assert found.survival_round == 10
        assert math.isnan(found.prediction_error)


def test_auction_indicators_agree_with_the_record():
    days = auction_days(AUCTION)
    for seat in range(5):
        died = days[-1].died[seat]
        assert auction_indicators(AUCTION, seat).survival_round == (died or len(days))
        won = sum(day.winner == seat for day in days)
        assert auction_indicators(AUCTION, seat).win_rate == pytest.approx(won / (died or len(days)))


def test_a_round_that_was_broken_off_is_left_out():
    cut = type(WATER)(**{**vars(WATER), "turns": WATER.turns[:7]})
    assert len(water_days(cut)) == 1
    assert list(steps(type(WATER)(**{**vars(WATER), "chance": []}))) == []


def test_other_games_and_moves_out_of_turn_are_refused():
    with pytest.raises(ValueError, match="a match of guess_average has no days of water_allocation"):
        water_days(GUESS)
    turned = type(WATER)(**{**vars(WATER), "turns": WATER.turns[::-1]})
    with pytest.raises(ValueError, match="do not fit the rules"):
        water_days(turned)


def call(purpose, about, reply):
    return {"purpose": purpose, "about": about, "prompt": "", "reply": reply, "tokens": [0, 0], "seconds": 0, "cost": 0}


def with_calls(*calls):
    turns = [type(turn)(**vars(turn)) for turn in GUESS.turns]
    turns[0].calls = list(calls)
    return type(GUESS)(**{**vars(GUESS), "turns": turns})


def test_predictions_are_read_from_simulations_and_plain_lines():
    record = with_calls(
        call("prediction", None, "Bob: 40 again.\nCindy and David: 30\nEric takes 10 or 20\nAlex 5\nDavid will say 25"),
        call("simulation", 1, '{"number": 50}'),
        call("simulation", 0, '{"number": 1}'),
        call("simulation", 1, '{"number": 44}'),
        call("simulation", 4, "no idea"),
    )
    assert predictions_of(record, 0) == {1: {1: 44.0, 3: 25.0}}
    others = guess_rounds(GUESS)[0].numbers[1:]
    assert guess_indicators(record).prediction_error == pytest.approx(abs(34.5 - sum(others) / 4))
    assert predictions_of(record, 1) == {}
