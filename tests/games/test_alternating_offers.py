"""What bargaining and negotiation share: turns, the horizon, and what theory takes for a market and a round."""

from __future__ import annotations

import math

import pytest

import econzoo
from econzoo.envs.core import game as find_game
from econzoo.envs.games.bargaining import solution as bargaining
from econzoo.envs.games.negotiation import solution as negotiation
from refusals import refuses

OFFERS = {"bargaining": {"kind": "offer", "gain": 5000}, "negotiation": {"kind": "offer", "price": 11_000}}
"""An offer that can be made in every round, by game."""

AMOUNTS = {"bargaining": bargaining.spe_ask, "negotiation": negotiation.spe_price}


@pytest.fixture(params=OFFERS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_an_unknown_horizon_ends_after_max_rounds(name: str) -> None:
    for max_rounds in (1, 4, 99):
        env = econzoo.make(name, horizon=None, max_rounds=max_rounds, face="structured")
        env.reset()
        rounds = 0
        while not any(env.terminations.values()):
            assert env.last()[0]["horizon"] is None, max_rounds
            env.step(OFFERS[name])
            env.step({"kind": "reject"})
            rounds += 1
        assert rounds == max_rounds
        assert env.payoffs == (0.0, 0.0), max_rounds


def test_a_known_horizon_does_not_heed_max_rounds(name: str) -> None:
    game = find_game(name)
    assert game.params(horizon=12, max_rounds=3)[1].horizon == 12
    assert game.params(horizon=None, max_rounds=3)[1].horizon == 3


def test_the_seats_take_turns_to_propose_and_the_other_answers(name: str) -> None:
    env = econzoo.make(name, horizon=4, face="structured")
    env.reset()
    acted = []
    while not any(env.terminations.values()):
        acted.append(env.agent_selection[-1])
        env.step(OFFERS[name] if len(acted) % 2 else {"kind": "reject"})
    assert "".join(acted) == "01100110"


def test_a_round_outside_the_game_is_named(name: str) -> None:
    for round in (0, 5, 1.5, True, None):
        with refuses(ValueError, "round", round, 1, 4):
            AMOUNTS[name](find_game(name).params(horizon=4)[1], round)


def test_theory_takes_no_market_without_money_or_a_last_round(name: str) -> None:
    for wrong in ({"money": 0.0}, {"money": math.nan}, {"horizon": 0}, {"horizon": 2.5}):
        params = find_game(name).params()[1]._replace(**wrong)
        with refuses(ValueError, *wrong, *wrong.values()):
            AMOUNTS[name](params, 1)
        with refuses(ValueError, "params", f"econzoo.envs.games.{name}.rules.Params"):
            AMOUNTS[name](tuple(params), 1)


def test_a_setting_of_one_game_is_none_of_the_other_after_it_was_checked() -> None:
    setting = find_game("bargaining").params()[1]
    bargaining.spe_ask(setting, 1)
    with refuses(ValueError, "negotiation"):
        negotiation.spe_price(setting, 1)
