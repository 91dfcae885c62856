"""Negotiation theory against hand-computed tables, closed forms, axioms and exhaustive search of the rules."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.core.contract import DONE, Move
from econzoo.envs.games.negotiation import GAME, rules, solution
from econzoo.envs.games.negotiation.private_values import Atoms, Uniform, glee_prior, linear_price, posted_price
from econzoo.envs.games.negotiation.rules import ACCEPT, BUYER, OFFER, OPT_OUT, REJECT, SELLER, Params, State
from econzoo.envs.games.negotiation.scenarios import GLEE_FACTORS
from refusals import refuses

VALUES = st.tuples(st.integers(0, 10), st.integers(0, 10)).map(lambda pair: (float(pair[0]), float(pair[1])))


def market(value: tuple[float, float] = (100.0, 120.0), horizon: int = 10, outside: bool = True, told: bool = True):
    return Params(100.0, value, horizon, True, told, outside)


# The zone of agreement


def test_zone_surplus_and_the_price_in_the_middle():
    for value, zone, surplus, nash in [
        ((100.0, 120.0), (100.0, 120.0), 20.0, 110.0),
        ((80.0, 150.0), (80.0, 150.0), 70.0, 115.0),
        ((0.0, 1.0), (0.0, 1.0), 1.0, 0.5),
        ((100.0, 100.0), (100.0, 100.0), 0.0, 100.0),  # one price, and nothing to win by it
        ((120.0, 100.0), None, 0.0, None),
    ]:
        params = market(value)
        assert solution.zone(params) == zone, value
        assert solution.surplus(params) == surplus, value
        assert solution.nash_price(params) == nash, value
        assert solution.kalai_smorodinsky_price(params) == nash, value
        assert solution.nash_point(params) == (surplus / 2, surplus / 2), value


def test_a_weighted_nash_price_divides_the_surplus_in_proportion_to_power():
    for weights, price in (((1, 0), 120.0), ((0, 1), 100.0), ((3, 1), 115.0), ((0.25, 0.75), 105.0), (None, 110.0)):
        assert solution.nash_price(market(), weights) == pytest.approx(price)
        assert solution.nash_point(market(), weights) == pytest.approx((price - 100, 120 - price))


def test_weights_that_are_none_are_refused():
    for weights in ((0, 0), (-1, 2), (1,), (math.nan, 1), "ab"):
        for function in (solution.nash_price, solution.nash_point):
            with refuses(ValueError, "weights", weights):
                function(market(), weights)


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.floats(101, 119))
def test_no_price_has_a_higher_weighted_nash_product(first, second, price):
    def product(p: float) -> float:
        return (p - 100) ** first * (120 - p) ** second

    best = solution.nash_price(market(), (first, second))
    assert product(best) >= product(price) * (1 - 1e-12)


# Subgame-perfect equilibrium: by hand


def test_the_last_word_takes_the_whole_surplus_in_every_round():
    for (value, horizon, price, payoffs), outside in itertools.product(
        [
            ((100.0, 120.0), 1, 120.0, (20.0, 0.0)),  # take it or leave it: the seller asks what the buyer has
            ((100.0, 120.0), 2, 100.0, (0.0, 20.0)),  # the buyer waits for its turn and bids the least
            ((100.0, 120.0), 3, 120.0, (20.0, 0.0)),
            ((100.0, 120.0), 99, 120.0, (20.0, 0.0)),
            ((100.0, 120.0), 100, 100.0, (0.0, 20.0)),
            ((100.0, 100.0), 1, 100.0, (0.0, 0.0)),
            ((100.0, 100.0), 2, 100.0, (0.0, 0.0)),
        ],
        (True, False),
    ):
        params = market(value, horizon, outside)
        assert {solution.spe_price(params, t) for t in range(1, horizon + 1)} == {price}, (value, horizon, outside)
        assert {solution.spe_threshold(params, t) for t in range(1, horizon + 1)} == {price}, (value, horizon, outside)
        assert solution.spe_payoffs(params) == payoffs == solution.equilibrium_payoffs(params), (value, horizon, price)


def test_without_a_zone_of_agreement_each_posts_its_value_and_nobody_accepts():
    params = market((120.0, 100.0), 3)
    assert [solution.spe_price(params, t) for t in (1, 2, 3)] == [120.0, 100.0, 120.0]
    assert [solution.spe_threshold(params, t) for t in (1, 2, 3)] == [100.0, 120.0, 100.0]
    assert solution.spe_payoffs(params) == (0.0, 0.0)


def test_without_a_known_last_round_the_symmetric_division_stands_for_all():
    for last in (9, 10, 99):
        params = GAME.params(seller_value=1.0, buyer_value=1.2, horizon=None, max_rounds=last)[1]
        assert solution.equilibrium_payoffs(params) == solution.nash_point(params) == pytest.approx((1000, 1000))


def test_no_reference_point_depends_on_a_last_round_that_nobody_is_told():
    one, two = (GAME.params(horizon=None, max_rounds=last, complete_information=False)[1] for last in (1, 2))
    assert solution.reference(one) == solution.reference(two)
    assert "posted_price" in solution.reference(GAME.params(horizon=1, complete_information=False)[1])


def test_a_round_outside_the_game_has_no_equilibrium_price():
    for round in (0, 11, -1, 1.5, True, "1"):
        for function in (solution.spe_price, solution.spe_threshold):
            with refuses(ValueError, "round", round, 1, 10):
                function(market(), round)


# Subgame-perfect equilibrium: against the rules themselves, on a grid of prices

YES, NO, OUT = Move(ACCEPT, (0.0,)), Move(REJECT, (0.0,)), Move(OPT_OUT, (0.0,))
GRID = tuple(float(p) for p in range(-1, 12))


def backward(params: Params, prices: tuple[float, ...] = GRID) -> tuple[float, float]:
    """Payoffs of backward induction over all moves; who is indifferent accepts rather than goes on, and stays."""

    @cache
    def value(state: State) -> tuple[float, float]:
        seat = rules.to_act(params, state)
        if seat == DONE:
            return rules.payoffs(params, state)
        moves = [YES, NO, OUT] if state.pending else [Move(OFFER, (price,)) for price in prices]
        legal = rules.legal(params, state, seat)
        return max((value(rules.apply(params, state, (m,))) for m in moves if legal[m.kind]), key=lambda v: v[seat])

    return value(rules.initial(params))


@settings(max_examples=60, deadline=None)
@given(VALUES, st.integers(1, 4), st.booleans())
def test_backward_induction_over_all_moves_gives_the_equilibrium_payoffs(value, horizon, outside):
    params = market(value, horizon, outside)
    assert backward(params) == solution.spe_payoffs(params)


def accepts(params: Params, state: State, seat: int) -> bool:
    limit = solution.spe_threshold(params, state.round)
    return rules.current_price(state) >= limit if seat == SELLER else rules.current_price(state) <= limit


def planned(params: Params, state: State) -> Move:
    if not state.pending:
        return Move(OFFER, (solution.spe_price(params, state.round),))
    return YES if accepts(params, state, rules.to_act(params, state)) else NO


def followed(params: Params, state: State) -> tuple[float, float]:
    while rules.to_act(params, state) != DONE:
        state = rules.apply(params, state, (planned(params, state),))
    return rules.payoffs(params, state)


def test_no_deviation_pays_in_any_subgame():
    """One deviation at a time, in every position that prices of the grid can lead to."""
    for outside, value, horizon in itertools.product((True, False), ((2.0, 7.0), (5.0, 5.0), (7.0, 2.0)), (1, 2, 3, 4)):
        params = market(value, horizon, outside)
        positions, checked = [rules.initial(params)], 0
        for _ in range(2 * horizon):
            following = {}
            for state in positions:
                seat = rules.to_act(params, state)
                legal = rules.legal(params, state, seat)
                moves = [YES, NO, OUT] if state.pending else [Move(OFFER, (price,)) for price in GRID]
                for move in (m for m in moves if legal[m.kind]):
                    after = rules.apply(params, state, (move,))
                    assert followed(params, after)[seat] <= followed(params, state)[seat] + 1e-9, (state, move)
                    checked += 1
                    if not after.over:  # what was posted before does not matter for what follows
                        price = rules.current_price(after) if after.pending else None
                        following[after.round, after.pending, price] = after
            positions = list(following.values())
        assert checked >= len(GRID), (outside, value, horizon)


# Values that are private: the posted price


def test_the_posted_price_by_hand():
    for seat, own, prior, price, chance, gain in [
        (SELLER, 0.0, Uniform(0, 1), 0.5, 0.5, 0.25),  # the textbook case
        (SELLER, 0.5, Uniform(0, 1), 0.75, 0.25, 0.0625),
        (SELLER, 0.0, Uniform(2, 3), 2.0, 1.0, 2.0),  # (0 + 3) / 2 is below all values: sell for sure
        (SELLER, 1.0, Uniform(0, 1), 1.0, 0.0, 0.0),  # nothing to win
        (SELLER, 2.0, Uniform(0, 1), 2.0, 0.0, 0.0),
        (SELLER, 1.0, Uniform(3, 3), 3.0, 1.0, 2.0),  # a value that is known
        (BUYER, 1.0, Uniform(0, 1), 0.5, 0.5, 0.25),
        (BUYER, 0.5, Uniform(0, 1), 0.25, 0.25, 0.0625),
        (BUYER, 4.0, Uniform(0, 1), 1.0, 1.0, 3.0),
        (BUYER, 0.0, Uniform(0, 1), 0.0, 0.0, 0.0),
        # GLEE's four values: 1.2 wins 0.2 in half of the cases, 1.5 wins 0.5 in a quarter
        (SELLER, 1.0, glee_prior(1.0), 1.5, 0.25, 0.125),
        (SELLER, 0.8, glee_prior(1.0), 1.2, 0.5, 0.2),
        (SELLER, 1.2, glee_prior(1.0), 1.5, 0.25, 0.075),
        (SELLER, 1.5, glee_prior(1.0), 1.5, 0.25, 0.0),
        (BUYER, 1.5, glee_prior(1.0), 1.0, 0.5, 0.25),
        (BUYER, 1.2, glee_prior(1.0), 1.0, 0.5, 0.1),  # 0.8 wins 0.4 in a quarter of the cases: as good, but less sure
        (BUYER, 1.2e6 - 0.1, glee_prior(1e6), 0.8e6, 0.25, 99_999.975),  # a hair less, and it is better
        (BUYER, 0.8, glee_prior(1.0), 0.8, 0.25, 0.0),
        (SELLER, 0.0, Atoms((1.0, 2.0)), 1.0, 1.0, 1.0),  # 2 in half of the cases is as good: the surer one
    ]:
        assert posted_price(seat, own, prior) == pytest.approx((price, chance, gain))


@given(st.integers(0, 1), st.floats(-2, 3), st.floats(-1, 2), st.floats(0.01, 3))
def test_no_price_of_a_fine_grid_earns_more_against_a_uniform_value(seat, own, low, width):
    found = posted_price(seat, own, Uniform(low, low + width))
    prices = np.linspace(low - 1, low + width + 1, 2001)
    taken = np.clip((low + width - prices if seat == SELLER else prices - low) / width, 0, 1)
    gains = (prices - own if seat == SELLER else own - prices) * taken
    assert found.gain >= gains.max() - 1e-9
    assert found.gain == pytest.approx(max(gains.max(), 0.0), abs=2e-3)


@given(st.integers(0, 1), st.floats(0, 3), st.lists(st.floats(0, 3), min_size=1, max_size=5))
def test_no_price_earns_more_against_a_list_of_values(seat, own, values):
    """The best price is one of the values, so it is enough to look at those."""
    found = posted_price(seat, own, Atoms(tuple(values)))
    for price in values:
        taken = np.mean([v >= price if seat == SELLER else v <= price for v in values])
        assert (price - own if seat == SELLER else own - price) * taken <= found.gain + 1e-12
    assert found.gain >= 0.0


@given(st.floats(0.1, 0.9))
def test_the_virtual_value_of_the_best_price_is_the_own_value(own):
    """Myerson (1981): p - (1 - F(p)) / f(p) = v for a seller, p + F(p) / f(p) = v for a buyer, here on [0, 1]."""
    ask, bid = (posted_price(seat, own, Uniform(0, 1)).price for seat in (SELLER, BUYER))
    assert ask - (1 - ask) == pytest.approx(own)
    assert bid + bid == pytest.approx(own)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_linear_strategies_trade_if_the_values_are_a_quarter_apart(seller, buyer):
    """Chatterjee and Samuelson (1983) on [0, 1]: ask 2/3 v + 1/4, bid 2/3 v + 1/12, never at a loss."""
    ask, bid = (linear_price(seat, v, Uniform(0, 1)) for seat, v in ((SELLER, seller), (BUYER, buyer)))
    assert ask == pytest.approx(max(2 / 3 * seller + 1 / 4, seller))
    assert bid == pytest.approx(min(2 / 3 * buyer + 1 / 12, buyer))
    if abs(buyer - seller - 0.25) > 1e-9:
        assert (bid >= ask) == (buyer - seller > 0.25)


def test_a_linear_ask_is_the_best_reply_to_linear_bids():
    """Enumerated: the trade is half-way between ask and bid, if the bid is at least the ask."""
    bids = np.array([linear_price(BUYER, v, Uniform(0, 1)) for v in np.linspace(0, 1, 4001)])
    for own in (0.0, 0.2, 0.4, 0.6):

        def earned(ask: float, own: float = own) -> float:
            return float(np.mean(np.where(bids >= ask, (ask + bids) / 2 - own, 0.0)))

        best = max(np.linspace(own, 1, 2001), key=earned)
        assert linear_price(SELLER, own, Uniform(0, 1)) == pytest.approx(best, abs=2e-3)


def test_what_is_no_prior_is_refused():
    for arguments, *named in [
        ((2, 1.0, Uniform(0, 1)), "seat", 2),
        ((0, math.nan, Uniform(0, 1)), "own_value", math.nan),
        ((0, 1.0, Uniform(1, 0)), "low", "high", Uniform(1, 0)),
        ((0, 1.0, Uniform(0, math.inf)), "low", "high", Uniform(0, math.inf)),
        ((0, 1.0, Atoms(())), "Atoms(())"),
        ((0, 1.0, Atoms((math.nan,))), "Atoms", math.nan),
        ((0, 1.0, (0, 1)), "Uniform"),
    ]:
        with refuses(ValueError, *named):
            posted_price(*arguments)


# For reports


def test_reference_points_by_name():
    points = solution.reference(market(horizon=2))
    assert points == {"equilibrium": (0.0, 20.0), "nash": (10.0, 10.0), "kalai_smorodinsky": (10.0, 10.0)}
    none = solution.reference(market((120.0, 100.0)))
    assert set(none.values()) == {(0.0, 0.0)}


def test_on_average_over_glees_buyers_the_posted_price_earns_what_it_promises():
    for seller in GLEE_FACTORS:
        params = [market((100 * seller, 100 * buyer), 1, told=False) for buyer in GLEE_FACTORS]
        earned = [solution.reference(p)["posted_price"][SELLER] for p in params]
        assert np.mean(earned) == pytest.approx(posted_price(SELLER, 100 * seller, glee_prior(100.0)).gain)
        assert "posted_price" not in solution.reference(params[0]._replace(complete_information=True)), seller


def test_share_of_the_equilibrium():
    for horizon, payoffs, shares in [
        (1, (20.0, 0.0), (1.0, None)),
        (1, (5.0, 15.0), (0.25, None)),
        (2, (5.0, 15.0), (None, 0.75)),
        (2, (25.0, -5.0), (None, -0.25)),
    ]:
        assert solution.share_of_equilibrium(market(horizon=horizon), payoffs) == shares
        assert solution.share_of_equilibrium(market((120.0, 100.0)), payoffs) == (None, None), horizon


# Rationality


def moves(*answers: tuple[float, int]) -> list[tuple[int, int, int, float]]:
    """A game in which each price gets its answer."""
    out = []
    for round, (price, answer) in enumerate(answers, start=1):
        seat = (round + 1) % 2
        out += [(seat, round, OFFER, price), (1 - seat, round, answer, 0.0)]
    return out


# The horizon is 2, so Bob has the last word: the equilibrium price of both rounds is 100.
def test_moves_against_the_own_interest_are_counted():
    for answers, alice, bob in [
        ([(100, ACCEPT)], {"offers": 1}, {"answers": 1}),
        ([(110, ACCEPT)], {"offers": 1}, {"answers": 1, "accepted_below_continuation": 1}),
        (
            [(125, ACCEPT)],
            {"offers": 1},
            {"answers": 1, "accepted_at_a_loss": 1, "accepted_below_continuation": 1},
        ),
        (
            [(95, REJECT), (100, ACCEPT)],
            {"offers": 1, "answers": 1, "posted_at_a_loss": 1},
            {"offers": 1, "answers": 1, "rejected_above_continuation": 1},
        ),
        ([(110, REJECT), (100, REJECT)], {"offers": 1, "answers": 1}, {"offers": 1, "answers": 1}),
        (
            [(110, REJECT), (101, REJECT)],  # a dollar is better than nothing
            {"offers": 1, "answers": 1, "rejected_last_gain": 1, "rejected_above_continuation": 1},
            {"offers": 1, "answers": 1},
        ),
        ([(110, OPT_OUT)], {"offers": 1}, {"answers": 1, "rejected_last_gain": 1}),  # 10 would have been something
        ([(120, OPT_OUT)], {"offers": 1}, {"answers": 1}),
        (
            [(110, REJECT), (99, ACCEPT)],
            {"offers": 1, "answers": 1, "accepted_at_a_loss": 1, "accepted_below_continuation": 1},
            {"offers": 1, "answers": 1},
        ),
        ([(110, REJECT), (121, REJECT)], None, {"offers": 1, "answers": 1, "posted_at_a_loss": 1}),
        ([(100 - 1e-12, ACCEPT)], {"offers": 1}, {"answers": 1}),  # rounding
    ]:
        counted = solution.individual_rationality_violations(market(horizon=2), moves(*answers))
        for seat, expected in enumerate((alice, bob)):
            if expected is not None:
                assert counted[seat] == solution.Violations(**expected), (answers, alice, bob)


def test_without_a_known_last_round_only_what_no_division_pays_is_counted():
    """The values are 100 and 120: any price between is one of an equilibrium, and no round is known as the last."""
    for ends in (1, 2, 3):
        params = market(horizon=ends)._replace(horizon_known=False)
        for price, answer, counted in (
            (119.0, ACCEPT, {}),
            (101.0, REJECT, {}),
            (121.0, ACCEPT, {"accepted_at_a_loss": 1, "accepted_below_continuation": 1}),
            (99.0, REJECT, {"rejected_above_continuation": 1}),
            (101.0, OPT_OUT, {"rejected_last_gain": 1}),
        ):
            _, buyer = solution.individual_rationality_violations(params, moves((price, answer)))
            assert buyer == solution.Violations(answers=1, **counted), (price, answer)


def test_without_a_zone_of_agreement_there_is_nothing_to_regret_but_a_loss():
    params = market((120.0, 100.0), 2)
    _, bob = solution.individual_rationality_violations(params, moves((120, OPT_OUT)))
    assert bob == solution.Violations(answers=1)
    alice, bob = solution.individual_rationality_violations(params, moves((110, ACCEPT)))
    assert (alice.posted_at_a_loss, bob.accepted_at_a_loss, bob.accepted_below_continuation) == (1, 1, 1)


def test_moves_that_are_no_game_are_refused():
    for events in [
        [(1, 1, OFFER, 100.0)],  # out of turn
        [(0, 2, OFFER, 100.0)],  # not this round
        [(0, 1, ACCEPT, 0.0)],  # nothing to accept
        [(0, 1, 4, 0.0)],
        [(0, 1, OFFER, math.nan)],
        [(0, 1, OFFER)],
        [3],
    ]:
        with refuses(ValueError, "event"):
            solution.individual_rationality_violations(market(), events)
    with refuses(ValueError, "events", 3):
        solution.individual_rationality_violations(market(), 3)


def test_opting_out_where_nobody_may_is_no_game():
    with refuses(ValueError, "event", rules.OPT_OUT):
        solution.individual_rationality_violations(market(outside=False), moves((110, OPT_OUT)))


def test_a_market_that_is_not_valid_is_refused():
    for params, named in [
        (market((math.nan, 1.0)), "value"),
        (market((-1.0, 1.0)), "value"),
        (market(horizon=0), "horizon"),
        (market()._replace(money=0.0), "money"),
        ((100.0, (1.0, 2.0), 3), "params"),
    ]:
        for function in (
            solution.reference,
            solution.zone,
            solution.surplus,
            solution.last_proposer,
            solution.nash_price,
        ):
            with refuses(ValueError, named):
                function(params)
