"""The Moran process: in every step an individual chosen by fitness reproduces and replaces a random individual.

The population is well mixed: among N individuals with i of type A, the payoffs are
F_i = (a (i - 1) + b (N - i)) / (N - 1) of A and G_i = (c i + d (N - i - 1)) / (N - 1) of B (Nowak 2006, chapter 7). An
individual may be replaced by its own copy. A type is fixed if it is the only one left.

This is the process of the Axelrod library (mode ``"bd"``), with two differences: fitness depends on the mean of payoffs
over opponents, not on their sum, so that an intensity of selection means the same in populations of any size; and
payoffs are the means of the matrix, not those of new matches in every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.evolution.fitness import Fitness

MIN_POPULATION, MAX_POPULATION = 2, 10_000

SMALLEST_RATE = 1e-300
"""Lower bound on fixation probabilities, so that every type can be reached from every other."""


class Fixation(NamedTuple):
    """Results of simulated populations.

    Attributes:
        fixation_counts: Number of populations in which each type took over, shape (n,).
        mean: Mean shares over all populations at `steps`, shape (m, n).
        first_run: Shares of the first population at `steps`, shape (m, n).
        steps: Shape (m,).
    """

    fixation_counts: np.ndarray
    unsettled_runs: int
    mean: np.ndarray
    first_run: np.ndarray
    steps: np.ndarray


def check_population(number: int) -> None:
    """Raise `ValueError` if a population size is out of range."""
    if not MIN_POPULATION <= number <= MAX_POPULATION:
        raise ValueError(f"invalid population={number}: expected an integer from {MIN_POPULATION} to {MAX_POPULATION}")


def mean_payoffs(payoffs: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean payoff of an individual of each type, shape (..., n).

    Args:
        payoffs: A, shape (n, n).
        counts: Individuals of each type, shape (..., n); total at least 2.
    """
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray((counts @ payoffs.T - np.diag(payoffs)) / (total - 1))


def fixation_probability(pair: np.ndarray, population: int, fitness: Fitness | None = None, mutants: int = 1) -> float:
    """Compute the fixation probability of the first of two types (Nowak 2006, equation 6.13 for one mutant).

        rho = (1 + sum_{k=1}^{i-1} prod_{j<=k} g_j / f_j) / (1 + sum_{k=1}^{N-1} prod_{j<=k} g_j / f_j)

    It is computed in logarithms to avoid overflow and underflow.

    Args:
        pair: Payoffs of both types, shape (2, 2), rows against columns.
        fitness: None: the payoff itself.
        mutants: i, individuals of the first type at the start, 0 to N.
    """
    check_population(population)
    if not 0 <= mutants <= population:
        raise ValueError(f"invalid mutants={mutants}: expected an integer from 0 to {population}")
    if mutants in (0, population):
        return float(mutants > 0)
    first = np.arange(1, population)
    counts = np.column_stack([first, population - first])
    logs = (fitness or Fitness()).logs(mean_payoffs(np.asarray(pair, float), counts))
    with np.errstate(invalid="ignore"):
        steps = np.where(np.isneginf(logs).all(axis=1), 0.0, logs[:, 1] - logs[:, 0])  # 0 / 0: neutral
    wall = int(np.max(np.flatnonzero(np.isposinf(steps)) + 1, initial=0))  # from here on down the type cannot reproduce
    if np.isneginf(steps[:wall]).any():
        raise ValueError("neither type can take over, as fitness is 0: use the exponential map")
    if mutants <= wall:
        return 0.0
    sums = np.concatenate([[0.0], np.cumsum(steps[wall:])])
    return float(np.exp(np.logaddexp.reduce(sums[: mutants - wall]) - np.logaddexp.reduce(sums)))


def fixation_matrix(payoffs: np.ndarray, population: int, fitness: Fitness | None = None) -> np.ndarray:
    """Compute the fixation probability of one row-type mutant among the column type, shape (n, n); diagonal 1 / N."""
    n = len(payoffs)
    out = np.full((n, n), 1.0 / population)
    for i in range(n):
        for j in range(n):
            if i != j:
                out[i, j] = fixation_probability(payoffs[np.ix_([i, j], [i, j])], population, fitness)
    return out


def rare_mutations(fixation: np.ndarray) -> np.ndarray:
    """Compute the long-run share of time of each type in the limit of rare mutations, shape (n,).

    The population is then nearly always of one type, and moves from j to i at a rate proportional to the fixation
    probability of i (Fudenberg and Imhof 2006). All mutants are equally likely. States are eliminated without
    subtraction (Grassmann, Taksar and Heyman 1985), which preserves ratios of tiny probabilities.

    Args:
        fixation: Result of `fixation_matrix`; probabilities are at least `SMALLEST_RATE`.
    """
    n = len(fixation)
    rates = np.maximum(fixation.T, SMALLEST_RATE)
    for k in range(n - 1, 0, -1):
        rates[:k, k] /= rates[k, :k].sum()
        rates[:k, :k] += rates[:k, k, None] * rates[k, :k]
    weights = np.ones(n)
    for k in range(1, n):
        weights[k] = weights[:k] @ rates[:k, k]
        # Rescaled at each step, because ratios of tiny rates can overflow.
        weights[: k + 1] /= weights[: k + 1].max()
    return np.asarray(weights / weights.sum())


