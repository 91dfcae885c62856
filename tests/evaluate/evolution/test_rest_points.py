"""Rest points and their stability against games whose answers are known, and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from evolution.games import ZEEMAN, hawk_dove, prisoners_dilemma, reciprocity, rock_paper_scissors, stag_hunt
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from econzoo.evaluate.analyses.evolution import rest_points
from econzoo.evaluate.analyses.evolution.replicator import velocity
from econzoo.evaluate.analyses.evolution.rest_points import kind_of, largest_face, tangent

GENERIC = st.integers(0, 10**6).map(lambda seed: np.random.default_rng(seed).normal(size=(4, 4)))


def by_support(payoffs):
    return {one.support: one for one in rest_points(payoffs).points}


def test_hawks_and_doves_mix_at_value_over_cost():
    for value, cost in [(2.0, 3.0), (1.0, 4.0), (3.0, 3.5)]:
        found = by_support(hawk_dove(value, cost))
        assert found[0, 1].shares == pytest.approx([value / cost, 1 - value / cost]), (value, cost)
        assert found[0, 1].eigenvalues.real == pytest.approx([-value * (1 - value / cost) / 2]), (value, cost)
        assert {s: one.kind for s, one in found.items()} == {(0, 1): "stable", (0,): "unstable", (1,): "unstable"}, (
            value,
            cost,
        )
        assert [one.nash for one in (found[0, 1], found[0,], found[1,])] == [True, False, False], (value, cost)


def test_the_stag_hunt_has_a_threshold_and_two_stable_corners():
    found = by_support(stag_hunt(4.0, 3.0))
    assert found[0, 1].shares == pytest.approx([0.75, 0.25])
    assert {s: one.kind for s, one in found.items()} == {(0, 1): "unstable", (0,): "stable", (1,): "stable"}
    assert all(one.nash for one in found.values())


def test_only_defection_is_stable_in_the_prisoners_dilemma():
    found = by_support(prisoners_dilemma())
    assert {s: one.kind for s, one in found.items()} == {(0,): "unstable", (1,): "stable"}
    assert (found[0,].payoff, found[1,].payoff) == (3.0, 1.0)


def test_the_centre_of_rock_paper_scissors():
    """Eigenvalues (loss - 1) / 6 +- i (1 + loss) / (2 sqrt 3) (Hofbauer and Sigmund 1998, section 7.7)."""
    for loss, kind in [(0.5, "stable"), (1.0, "centre"), (2.0, "unstable")]:
        found = by_support(rock_paper_scissors(loss))
        assert set(found) == {(0,), (1,), (2,), (0, 1, 2)}, loss
        centre = found[0, 1, 2]
        assert centre.kind == kind, loss
        assert centre.shares == pytest.approx([1 / 3] * 3), loss
        assert centre.eigenvalues.real == pytest.approx([(loss - 1) / 6] * 2, abs=1e-12), loss
        assert np.abs(centre.eigenvalues.imag) == pytest.approx([(1 + loss) / (2 * np.sqrt(3))] * 2), loss
        assert {found[at,].kind for at in range(3)} == {"saddle"}, loss


def test_zeemans_centre_attracts():
    found = by_support(ZEEMAN)
    assert found[0, 1, 2].shares == pytest.approx([1 / 3] * 3)
    assert found[0, 1, 2].kind == found[0,].kind == "stable"


def test_reciprocity_has_a_line_of_rest_points_and_a_threshold():
    """On the edge of TFT and ALLD: (P - S) / (R - S - T + P) of the totals 3n, n - 1, n + 4, n is 1 / (2n - 3)."""
    for rounds in [5, 10, 50]:
        payoffs = reciprocity(rounds)
        found = rest_points(payoffs)
        points = {one.support: one for one in found.points}
        assert set(points) == {(0,), (1,), (2,), (0, 2)}, rounds
        (line,) = found.continua
        assert (line.support, line.dimension) == ((0, 1), 1), rounds
        assert sorted(end.round(9).tolist() for end in line.ends) == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], rounds
        assert points[0, 2].shares[0] == pytest.approx(1 / (2 * rounds - 3)), rounds
        assert points[0, 2].kind == "saddle", rounds
        assert (points[2,].kind, points[0,].kind, points[1,].kind) == ("stable", "undecided", "unstable"), rounds


def test_a_game_in_which_nothing_matters_is_at_rest_everywhere():
    found = rest_points(np.ones((3, 3)))
    assert {one.support for one in found.points} == {(0,), (1,), (2,)}
    assert {(one.support, one.dimension) for one in found.continua} == {
        ((0, 1), 1),
        ((0, 2), 1),
        ((1, 2), 1),
        ((0, 1, 2), 2),
    }
    assert {one.kind for one in found.points} == {"undecided"}


def test_degenerate_equations_without_a_solution_are_no_continuum():
    assert not rest_points(np.array([[1.0, 2.0], [0.0, 1.0]])).continua


def test_a_line_of_rest_points_inside_the_triangle_is_found_with_its_ends():
    """Two types that are the same one: only the sum of their shares matters."""
    hawks = np.array([[-0.5, -0.5, 2.0], [-0.5, -0.5, 2.0], [0.0, 0.0, 1.0]])
    lines = {one.support: one for one in rest_points(hawks).continua}
    assert set(lines) == {(0, 1), (0, 1, 2)}
    ends = sorted(end.round(9).tolist() for end in lines[0, 1, 2].ends)
    assert ends == [pytest.approx([0.0, 2 / 3, 1 / 3]), pytest.approx([2 / 3, 0.0, 1 / 3])]


@given(GENERIC)
@settings(max_examples=40)
def test_rest_points_are_at_rest_and_their_eigenvalues_are_those_of_the_numerical_jacobian(payoffs):
    basis, step = tangent(4), 1e-6
    for one in rest_points(payoffs).points:
        assert np.abs(velocity(payoffs, one.shares)).max() < 1e-9
        sides = [velocity(payoffs, one.shares + sign * step * basis.T) for sign in (1, -1)]
        jacobian = basis.T @ ((sides[0] - sides[1]) / (2 * step)).T
        numerical = np.sort_complex(np.linalg.eigvals(jacobian).round(4))
        assert np.sort_complex(one.eigenvalues.round(4)).real == pytest.approx(numerical.real, abs=2e-3)
        assert np.abs(np.sort(np.abs(one.eigenvalues.imag)) - np.sort(np.abs(numerical.imag))).max() < 2e-3


@given(GENERIC)
@settings(max_examples=25)
def test_the_numbers_of_rest_points_obey_the_index_theorem(payoffs):
    """Over all Nash equilibria the signs of det(-J) add up to 1 (Hofbauer and Sigmund 1998, theorem 13.4.1)."""
    signs = [np.sign(np.prod(-one.eigenvalues).real) for one in rest_points(payoffs).points if one.nash]
    assert sum(signs) == 1


@given(GENERIC, st.floats(0.1, 10.0), arrays(float, 4, elements=st.floats(-3, 3)))
@settings(max_examples=20)
def test_other_units_and_constants_in_columns_change_no_rest_point(payoffs, unit, added):
    one, other = rest_points(payoffs), rest_points(unit * payoffs + added)
    assert [(a.support, a.kind, a.nash) for a in one.points] == [(b.support, b.kind, b.nash) for b in other.points]
    for a, b in zip(one.points, other.points, strict=True):
        assert a.shares == pytest.approx(b.shares, abs=1e-7)


def test_twelve_types_are_searched_on_all_faces_and_more_on_the_small_ones():
    assert [largest_face(n) for n in (2, 3, 12)] == [2, 3, 12]
    assert [largest_face(n) for n in (13, 20, 60, 100)] == [6, 3, 2, 1]
    rng = np.random.default_rng(0)
    assert rest_points(rng.normal(size=(12, 12))).searched_size is None
    assert rest_points(rng.normal(size=(20, 20))).searched_size == 3


def test_kinds():
    for values, kind in [
        ([-1, -2], "stable"),
        ([1, 2], "unstable"),
        ([1, -1], "saddle"),
        ([1, 0], "unstable"),
        ([0, -1], "undecided"),
        ([0, 0], "undecided"),
        ([1j, -1j], "centre"),
        ([1j, -1j, -1], "undecided"),
        ([1, 1j, -1j, -1], "saddle"),
    ]:
        assert kind_of(np.array(values, complex)) == kind, values
