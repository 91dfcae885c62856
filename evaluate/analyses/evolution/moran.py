"""The Moran process: in every step one individual, chosen by fitness, is copied over another, chosen at random.

Everybody meets everybody else equally often, so that of N individuals with i of type A the payoffs are
F_i = (a (i - 1) + b (N - i)) / (N - 1) of A and G_i = (c i + d (N - i - 1)) / (N - 1) of B (Nowak 2006, chapter 7). The
individual that goes may be the one that was copied. A type that is the only one left stays so: it is fixed.

The same process as in the Axelrod library (mode ``"bd"``), with two differences: there the fitness is made of the sum
of payoffs over all opponents, here of their mean, so that an intensity of selection means the same in populations of
any size; and there every step plays new matches, here payoffs are the means of the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.evolution.fitness import Fitness

SMALLEST, LARGEST = 2, 10_000
"""Individuals of a population."""

SMALLEST_RATE = 1e-300
"""Probability of fixation below which none is told from another."""


class Fixation(NamedTuple):
    """What became of many populations.

    Attributes:
        fixed: How often each type took over, shape (n,).
        unsettled: Populations that still held several types at the end.
        mean: Mean shares over all populations at `steps`, shape (m, n).
        one: Shares of the first population at `steps`, shape (m, n).
        steps: Shape (m,).
    """

    fixed: np.ndarray
    unsettled: int
    mean: np.ndarray
    one: np.ndarray
    steps: np.ndarray


def check_population(number: int) -> None:
    """Raises `ValueError` for a population that is too small or too large."""
    if not SMALLEST <= number <= LARGEST:
        raise ValueError(f"population={number} is not allowed; allowed: a whole number from {SMALLEST} to {LARGEST}")


def mean_payoffs(payoffs: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """What an individual of each type earns on average, shape (..., n).

    Args:
        payoffs: A, shape (n, n).
        counts: Individuals of each type, shape (..., n), at least 2 in all.
    """
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray((counts @ payoffs.T - np.diag(payoffs)) / (total - 1))


def fixation_probability(pair: np.ndarray, population: int, fitness: Fitness | None = None, mutants: int = 1) -> float:
    """Probability that the first of two types takes over (Nowak 2006, equation 6.13 for one mutant).

        rho = (1 + sum_{k=1}^{i-1} prod_{j<=k} g_j / f_j) / (1 + sum_{k=1}^{N-1} prod_{j<=k} g_j / f_j)

    It is computed in logarithms, so that it neither overflows nor loses small probabilities.

    Args:
        pair: Payoffs of both types, shape (2, 2), rows against columns.
        population: N.
        fitness: None: the payoff itself.
        mutants: i, individuals of the first type at the start, 0 to N.

    Raises:
        ValueError: A number or a fitness is not allowed, or neither type can ever take over.
    """
    check_population(population)
    if not 0 <= mutants <= population:
        raise ValueError(f"mutants={mutants} is not allowed; allowed: a whole number from 0 to {population}")
    if mutants in (0, population):
        return float(mutants > 0)
    first = np.arange(1, population)
    counts = np.column_stack([first, population - first])
    logs = (fitness or Fitness()).logs(mean_payoffs(np.asarray(pair, float), counts))
    with np.errstate(invalid="ignore"):
        steps = np.where(np.isneginf(logs).all(axis=1), 0.0, logs[:, 1] - logs[:, 0])  # 0 / 0: nobody is favoured
    wall = int(np.max(np.flatnonzero(np.isposinf(steps)) + 1, initial=0))  # with so many nobody of the type is copied
    if np.isneginf(steps[:wall]).any():
        raise ValueError("fitness of 0 keeps both types alive for ever; allowed: the exponential map")
    if mutants <= wall:
        return 0.0
    sums = np.concatenate([[0.0], np.cumsum(steps[wall:])])
    return float(np.exp(np.logaddexp.reduce(sums[: mutants - wall]) - np.logaddexp.reduce(sums)))


def fixation_matrix(payoffs: np.ndarray, population: int, fitness: Fitness | None = None) -> np.ndarray:
    """Probability that one individual of the row type takes over a population of the column type, shape (n, n).

    The diagonal is the neutral 1 / N.
    """
    n = len(payoffs)
    out = np.full((n, n), 1.0 / population)
    for i in range(n):
        for j in range(n):
            if i != j:
                out[i, j] = fixation_probability(payoffs[np.ix_([i, j], [i, j])], population, fitness)
    return out


def rare_mutations(fixation: np.ndarray) -> np.ndarray:
    """Long-run share of time of each type if mutants come so rarely that one is gone before the next, shape (n,).

    The population is then nearly always of one type, and goes from j to i at the rate of the probability that one
    mutant i takes over (Fudenberg and Imhof 2006). All mutants are equally likely. States are taken out one by one
    without a subtraction (Grassmann, Taksar and Heyman 1985), so that tiny probabilities keep their ratios.

    Args:
        fixation: Of `fixation_matrix`; probabilities below `SMALLEST_RATE` count as that.
    """
    n = len(fixation)
    rates = np.maximum(fixation.T, SMALLEST_RATE)
    for k in range(n - 1, 0, -1):
        rates[:k, k] /= rates[k, :k].sum()
        rates[:k, :k] += rates[:k, k, None] * rates[k, :k]
    weights = np.ones(n)
    for k in range(1, n):
        weights[k] = weights[:k] @ rates[:k, k]
        weights[: k + 1] /= weights[: k + 1].max()
    return np.asarray(weights / weights.sum())