# Any number of types, by simulation


MOST_RUNS = 100_000
MIN_RECORDED_STEPS = 400
"""Minimum number of steps whose shares are recorded, if there are as many; at most twice as many are."""


def counts_of(shares: np.ndarray, population: int) -> np.ndarray:
    """Round shares to numbers of individuals by largest remainders, at least one for every positive share.

    Args:
        shares: Shape (n,), sum 1.
    """
    there = shares > 0
    if there.sum() > population:
        raise ValueError(f"invalid population={population}: expected at least {there.sum()}, one of each type")
    # The offset keeps whole numbers whole that rounding puts slightly below.
    counts = np.floor(shares * population + 1e-9).astype(int)
    for at in np.argsort(-(shares * population - counts), kind="stable")[: population - counts.sum()]:
        counts[at] += 1
    for at in np.flatnonzero(there & (counts == 0)):
        counts[np.argmax(counts)] -= 1
        counts[at] = 1
    return counts


def simulate(
    payoffs: np.ndarray,
    start: np.ndarray,
    runs: int,
    seed: int,
    fitness: Fitness | None = None,
    max_steps: int | None = None,
) -> Fixation:
    """Simulate populations until fixation: one type is left.

    Args:
        payoffs: A, shape (n, n).
        start: Individuals of each type, shape (n,).
        runs: Number of populations, 1 to `MOST_RUNS`.
        fitness: Fitness map; None: the payoff itself.
        max_steps: Maximum number of steps; None: 2 N^2, three times the mean fixation time of two equally fit types
            (Nowak 2006, chapter 6).
    """
    population = int(start.sum())
    check_population(population)
    if not 1 <= runs <= MOST_RUNS:
        raise ValueError(f"invalid runs={runs}: expected an integer from 1 to {MOST_RUNS}")
    rng, growth = np.random.default_rng(seed), fitness or Fitness()
    counts, trace = np.tile(start, (runs, 1)), _ShareTrace(population)
    # Populations that are fixed draw no further numbers.
    live = np.flatnonzero((counts < population).all(axis=1))
    trace.add(counts)
    for _ in range(2 * population**2 if max_steps is None else max_steps):
        if not len(live):
            break
        counts[live] = _step(counts[live], payoffs, growth, rng)
        live = live[(counts[live] < population).all(axis=1)]
        trace.add(counts)
    fixed = counts == population
    mean, first, steps = trace.read()
    return Fixation(fixed.sum(axis=0), int((~fixed.any(axis=1)).sum()), mean, first, steps)


class _ShareTrace:
    """Mean shares and those of the first population, recorded with a stride that doubles as steps grow."""

    def __init__(self, population: int) -> None:
        self._population, self._stride, self._step = population, 1, 0
        self._recorded: list[tuple[int, np.ndarray, np.ndarray]] = []

    def add(self, counts: np.ndarray) -> None:
        """Add the next step of all populations, shape (runs, n)."""
        if self._step % self._stride == 0:
            self._recorded.append((self._step, counts.mean(axis=0), counts[0].copy()))
        self._step += 1
        if len(self._recorded) > 2 * MIN_RECORDED_STEPS:
            self._recorded, self._stride = self._recorded[::2], 2 * self._stride

    def read(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return mean shares, shares of the first population, and steps."""
        steps, mean, one = (np.array(column) for column in zip(*self._recorded, strict=True))
        return mean / self._population, one / self._population, steps


def _step(counts: np.ndarray, payoffs: np.ndarray, growth: Fitness, rng: np.random.Generator) -> np.ndarray:
    """One birth and one death in every population."""
    there = counts > 0
    # An absent type has no payoff: `mean_payoffs` would leave out an individual that is not there. It gets the lowest
    # one of the others, for which fitness is certainly defined, and weight 0.
    earned = np.where(there, mean_payoffs(payoffs, counts), np.nan)
    lowest = np.nanmin(earned, axis=1, keepdims=True)
    weights = counts * growth(np.where(there, earned, lowest))
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, counts)  # all have fitness 0: neutral
    rows = np.arange(len(counts))
    born, replaced = _sample_types(weights, rng), _sample_types(counts, rng)
    out = counts.copy()
    out[rows, born] += 1
    out[rows, replaced] -= 1
    return out


def _sample_types(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sample a type for each row, by weight."""
    sums = np.cumsum(weights, axis=1)
    # With <= a type of weight 0 is not even sampled by a draw of 0.
    return np.asarray((sums <= (rng.random(len(weights)) * sums[:, -1])[:, None]).sum(axis=1))
