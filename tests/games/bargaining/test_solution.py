"""Bargaining theory against hand-computed tables, closed forms, axioms and exhaustive search of the rules."""

from __future__ import annotations

import itertools
import math
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import DONE, Move
from econzoo.envs.games.bargaining import rules, solution
from econzoo.envs.games.bargaining.rules import ACCEPT, OFFER, REJECT, Params, State
from refusals import refuses

DELTAS = st.floats(min_value=0.0, max_value=1.0, exclude_min=True)
PAIRS = st.tuples(DELTAS, DELTAS)
HORIZONS = st.integers(min_value=1, max_value=30)


def market(delta: tuple[float, float] = (0.9, 0.9), horizon: int = 12, money: float = 1.0) -> Params:
    return Params(money, delta, horizon, horizon_known=True, complete_information=True)


# Subgame-perfect equilibrium: numbers by hand


def test_first_offer_of_the_subgame_perfect_equilibrium():
    for delta, horizon, asked in [
        ((0.9, 0.9), 1, 1.0),  # an ultimatum: the proposer takes all
        ((0.9, 0.9), 2, 0.1),  # the second mover waits for 0.9
        ((0.8, 0.8), 3, 0.84),  # 1 - 0.8 * (1 - 0.8 * 1)
        ((0.9, 0.8), 2, 0.2),  # what counts is the patience of the one who waits: seat 1
        ((0.9, 0.8), 3, 0.92),  # 1 - 0.8 * (1 - 0.9)
        ((0.8, 0.9), 3, 0.82),  # 1 - 0.9 * (1 - 0.8)
        ((0.9, 0.8), 4, 0.344),  # 1 - 0.8 * (1 - 0.9 * (1 - 0.8))
        ((0.9, 0.8), 99, 0.7143),  # near (1 - 0.8) / (1 - 0.9 * 0.8), Rubinstein's limit
        ((0.8, 0.9), 99, 0.3571),  # the impatient seat 0 gets (1 - 0.9) / (1 - 0.72)
        ((1.0, 1.0), 3, 1.0),  # nobody minds waiting: the last proposer takes all, here seat 0 ...
        ((1.0, 1.0), 4, 0.0),  # ... and here seat 1
        ((1.0, 0.5), 3, 1.0),  # seat 0 waits for free and has the last word: 1 - 0.5 * (1 - 1)
        ((0.5, 1.0), 3, 0.5),  # 1 - 1 * (1 - 0.5)
        ((1e-300, 1e-300), 7, 1.0),  # tomorrow is worth nothing: an ultimatum every round
    ]:
        assert solution.spe_ask(market(delta, horizon), 1) == pytest.approx(asked, abs=5e-5)


def test_shares_and_thresholds_of_every_round_by_hand():
    params = market((0.9, 0.8), 4, money=1000.0)
    assert solution.spe_shares(params) == pytest.approx((0.344, 0.82, 0.2, 1.0))
    assert [solution.spe_ask(params, t) for t in (1, 2, 3, 4)] == pytest.approx([344, 820, 200, 1000])
    # what the responder can get by waiting, in dollars of that round: 0.8 * 820, 0.9 * 200, 0.8 * 1000, nothing
    assert [solution.spe_threshold(params, t) for t in (1, 2, 3, 4)] == pytest.approx([656, 180, 800, 0])
    assert solution.spe_payoffs(params) == pytest.approx((344.0, 656.0))


def test_a_round_outside_the_game_has_no_equilibrium_ask():
    for round in (0, -1, 5):
        with refuses(ValueError, round, 4):
            solution.spe_ask(market(horizon=4), round)
        with refuses(ValueError, round, 4):
            solution.spe_threshold(market(horizon=4), round)


def test_a_market_that_is_not_valid_is_refused():
    for params, *named in [
        (market((0.0, 0.9)), "delta", 0.0),
        (market((0.9, 1.1)), "delta", 1.1),
        (market((math.nan, 0.9)), "delta", math.nan),
        (market(horizon=0), "horizon", 0),
        (market(money=-1.0), "money", -1.0),
    ]:
        with refuses(ValueError, *named):
            solution.reference(params)


