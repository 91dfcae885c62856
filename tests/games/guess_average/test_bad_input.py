"""What the guessing game refuses, and in which words: above all, only whole numbers are numbers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

import econzoo
from econzoo.envs.core.contract import Invalid
from econzoo.envs.games.guess_average import Guess
from games.parameters import refuses_each
from refusals import refuses, says


def test_any_number_of_players_plays_to_the_end() -> None:
    for players in (2, 100):
        match = econzoo.play("guess_average", ["random"] * players, seed=1, players=players)
        assert (match.status, len(match.payoffs)) == ("finished", players)


def test_parameters_that_cannot_be_are_refused() -> None:
    wrong = {
        "players": (0, 1, 101, 2.5, "5", None, True),
        "factor": (0, 1, 1.0, 0.001, -0.8, math.nan, math.inf, "0.8", None, True),
        "low": (0, -1, 1.5, 10**7, None),
        "high": (0, 1e2, 10**7, None),
        "rounds": (0, 10_001, 1.5, None),
        "health": (0, 10_001, 1.5, None),
    }
    refuses_each("guess_average", wrong)


def test_there_must_be_a_choice() -> None:
    for low, high in ((100, 100), (5, 4)):
        with refuses(ValueError, "guess_average", "low", low, "high", high):
            econzoo.make("guess_average", low=low, high=high)


WRONG = [
    (40.5, "wrong_type"),
    (39.999999999999993, "wrong_type"),
    (0, "out_of_range"),
    (0.5, "out_of_range"),
    (101, "out_of_range"),
    (100.5, "out_of_range"),
    (-40, "out_of_range"),
    (10**400, "out_of_range"),
    (math.nan, "not_finite"),
    (math.inf, "not_finite"),
    ("40", "wrong_type"),
    (True, "wrong_type"),
    (np.True_, "wrong_type"),
    (None, "wrong_type"),
    ([40], "wrong_type"),
    (np.float32(40.5), "wrong_type"),
]


def test_numbers_that_are_none() -> None:
    for number, code in WRONG:
        env = econzoo.make("guess_average", face="structured", max_retries=1)
        env.reset(seed=0)
        answer = env.face("player_0").decode({"number": number}, env.legal("player_0"))
        assert isinstance(answer, Invalid), number
        assert answer.code == code, number
        env.step({"number": number})
        info = env.infos["player_0"]
        assert (info["error_code"], info["attempt"], env.moves) == (code, 1, 0), number
        assert (info["health"], info["wins"], info["alive"]) == (10, 0, True), number
        if isinstance(number, float) and 1 < number < 100:
            says(answer.text, "number", number)


def test_whole_numbers_of_every_type_are_taken() -> None:
    for number in (1, 40, 40.0, 100, np.int64(40), np.uint8(40), np.float32(40.0), np.float64(40)):
        env = econzoo.make("guess_average", face="structured")
        env.reset(seed=0)
        move = env.face("player_0").decode({"number": number}, env.legal("player_0"))
        assert move == Guess(float(number))
        assert type(move.number) is float, number
        assert env.action_space("player_0").contains({"number": number})


def test_replies_that_are_no_number() -> None:
    for (reply, code), face in product(
        [
            ('{"number": 40.5}', "wrong_type"),
            ('{"number": "40"}', "wrong_type"),
            ('{"number": 0}', "out_of_range"),
            ('{"number": 101}', "out_of_range"),
            ('{"number": NaN}', "bad_json"),
            ('{"guess": 40}', "unknown_key"),
            ("forty", "no_json"),
            ("40", "no_json"),
            ("", "empty"),
        ],
        ("text", "chat"),
    ):
        env = econzoo.make("guess_average", face=face)
        env.reset(seed=0)
        env.step(reply)
        assert env.infos["player_0"]["error_code"] == code, (reply, face)
        assert env.infos["player_0"]["error"] in env.last()[0]["text"], (reply, face)


def test_replies_with_a_whole_number() -> None:
    for reply in ('{"number": 40}', '{"number": 40.0}', '{"number": 4e1}'):
        env = econzoo.make("guess_average", face="text")
        env.reset(seed=0)
        assert env.face("player_0").decode(reply, env.legal("player_0")) == Guess(40.0)


def test_the_schema_asks_for_whole_numbers() -> None:
    env = econzoo.make("guess_average")
    env.reset(seed=0)
    told = env.json_schema("player_0")["properties"]["number"]
    assert (told["type"], told["minimum"], told["maximum"]) == ("integer", 1, 100)


def test_the_numeric_face_says_whole_numbers_only() -> None:
    for grid in (2, 5, 100, 101, 1000):
        env = econzoo.make("guess_average", grid=grid)
        env.reset(seed=0)
        legal = env.legal("player_0")
        numbers = [env.face("player_0").decode(step, legal).number for step in range(grid)]
        assert numbers == sorted(numbers), grid
        assert (numbers[0], numbers[-1]) == (1.0, 100.0), grid
        assert all(number.is_integer() for number in numbers), grid
        assert len(set(numbers)) == min(grid, 100), "each whole number can be said, if the grid is fine enough"


def test_an_unusable_number_may_stand_for_the_greatest() -> None:
    env = econzoo.make_parallel("guess_average", face="structured", max_retries=0, on_error="default", players=2)
    env.reset(seed=0)
    env.step({"player_0": {"number": 2.5}, "player_1": {"number": 5}})
    assert [event.action.number for event in env.aec.events] == [100.0, 5.0]
    assert (env.aec.errors, env.aec.defaults) == ([1, 0], [1, 0])
