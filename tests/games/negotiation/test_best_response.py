"""Best responses in negotiation: by hand, against equilibrium play, and against enumeration of all replies."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.core.contract import Move
from econzoo.envs.families.offers import History, Opponent
from econzoo.envs.games.negotiation import rules, solution
from econzoo.envs.games.negotiation.best_response import best_response, regret
from econzoo.envs.games.negotiation.rules import ACCEPT, BUYER, OFFER, OPT_OUT, REJECT, SELLER, Params, State
from exhaustive import long_unless
from games.replies import enumerated, played_out
from refusals import refuses

YES, NO, OUT = Move(ACCEPT, (0.0,)), Move(REJECT, (0.0,)), Move(OPT_OUT, (0.0,))


def market(value: tuple[float, float] = (100.0, 120.0), horizon: int = 4, outside: bool = True) -> Params:
    return Params(100.0, value, horizon, True, True, outside)


# Opponents


def equilibrium(p: Params, s: State, seat: int, history: History) -> Move:
    if not s.pending:
        return Move(OFFER, (solution.spe_price(p, s.round),))
    limit = solution.spe_threshold(p, s.round)
    return YES if (rules.current_price(s) >= limit if seat == SELLER else rules.current_price(s) <= limit) else NO


def limits(*prices: float, otherwise: Move = NO) -> Opponent:
    """Posts `prices[t - 1]` in round t, or accepts that price and any better one."""

    def opponent(p: Params, s: State, seat: int, history: History) -> Move:
        limit = prices[s.round - 1]
        if not s.pending:
            return Move(OFFER, (limit,))
        return (
            YES
            if (rules.current_price(s) >= limit if seat == SELLER else rules.current_price(s) <= limit)
            else otherwise
        )

    return opponent


def yes_man(p: Params, s: State, seat: int, history: History) -> Move:
    return YES if s.pending else Move(OFFER, (p.value[seat],))


def easily_offended(p: Params, s: State, seat: int, history: History) -> Move:
    """Never accepts; bids 115 if no price was ever above 130, else 101."""
    if s.pending:
        return NO
    polite = all(move.values[0] <= 130 for who, _, move in history if who != seat and move.kind == OFFER)
    return Move(OFFER, (115.0 if polite else 101.0,))


def whimsical(seed: int, units: int) -> Opponent:
    """Any behaviour that looks at the round only: each price and each limit is a hash."""

    def opponent(p: Params, s: State, seat: int, history: History) -> Move:
        drawn = float(hash((seed, s.round, s.pending)) % units)
        if not s.pending:
            return Move(OFFER, (drawn,))
        return YES if (rules.current_price(s) >= drawn if seat == SELLER else rules.current_price(s) <= drawn) else NO

    return opponent


# By hand


def test_the_best_reply_to_a_threshold_is_the_threshold_in_its_most_generous_round():
    for (seat, prices, value, round), memory in product(
        [
            (SELLER, (105, 110, 115, 103), 15.0, 3),  # its most generous round: it would pay 115 in round 3
            (SELLER, (105, 118, 115, 103), 18.0, 2),  # it posts 118 itself
            (SELLER, (90, 95, 80, 99), 0.0, None),  # it never pays enough: better no trade
            (SELLER, (100 + 1 / 3, 99, 98, 97), 1 / 3, 1),
            (BUYER, (119, 105, 110, 112), 15.0, 2),  # it would sell at 105 in round 2
            (BUYER, (104, 105, 110, 112), 16.0, 1),
            (BUYER, (125, 121, 122, 123), 0.0, None),
        ],
        ("round", "history"),
    ):
        params, opponent = market(), limits(*prices)
        found = best_response(params, seat, opponent, memory=memory, width=20, grid=21)
        assert found.value == pytest.approx(value, abs=1e-10), (seat, prices)
        assert played_out(rules, params, found, seat, opponent) == found.value, prices
        assert found.exact == (memory == "round"), (seat, prices)
        if round is not None:
            assert (found.plan[-1][1], found.plan[-1][2].kind) == (round, ACCEPT), (seat, prices)


def test_the_edge_of_acceptance_is_found_to_the_last_bit():
    edge = 100 * math.sqrt(1.3)

    def below_the_edge(p: Params, s: State, seat: int, history: History) -> Move:
        return YES if rules.current_price(s) < edge else NO

    found = best_response(market(horizon=1), SELLER, below_the_edge, memory="round")
    assert edge - 2 * math.ulp(120.0) <= found.value + 100 <= edge
    assert found.exact


VALUES = [(100.0, 120.0), (80.0, 150.0), (100.0, 100.0), (120.0, 100.0)]


@pytest.mark.parametrize("horizon", long_unless((1, 3).__contains__, [1, 2, 3, 10, 99]))
def test_against_the_equilibrium_nothing_earns_more_than_the_equilibrium(horizon):
    for case in product(VALUES, (True, False), (SELLER, BUYER)):
        value, outside, seat = case
        params = market(value, horizon, outside)
        found = best_response(params, seat, equilibrium, memory="round")
        assert found.value == pytest.approx(solution.spe_payoffs(params)[seat], abs=1e-10), case
        assert found.exact, case


def test_of_somebody_who_takes_anything_one_asks_all_that_may_be_asked():
    for bound, low, high in ((2.0, 0.0, 240.0), (3.0, 0.0, 360.0), (0.0, -1e15, 1e15)):
        params = market()._replace(bound=bound)
        seller, buyer = (best_response(params, seat, yes_man, memory="round") for seat in (SELLER, BUYER))
        assert (seller.value, buyer.value) == (high - 100, 120 - low), bound
        assert seller.exact, bound
        assert buyer.exact, bound


def test_who_leaves_over_a_bad_price_is_made_a_mild_one_first():
    """It leaves at anything above 150, but only says no to 125, and bids 112 next."""

    def touchy(p: Params, s: State, seat: int, history: History) -> Move:
        if not s.pending:
            return Move(OFFER, (112.0,))
        return OUT if rules.current_price(s) > 150 else YES if rules.current_price(s) <= 102 else NO

    params = market(horizon=2)
    found = best_response(params, SELLER, touchy, memory="round")
    assert found.value == pytest.approx(12.0)
    assert played_out(rules, params, found, SELLER, touchy) == found.value


def test_who_leaves_over_every_price_that_it_does_not_take_cannot_be_made_to_wait():
    params, opponent = market(horizon=3), limits(101, 119, 101, otherwise=OUT)
    found = best_response(params, SELLER, opponent, memory="round")
    assert found.value == pytest.approx(1.0)  # it would have bid 119 in round 2
    assert found.exact


def test_the_one_price_between_taking_and_leaving_is_found():
    """It takes 101 and leaves over anything above 101.001, and the grid has neither; between them it says no."""

    def touchy(p: Params, s: State, seat: int, history: History) -> Move:
        if not s.pending:
            return Move(OFFER, (119.0,))
        return OUT if rules.current_price(s) > 101.001 else YES if rules.current_price(s) <= 101 else NO

    found = best_response(market(horizon=2), SELLER, touchy, memory="round")
    assert found.value == 19.0
    assert found.exact


def test_a_price_at_a_loss_is_never_the_plan():
    found = best_response(market((120.0, 100.0), 3), SELLER, limits(110, 115, 105), memory="round")
    assert found.value == 0.0
    assert found.exact


def test_what_is_remembered_makes_politeness_pay():
    params = market(horizon=2)
    found = best_response(params, SELLER, easily_offended, memory="history")
    assert found.value == 15.0
    assert found.plan[0][2].values[0] <= 130
    assert not found.exact, "there are more prices than those of the grid"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 8), st.integers(0, 8), st.integers(1, 4), st.integers(0, 1))
def test_nothing_that_can_be_enumerated_is_better(seed, seller, buyer, horizon, seat):
    params, opponent = Params(4.0, (float(seller), float(buyer)), horizon, True, True, True), whimsical(seed, 9)
    found = best_response(params, seat, opponent, memory="round")
    assert found.exact
    assert found.value == pytest.approx(max(enumerated(rules, params, seat, opponent, range(10)), 0.0), abs=1e-9)
    assert played_out(rules, params, found, seat, opponent) == found.value


# Regret, and what is refused


def test_regret_is_what_was_left_on_the_table():
    params, opponent = market(), limits(105, 110, 115, 103)
    assert regret(params, SELLER, opponent, 4.0, memory="round") == pytest.approx(11.0)
    assert regret(params, SELLER, opponent, -10.0, memory="round") == pytest.approx(25.0)
    with refuses(ValueError, "payoff", math.nan):
        regret(params, SELLER, opponent, math.nan)


def test_bad_arguments_are_named():
    for more, *told in [
        ({"seat": 2}, "seat", 2, 0, 1),
        ({"opponent": "tough"}, "opponent", "tough"),
        ({"memory": "long"}, "memory", "long"),
        ({"grid": 1}, "grid", 1),
        ({"width": 0}, "width", 0),
        ({"params": None}, "params", None),
    ]:
        given = {"params": market(), "seat": SELLER, "opponent": equilibrium, **more}
        with refuses(ValueError, *told):
            best_response(**given)


def test_an_opponent_that_breaks_the_rules_is_named():
    for move in (None, Move(OFFER, (100.0,)), Move(7, (0.0,)), Move(OPT_OUT, (0.0,)), (1,)):
        with refuses(ValueError, "opponent", 1, 1, move):
            best_response(market(outside=False), SELLER, lambda *_, move=move: move)