# Subgame-perfect equilibrium: closed forms and limits


@given(DELTAS, HORIZONS)
def test_equal_patience_gives_an_alternating_geometric_sum(delta, horizon):
    """1 - d + d^2 - ... of `horizon` terms, that is (1 - (-d)^T) / (1 + d)."""
    asked = solution.spe_ask(market((delta, delta), horizon), 1)
    assert asked == pytest.approx((1 - (-delta) ** horizon) / (1 + delta), abs=1e-12)


@given(PAIRS, st.integers(min_value=1, max_value=15))
def test_unequal_patience_gives_rubinstein_minus_a_vanishing_term(delta, pairs):
    """With 2n rounds left: (1 - d1) * (1 + q + ... + q^(n - 1)), where q = d0 * d1."""
    q = delta[0] * delta[1]
    asked = solution.spe_ask(market(delta, 2 * pairs), 1)
    assert asked == pytest.approx((1 - delta[1]) * sum(q**k for k in range(pairs)), abs=1e-12)


@given(PAIRS, st.integers(min_value=1, max_value=200))
def test_the_finite_game_tends_to_rubinsteins(delta, horizon):
    """Each pair of rounds shrinks the distance by d0 * d1, so it is at most (d0 * d1)^floor(T / 2)."""
    if delta == (1.0, 1.0):
        return
    distance = abs(solution.spe_ask(market(delta, horizon), 1) - solution.rubinstein_share(*delta))
    assert distance <= (delta[0] * delta[1]) ** (horizon // 2) + 1e-9


def test_rubinsteins_share_by_hand():
    assert solution.rubinstein_share(0.9, 0.9) == pytest.approx(1 / 1.9)
    assert solution.rubinstein_share(0.5, 0.5) == pytest.approx(2 / 3)
    assert solution.rubinstein_share(1.0, 0.9) == 1.0  # who never loses by waiting gets all ...
    assert solution.rubinstein_share(0.9, 1.0) == 0.0  # ... also when the other proposes


def test_rubinsteins_share_is_stationary():
    """Leaving the other its discounted share as the next proposer is what defines it."""
    first, second = solution.rubinstein_share(0.9, 0.8), solution.rubinstein_share(0.8, 0.9)
    assert 1 - first == pytest.approx(0.8 * second)
    assert 1 - second == pytest.approx(0.9 * first)


def test_without_discounting_and_without_a_last_round_there_is_no_unique_share():
    with refuses(ValueError, 1):
        solution.rubinstein_share(1.0, 1.0)
    # because the limit depends on the path: equally patient or not
    assert solution.rubinstein_share(1 - 1e-9, 1 - 1e-9) == pytest.approx(1 / 2, abs=1e-6)
    assert solution.rubinstein_share(1 - 3e-9, 1 - 1e-9) == pytest.approx(1 / 4, abs=1e-6)


def test_rubinsteins_share_refuses_what_is_no_discount_factor():
    for delta in (0.0, -0.1, 1.0001, math.nan, math.inf):
        with refuses(ValueError, delta):
            solution.rubinstein_share(0.9, delta)
        with refuses(ValueError, delta):
            solution.rubinstein_share(delta, 0.9)


@given(DELTAS, st.tuples(DELTAS, DELTAS), HORIZONS)
def test_patience_of_the_second_mover_never_helps_the_first(delta0, delta1, horizon):
    low, high = sorted(delta1)
    shares = [solution.spe_ask(market((delta0, d), horizon), 1) for d in (low, high)]
    assert shares[0] >= shares[1] - 1e-12


# Subgame-perfect equilibrium: no formula of ours, only the rules


def play_on(params: Params, state: State) -> tuple[float, float]:
    """Payoffs if from here on both play the equilibrium strategies."""
    while rules.to_act(params, state) != DONE:
        if not state.pending:
            move = Move(OFFER, (solution.spe_ask(params, state.round),))
        else:
            offered = rules.offer_value(params, state, rules.to_act(params, state))
            move = Move(ACCEPT if offered >= solution.spe_threshold(params, state.round) else REJECT, (0.0,))
        state = rules.apply(params, state, (move,))
    return rules.payoffs(params, state)


@given(PAIRS, HORIZONS, st.floats(min_value=0.01, max_value=1e12))
def test_equilibrium_play_agrees_at_once_on_the_equilibrium_payoffs(delta, horizon, money):
    params = market(delta, horizon, money)
    assert play_on(params, rules.initial(params)) == solution.spe_payoffs(params)


@given(PAIRS, HORIZONS, st.integers(min_value=1), st.floats(min_value=0.0, max_value=1.0))
def test_no_seat_gains_by_deviating_once(delta, horizon, round, asked):
    """The one-shot deviation property, in every round, as proposer and as responder, on and off the path."""
    params = market(delta, horizon)
    start = State(1 + (round - 1) % horizon, False, (rules.NO_OFFER, rules.NO_OFFER), False, False)
    seat = rules.proposer(start)
    pending = rules.propose(params, start, asked)
    assert play_on(params, pending)[seat] <= play_on(params, start)[seat] + 1e-12

    replies = [play_on(params, rules.answer(params, pending, accept))[1 - seat] for accept in (True, False)]
    assert play_on(params, pending)[1 - seat] >= max(replies) - 1e-12


def exhaustive(params: Params, units: int, generous: bool) -> tuple[float, float]:
    """Backward induction over all whole-unit offers; a responder who is indifferent accepts if `generous`."""

    @cache
    def value(state: State) -> tuple[float, float]:
        seat = rules.to_act(params, state)
        if seat == DONE:
            return rules.payoffs(params, state)
        if state.pending:
            moves = [Move(ACCEPT, (0.0,)), Move(REJECT, (0.0,))][:: 1 if generous else -1]
        else:
            moves = [Move(OFFER, (params.money * unit / units,)) for unit in range(units + 1)]
        return max((value(rules.apply(params, state, (move,))) for move in moves), key=lambda pay: pay[seat])

    return value(rules.initial(params))


def test_exhaustive_search_of_the_game_tree_finds_the_same_split():
    # powers of 2: the equilibrium lies on the grid, and no rounding hides anything
    for delta, horizon, units, asked in [
        ((0.5, 0.5), 1, 8, 8),
        ((0.5, 0.5), 2, 8, 4),
        ((0.5, 0.5), 3, 8, 6),
        ((0.5, 0.5), 4, 16, 10),
        ((0.5, 0.25), 3, 16, 14),
        ((0.25, 0.5), 3, 16, 10),
        ((0.5, 0.25), 4, 32, 27),
        ((1.0, 1.0), 4, 8, 0),
        ((1.0, 0.5), 4, 8, 6),
    ]:
        params = market(delta, horizon, money=float(units))
        assert exhaustive(params, units, generous=True) == (asked, units - asked), (delta, horizon)
        assert solution.spe_payoffs(params) == (asked, units - asked), (delta, horizon)


@pytest.mark.long
def test_exhaustive_search_off_the_grid_is_within_a_unit_a_round():
    for delta, horizon, generous in itertools.product(
        ((0.9, 0.8), (0.8, 0.95), (1.0, 0.7), (0.3, 0.6)), (1, 2, 3), (True, False)
    ):
        params = market(delta, horizon, money=40.0)
        found = exhaustive(params, 40, generous)
        assert found == pytest.approx(solution.spe_payoffs(params), abs=horizon), (delta, generous)


# Nash and Kalai-Smorodinsky


FRONTIER = [(share, 1 - share) for share in (i / 1000 for i in range(1001))]


@given(PAIRS, HORIZONS, st.floats(min_value=0.01, max_value=1e12))
def test_the_axioms_of_efficiency_and_symmetry(delta, horizon, money):
    params = market(delta, horizon, money)
    for point in (solution.nash_point(params), solution.kalai_smorodinsky_point(params)):
        assert sum(point) == money
        assert point[0] == point[1]


def test_nash_maximises_the_weighted_product_over_the_frontier():
    for weights in ((1.0, 1.0), (2.0, 1.0), (0.3, 0.7), (0.0, 1.0)):
        best = max(FRONTIER, key=lambda point, w=weights: point[0] ** w[0] * point[1] ** w[1])
        assert solution.nash_point(market(), weights) == pytest.approx(best, abs=1e-3)


def test_nash_does_not_depend_on_the_scale_of_dollars_or_of_weights():
    for money, scale in ((1e-2, 1e-300), (1e12, 5e307)):
        point = solution.nash_point(market(money=money), (3 * scale, scale))  # 4 * 5e307 overflows
        assert point == pytest.approx((0.75 * money, 0.25 * money))


def test_kalai_smorodinsky_gives_equal_shares_of_what_each_could_get_at_most():
    params = market(money=500.0)
    ideal = [max(point[seat] for point in FRONTIER) * 500.0 for seat in (0, 1)]
    ratios = [u / top for u, top in zip(solution.kalai_smorodinsky_point(params), ideal, strict=True)]
    assert ratios[0] == ratios[1] == 0.5


def test_weights_that_are_no_weights_are_refused():
    for weights in ((-1.0, 2.0), (0.0, 0.0), (math.nan, 1.0), (math.inf, 1.0)):
        with refuses(ValueError, "weights", weights):
            solution.nash_point(market(), weights)


def test_patience_is_bargaining_power_by_hand():
    assert solution.patience_weights(market((0.9, 0.81))) == pytest.approx((2 / 3, 1 / 3))  # ln 0.81 = 2 ln 0.9
    assert solution.patience_weights(market((1.0, 0.9))) == (1.0, 0.0)
    assert solution.patience_weights(market((0.9, 1.0))) == (0.0, 1.0)
    assert solution.patience_weights(market((1.0, 1.0))) == (0.5, 0.5)
    assert solution.patience_weights(market((0.3, 0.3))) == (0.5, 0.5)


def test_with_ever_shorter_rounds_rubinstein_tends_to_nash_weighted_by_patience():
    """Binmore, Rubinstein and Wolinsky (1986), whoever proposes first."""
    for delta in ((0.9, 0.8), (0.5, 0.95), (0.7, 0.7)):
        target = solution.nash_point(market(delta), solution.patience_weights(market(delta)))
        gaps = []
        for h in (1.0, 0.1, 0.01, 0.001):
            short = (delta[0] ** h, delta[1] ** h)
            first, second = solution.rubinstein_share(*short), solution.rubinstein_share(*reversed(short))
            gaps.append(max(abs(first - target[0]), abs(second - target[1])))
        assert gaps[-1] < 1e-3, delta
        assert all(later < earlier for earlier, later in pairwise(gaps)), delta


# What reports ask for


def test_the_reference_points_by_hand():
    points = solution.reference(market((0.9, 0.8), 2, money=1000.0))
    weight = math.log(0.8) / math.log(0.72)
    assert points == {
        "equilibrium": pytest.approx((200.0, 800.0)),
        "nash": (500.0, 500.0),
        "nash_patience": pytest.approx((1000 * weight, 1000 * (1 - weight))),
        "kalai_smorodinsky": (500.0, 500.0),
        "rubinstein": pytest.approx((1000 * 0.2 / 0.28, 1000 * 0.08 / 0.28)),
    }
    assert solution.equilibrium_payoffs(market((0.9, 0.8), 2, money=1000.0)) == points["equilibrium"]


def test_the_reference_has_no_rubinstein_point_where_none_exists():
    assert "rubinstein" not in solution.reference(market((1.0, 1.0)))
    assert "rubinstein" in solution.reference(market((1.0, 0.9)))


def test_share_of_equilibrium_by_hand():
    params = market((0.9, 0.8), 2, money=1000.0)  # equilibrium: 200, 800
    assert solution.share_of_equilibrium(params, (500.0, 500.0)) == pytest.approx((2.5, 0.625))
    assert solution.share_of_equilibrium(params, solution.spe_payoffs(params)) == (1.0, 1.0)
    assert solution.share_of_equilibrium(params, (0.0, 0.0)) == (0.0, 0.0)


def test_there_is_no_share_of_an_equilibrium_payoff_of_nothing():
    assert solution.share_of_equilibrium(market(horizon=1, money=100.0), (60.0, 40.0)) == (0.6, None)
    assert solution.share_of_equilibrium(market((1.0, 1.0), 4, money=100.0), (60.0, 40.0)) == (None, 0.4)
    with refuses(ValueError, "payoffs", (1.0,)):
        solution.share_of_equilibrium(market(), (1.0,))


def hidden(delta: tuple[float, float], ends: int, money: float = 1000.0) -> Params:
    """A market whose last round nobody is told."""
    return Params(money, delta, ends, horizon_known=False, complete_information=True)


def test_the_reference_is_rubinsteins_where_nobody_is_told_the_last_round():
    for ends, (delta, first) in itertools.product(
        (1, 2, 6, 98, 99),
        [
            ((0.8, 0.8), 1000 / 1.8),  # 1 / (1 + d): Rubinstein 1982
            ((0.9, 0.8), 1000 * 0.2 / 0.28),
            ((0.95, 1.0), 0.0),  # waiting costs seat 1 nothing
            ((1.0, 0.99), 1000.0),
            ((1.0, 1.0), 500.0),  # every split is an equilibrium: the symmetric one is taken
        ],
    ):
        params = hidden(delta, ends)
        assert solution.equilibrium_payoffs(params) == pytest.approx((first, 1000 - first), abs=1e-9), (ends, delta)
        assert solution.reference(params)["equilibrium"] == solution.equilibrium_payoffs(params), (ends, delta, first)
        assert solution.reference(params) == solution.reference(hidden(delta, ends + 1)), first
        shares = solution.share_of_equilibrium(params, (first, 1000 - first))
        assert shares == tuple(pytest.approx(1.0) if due else None for due in (first, 1000 - first)), ends


@given(PAIRS, HORIZONS)
def test_the_reference_of_a_far_known_last_round_tends_to_that_of_an_unknown_one(delta, rounds):
    known, unknown = market(delta, 600, 1000.0), hidden(delta, rounds)
    near = max(delta[0] * delta[1], 1e-300) ** 299 * 1000.0 + 1e-6  # the bound of Stahl's shares on Rubinstein's
    assert solution.equilibrium_payoffs(known) == pytest.approx(solution.equilibrium_payoffs(unknown), abs=near) or (
        delta == (1.0, 1.0)
    )


def test_the_ask_of_a_round_is_that_of_the_game_that_seats_are_told():
    for round in (1, 2, 3, 4):
        assert solution.equilibrium_ask(GAME, round) == solution.spe_ask(GAME, round)
        own, other = (0.9, 0.8) if round % 2 else (0.8, 0.9)
        asked = 1000 * solution.rubinstein_share(own, other)
        assert solution.equilibrium_ask(hidden((0.9, 0.8), 4), round) == asked
        assert solution.equilibrium_ask(hidden((1.0, 1.0), 4), round) is None
    with refuses(ValueError, "round", 5, 1, 4):
        solution.equilibrium_ask(GAME, 5)
    with refuses(ValueError, "round", 0):
        solution.equilibrium_ask(hidden((0.9, 0.8), 4), 0)


# Individual rationality. With (0.9, 0.8), 4 rounds and 1000 dollars the equilibrium asks are 344, 820, 200, 1000.


GAME = market((0.9, 0.8), 4, money=1000.0)


def test_equilibrium_play_violates_nothing():
    events = [(0, 1, OFFER, 344.0), (1, 1, ACCEPT, 0.0)]
    zero, one = solution.individual_rationality_violations(GAME, events)
    assert zero == solution.Violations(offers=1)
    assert one == solution.Violations(answers=1)


def test_each_violation_is_counted_for_the_seat_that_commits_it():
    events = [
        (0, 1, OFFER, 343.0),  # leaves 657, one more than waiting is worth to seat 1 ...
        (1, 1, REJECT, 0.0),  # ... which it should have taken
        (1, 2, OFFER, 821.0),  # leaves 179, one less than waiting is worth to seat 0 ...
        (0, 2, REJECT, 0.0),  # ... which it rightly rejects
        (0, 3, OFFER, 201.0),  # leaves 799, one less than seat 1 can count on ...
        (1, 3, ACCEPT, 0.0),  # ... but takes
    ]
    zero, one = solution.individual_rationality_violations(GAME, events)
    assert zero == solution.Violations(offers=2, answers=1, asked_above_acceptable=1)
    assert one == solution.Violations(
        offers=1, answers=2, rejected_above_continuation=1, accepted_below_continuation=1, asked_above_acceptable=1
    )


def test_in_the_last_round_rejecting_anything_is_a_violation_but_rejecting_nothing_is_not():
    ultimatum = market(horizon=1, money=100.0)
    for asked, counted in ((100.0, 0), (99.0, 1)):
        events = [(0, 1, OFFER, asked), (1, 1, REJECT, 0.0)]
        one = solution.individual_rationality_violations(ultimatum, events)[1]
        assert one == solution.Violations(answers=1, rejected_above_continuation=counted)


def test_accepting_a_loss_is_below_disagreement_and_so_is_any_threshold():
    events = [(0, 1, OFFER, 1100.0), (1, 1, ACCEPT, 0.0)]
    zero, one = solution.individual_rationality_violations(GAME, events)
    assert zero.asked_above_acceptable == 1
    assert one == solution.Violations(answers=1, accepted_below_disagreement=1, accepted_below_continuation=1)


def test_without_a_known_last_round_moves_are_judged_by_the_game_without_one():
    """At 0.9 and 0.8 seat 0 asks 714.29 in each of its rounds, and waiting is worth 285.71 to seat 1 in round 1.

    In round 2 seat 1 asks 357.14 and seat 0 is worth 642.86. That round 2 may be the last plays no role.
    """
    for ends in (2, 3, 99):
        params = hidden((0.9, 0.8), ends)
        played = [(0, 1, OFFER, 714.0), (1, 1, REJECT, 0.0), (1, 2, OFFER, 357.0), (0, 2, ACCEPT, 0.0)]
        zero, one = solution.individual_rationality_violations(params, played)
        assert zero == solution.Violations(offers=1, answers=1), ends
        assert one == solution.Violations(offers=1, answers=1, rejected_above_continuation=1), ends
        zero, one = solution.individual_rationality_violations(params, [(0, 1, OFFER, 715.0), (1, 1, ACCEPT, 0.0)])
        assert zero == solution.Violations(offers=1, asked_above_acceptable=1), ends
        assert one == solution.Violations(answers=1, accepted_below_continuation=1), ends


def test_where_every_split_is_an_equilibrium_none_is_a_violation():
    for asked, answer in ((1000.0, ACCEPT), (0.0, REJECT), (500.0, REJECT), (999.0, ACCEPT)):
        events = [(0, 1, OFFER, asked), (1, 1, answer, 0.0)]
        counted = solution.individual_rationality_violations(hidden((1.0, 1.0), 1), events)
        assert counted == (solution.Violations(offers=1), solution.Violations(answers=1)), (asked, answer)


@given(PAIRS, HORIZONS, st.floats(min_value=0.01, max_value=1e12))
def test_rounding_is_no_violation(delta, horizon, money):
    """The equilibrium offer computed another way: exactly what the responder's discounted next ask is worth."""
    params = market(delta, horizon, money)
    waiting = delta[1] * solution.spe_ask(params, 2) if horizon > 1 else 0.0
    for answer in (ACCEPT, REJECT):
        events = [(0, 1, OFFER, money - waiting), (1, 1, answer, 0.0)]
        counts = solution.individual_rationality_violations(params, events)
        assert counts == (solution.Violations(offers=1), solution.Violations(answers=1))


def test_a_record_that_the_rules_forbid_is_refused():
    for events in [
        [(1, 1, OFFER, 1.0)],  # not its turn
        [(0, 2, OFFER, 1.0)],  # not that round
        [(0, 1, ACCEPT, 0.0)],  # nothing to accept
        [(0, 1, 3, 0.0)],
        [(0, 1, -1, 0.0)],
        [(0, 1, OFFER, math.nan)],
        [(0, 1, OFFER, 1.0), (1, 1, ACCEPT, 0.0), (1, 2, OFFER, 1.0)],  # after the end
    ]:
        with refuses(ValueError, "event"):
            solution.individual_rationality_violations(GAME, events)


def test_an_unfinished_game_can_be_judged():
    assert solution.individual_rationality_violations(GAME, []) == (solution.Violations(), solution.Violations())


# Wrong types


def test_what_has_the_wrong_type_is_refused_by_name():
    for call, *named in [
        (lambda p: solution.spe_ask(p, "a"), "round", "a", 1, 4),
        (lambda p: solution.spe_ask(p, 1.5), "round", 1.5),
        (lambda p: solution.spe_threshold(p, None), "round", None),
        (lambda p: solution.spe_payoffs(None), "params", None),
        (lambda p: solution.spe_threshold(None, 1), "params", None),
        (lambda p: solution.nash_point({"money": 1}), "params"),
        (lambda p: solution.kalai_smorodinsky_point(5), "params", 5),
        (lambda p: solution.patience_weights(None), "params", None),
        (lambda p: solution.reference(None), "params", None),
        (lambda p: solution.spe_shares(p._replace(horizon=2.5)), "horizon", 2.5),
        (lambda p: solution.spe_shares(p._replace(delta=0.9)), "delta", 0.9),
        (lambda p: solution.spe_payoffs(p._replace(money="a")), "money", "a"),
        (lambda p: solution.rubinstein_share("a", 1), "a"),
        (lambda p: solution.nash_point(p, 5), "weights", 5),
        (lambda p: solution.nash_point(p, ("a", 1)), "weights"),
        (lambda p: solution.nash_point(p, (1, 1, 1)), "weights"),
        (lambda p: solution.share_of_equilibrium(p, None), "payoffs", None),
        (lambda p: solution.share_of_equilibrium(p, (math.nan, 1)), "payoffs", math.nan),
        (lambda p: solution.individual_rationality_violations(p, [(0, 1)]), "event", (0, 1)),
        (lambda p: solution.individual_rationality_violations(p, [("a", 1, 0, 5.0)]), "event", "a"),
        (lambda p: solution.individual_rationality_violations(p, [(0, 1, 0, "a")]), "event", "a"),
        (lambda p: solution.individual_rationality_violations(p, [5]), "event", 5),
        (lambda p: solution.individual_rationality_violations(p, None), "events", None),
        (lambda p: solution.best_response(p, 0, None), "opponent", None),
        (lambda p: solution.best_response(None, 0, print), "params", None),
        (lambda p: solution.best_response(p, "a", print), "seat", "a", 0, 1),
        (lambda p: solution.best_response(p, 0, print, grid=2.5), "grid", 2.5),
        (lambda p: solution.best_response(p, 0, print, width="a"), "width", "a"),
        (lambda p: solution.regret(p, 0, print, "a"), "payoff", "a"),
    ]:
        with refuses(ValueError, *named):
            call(GAME)


def test_advice_names_the_equilibrium_of_the_game_that_is_known() -> None:
    for horizon, perfect in [(4, True), (None, False)]:
        params = econzoo.game("bargaining").params(horizon=horizon, delta=(0.8, 0.9))[1]
        theory = solution.advise(rules.observe(params, rules.initial(params), 0))["theory"]
        assert ("subgame-perfect" in theory) is perfect, horizon
