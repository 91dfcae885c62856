"""Strategies as the functions that the search for best responses takes, and what the search finds against them."""

from __future__ import annotations

from itertools import product

import pytest
from tables import plays_as_at_the_table

import econzoo
from econzoo.baselines.negotiation import PLAYERS, POOLS, make_opponent
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.games.negotiation import GAME
from econzoo.envs.games.negotiation.rules import NOBODY, Params, State
from econzoo.envs.games.negotiation.solution import best_response, spe_payoffs
from refusals import refuses

BY_THE_ROUND = [spec for spec in POOLS["standard"] if spec != "random"]
SCRIPTED = [*BY_THE_ROUND, "holdout", "generated('harden', 3)"]
"""One of every strategy: those of the pool, which stays as published figures have it, and two that remember prices."""


def market(horizon: int = 10, told: bool = True, value: tuple[float, float] = (100.0, 120.0)) -> Params:
    return Params(100.0, value, horizon, True, told, True)


def test_every_strategy_that_draws_nothing_is_among_those_that_are_tried():
    assert {spec.partition("(")[0] for spec in SCRIPTED} == set(PLAYERS) - {"identify", "plan", "quantal"}


def test_the_pools_keep_training_and_validation_apart():
    assert not set(POOLS["training"]) & set(POOLS["validation"])
    trained = {spec.partition("(")[0] for spec in POOLS["training"]}
    assert {"anchor", "tough"} <= {spec.partition("(")[0] for spec in POOLS["validation"]} - trained


def test_a_strategy_as_a_function_plays_as_it_does_at_the_table():
    for given in [
        {"horizon": 5},
        {"horizon": None, "max_rounds": 30, "complete_information": False, "seller_value": 0.8},
        {"horizon": 4, "seller_value": 1.3, "money": 0.01, "messages": False, "outside_option": False},
    ]:
        for spec, other in product(SCRIPTED, ("truthful", "tough", "anchor(2)")):
            plays_as_at_the_table(GAME, make_opponent, (spec, other), **given)
            plays_as_at_the_table(GAME, make_opponent, (other, spec), **given)


def test_against_spe_nothing_beats_the_equilibrium_payoff():
    values = (100.0, 120.0), (100 / 3, 1e3 / 7), (100.0, 100.0), (120.0, 100.0)
    for value, horizon, seat in product(values, (1, 2, 5, 12), (0, 1)):
        params, opponent = market(horizon, value=value), make_opponent("spe")
        found = best_response(params, seat, opponent, memory=opponent.memory)
        assert found.value == pytest.approx(spe_payoffs(params)[seat], abs=1e-6), (seat, horizon, value)
        assert found.exact, (seat, horizon, value)


def test_best_replies_by_hand():
    for spec, seat, horizon, value in [
        ("truthful", 0, 10, 20.0),  # it takes any price that is no loss
        ("truthful", 1, 10, 20.0),
        ("honest-midpoint", 0, 10, 10.0),
        ("fixed-price(0.3)", 1, 10, 14.0),
        ("tough", 0, 10, 1.0),  # it posts 101 to the end
        ("tough", 1, 10, 20.0),  # the buyer has the last word, and at the end it takes anything
        ("tough", 1, 9, 1.0),
        ("concede", 0, 10, 18.0),  # it posts the price of its reservation, 0.1 of 20, in round 10
        ("concede", 1, 10, 18.0),  # and accepts it in round 10
        ("concede(1, low=0.4)", 1, 10, 12.0),
        ("anchor", 0, 10, 10.0),  # it comes down to half
        ("anchor", 1, 10, 20.0),  # or to anything, if the last word is ours
        ("anchor", 1, 1, 10.0),
    ]:
        params, opponent = market(horizon), make_opponent(spec)
        found = best_response(params, seat, opponent, memory=opponent.memory)
        assert found.exact, (spec, seat, horizon, value)
        assert found.value == pytest.approx(value, abs=1e-4), (spec, seat, horizon, value)


def test_no_strategy_of_the_pool_earns_more_than_the_best_reply():
    for (told, horizon), spec, seat in product(((True, 1), (True, 6), (False, 5)), BY_THE_ROUND, (0, 1)):
        params, opponent = market(horizon, told), make_opponent(spec)
        best = best_response(params, seat, opponent, memory=opponent.memory)
        assert best.exact, (told, horizon, spec, seat)
        for other in POOLS["standard"]:
            pair = [other, spec] if seat == 0 else [spec, other]
            record = econzoo.play("negotiation", pair, money=100, horizon=horizon, complete_information=told)
            assert record.payoffs[seat] <= best.value + 1e-6, (told, horizon, spec, seat)


def test_who_remembers_only_the_round_does_not_look_at_earlier_prices():
    for spec in BY_THE_ROUND:
        params, opponent = market(), make_opponent(spec)
        assert opponent.memory == "round", spec
        answers = {
            opponent(params, State(3, True, (110.0, own), False, NOBODY, False), 1, ()) for own in (UNKNOWN, 90.0)
        }
        prices = {
            opponent(params, State(3, False, (111.0, own), False, NOBODY, False), 0, ()) for own in (UNKNOWN, 90.0)
        }
        assert len(answers) == len(prices) == 1, spec


def test_a_strategy_does_not_react_to_what_its_seat_may_not_know():
    """It is handed the whole state, but neither the other's value nor the horizon can show through."""
    for spec in SCRIPTED:
        opponent = make_opponent(spec)
        one = Params(100.0, (100.0, 120.0), 99, False, False, True)
        start = State(1, False, (UNKNOWN, UNKNOWN), False, NOBODY, False)
        for state in (start, State(2, True, (160.0, 105.0), False, NOBODY, False)):
            moves = {
                opponent(one._replace(value=(100.0, v), horizon=h), state, 0, ()) for v in (30, 900) for h in (2, 50)
            }
            assert len(moves) == 1, spec


def test_only_deterministic_strategies_of_negotiation_can_be_replied_to():
    for spec in ("random", "mock('a')", "human"):
        with refuses(ValueError, repr(spec), "negotiation"):
            make_opponent(spec)
