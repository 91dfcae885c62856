"""What the survival auction refuses, and in which words."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

import econzoo
from econzoo.envs.core.contract import Invalid
from econzoo.envs.games.survival_auction import GAME, Bid
from games.parameters import refuses_each
from refusals import refuses


def test_any_number_of_players_plays_to_the_end() -> None:
    for players in (1, 2, 100):
        match = econzoo.play("survival_auction", ["random"] * players, seed=1, players=players)
        assert (match.status, len(match.payoffs)) == ("finished", players)


def test_parameters_that_cannot_be_are_refused() -> None:
    wrong = {
        "players": (0, -1, 101, 2.5, "5", None, True),
        "salary": (0, 0.0, -1, 1e10, math.nan, math.inf, "100", None, True),
        "days": (0, 10_001, 1.5, None),
        "start_health": (0, 1001, 8.5, None),
        "max_health": (0, 1001, None),
        "reward": ("money", None, 1),
    }
    refuses_each("survival_auction", wrong)


def test_nobody_begins_healthier_than_one_can_be() -> None:
    with refuses(ValueError, "start_health", 8, "max_health", 7):
        econzoo.make("survival_auction", max_health=7)
    assert GAME.params(max_health=8)[1].max_health == 8


def test_there_is_no_supply_to_fix() -> None:
    """One portion a day: an option of another game is unknown."""
    env = econzoo.make("survival_auction")
    with refuses(ValueError, "unknown option 'supply' of reset"):
        env.reset(seed=0, options={"supply": [10]})


WRONG = [
    (-1, "out_of_range"),
    (math.nan, "not_finite"),
    (math.inf, "not_finite"),
    (1e13, "out_of_range"),
    (10**400, "out_of_range"),
    ("70", "wrong_type"),
    (True, "wrong_type"),
    (np.False_, "wrong_type"),
    (None, "wrong_type"),
    ([70], "wrong_type"),
]


def test_bids_that_are_none() -> None:
    for amount, code in WRONG:
        env = econzoo.make("survival_auction", face="structured", max_retries=1)
        env.reset(seed=0)
        env.step({"bid": amount})
        info = env.infos["player_0"]
        assert (info["error_code"], info["attempt"], env.moves) == (code, 1, 0), amount
        assert (info["balance"], info["health"], info["no_water_days"], info["alive"]) == (100.0, 8, 0, True), amount


def test_bids_are_exact_amounts() -> None:
    for amount in (0, 100, 2000, 33.333333333333336, np.float32(1.5), np.int64(3)):
        env = econzoo.make("survival_auction", face="structured")
        env.reset(seed=0)
        move = env.face("player_0").decode({"bid": amount}, env.legal("player_0"))
        assert move == Bid(float(amount))
        assert type(move.bid) is float, amount


def test_replies_that_are_no_bid() -> None:
    for reply, face in product(
        ("", "100", '{"bid": NaN}', '{"bid": "1"}', '{"number": 1}', '{"bid": 1}{"bid": 2}'), ("text", "chat")
    ):
        env = econzoo.make("survival_auction", face=face)
        env.reset(seed=0)
        env.step(reply)
        assert env.infos["player_0"]["error"] in env.last()[0]["text"], (reply, face)
        assert env.moves == 0, (reply, face)


def test_an_unusable_bid_may_stand_for_nothing() -> None:
    env = econzoo.make_parallel("survival_auction", face="structured", max_retries=0, on_error="default", players=2)
    env.reset(seed=0)
    env.step({"player_0": {"bid": -1}, "player_1": {"bid": 5}})
    assert [event.action.bid for event in env.aec.events] == [0.0, 5.0]
    assert (env.aec.errors, env.aec.defaults) == ([1, 0], [1, 0])


def test_a_dead_players_move_is_refused() -> None:
    env = econzoo.make("survival_auction", face="structured", players=2, start_health=1)
    env.reset(seed=0)
    env.step({"bid": 1})
    env.step({"bid": 2})
    assert env.agent_selection == "player_0"
    assert isinstance(env.face("player_0").decode({"bid": 1}, env.legal("player_0")), Invalid)
    with refuses(ValueError, "None"):
        env.step({"bid": 1})
