"""Theory of games of two moves: closed forms by hand, against nashpy, and against brute force."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.core.contract import DONE
from econzoo.envs.games.matrix import GAME, rules, solution, stage
from econzoo.envs.games.matrix.tables import TABLES, Table, swap_seats
from exhaustive import examples
from refusals import refuses

PD, STAG = TABLES["prisoners-dilemma"], TABLES["stag-hunt"]
CHICKEN, SEXES, PENNIES = TABLES["chicken"], TABLES["battle-of-the-sexes"], TABLES["matching-pennies"]
THIRD = 1 / 3

TABLE = st.lists(st.integers(-6, 6), min_size=8, max_size=8).map(lambda xs: tuple(map(float, xs)))
"""Small whole numbers, so that ties and degenerate games come up often."""


def params(**given: Any) -> rules.Params:
    return GAME.params(**given)[1]


# One round

EQUILIBRIA = [
    # probabilities of C of row and column: what both get
    (PD, [(0, 0, 1, 1)]),
    (STAG, [(1, 1, 4, 4), (0, 0, 3, 3), (0.75, 0.75, 3, 3)]),
    (CHICKEN, [(1, 0, 1, 4), (0, 1, 4, 1), (0.5, 0.5, 2, 2)]),
    (SEXES, [(1, 1, 2, 1), (0, 0, 1, 2), (2 / 3, THIRD, 2 / 3, 2 / 3)]),
    (PENNIES, [(0.5, 0.5, 0, 0)]),
    ((1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), [(1, 1, 1, 0), (1, 0, 0, 0), (0, 1, 1, 0), (0, 0, 0, 0)]),
    # against C both moves of the row seat pay alike, and the column seat plays C if it meets C half the time or more
    ((1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0), [(1, 1, 1, 1), (0.5, 1, 1, 0.5)]),
]


def test_all_equilibria_of_one_round() -> None:
    for table, found in EQUILIBRIA:
        assert [(e.row, e.column, *e.payoffs) for e in solution.equilibria(table)] == [
            pytest.approx(one) for one in found
        ], (table, found)


PURE = [(PD, ("DD",)), (STAG, ("CC", "DD")), (CHICKEN, ("CD", "DC")), (SEXES, ("CC", "DD")), (PENNIES, ())]


def test_pure_equilibria() -> None:
    for table, pairs in PURE:
        assert solution.pure_equilibria(table) == pairs


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=80, deadline=None)
@given(table=st.lists(st.floats(-10, 10), min_size=8, max_size=8).map(tuple))
def test_equilibria_are_those_of_nashpy(table: Any) -> None:
    """In general position, where no two numbers that a seat compares are nearly the same."""
    nashpy = pytest.importorskip("nashpy")
    row, column = np.array(table[:4]).reshape(2, 2), np.array(table[4:]).reshape(2, 2)
    if min(abs(np.diff(row, axis=0)).min(), abs(np.diff(column, axis=1)).min()) < 0.01:
        return
    theirs = sorted([(x[0], y[0]) for x, y in nashpy.Game(row, column).support_enumeration()])
    ours = sorted([(e.row, e.column) for e in solution.equilibria(table)])
    assert np.allclose(ours, theirs, atol=1e-9)
    assert len(ours) in (1, 3)


@settings(max_examples=150)
@given(table=TABLE)
def test_there_is_an_equilibrium_and_nobody_gains_by_leaving_it(table: Table) -> None:
    found = solution.equilibria(table)
    assert found
    for e in found:
        assert e.payoffs == pytest.approx(solution.payoffs(table, e.row, e.column))
        for other in (0.0, 0.5, 1.0):
            assert solution.payoffs(table, other, e.column)[0] <= e.payoffs[0] + 1e-9
            assert solution.payoffs(table, e.row, other)[1] <= e.payoffs[1] + 1e-9
        assert min(np.subtract(e.payoffs, solution.security(table))) >= -1e-9


@examples(40)
@given(table=TABLE)
def test_one_value_of_all_equilibria_is_that_of_a_fine_grid(table: Table) -> None:
    """Where all equilibria are said to pay the same, no pair of strategies on a grid is one that pays otherwise."""
    value, grid = stage.equilibrium_value(table), np.linspace(0, 1, 13)
    if value is None:
        return
    for row, column in product(grid, grid):
        paid = solution.payoffs(table, row, column)
        first = max(solution.payoffs(table, x, column)[0] for x in (0.0, 1.0))
        second = max(solution.payoffs(table, row, y)[1] for y in (0.0, 1.0))
        if first - paid[0] < 1e-9 and second - paid[1] < 1e-9:
            assert paid == pytest.approx(value, abs=1e-6)


DOMINANT = [
    (PD, "D", "D"),
    (STAG, None, None),
    (CHICKEN, None, None),
    (PENNIES, None, None),
    ((3.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0), "C", "D"),
]


def test_dominance() -> None:
    for table, row, column in DOMINANT:
        assert (solution.dominant_move(table, 0), solution.dominant_move(table, 1)) == (row, column)


def test_weak_dominance() -> None:
    """With 1 instead of 0 for the sucker, D is better against C only."""
    weak = (3.0, 1.0, 5.0, 1.0, 3.0, 5.0, 1.0, 1.0)
    assert solution.dominant_move(weak, 0) is None
    assert solution.dominant_move(weak, 0, weakly=True) == solution.dominant_move(weak, 1, weakly=True) == "D"
    assert solution.dominant_move((1.0,) * 8, 0, weakly=True) is None


MINMAX = [(PD, (1, 1)), (STAG, (3, 3)), (CHICKEN, (1, 1)), (SEXES, (2 / 3, 2 / 3)), (PENNIES, (0, 0))]


def test_minmax_values() -> None:
    for table, values in MINMAX:
        assert solution.security(table) == pytest.approx(values)


@settings(max_examples=100)
@given(table=TABLE)
def test_minmax_is_maxmin(table: Table) -> None:
    """Von Neumann (1928): what a seat can be held to is what it can make sure of; mixtures on a fine grid."""
    for seat, t in enumerate((table, swap_seats(table))):
        sure = max(min(x * t[0] + (1 - x) * t[2], x * t[1] + (1 - x) * t[3]) for x in np.linspace(0, 1, 1001))
        held, other = solution.minmax(table, seat)
        assert sure <= held + 1e-9
        assert held - sure < 0.02
        assert max(other * t[0] + (1 - other) * t[1], other * t[2] + (1 - other) * t[3]) == pytest.approx(held)


def test_noise_mixes_the_cells() -> None:
    """Both choose C and each hand trembles with a chance of 1/10: 0.81 * 3 + 0.09 * 0 + 0.09 * 5 + 0.01 * 1 = 2.89."""
    mixed = solution.expected_table(PD, 0.1)
    assert mixed[0] == mixed[4] == pytest.approx(2.89)
    assert solution.expected_table(PD, 0.0) == PD
    assert solution.expected_table(PD, 0.5) == pytest.approx((2.25,) * 8)


# Bargaining points

POINTS = [
    # utilitarian, Nash, Kalai-Smorodinsky
    (PD, (3, 3), (3, 3), (3, 3)),
    (STAG, (4, 4), (4, 4), (4, 4)),
    (CHICKEN, (3, 3), (3, 3), (3, 3)),
    (SEXES, (1.5, 1.5), (1.5, 1.5), (1.5, 1.5)),
    (PENNIES, (0, 0), (0, 0), (0, 0)),
    # a dollar to divide that the row seat counts twice, nothing without agreement
    ((2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (2, 0), (1, 0.5), (1, 0.5)),
    # cells (0, 1), (0.75, 1), (1, 0.7), (0, 0), minmax values (3/7, 0.7): Nash stays at the corner (0.75, 1), where the
    # parts are 9/16 and 1; those of Kalai and Smorodinsky are the same 7/23 of the way to (1, 0.7)
    ((0.0, 0.75, 1.0, 0.0, 1.0, 1.0, 0.7, 0.0), (0.75, 1.0), (0.75, 1.0), (19 / 23, 20.9 / 23)),
]


def test_bargaining_points() -> None:
    for table, utilitarian, nash, kalai_smorodinsky in POINTS:
        found = solution.utilitarian_point(table), solution.nash_point(table), solution.kalai_smorodinsky_point(table)
        for one, wanted in zip(found, (utilitarian, nash, kalai_smorodinsky), strict=True):
            assert one == pytest.approx(wanted), (table, utilitarian, nash)


@settings(max_examples=80)
@given(table=TABLE)
def test_bargaining_points_are_the_best_of_many_mixtures(table: Table) -> None:
    """A thousand mixtures of the four cells: none has a larger product, none gives both larger parts."""
    weights = np.random.default_rng(0).dirichlet([0.5] * 4, 1000)
    mixtures = weights @ np.array([table[:4], table[4:]]).T
    d, top = np.array(solution.security(table)), np.array(stage.ideal_point(table))
    rational = mixtures[(mixtures >= d).all(1)]
    nash, ks = np.array(solution.nash_point(table)), np.array(solution.kalai_smorodinsky_point(table))
    assert min(np.concatenate([nash - d, ks - d])) >= -1e-9
    assert sum(solution.utilitarian_point(table)) >= mixtures.sum(1).max() - 1e-9
    if len(rational):
        assert (nash - d).prod() >= (rational - d).prod(1).max() - 1e-9
        assert (top >= rational.max(0) - 1e-9).all()
    if min(top - d) > 1e-6:
        assert ((mixtures - d) / (top - d)).min(1).max() <= ((ks - d) / (top - d)).min() + 1e-9


# Many rounds


def brute_force(p: rules.Params, s: rules.State) -> tuple[float, float]:
    """Backward induction over every history by definition, where each subgame has one pure equilibrium."""
    if rules.to_act(p, s) == DONE:
        return rules.payoffs(p, s)
    after = {
        (a, b): brute_force(p, rules.apply(p, s, (rules.Move(a, (0.0,)), rules.Move(b, (0.0,))))) for a, b in CELLS
    }
    stable = [
        cell
        for cell in CELLS
        if after[cell][0] >= after[1 - cell[0], cell[1]][0] and after[cell][1] >= after[cell[0], 1 - cell[1]][1]
    ]
    assert len(stable) == 1
    return after[stable[0]]


CELLS = tuple(product((0, 1), (0, 1)))
LOPSIDED = (((3, 6), (0, 8)), ((5, 0), (1, 2)))


def test_a_dilemma_with_a_known_end_unravels() -> None:
    for rounds, payoffs in product((1, 2, 4), (None, LOPSIDED)):
        p = params(rounds=rounds, payoffs=payoffs)
        assert brute_force(p, rules.initial(p)) == solution.equilibrium_payoffs(p), rounds
        assert solution.equilibrium_payoffs(p) == ((rounds, rounds) if payoffs is None else (rounds, 2 * rounds))


UNKNOWN_VALUES = [
    {"known": False},
    {"stage_game": "stag-hunt"},
    {"stage_game": "chicken"},
    {"stage_game": "stag-hunt", "rounds": 1},
]


def test_no_equilibrium_is_named_where_they_pay_differently() -> None:
    for unknown in UNKNOWN_VALUES:
        p = params(**unknown)
        assert all(map(math.isnan, solution.equilibrium_payoffs(p))), unknown
        assert solution.share_of_equilibrium(p, (1.0, 1.0)) == (None, None), unknown
        assert "equilibrium" not in solution.reference(p), unknown


def test_where_one_gains_what_the_other_loses_the_value_is_due_in_any_case() -> None:
    for known in (True, False):
        p = params(stage_game="matching-pennies", known=known, rounds=7)
        assert solution.equilibrium_payoffs(p) == (0.0, 0.0), known
        assert solution.share_of_equilibrium(p, (3.0, -3.0)) == (None, None), known


def test_a_value_that_is_paid_nobody_knows_how_often_is_no_reference() -> None:
    """Four points to divide in every round: each seat has two of them for sure."""
    for noise in (0.0, 0.3):
        divided = (((3, 1), (1, 3)), ((1, 3), (3, 1)))
        assert solution.equilibrium_payoffs(params(payoffs=divided, rounds=7, noise=noise)) == pytest.approx((14, 14))
        hidden = params(payoffs=divided, rounds=7, noise=noise, known=False)
        assert all(map(math.isnan, solution.equilibrium_payoffs(hidden))), noise
        assert solution.reference(hidden)["security"] == pytest.approx((14, 14)), noise  # of the match that was played


def test_noise_is_counted_in() -> None:
    """Two defections with trembling hands: 0.81 * 1 + 0.09 * 5 + 0.01 * 3 = 1.29 a round."""
    p = params(noise=0.1, rounds=10)
    assert solution.equilibrium_payoffs(p) == pytest.approx((12.9, 12.9))
    assert solution.share_of_equilibrium(p, (12.9, 25.8)) == pytest.approx((1.0, 2.0))


def test_reference_points_are_in_points_of_the_match() -> None:
    assert solution.reference(params(rounds=10)) == {
        "equilibrium": (10, 10),
        "security": (10, 10),
        "utilitarian": (30, 30),
        "nash": (30, 30),
        "kalai_smorodinsky": (30, 30),
    }


# Patience

PATIENCE = [
    # table: grim trigger, tit for tat
    (PD, 1 / 2, 2 / 3),  # (5 - 3) / (5 - 1), (5 - 3) / (3 - 0)
    ((4.0, 1.0, 5.0, 2.0, 4.0, 5.0, 1.0, 2.0), 1 / 3, 1 / 3),
    (STAG, 0.0, 0.0),  # nobody is tempted
    (CHICKEN, math.nan, 1 / 2),  # both going straight is no equilibrium; (4 - 3) / (4 - 0), (4 - 3) / (3 - 1)
    ((2.0, 0.0, 5.0, 1.0, 2.0, 5.0, 0.0, 1.0), 3 / 4, math.nan),  # 2R < T + S: taking turns pays more
]


def test_how_patient_cooperation_needs_the_players_to_be() -> None:
    for table, grim, tit_for_tat in PATIENCE:
        assert solution.grim_trigger_discount(table) == pytest.approx((grim, grim), nan_ok=True), tit_for_tat
        assert solution.tit_for_tat_discount(table) == pytest.approx((tit_for_tat, tit_for_tat), nan_ok=True), grim


def test_each_seat_has_a_patience_of_its_own() -> None:
    """The row seat: (5 - 3) / (5 - 1); the column seat, with 6, 8 and 2: (8 - 6) / (8 - 2)."""
    table = params(payoffs=LOPSIDED).table
    assert solution.grim_trigger_discount(table) == pytest.approx((1 / 2, 1 / 3))
    assert solution.tit_for_tat_discount(table) == pytest.approx((2 / 3, 1 / 3))


def worth(plan: tuple[int, ...], trigger: bool, table: Table, discount: float) -> float:
    """Discounted points of a plan of moves against tit for tat or a grim trigger, played out; then its last move."""
    total, other, horizon = 0.0, 0, 400
    for turn in range(horizon):
        own = plan[turn % len(plan)] if len(plan) == 2 else plan[-1]
        total += discount**turn * table[2 * own + other]
        other = max(other, own) if trigger else own
    return total * (1 - discount)


def test_a_little_more_patience_holds_and_a_little_less_does_not() -> None:
    for table, trigger in product((PD, CHICKEN, (4.0, 1.0, 5.0, 2.0, 4.0, 5.0, 1.0, 2.0)), (True, False)):
        found = solution.grim_trigger_discount(table) if trigger else solution.tit_for_tat_discount(table)
        if math.isnan(found[0]):
            assert table is CHICKEN, trigger
            continue
        for discount, holds in ((found[0] + 0.01, True), (found[0] - 0.01, False)):
            cooperation = worth((0,), trigger, table, discount)
            deviations = [worth(plan, trigger, table, discount) for plan in ((1,), (1, 0))]
            assert (max(deviations) < cooperation) == holds, (table, trigger)


# Advice


def test_advice_in_the_first_round_of_the_default_game() -> None:
    p = params()
    told = solution.advise(rules.observe(p, rules.initial(p), 1)).values()
    assert {"D", "DD", "1 points"} <= set(told)


def test_advice_without_a_known_end() -> None:
    told, with_end = (solution.advise(rules.observe(p, rules.initial(p), 0)) for p in (params(known=False), params()))
    values = list(told.values())
    assert values.index("0.500") < values.index("0.667")  # grim triggers, tit for tat
    assert told.keys() != with_end.keys()


def test_advice_of_backward_induction_is_given_where_a_last_of_several_rounds_is_known() -> None:
    hunt = (((3, 3), (0, 2)), ((2, 0), (1, 1)))  # two equilibria: nothing unravels
    for public, told in [({"rounds": 5}, True), ({"rounds": 1}, False), ({"rounds": 5, "payoffs": hunt}, False)]:
        p = params(**public)
        assert ("as the last round is known" in solution.advise(rules.observe(p, rules.initial(p), 0))) is told, public


def test_advice_names_the_own_move_first() -> None:
    p = params(payoffs=(((3, 0), (2, 1)), ((1, 0), (0, 1))))  # row: C dominates; column: D does
    for seat, own in enumerate(("CD", "DC")):
        assert own in solution.advise(rules.observe(p, rules.initial(p), seat)).values()


def test_bad_arguments_are_named() -> None:
    for call, *told in [
        (lambda: solution.equilibria((1.0, 2.0)), "table", (1.0, 2.0)),
        (lambda: solution.minmax(PD, 2), "seat", 2, 0, 1),
        (lambda: solution.expected_table(PD, 0.6), "noise", 0.6, 0, 0.5),
        (lambda: solution.equilibrium_payoffs(None), "params", None),
        (lambda: solution.grim_trigger_discount([math.nan] * 8), "table", math.nan),
        (lambda: solution.share_of_equilibrium(params(), (1.0,)), "payoffs", (1.0,)),
    ]:
        with refuses(ValueError, *told):
            call()
