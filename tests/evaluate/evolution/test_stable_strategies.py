"""Nash and ESS tests against known games and brute force; what is certain within the errors of the payoffs."""

from __future__ import annotations

import numpy as np
import pytest
from evolution.games import ZEEMAN, hawk_dove, prisoners_dilemma, reciprocity, rock_paper_scissors, stag_hunt
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from econzoo.evaluate.analyses.evolution import payoff_matrix, rest_points
from econzoo.evaluate.analyses.evolution.stability import is_ess, is_positive_on_cone, is_strictly_copositive
from econzoo.evaluate.analyses.evolution.stability import mixed_verdicts, pure_verdicts
from exhaustive import examples


def matrix(mean, error=None):
    return payoff_matrix.matrix_from_payoffs([f"type {i}" for i in range(len(mean))], mean, error)


def verdicts(mean):
    return [(one.nash, one.strict, one.ess) for one in pure_verdicts(matrix(mean))]


NO, WEAK, WEAK_ESS, ALL = (False,) * 3, (True, False, False), (True, False, True), (True,) * 3


def test_pure_verdicts():
    for mean, expected in [
        (prisoners_dilemma(), [NO, ALL]),
        (stag_hunt(4, 3), [ALL, ALL]),
        (hawk_dove(2, 3), [NO, NO]),
        (rock_paper_scissors(1), [NO, NO, NO]),
        (reciprocity(10), [WEAK, NO, ALL]),
        (ZEEMAN, [ALL, NO, NO]),
        (np.array([[1.0, 2.0], [1.0, 1.0]]), [WEAK_ESS, NO]),  # they tie against the first, which does better in return
        (np.array([[1.0, 1.0], [1.0, 1.0]]), [WEAK, WEAK]),
    ]:
        assert verdicts(mean) == expected, mean


def test_who_invades():
    assert [one.invaders for one in pure_verdicts(matrix(reciprocity(10)))] == [(), (2,), ()]


# Mixed


def ess(mean):
    return {one.support for one in rest_points(mean).points if is_ess(mean, one)}


def test_ess_by_haighs_criterion():
    for mean, expected in [
        (hawk_dove(2, 3), {(0, 1)}),
        (stag_hunt(4, 3), {(0,), (1,)}),
        (prisoners_dilemma(), {(1,)}),
        (rock_paper_scissors(0.5), {(0, 1, 2)}),
        (rock_paper_scissors(1.0), set()),
        (rock_paper_scissors(2.0), set()),
        (ZEEMAN, {(0,)}),  # the centre attracts and is no ESS
        (reciprocity(10), {(2,)}),
        (np.array([[1.0, 2.0], [1.0, 1.0]]), {(0,)}),
        (-np.eye(4), {(0, 1, 2, 3)}),
        (np.eye(4), {(0,), (1,), (2,), (3,)}),
    ]:
        assert ess(mean) == expected, mean


@given(st.integers(0, 10**6), st.booleans())
@examples(20)
def test_haigh_agrees_with_the_definition(seed, whole):
    """x is an ESS if x.Ay > y.Ay for all y near it: tried for many y. Whole numbers make ties."""
    rng = np.random.default_rng(seed)
    a = rng.integers(-2, 3, (3, 3)).astype(float) if whole else rng.normal(size=(3, 3))
    for one in rest_points(a).points:
        mutants = np.vstack([rng.dirichlet(np.full(3, 0.7), 3000), np.eye(3)])
        mutants = mutants[np.abs(mutants - one.shares).max(axis=1) > 1e-3]
        near = one.shares + 1e-3 * (mutants - one.shares)
        better = near @ a.T @ one.shares - (near * (near @ a.T)).sum(axis=1)
        size = ((near - one.shares) ** 2).sum(axis=1)
        margin = (better / size).min()
        assume(abs(margin) > 1e-2)
        assert is_ess(a, one) == (margin > 0), (a, one)


def test_an_ess_is_stable_and_an_interior_one_is_alone():
    rng = np.random.default_rng(5)
    for _ in range(60):
        a = rng.normal(size=(4, 4))
        found = [one for one in rest_points(a).points if is_ess(a, one)]
        assert {one.kind for one in found} <= {"stable"}
        supports = [set(one.support) for one in found]
        assert not [1 for i in supports for j in supports if i < j]  # Bishop and Cannings (1976)


def test_strict_copositivity():
    for form, expected in [
        (np.array([[1.0]]), True),
        (np.array([[0.0]]), False),
        (np.array([[1.0, -1.0], [-1.0, 1.0]]), False),  # 0 at (1, 1)
        (np.array([[1.0, -0.9], [-0.9, 1.0]]), True),
        (np.array([[1.0, 5.0], [5.0, 1.0]]), True),  # not positive definite, but all entries are positive
        (np.array([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]), False),
    ]:
        assert is_strictly_copositive(form) == expected, form


