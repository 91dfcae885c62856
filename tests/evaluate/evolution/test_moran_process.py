"""Fixation probabilities against closed forms, Markov chains and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from evolution.games import hawk_dove, prisoners_dilemma, reciprocity, stag_hunt
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.evaluate.analyses.evolution.fitness import Fitness, fitness_map
from econzoo.evaluate.analyses.evolution.moran import counts_of, fixation_matrix, fixation_probability, mean_payoffs
from econzoo.evaluate.analyses.evolution.moran import rare_mutations, simulate
from refusals import refuses

EXPONENTIAL = Fitness("exponential", 0.3)


def test_a_neutral_mutant_takes_over_with_one_over_n():
    for population in [2, 7, 100, 10_000]:
        assert fixation_probability(np.ones((2, 2)), population) == pytest.approx(1 / population), population
        assert fixation_probability(prisoners_dilemma(), population, Fitness("linear", 0.0)) == pytest.approx(
            1 / population
        ), population


def test_constant_fitness():
    """(1 - 1/r) / (1 - 1/r^N) (Nowak 2006, equation 6.16)."""
    for r in [0.5, 1.1, 2.0]:
        for population in [2, 10, 100]:
            pair = np.array([[r, r], [1.0, 1.0]])
            assert fixation_probability(pair, population) == pytest.approx((1 - 1 / r) / (1 - r**-population)), (
                r,
                population,
            )
            several = (1 - r**-2.0) / (1 - r**-population)
            assert fixation_probability(pair, population, mutants=2) == pytest.approx(several), (r, population)


def chain(pair, population, fitness):
    """Probabilities to take over from 0 to N individuals, by solving the Markov chain step by step."""
    n = population
    moves = np.eye(n + 1)
    for i in range(1, n):
        counts = np.array([i, n - i])
        weights = counts * fitness(mean_payoffs(pair, counts))
        born = weights[0] / weights.sum()
        up, down = born * (n - i) / n, (1 - born) * i / n
        moves[i, [i - 1, i, i + 1]] = down, 1 - up - down, up
    inner = np.eye(n - 1) - moves[1:n, 1:n]
    return np.concatenate([[0.0], np.linalg.solve(inner, moves[1:n, n]), [1.0]])


@given(st.integers(0, 10**6), st.integers(2, 12), st.booleans())
@settings(max_examples=40)
def test_fixation_is_that_of_the_markov_chain(seed, population, exponential):
    pair = np.random.default_rng(seed).uniform(0.1, 3.0, (2, 2))
    fitness = EXPONENTIAL if exponential else Fitness("linear", 0.7)
    solved = chain(pair, population, fitness)
    found = [fixation_probability(pair, population, fitness, i) for i in range(population + 1)]
    assert found == pytest.approx(solved.tolist(), abs=1e-9)


def test_payoffs_by_hand_where_nobody_meets_itself():
    assert mean_payoffs(prisoners_dilemma(), np.array([2, 3])).tolist() == [3 / 4, (10 + 2) / 4]


def test_the_one_third_law():
    """In weak selection a strategy is favoured if the unstable point lies below 1/3 (Nowak et al. 2004)."""
    weak = Fitness("linear", 1e-3)
    for hare, favoured in ((1.0, True), (1.2, True), (1.5, False), (2.0, False)):
        assert (fixation_probability(stag_hunt(4.0, hare), 1000, weak) > 1 / 1000) == favoured, hare / 4.0


def test_tit_for_tat_replaces_defectors_in_small_populations():
    """Nowak et al. 2004: with ten rounds one reciprocator does better than chance, one cooperator worse."""
    found = fixation_matrix(reciprocity(10), 30)
    assert found[0, 2] > 1 / 30 > found[1, 2]
    assert np.diag(found) == pytest.approx(np.full(3, 1 / 30))
    assert found[0, 1] == found[1, 0] == pytest.approx(1 / 30)


def test_a_fitness_of_zero_is_a_wall():
    """One cooperator among defectors earns nothing, and is never copied; of two each earns 3 / (N - 1)."""
    assert fixation_probability(prisoners_dilemma(), 10) == 0.0
    assert fixation_probability(prisoners_dilemma(), 10, mutants=2) > 0.0
    zero = np.zeros((2, 2))
    assert fixation_probability(zero, 10) == pytest.approx(0.1)


def test_two_types_that_live_on_each_other_alone_are_never_fixed():
    """Of three, the lonely one earns 5 and the pair 2.5 each; minus 2.5 the pair is never copied."""
    with refuses(ValueError, "neither type"):
        fixation_probability(np.array([[-2.5, 5.0], [5.0, -2.5]]) + 0.0 - np.diag([2.5, 2.5]), 3)


def test_whom_nobody_joins_and_nobody_leaves_decides_at_once():
    """Who meets only its like earns something: one alone earns nothing, so neither takes over the other."""
    assert fixation_matrix(np.eye(2), 10).tolist() == [[0.1, 0.0], [0.0, 0.1]]
    assert fixation_probability(np.eye(2), 3, mutants=2) == 1.0
    solved = chain(np.eye(2), 10, Fitness())
    assert [fixation_probability(np.eye(2), 10, mutants=i) for i in range(11)] == pytest.approx(solved.tolist())


def test_tiny_and_huge_probabilities_keep_their_digits():
    strong = Fitness("exponential", 50.0)
    small = fixation_probability(np.array([[0.0, 0.0], [1.0, 1.0]]), 10, strong)
    assert small == pytest.approx(np.exp(-50.0 * 9), rel=1e-9)
    assert fixation_probability(np.array([[1.0, 1.0], [0.0, 0.0]]), 10_000, strong) == pytest.approx(1.0)


def test_what_is_refused():
    for call, named in [
        (lambda: fixation_probability(np.ones((2, 2)), 1), ("population=1", 2)),
        (lambda: fixation_probability(np.ones((2, 2)), 10, mutants=11), ("mutants=11", 0, 10)),
        (lambda: fixation_probability(-np.ones((2, 2)), 10), ("fitness", -1)),
        (lambda: fitness_map("square", 1.0, np.ones((2, 2))), ("square", "linear", "exponential")),
        (lambda: fitness_map("linear", 1.5, np.ones((2, 2))), ("intensity=1.5", 0, 1)),
        (lambda: fitness_map("exponential", -1.0, np.ones((2, 2))), ("intensity=-1", 0)),
        (lambda: fitness_map("linear", 1.0, hawk_dove(2, 3)), ("fitness", -0.5)),
        (lambda: simulate(np.ones((2, 2)), np.array([1, 1]), 0, 0), ("runs=0", 1)),
        (lambda: counts_of(np.full(3, 1 / 3), 2), ("population=2", 3)),
    ]:
        with refuses(ValueError, *named):
            call()


def test_negative_payoffs_are_mapped_by_weak_selection_or_by_the_exponential():
    assert fitness_map(None, 1.0, hawk_dove(2, 3)).form == "exponential"
    assert fitness_map(None, 1.0, prisoners_dilemma()).form == "linear"
    assert fitness_map("linear", 0.5, hawk_dove(2, 3))(np.array([-0.5, 2.0])) == pytest.approx([0.25 / 1.5, 1.0])


# Rare mutations


def test_two_types_are_there_in_the_ratio_of_their_fixations():
    found = fixation_matrix(hawk_dove(2, 3) + 1, 20)
    shares = rare_mutations(found)
    assert shares[0] / shares[1] == pytest.approx(found[0, 1] / found[1, 0])


@given(st.integers(0, 10**6), st.integers(2, 7))
@settings(max_examples=30)
def test_the_long_run_is_the_stationary_distribution(seed, types):
    fixation = np.random.default_rng(seed).uniform(0.01, 1.0, (types, types))
    moves = fixation.T / types
    np.fill_diagonal(moves, 0.0)
    np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
    shares = rare_mutations(fixation)
    assert shares.sum() == pytest.approx(1.0)
    assert shares @ moves == pytest.approx(shares)


def test_the_long_run_of_probabilities_too_small_to_add():
    tiny = np.array([[0.5, 2e-200], [1e-200, 0.5]])
    assert rare_mutations(tiny) == pytest.approx([2 / 3, 1 / 3])
    assert rare_mutations(np.array([[0.5, 0.0], [0.3, 0.5]])) == pytest.approx([0.0, 1.0])


# Simulation


@pytest.mark.parametrize(
    ("pair", "start", "fitness"),
    [
        (np.array([[1.5, 1.5], [1.0, 1.0]]), (1, 9), Fitness()),
        (prisoners_dilemma(), (5, 5), Fitness("linear", 0.5)),
        (hawk_dove(2, 3), (3, 5), EXPONENTIAL),
        (np.ones((2, 2)), (2, 6), Fitness()),
    ],
)
def test_simulation_agrees_with_the_exact_probability(pair, start, fitness):
    runs = 3000
    found = simulate(pair, np.array(start), runs, 7, fitness, max_steps=10**5)
    exact = fixation_probability(pair, sum(start), fitness, start[0])
    assert found.unsettled_runs == 0
    assert found.fixation_counts.sum() == runs
    assert abs(found.fixation_counts[0] / runs - exact) < 4 * np.sqrt(exact * (1 - exact) / runs)


def test_neutral_types_take_over_as_often_as_they_are_frequent():
    start = np.array([6, 3, 1])
    found = simulate(np.ones((3, 3)), start, 4000, 1, max_steps=10**5)
    assert np.abs(found.fixation_counts / 4000 - start / 10).max() < 4 * np.sqrt(0.25 / 4000)


def test_a_simulation_is_a_function_of_its_seed_and_starts_where_it_says():
    one, same, other = (simulate(reciprocity(10), np.array([4, 3, 3]), 50, seed) for seed in (1, 1, 2))
    assert (one.mean == same.mean).all()
    assert one.mean.shape != other.mean.shape or (one.mean != other.mean).any()
    assert one.mean[0].tolist() == one.first_run[0].tolist() == [0.4, 0.3, 0.3]
    assert one.mean.sum(axis=1) == pytest.approx(np.ones(len(one.steps)))


def test_a_long_simulation_is_told_in_few_steps_and_what_is_mixed_is_counted():
    found = simulate(hawk_dove(2, 3), np.array([20, 20]), 5, 0, Fitness("exponential", 2.0), max_steps=3000)
    assert found.unsettled_runs == 5 - found.fixation_counts.sum() > 0
    assert 400 <= len(found.steps) <= 801
    assert len(set(np.diff(found.steps))) == 1


def test_shares_become_individuals():
    for shares, population, counts in [
        ((0.5, 0.5), 5, (3, 2)),
        ((0.999, 0.001), 10, (9, 1)),
        ((1.0, 0.0), 4, (4, 0)),
        ((1 / 3,) * 3, 100, (34, 33, 33)),
    ]:
        assert counts_of(np.array(shares), population).tolist() == list(counts), shares


def test_no_steps_leave_the_start():
    found = simulate(np.ones((2, 2)), np.array([3, 7]), 5, 0, max_steps=0)
    assert found.unsettled_runs == 5
