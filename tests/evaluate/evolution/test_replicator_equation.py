"""Orbits of the replicator equation against solutions in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from evolution.games import hawk_dove, prisoners_dilemma, rock_paper_scissors, stag_hunt
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from econzoo.evaluate.analyses.evolution import replicator, rest_points
from econzoo.evaluate.analyses.evolution.basins import basins, grid_starts, random_starts
from econzoo.evaluate.analyses.evolution.replicator import excess, is_at_rest, limits, orbit, start_shares, velocity
from refusals import refuses

PAYOFFS = arrays(float, (3, 3), elements=st.floats(-3, 3).map(lambda x: round(x, 2)))
SHARES = arrays(float, 3, elements=st.floats(0.05, 1.0)).map(lambda x: x / x.sum())


def test_velocity_by_hand():
    for payoffs, shares, expected in [
        (prisoners_dilemma(), (0.5, 0.5), (-0.375, 0.375)),  # 1/2 (1.5 - (1.5 + 3)/2 ... ) by hand: 0.5 (1.5 - 2.25)
        (hawk_dove(2, 4), (0.5, 0.5), (0.0, 0.0)),  # V/C = 1/2 is at rest
        (rock_paper_scissors(1), (0.5, 0.25, 0.25), (0.0, 0.0625, -0.0625)),
    ]:
        assert velocity(payoffs, np.array(shares)) == pytest.approx(expected), expected


def test_types_of_constant_fitness_grow_exponentially():
    rates = np.array([0.3, 1.0, 0.7])
    start = np.array([0.7, 0.1, 0.2])
    found = orbit(np.tile(rates[:, None], (1, 3)), start, time=12.0, points=7)
    exact = start * np.exp(np.outer(found.times, rates))
    assert found.shares == pytest.approx(exact / exact.sum(axis=1, keepdims=True), abs=1e-7)


def test_two_types_follow_the_logistic_solution():
    """With gains that differ by a constant s the share is x0 / (x0 + (1 - x0) exp(-s t))."""
    found = orbit(np.array([[1.0, 1.0], [0.6, 0.6]]), np.array([0.01, 0.99]), time=30.0)
    assert found.shares[:, 0] == pytest.approx(0.01 / (0.01 + 0.99 * np.exp(-0.4 * found.times)), abs=1e-7)


def test_the_zero_sum_cycle_keeps_the_product_of_its_shares():
    found = orbit(rock_paper_scissors(1.0), np.array([0.6, 0.3, 0.1]), time=100.0)
    assert not found.has_settled
    assert found.shares.prod(axis=1) == pytest.approx(np.full(400, 0.018), rel=1e-5)


def test_the_product_rises_where_the_centre_attracts_and_falls_where_it_repels():
    for loss, grows in [(0.5, True), (2.0, False)]:
        products = orbit(rock_paper_scissors(loss), np.array([0.5, 0.3, 0.2]), time=20.0).shares.prod(axis=1)
        assert (np.diff(products) > 0).all() == grows, loss
        assert (np.diff(products) < 0).all() != grows, loss


@given(PAYOFFS, SHARES)
@settings(max_examples=40)
def test_shares_stay_on_the_simplex_and_adding_to_a_column_changes_nothing(payoffs, start):
    found = orbit(payoffs, start, time=5.0, points=9)
    assert (found.shares >= 0).all()
    assert found.shares.sum(axis=1) == pytest.approx(np.ones(9))
    moved = orbit(payoffs + np.array([1.0, -2.0, 0.5]), start, time=5.0, points=9)
    assert moved.shares == pytest.approx(found.shares, abs=1e-5)


def test_types_that_are_not_there_stay_away():
    found = orbit(rock_paper_scissors(0.5), np.array([0.5, 0.5, 0.0]))
    assert (found.shares[:, 2] == 0).all()
    assert found.shares[-1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-3)
    assert found.has_settled
    alone = orbit(prisoners_dilemma(), np.array([1.0, 0.0]))
    assert (alone.shares == [1.0, 0.0]).all()


def test_an_orbit_that_lingers_at_a_rest_point_that_is_no_nash_equilibrium_has_not_settled():
    nearly = np.array([1 - 1e-9, 1e-9])
    assert np.abs(velocity(prisoners_dilemma(), nearly)).max() < 1e-8
    assert not is_at_rest(prisoners_dilemma(), nearly)
    assert excess(prisoners_dilemma(), nearly) == pytest.approx(2.0)
    ends, settled = limits(prisoners_dilemma(), nearly[None])
    assert settled.all()
    assert ends[0, 1] > 1 - 1e-5


def test_starts_that_are_refused():
    cases = [([0.5], (1, 2)), ([1, -1], ("[1.0, -1.0]", 0)), ([0, 0], (0,)), ([np.nan, 1], ("nan", 0))]
    for given_shares, named in cases:
        with refuses(ValueError, *named):
            start_shares(given_shares, 2)


def test_starts_are_scaled_to_the_sum_1():
    assert start_shares([1, 3], 2).tolist() == [0.25, 0.75]
    assert start_shares(None, 4).tolist() == [0.25] * 4


def test_times_that_are_refused():
    for time in [0.0, -1.0, float("inf"), float("nan")]:
        with refuses(ValueError, f"time={time}", 0):
            orbit(prisoners_dilemma(), np.array([0.5, 0.5]), time)


# Basins


@pytest.mark.parametrize(("stag", "hare"), [(4.0, 1.0), (4.0, 3.0), (5.0, 2.5)])
def test_the_basin_of_the_stag_begins_at_hare_over_stag(stag, hare):
    payoffs = stag_hunt(stag, hare)
    on_grid = basins(payoffs, rest_points(payoffs), grid_starts(2, 400))
    parts = {one.support: one.start_share for one in on_grid}
    assert parts[0,] == pytest.approx(1 - hare / stag, abs=1 / 400)
    drawn = {one.support: one for one in basins(payoffs, rest_points(payoffs), random_starts(2, 2000, 3))}
    assert drawn[0,].low < 1 - hare / stag < drawn[0,].high
    assert sum(one.start_share for one in drawn.values()) == pytest.approx(1.0)


def test_everything_leads_to_the_mixture_of_hawks_and_doves():
    payoffs = hawk_dove(2, 3)
    (one,) = basins(payoffs, rest_points(payoffs), random_starts(2, 50, 0))
    assert (one.support, one.start_share, one.high) == ((0, 1), 1.0, 1.0)
    assert one.shares == pytest.approx([2 / 3, 1 / 3], abs=1e-4)


def test_cycles_do_not_settle(monkeypatch):
    monkeypatch.setattr(replicator, "MAX_WORK", 0)  # they are followed less long
    for loss, support in [(0.5, (0, 1, 2)), (1.0, ()), (2.0, ())]:
        payoffs = rock_paper_scissors(loss)
        (one,) = basins(payoffs, rest_points(payoffs), random_starts(3, 20, 0))
        assert (one.support, one.start_share) == (support, 1.0), loss


def test_a_grid_is_even_and_inside():
    found = grid_starts(3, 4)
    assert len(found) == 10
    assert (found > 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(10))
    assert found.mean(axis=0) == pytest.approx(np.full(3, 1 / 3))


def test_starts_at_the_border_are_refused():
    payoffs = prisoners_dilemma()
    for starts in (np.array([[1.0, 0.0]]), np.zeros((0, 2))):
        with refuses(ValueError, "shares", 0):
            basins(payoffs, rest_points(payoffs), starts)