def test_horns_form_is_copositive_but_not_strictly():
    """The form of five variables that is no sum of a definite and a non-negative one (Hall and Newman 1963)."""
    horn = np.array([[1, -1, 1, 1, -1], [-1, 1, -1, 1, 1], [1, -1, 1, -1, 1], [1, 1, -1, 1, -1], [-1, 1, 1, -1, 1.0]])
    assert not is_strictly_copositive(horn)
    assert is_strictly_copositive(horn + 0.01 * np.eye(5))
    assert not is_strictly_copositive(horn - 0.01 * np.eye(5))


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_copositivity_agrees_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(3, 3))
    form = (half + half.T) / 2 + rng.choice([0.0, 0.6]) * np.eye(3)
    steps = np.linspace(0, 1, 60)
    grid = np.array([(x, y, 1 - x - y) for x in steps for y in steps if x + y <= 1])
    lowest = np.einsum("ri,ij,rj->r", grid, form, grid).min()
    assume(abs(lowest) > 1e-2)
    assert is_strictly_copositive(form) == (lowest > 0)


def test_free_variables_take_away_what_they_can():
    form = np.array([[2.0, 1.5], [1.5, 1.0]])
    assert is_strictly_copositive(form)
    assert not is_positive_on_cone(form, [1])  # z = (-0.75, 1): 1.125 - 2.25 + 1 < 0
    assert is_positive_on_cone(np.diag([1.0, 1.0]), [1])
    assert is_positive_on_cone(np.eye(14), range(14)) is None


# Errors


def test_a_verdict_is_certain_if_the_interval_leaves_zero_out():
    """D earns 1 against itself and C earns 0: 1.96 sqrt(2) errors of a payoff, less than 1 up to 0.361."""
    for error, sure in [(0.0, True), (0.35, True), (0.37, False)]:
        cooperate, defect = pure_verdicts(matrix(prisoners_dilemma(), np.full((2, 2), error)))
        assert defect.strict, error
        assert defect.certainty == {"nash": sure, "strict": sure, "ess": sure}, error
        assert (cooperate.nash, cooperate.certainty["nash"]) == (False, True), error  # margin 2


def test_more_types_need_more_certainty():
    """Three others: each at a level of 98.3%, so 2.394 sqrt(2) errors of a payoff."""
    mean = np.eye(4)
    first, second = (pure_verdicts(matrix(mean, np.full((4, 4), error)))[0].certainty["nash"] for error in (0.29, 0.30))
    assert (first, second) == (True, False)


def test_a_tie_of_estimates_is_no_tie_for_sure():
    tied = np.array([[1.0, 2.0], [1.0, 1.0]])
    exact, unsure = (pure_verdicts(matrix(tied, np.full((2, 2), error)))[0] for error in (0.0, 0.01))
    assert (exact.ess, exact.certainty["ess"]) == (True, True)
    assert (unsure.ess, unsure.certainty["ess"]) == (True, False)


def test_an_exact_tie_is_certain_where_only_the_second_test_is_unsure():
    tied, error = np.array([[1.0, 2.0], [1.0, 1.0]]), np.array([[0.0, 0.3], [0.0, 0.0]])
    assert pure_verdicts(matrix(tied, error))[0].certainty == {"nash": True, "strict": True, "ess": True}
    error[0, 1] = 0.7
    assert pure_verdicts(matrix(tied, error))[0].certainty["ess"] is False


def test_unknown_errors_leave_verdicts_open():
    error = np.array([[np.nan, 0.1], [0.1, 0.1]])
    one, other = pure_verdicts(matrix(prisoners_dilemma(), error))
    assert one.certainty["nash"] is None
    assert other.certainty["nash"] is True


def test_rest_points_are_found_again_as_often_as_errors_allow():
    """The mixture of hawks and doves exists while (V - C) / 2 < 0, here -0.1 with the error 0.1: 84% of the draws."""
    mean, error = hawk_dove(2.0, 2.2), np.array([[0.1, 0.0], [0.0, 0.0]])
    found = matrix(mean, error)
    mixed = {one.point.support: one for one in mixed_verdicts(found, rest_points(mean), 4000, 1)}
    assert mixed[0, 1].existence_rate == pytest.approx(0.841, abs=0.02)
    assert mixed[0, 1].same_kind == mixed[0, 1].same_nash == mixed[0, 1].existence_rate
    assert mixed[1,].same_kind == 1.0
    assert mixed[0, 1].deviation[0] > 0.03


def test_exact_payoffs_are_found_again_for_sure_and_without_draws_nothing_is_known():
    found = matrix(hawk_dove(2, 3))
    assert [one.existence_rate for one in mixed_verdicts(found, rest_points(found.mean))] == [1.0] * 3
    unsure = matrix(hawk_dove(2, 3), np.full((2, 2), 0.1))
    assert np.isnan([one.existence_rate for one in mixed_verdicts(unsure, rest_points(unsure.mean), resamples=0)]).all()
