"""Predictions are read from the calls of all answers of a round, and count if they can be true."""

import math

import pytest

from econzoo.envs.core.record.record import Turn
from econzoo.evaluate.analyses.alympics.days import days_of
from econzoo.evaluate.analyses.alympics.indicators import indicator_tables
from econzoo.evaluate.analyses.alympics.levels import KEY_COLUMNS, KINDS, level_game, level_rows
from econzoo.evaluate.analyses.alympics.match_indicators import parse_prediction, player_indicators, predictions_of
from econzoo.evaluate.run import play_match
from econzoo.evaluate.show import PAGE

GUESS = play_match("guess_average", ["random"] * 5, 1)
AUCTION = play_match("survival_auction", ["bid(1)", "bid(2)", "bid(3)", "bid(0)", "bid(0)"], 1)
NAMES = ("Alex", "Bob", "Cindy", "David", "Eric")


def call(purpose, about, reply):
    return {
        "purpose": purpose,
        "about_seat": about,
        "prompt": "",
        "reply": reply,
        "tokens": [0, 0],
        "seconds": 0,
        "cost": 0,
    }


def with_calls(record, at, *calls):
    """The record with these calls in the turn at a place."""
    turns = [type(turn)(**vars(turn)) for turn in record.turns]
    turns[at].calls = list(calls)
    return type(record)(**{**vars(record), "turns": turns})


def with_bad_answer(record, *calls):
    """The record with an unusable first answer of seat 0, before which it made these calls."""
    bad = Turn(0, 1, "?", None, error=["unreadable", "no JSON"], calls=list(calls))
    return type(record)(**{**vars(record), "turns": [bad, *record.turns]})


TOLD = (
    call("prediction", None, "Bob: 40 again.\nCindy and David: 30\nEric takes 10 or 20\nAlex 5\nDavid will say 25"),
    call("simulation", 1, '{"number": 50}'),
    call("simulation", 0, '{"number": 1}'),
    call("simulation", 1, '{"number": 44}'),
    call("simulation", 4, "no idea"),
)


def test_predictions_are_read_from_simulations_and_plain_lines():
    record = with_calls(GUESS, 0, *TOLD)
    assert predictions_of(record, 0) == {1: {1: 44.0, 3: 25.0}}
    others = days_of(GUESS, "guess_average")[0].numbers[1:]
    found = player_indicators(record)
    assert found.prediction_error == pytest.approx(abs(34.5 - sum(others) / 4))
    assert found.rounds_predicted == 1
    assert predictions_of(record, 1) == {}


def test_what_was_predicted_before_an_unusable_answer_counts():
    record = with_bad_answer(GUESS, *TOLD)
    assert predictions_of(record, 0) == {1: {1: 44.0, 3: 25.0}}
    assert player_indicators(record) == player_indicators(with_calls(GUESS, 0, *TOLD))


def test_calls_of_all_answers_of_a_round_count_together():
    first, second = call("simulation", 1, '{"number": 50}'), call("simulation", 2, '{"number": 60}')
    record = with_bad_answer(with_calls(GUESS, 0, second, call("simulation", 1, '{"number": 51}')), first)
    assert predictions_of(record, 0) == {1: {1: 51.0, 2: 60.0}}


def test_who_tries_in_vain_has_no_predicted_rounds_and_who_never_tries_has_no_number():
    vain = with_calls(GUESS, 0, call("prediction", None, "They will all be cautious."))
    assert player_indicators(vain).rounds_predicted == 0
    assert math.isnan(player_indicators(vain).prediction_error)
    assert math.isnan(player_indicators(with_calls(GUESS, 0, call("thought", None, "Bob: 40"))).rounds_predicted)


def test_the_table_says_how_many_rounds_were_predicted_only_where_somebody_predicts():
    def heads(record):
        shown = {"": KINDS["guess_average"].columns}
        tables = indicator_tables("x", KEY_COLUMNS, level_rows("guess_average", [level_game(record)]), shown)
        return [column.key for column in tables[1].restrict_to(PAGE).columns[3:]]

    assert heads(GUESS) == ["win_rate", "adaption_index"]
    assert heads(with_calls(GUESS, 0, *TOLD))[-2:] == ["prediction_error", "rounds_predicted"]


def test_numbers_outside_the_range_of_the_game_are_no_predictions():
    for number, counts in [(500, False), (100.5, False), (100, True), (1, True), (0.5, False), (0, False)]:
        simulated = with_calls(GUESS, 0, call("simulation", 1, f'{{"number": {number}}}'))
        said = with_calls(GUESS, 0, call("prediction", None, f"Bob: {number}"))
        expected = {1: {1: float(number)}} if counts else {}
        assert predictions_of(simulated, 0) == predictions_of(said, 0) == expected, number


def test_nothing_is_predicted_for_the_dead():
    days = days_of(AUCTION, "survival_auction")
    day = next(day for day in days if day.died[4])
    at = [(turn.seat, turn.round) for turn in AUCTION.turns].index((2, day.day + 1))
    calls = [call("simulation", seat, '{"bid": 7}') for seat in (0, 4)]
    alive = {seat for seat in (0, 4) if not day.died[seat]}
    found = predictions_of(with_calls(AUCTION, at, *calls, call("prediction", None, "Eric: 9")), 2)
    assert found == ({day.day + 1: dict.fromkeys(alive, 7.0)} if alive else {})


def test_a_written_prediction():
    for text, amount in [
        ("Bob: 40", 40),
        ("1. Bob: 40", 40),
        ("2) Bob will bid 40.", 40),
        ("(3) **Bob**: $40", 40),
        ("- **Bob:** 40", 40),
        ("* Bob: $1,200", 1200),
        ("Bob: $1,234,567.50", 1234567.5),
        ("I expect 12.5 from Bob.", 12.5),
        ("| Bob | 40 |", 40),
        ("Bob: 40\nBob is thirsty since day 3.", 40),
        ("Bob: 40\nBob: 45", 45),
        ("Bob may say 40, or\nBob may say 45", None),
        ("Bob: 40 or 50", None),
        ("Bob: 40-50", None),
        ("Bob: 1,2000", None),
        ("Bob: 40%", None),
        ("Bob: 1,200%", None),
        ("Bob: 4.5.6", None),
        ("Bob and Eric: 40", None),
        ("Bobby: 40", None),
        ("Eric: 40", None),
        ("1. Bob", None),
        ("Bob: forty", None),
        ("Bob: -5", -5),
        ("", None),
    ]:
        assert parse_prediction(text, NAMES, 1) == amount, text


def test_a_number_in_a_name_is_none_of_its_player():
    names = ("Player 1", "Player 2", "Player 10")
    assert [
        parse_prediction("1. Player 1: 30\n2. Player 2: 40\n3. Player 10: 50", names, seat) for seat in range(3)
    ] == [
        30,
        40,
        50,
    ]
