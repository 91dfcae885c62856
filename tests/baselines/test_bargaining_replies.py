"""Strategies as the functions that the search for best responses takes, and what the search finds against them."""

from __future__ import annotations

from itertools import product

import pytest
from positions import market
from tables import plays_as_at_the_table

import econzoo
from econzoo.baselines.bargaining import PLAYERS, POOLS, make_opponent
from econzoo.envs.games.bargaining import GAME, rules
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.solution import best_response, spe_payoffs
from refusals import refuses

SCRIPTED = [
    *(spec for spec in POOLS["standard"] if spec != "random"),
    *("deadline", "generated('harden', 3)", "sender('strong', line=0)", "receiver('weak')"),
]
"""One of every strategy: those of the pool, which stays as published figures have it, and what came later."""


def test_every_strategy_that_draws_nothing_is_among_those_that_are_tried():
    assert {spec.partition("(")[0] for spec in SCRIPTED} == set(PLAYERS) - {"identify", "plan", "quantal"}


def test_a_strategy_as_a_function_plays_as_it_does_at_the_table():
    for given in [
        {"horizon": 5},
        {"horizon": None, "max_rounds": 30, "complete_information": False, "delta": (0.8, 0.95)},
        {"horizon": 12, "delta": (1.0, 0.7), "money": 0.01, "messages": False},
    ]:
        for spec, other in product(SCRIPTED, ("fair", "greedy", "tit-for-tat")):
            plays_as_at_the_table(GAME, make_opponent, (spec, other), **given)
            plays_as_at_the_table(GAME, make_opponent, (other, spec), **given)


def test_against_spe_nothing_beats_the_equilibrium_payoff():
    for delta, horizon, seat in product(((0.9, 0.9), (0.8, 0.95), (1.0, 0.7)), (1, 2, 5, 12), (0, 1)):
        params, opponent = market(delta, horizon), make_opponent("spe")
        found = best_response(params, seat, opponent, memory=opponent.memory)
        assert found.value == pytest.approx(spe_payoffs(params)[seat], abs=1e-6), (delta, horizon, seat)
        assert found.exact, (delta, horizon, seat)


def test_best_replies_by_hand():
    for spec, seat, horizon, value in [
        ("fair", 0, 12, 50.0),
        ("fair", 1, 12, 50.0),
        ("acceptor(0.4)", 0, 12, 60.0),
        ("acceptor(0.4)", 1, 12, 54.0),  # it asks for 60, so one waits a round for 0.9 * 60
        ("greedy", 0, 12, 1.0),
        ("greedy", 0, 11, 0.9**10 * 100),  # it gives in at the end
        ("boulware(0.5)", 1, 2, 72.0),  # in round 2 it takes 20
        ("linear", 0, 8, 0.9**6 * 80),  # 20, 0.81 * 40, 0.9 ** 4 * 60 = 39.4, 0.9 ** 6 * 80 = 42.5
        ("tit-for-tat", 0, 1, 80.0),
        ("tit-for-tat", 0, 2, 100 / 1.9),  # it takes what leaves it 0.9 of our ask
    ]:
        params, opponent = market(horizon=horizon), make_opponent(spec)
        found = best_response(params, seat, opponent, memory=opponent.memory)
        assert found.value == pytest.approx(value, abs=1e-3), (spec, seat, horizon, value)


def test_no_strategy_of_the_pool_earns_more_than_the_best_reply():
    for spec, seat in product(SCRIPTED, (0, 1)):
        params = Params(10_000.0, (0.9, 0.8), 6, True, True)
        opponent = make_opponent(spec)
        best = best_response(params, seat, opponent, memory=opponent.memory, grid=51, width=20)
        for other in SCRIPTED:
            pair = [other, spec] if seat == 0 else [spec, other]
            earned = econzoo.play("bargaining", pair, delta=(0.9, 0.8), horizon=6).payoffs[seat]
            assert earned <= best.upper_bound + 1e-4, (spec, seat)
            if opponent.memory == "round":
                assert best.exact, (spec, seat)
                assert earned <= best.value + 1e-4, (spec, seat)


def test_who_remembers_only_the_round_does_not_look_at_earlier_asks():
    for spec in [spec for spec in SCRIPTED if make_opponent(spec).memory == "round"]:
        params, opponent = market(), make_opponent(spec)
        here = rules.State(3, True, (60.0, 70.0), False, False)
        assert opponent(params, here, 1, ()) == opponent(params, here._replace(asked=(60.0, 10.0)), 1, ()), spec
        there = rules.State(3, False, (60.0, 70.0), False, False)
        assert opponent(params, there, 0, ()) == opponent(params, there._replace(asked=(10.0, 90.0)), 0, ()), spec


def test_a_strategy_does_not_react_to_what_its_seat_may_not_know():
    """It is handed the whole state, but neither the other's discount factor nor the horizon can show through."""
    for spec in SCRIPTED:
        opponent = make_opponent(spec)
        one = Params(100.0, (0.9, 0.8), 99, False, False)
        for state in (
            rules.State(1, False, (-1.0, -1.0), False, False),
            rules.State(2, True, (60.0, 45.0), False, False),
        ):
            moves = {
                opponent(one._replace(delta=(0.9, d), horizon=h), state, 0, ()) for d in (0.3, 0.8) for h in (2, 50)
            }
            assert len(moves) == 1, spec


def test_only_deterministic_strategies_of_bargaining_can_be_replied_to():
    for spec in ("random", "mock('a')", "human"):
        with refuses(ValueError, repr(spec), "bargaining"):
            make_opponent(spec)
