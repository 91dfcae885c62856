"""Best responses in bargaining: by hand, against equilibrium play, and against enumeration of all replies."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.core.contract import Move
from econzoo.envs.families.offers import History, Opponent
from econzoo.envs.games.bargaining import rules, solution
from econzoo.envs.games.bargaining.best_response import best_response, regret
from econzoo.envs.games.bargaining.rules import ACCEPT, OFFER, REJECT, Params, State
from exhaustive import long_unless
from games.replies import enumerated, played_out
from refusals import refuses

PATIENCE = st.floats(min_value=0.1, max_value=1.0)
YES, NO = Move(ACCEPT, (0.0,)), Move(REJECT, (0.0,))


def market(delta: tuple[float, float] = (0.9, 0.9), horizon: int = 12, money: float = 100.0) -> Params:
    return Params(money, delta, horizon, horizon_known=True, complete_information=True)


# Opponents


def equilibrium(p: Params, s: State, seat: int, history: History) -> Move:
    if not s.pending:
        return Move(OFFER, (solution.spe_ask(p, s.round),))
    return YES if rules.offer_value(p, s, seat) >= solution.spe_threshold(p, s.round) else NO


def demanding(*targets: float) -> Opponent:
    """Asks `targets[t - 1]` dollars in round t, and accepts in round t whatever gives it that much."""

    def opponent(p: Params, s: State, seat: int, history: History) -> Move:
        if not s.pending:
            return Move(OFFER, (targets[s.round - 1],))
        return YES if rules.offer_value(p, s, seat) >= targets[s.round - 1] else NO

    return opponent


def own_asks(history: History, seat: int) -> list[float]:
    return [move.values[0] for who, _, move in history if who == seat and move.kind == OFFER]


def concession_for_concession(p: Params, s: State, seat: int, history: History) -> Move:
    """Wants 80% of the money, less half of all that the other has come down from asking for all of it."""
    conceded = p.money - min(own_asks(history, 1 - seat), default=p.money)
    wanted = 0.8 * p.money - 0.5 * conceded
    if not s.pending:
        return Move(OFFER, (wanted,))
    return YES if rules.offer_value(p, s, seat) >= wanted else NO


def relative_tit_for_tat(p: Params, s: State, seat: int, history: History) -> Move:
    """Wants everything at first, then cuts its last demand in the proportion in which the other cut its own."""
    mine, theirs = own_asks(history, seat), own_asks(history, 1 - seat)
    wanted = mine[-1] if mine else p.money
    if len(theirs) > 1 and theirs[-2] > 0.0:
        wanted = min(p.money, wanted * theirs[-1] / theirs[-2])
    if not s.pending:
        return Move(OFFER, (wanted,))
    return YES if rules.offer_value(p, s, seat) >= wanted else NO


def easily_offended(p: Params, s: State, seat: int, history: History) -> Move:
    """Never accepts; gives 90% to who has never asked more than 60%, and nothing to anyone else."""
    if s.pending:
        return NO
    polite = max(own_asks(history, 1 - seat), default=0.0) <= 0.6 * p.money
    return Move(OFFER, ((0.1 if polite else 1.0) * p.money,))


def asks(p: Params, units: int) -> list[float]:
    """From nothing to all the money."""
    return [p.money * unit / units for unit in range(units + 1)]


def whimsical(seed: int, units: int) -> Opponent:
    """Any behaviour at all: each move is a hash of the rounded history. Accepts monotonically in the ask."""

    def opponent(p: Params, s: State, seat: int, history: History) -> Move:
        asked = [math.ceil(ask * units / p.money) for ask in own_asks(history, 1 - seat)]
        past = asked[:-1] if s.pending else asked
        drawn = hash((seed, s.round, *past)) % (units + 1)
        if not s.pending:
            return Move(OFFER, (p.money * drawn / units,))
        return YES if asked[-1] < drawn else NO

    return opponent


# By hand


@pytest.mark.parametrize("memory", ["round", "history"])
@pytest.mark.parametrize("threshold", long_unless({0.0, 100 / 3}.__contains__, [0.0, 12.5, 100 / 3, 99.99, 100.0]))
def test_of_an_acceptor_one_takes_all_but_its_threshold_at_once(memory, threshold):
    params, opponent = market(horizon=5), demanding(*[threshold] * 5)
    found = best_response(params, 0, opponent, memory=memory)
    assert found.value == pytest.approx(100 - threshold, abs=1e-11)
    assert played_out(rules, params, found, 0, opponent) == found.value


def test_the_edge_of_acceptance_is_found_to_the_last_bit_of_the_money():
    edge = 61.803398874989484

    def below_the_edge(p: Params, s: State, seat: int, history: History) -> Move:
        return YES if s.asked[0] < edge else NO

    found = best_response(market(horizon=1), 0, below_the_edge)
    assert edge - math.ulp(100.0) <= found.value < edge
    assert found.exact


def test_waiting_for_concessions_pays_as_long_as_they_outrun_impatience():
    # it wants 90, 65, 40, 0: seat 0 gets 10, 35, 60 or 100, in dollars of that round
    for delta, value, round in [
        (0.2, 10.0, 1),  # 10, 7, 2.4, 0.8
        (0.5, 17.5, 2),  # 10, 17.5, 15, 12.5
        (0.8, 51.2, 4),  # 10, 28, 38.4, 51.2
        (1.0, 100.0, 4),
    ]:
        params, opponent = market((delta, 0.9), 4), demanding(90.0, 65.0, 40.0, 0.0)
        found = best_response(params, 0, opponent, memory="round")
        assert found.value == pytest.approx(value), delta
        assert found.plan[-1][1] == round, delta
        assert found.exact, delta


def test_the_second_seat_answers_first():
    # rounds 1 and 3 are its offers, in round 2 seat 1 asks: 10, 0.9 * 40, 0.81 * 45
    found = best_response(market(horizon=3), 1, demanding(90.0, 60.0, 55.0), memory="round")
    assert found.value == pytest.approx(36.45)
    assert [move.kind for who, _, move in found.plan if who == 1] == [REJECT, OFFER, ACCEPT]


def test_nothing_can_be_had_from_someone_who_never_gives():
    params, opponent = market(horizon=3), demanding(*[101.0] * 3)
    found = best_response(
        params, 1, lambda p, s, seat, h: opponent(p, s, seat, h) if s.pending else Move(OFFER, (100.0,))
    )
    assert found.value == 0.0


def test_who_accepts_everything_loses_everything():
    found = best_response(market(), 0, lambda p, s, seat, history: YES if s.pending else Move(OFFER, (0.0,)))
    assert found == (100.0, 100.0, ((0, 1, Move(OFFER, (100.0,))), (1, 1, YES)))


def test_the_true_horizon_counts_also_when_the_seats_are_not_told():
    params = Params(100.0, (1.0, 1.0), 99, horizon_known=False, complete_information=True)
    targets = [100.0 - t for t in range(1, 100)]
    assert best_response(params, 0, demanding(*targets), memory="round").value == pytest.approx(99.0)


def test_an_acceptor_that_is_not_monotone_gives_a_lower_bound_that_says_so():
    def odd(p: Params, s: State, seat: int, history: History) -> Move:
        return YES if s.asked[0] <= 10 or 30 <= s.asked[0] <= 40.25 else NO

    found = best_response(market(horizon=1), 0, odd)
    assert found.value == pytest.approx(40.25)
    assert (found.upper_bound, found.exact) == (100.0, False)


# Against equilibrium play


@given(st.tuples(PATIENCE, PATIENCE), st.integers(min_value=1, max_value=12), st.sampled_from([0, 1]))
def test_against_an_equilibrium_player_the_equilibrium_payoff_is_the_most_one_gets(delta, horizon, seat):
    params = market(delta, horizon)
    found = best_response(params, seat, equilibrium, memory="round")
    assert found.value == pytest.approx(solution.spe_payoffs(params)[seat], abs=1e-11)
    assert found.exact


def test_an_equilibrium_player_has_no_regret_against_itself_and_a_modest_one_has():
    for seat in (0, 1):
        params = market((0.9, 0.8), 7)
        earned = solution.spe_payoffs(params)[seat]
        assert regret(params, seat, equilibrium, earned, memory="round") == pytest.approx(0.0, abs=1e-11)
        assert regret(params, seat, equilibrium, earned - 3.0, memory="round") == pytest.approx(3.0, abs=1e-11)


# Against enumeration


@given(
    st.lists(st.floats(min_value=0.0, max_value=100.0), min_size=1, max_size=12),
    st.tuples(PATIENCE, PATIENCE),
    st.sampled_from([0, 1]),
    st.sampled_from([2, 11, 101]),
)
def test_against_any_schedule_of_demands_the_value_is_the_best_discounted_remainder(targets, delta, seat, grid):
    params = market(delta, len(targets))
    found = best_response(params, seat, demanding(*targets), memory="round", grid=grid)
    expected = max(delta[seat] ** t * (100.0 - target) for t, target in enumerate(targets))
    assert found.value == pytest.approx(expected, abs=1e-10)
    assert found.exact


@settings(max_examples=60, deadline=None)
@given(
    st.integers(min_value=0), st.tuples(PATIENCE, PATIENCE), st.integers(1, 4), st.sampled_from([0, 1]), st.booleans()
)
def test_against_any_memory_on_a_grid_the_value_is_that_of_enumerating_all_replies(seed, delta, horizon, seat, wide):
    units = 6
    params, opponent = market(delta, horizon, money=60.0), whimsical(seed, units)
    found = best_response(params, seat, opponent, grid=units + 1, width=1000 if wide else 3)
    best = enumerated(rules, params, seat, opponent, asks(params, units))
    assert played_out(rules, params, found, seat, opponent) == found.value <= found.upper_bound
    if wide:
        assert found.value == pytest.approx(best)
    else:
        assert found.value <= best + 1e-12 <= found.upper_bound + 1e-9


def test_against_concession_for_concession_no_enumerated_reply_is_better():
    for seat, horizon in product((0, 1), (1, 2, 3, 4, 5)):
        params = market((0.95, 0.95), horizon)
        found = best_response(params, seat, concession_for_concession, grid=13)
        assert played_out(rules, params, found, seat, concession_for_concession) == found.value, horizon
        assert (
            enumerated(rules, params, seat, concession_for_concession, asks(params, 12))
            <= found.value
            <= found.upper_bound
        ), horizon


def test_concession_for_concession_by_hand():
    """It takes what leaves it 80 - (100 - ask) / 2, so asks up to 100 - 160 / 3 = 46.67 are accepted at once."""
    found = best_response(market((0.95, 0.95), 1), 0, concession_for_concession)
    assert found.value == pytest.approx(100 - 160 / 3)
    # It gives no more in round 2 to who asked just over that in round 1, so the second seat gets 46.67 only by
    # waiting for round 2, and otherwise the 20 that it offers at once.
    for delta, value in ((0.95, 0.95 * (100 - 160 / 3)), (0.4, 20.0)):
        found = best_response(market((0.95, delta), 3), 1, concession_for_concession)
        assert found.value == pytest.approx(value)


def test_relative_tit_for_tat_by_hand():
    # it starts by wanting all, and its demand falls in proportion to ours, from 100 to a: it takes a <= 50
    for delta, horizon, value, asks in [
        (0.9, 1, 0.0, None),  # the first ask is no concession yet
        (0.9, 2, 0.0, None),
        (0.9, 3, 0.81 * 50, [100.0, 50.0]),
        (0.9, 12, 0.81 * 50, [100.0, 50.0]),  # half is also the best later, but later
    ]:
        params = market((delta, delta), horizon)
        found = best_response(params, 0, relative_tit_for_tat, grid=21)
        assert found.value == played_out(rules, params, found, 0, relative_tit_for_tat) == pytest.approx(value), delta
        if asks:
            assert own_asks(found.plan, 0) == pytest.approx(asks), (delta, horizon)


# Memory


def test_a_grudge_is_seen_only_by_a_search_that_allows_for_memory():
    params = market(horizon=4)
    found = best_response(params, 0, easily_offended)
    assert found.value == pytest.approx(0.9 * 90)
    assert found.plan[0][2].values[0] <= 60.0
    assert found.upper_bound == pytest.approx(0.9 * 100)  # an ask off the grid might have pleased it even more
    careless = best_response(params, 0, easily_offended, memory="round")
    assert careless.value == played_out(rules, params, careless, 0, easily_offended) == 0.0


def test_the_most_modest_ask_that_is_still_rejected_is_tried_though_it_is_off_the_grid():
    """It accepts asks up to a third at once, and in round 2 keeps no more than the ask it rejected."""

    def rewards_modesty(p: Params, s: State, seat: int, history: History) -> Move:
        return (YES if s.asked[0] <= p.money / 3 else NO) if s.pending else Move(OFFER, (s.asked[0],))

    found = best_response(market(horizon=2), 0, rewards_modesty, grid=11)
    assert found.value == pytest.approx(0.9 * 200 / 3)  # on the grid: 0.9 * 60


def test_with_few_lines_kept_the_opponents_best_offers_are_followed():
    """Only who asks 30 in round 1 is offered 20 in round 2 (others 0), and is then given 60 in round 3."""

    def opponent(p: Params, s: State, seat: int, history: History) -> Move:
        chosen = own_asks(history, 0)[0] == 30.0
        if s.pending:
            return YES if s.round == 3 and chosen and s.asked[0] <= 60.0 else NO
        return Move(OFFER, (80.0 if chosen else 100.0,))

    found = best_response(market((1.0, 1.0), 3), 0, opponent, grid=11, width=1)
    assert found.value == pytest.approx(60.0)


def test_with_few_lines_kept_some_are_kept_that_look_bad_at_first():
    """Asks of 50 and more are offered less in round 2, and given all in round 3."""

    def opponent(p: Params, s: State, seat: int, history: History) -> Move:
        bold = own_asks(history, 0)[0] >= 50.0
        if s.pending:
            return YES if s.round == 3 and bold else NO
        return Move(OFFER, (100.0 if bold else 90.0,))

    assert best_response(market((1.0, 1.0), 3), 0, opponent, grid=11, width=4).value == 100.0
    assert best_response(market((1.0, 1.0), 3), 0, opponent, grid=11, width=1).value == 10.0


def test_with_one_round_left_memory_does_not_matter_and_the_value_is_exact():
    assert best_response(market(horizon=1), 0, easily_offended).exact
    assert best_response(market(horizon=2), 1, easily_offended).exact


def test_an_agreement_worth_more_than_all_of_tomorrow_is_exact_whatever_the_memory():
    found = best_response(market((0.4, 0.9)), 0, concession_for_concession)
    assert found.value == pytest.approx(100 - 160 / 3)
    assert found.exact


# Work


def counted(opponent: Opponent) -> tuple[Opponent, list[int]]:
    calls: list[int] = []

    def counting(p: Params, s: State, seat: int, history: History) -> Move:
        calls.append(s.round)
        return opponent(p, s, seat, history)

    return counting, calls


def test_without_memory_the_work_is_linear_in_the_rounds():
    opponent, calls = counted(demanding(*[100.0 - t for t in range(12)]))
    best_response(market((1.0, 1.0)), 0, opponent, memory="round", grid=101)
    assert len(calls) <= 6 * (101 + 60) + 6


def test_with_memory_the_work_is_bounded_by_the_width():
    opponent, calls = counted(concession_for_concession)
    best_response(market((1.0, 1.0)), 0, opponent, grid=11, width=20)
    assert len(calls) <= 6 * 20 * (11 + 60) + 6 * 20 * 12


def test_no_time_is_spent_on_rounds_that_cannot_pay():
    opponent, calls = counted(demanding(*[50.0] * 12))
    best_response(market((0.5, 0.5)), 0, opponent, memory="round")
    assert set(calls) == {1}


# Bad input


def test_arguments_out_of_range_are_refused_by_name():
    for wrong, *named in [
        ({"seat": 2}, "seat", 2, 0, 1),
        ({"memory": "always"}, "memory", "always"),
        ({"grid": 1}, "grid", 1),
        ({"width": 0}, "width", 0),
        ({"params": market((0.9, 0.0))}, "delta"),
        ({"params": market(horizon=0)}, "horizon", 0),
        ({"params": market(money=math.nan)}, "money", math.nan),
    ]:
        with refuses(ValueError, *named):
            best_response(**({"params": market(), "seat": 0, "opponent": equilibrium} | wrong))


def test_an_opponent_that_breaks_the_rules_is_named():
    for move in (Move(OFFER, (50.0,)), Move(7, (0.0,)), Move(-1, (0.0,)), Move(ACCEPT, (math.nan,)), None, ()):
        with refuses(ValueError, "opponent", 1, 1):
            best_response(market(), 0, lambda *_, move=move: move)


def test_an_opponent_that_asks_for_what_there_is_not_is_named():
    for asked in (-1.0, 100.1, math.nan, math.inf):
        with refuses(ValueError, "opponent", 0, 1):
            best_response(market(), 1, lambda *_, asked=asked: Move(OFFER, (asked,)))


def test_regret_needs_a_number():
    with refuses(ValueError, "payoff", math.nan):
        regret(market(), 0, equilibrium, math.nan)
