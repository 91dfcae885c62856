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

MIN_POPULATION, MAX_POPULATION = 2, 10_000
"""Individuals of a population."""

SMALLEST_RATE = 1e-300
"""Probability of fixation below which none is told from another."""


class Fixation(NamedTuple):
    """What became of many populations.

    Attributes:
        fixation_counts: How often each type took over, shape (n,).
        unsettled_runs: Populations that still held several types at the end.
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
    """Raises `ValueError` for a population that is too small or too large."""
    if not MIN_POPULATION <= number <= MAX_POPULATION:
        raise ValueError(
            f"population={number} is not allowed; allowed: a whole number from {MIN_POPULATION} to {MAX_POPULATION}"
        )


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


# Any number of types, by drawing the process many times


MOST_RUNS = 100_000
MIN_RECORDED_STEPS = 400
"""Steps whose shares are told, at least as soon as there are so many, and at most twice as many."""


def counts_of(shares: np.ndarray, population: int) -> np.ndarray:
    """Individuals of each type with shares as near as can be, by largest remainders; every type with a share has one.

    Args:
        shares: Shape (n,), sum 1.
        population: N.

    Raises:
        ValueError: There are more types than individuals.
    """
    there = shares > 0
    if there.sum() > population:
        raise ValueError(f"population={population} is not allowed; allowed: at least {there.sum()}, one of each type")
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
    """Many populations, each until one type is left.

    Args:
        payoffs: A, shape (n, n).
        start: Individuals of each type, shape (n,).
        runs: Populations, 1 to `MOST_RUNS`.
        seed: Of the draws.
        fitness: None: the payoff itself.
        max_steps: Steps after which a population is left unsettled; None: 2 N^2, three times what two equally
            fit types take on average (Nowak 2006, chapter 6).

    Raises:
        ValueError: A number or a fitness is not allowed.
    """
    population = int(start.sum())
    check_population(population)
    if not 1 <= runs <= MOST_RUNS:
        raise ValueError(f"runs={runs} is not allowed; allowed: a whole number from 1 to {MOST_RUNS}")
    rng, growth = np.random.default_rng(seed), fitness or Fitness()
    counts, diary = np.tile(start, (runs, 1)), _ShareTrace(population)
    live = np.flatnonzero((counts < population).all(axis=1))
    diary.add(counts)
    for _ in range(max_steps or 2 * population**2):
        if not len(live):
            break
        counts[live] = _step(counts[live], payoffs, growth, rng)
        live = live[(counts[live] < population).all(axis=1)]
        diary.add(counts)
    done = counts == population
    mean, one, steps = diary.read()
    return Fixation(done.sum(axis=0), int((~done.any(axis=1)).sum()), mean, one, steps)


class _ShareTrace:
    """Mean shares and those of the first population: of every step, then of every second one, and so on.

    Args:
        population: N.
    """

    def __init__(self, population: int) -> None:
        self._population, self._stride, self._step = population, 1, 0
        self._recorded: list[tuple[int, np.ndarray, np.ndarray]] = []

    def add(self, counts: np.ndarray) -> None:
        """The next step of all populations, shape (runs, n)."""
        if self._step % self._stride == 0:
            self._recorded.append((self._step, counts.mean(axis=0), counts[0].copy()))
        self._step += 1
        if len(self._recorded) > 2 * MIN_RECORDED_STEPS:
            self._recorded, self._stride = self._recorded[::2], 2 * self._stride

    def read(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean shares, those of the first population, and the steps."""
        steps, mean, one = (np.array(column) for column in zip(*self._recorded, strict=True))
        return mean / self._population, one / self._population, steps


def _step(counts: np.ndarray, payoffs: np.ndarray, growth: Fitness, rng: np.random.Generator) -> np.ndarray:
    """One birth and one death in every population."""
    there = counts > 0
    earned = np.where(there, mean_payoffs(payoffs, counts), np.nan)
    lowest = np.nanmin(earned, axis=1, keepdims=True)
    weights = counts * growth(np.where(there, earned, lowest))
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, counts)  # nobody is fit: anybody is copied
    rows = np.arange(len(counts))
    born, gone = _sample_types(weights, rng), _sample_types(counts, rng)
    out = counts.copy()
    out[rows, born] += 1
    out[rows, gone] -= 1
    return out


def _sample_types(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A type for each row, by weight."""
    sums = np.cumsum(weights, axis=1)
    return np.asarray((sums <= (rng.random(len(weights)) * sums[:, -1])[:, None]).sum(axis=1))
