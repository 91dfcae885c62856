"""The discrete map, by hand; and the same things in the Axelrod library."""

from __future__ import annotations

import numpy as np
import pytest
from evolution.games import hawk_dove, prisoners_dilemma, rock_paper_scissors

from econzoo.evaluate.analyses.evolution.fitness import Fitness, generations
from econzoo.evaluate.analyses.evolution.moran import mean_payoffs
from refusals import refuses


def test_a_generation_by_hand():
    """Cooperators earn 1.5, defectors 3 against halves: 1 to 2 in the next generation."""
    found = generations(prisoners_dilemma(), np.array([0.5, 0.5]), 1)
    assert found.tolist() == [[0.5, 0.5], [pytest.approx(1 / 3), pytest.approx(2 / 3)]]


def test_it_comes_to_rest_where_hawks_and_doves_earn_the_same():
    found = generations(hawk_dove(2, 3) + 1, np.array([0.1, 0.9]), 300)
    assert found[-1] == pytest.approx([2 / 3, 1 / 3], abs=1e-6)


def test_the_map_overshoots_where_the_equation_circles():
    """The centre of the zero-sum cycle repels under the map (Hofbauer and Sigmund 1998, section 7.8)."""
    found = generations(rock_paper_scissors(1) + 2, np.array([0.4, 0.3, 0.3]), 400)
    products = found.prod(axis=1)
    assert (np.diff(products[:50]) < 0).all()
    assert products[-1] < products[0] / 2


def test_fitness_maps_and_draws():
    start, payoffs = np.array([0.5, 0.5]), hawk_dove(2, 3)
    with refuses(ValueError, "fitness", -0.475):
        generations(payoffs, np.array([0.99, 0.01]), 5)
    found = generations(payoffs, start, 5, Fitness("exponential", 0.5))
    first = np.exp(0.5 * payoffs @ start)
    assert found[1] == pytest.approx(first / first.sum())
    drawn = [generations(prisoners_dilemma() + 1, start, 9, None, np.full((2, 2), 0.1), seed) for seed in (1, 1, 2)]
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] != drawn[2]).any()


def test_numbers_of_generations_that_are_refused():
    for number in [0, -1, 1_000_001]:
        with refuses(ValueError, f"generations={number}", 1):
            generations(prisoners_dilemma(), np.array([0.5, 0.5]), number)


def test_a_population_without_fitness_is_told():
    with refuses(ValueError, "fitness", 0):
        generations(np.zeros((2, 2)), np.array([0.5, 0.5]), 3)


# The Axelrod library


def players(axelrod):
    return [axelrod.TitForTat(), axelrod.Cooperator(), axelrod.Defector(), axelrod.WinStayLoseShift()]


@pytest.fixture(scope="module")
def results(axelrod):
    return axelrod.Tournament(players(axelrod), turns=20, repetitions=2, seed=0).play(
        processes=None, progress_bar=False
    )


@pytest.mark.slow
def test_deterministic_generations_are_those_of_axelrods_ecosystem(axelrod, results):
    for start in [None, [1, 2, 3, 4]]:
        theirs = axelrod.Ecosystem(results, population=start)
        theirs.reproduce(60)
        shares = np.array(start or [1, 1, 1, 1], float)
        ours = generations(np.array(results.payoff_matrix), shares / shares.sum(), 60)
        assert ours == pytest.approx(np.array(theirs.population_sizes), abs=1e-12), start


@pytest.mark.slow
def test_scores_in_a_population_are_those_of_axelrods_moran_process(axelrod, results):
    """There they are sums over the N - 1 others, here means: the same but for the factor N - 1."""
    counts = np.array([3, 2, 4, 1])
    individuals = [one.clone() for one, number in zip(players(axelrod), counts, strict=True) for _ in range(number)]
    scores = axelrod.MoranProcess(individuals, turns=20, seed=0).score_all()
    ours = mean_payoffs(np.array(results.payoff_matrix), counts)
    assert np.repeat(ours, counts) * (counts.sum() - 1) == pytest.approx(np.array(scores))
