"""The Moran process of any number of types, by drawing it many times."""

from __future__ import annotations

import numpy as np

from econzoo.evaluate.analyses.evolution.fitness import Fitness
from econzoo.evaluate.analyses.evolution.moran import Fixation, check_population, mean_payoffs

MOST_RUNS = 100_000
TOLD = 400
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
    longest: int | None = None,
) -> Fixation:
    """Many populations, each until one type is left.

    Args:
        payoffs: A, shape (n, n).
        start: Individuals of each type, shape (n,).
        runs: Populations, 1 to `MOST_RUNS`.
        seed: Of the draws.
        fitness: None: the payoff itself.
        longest: Steps after which a population is left unsettled; None: 2 N^2, three times what two equally
            fit types take on average (Nowak 2006, chapter 6).

    Raises:
        ValueError: A number or a fitness is not allowed.
    """
    population = int(start.sum())
    check_population(population)
    if not 1 <= runs <= MOST_RUNS:
        raise ValueError(f"runs={runs} is not allowed; allowed: a whole number from 1 to {MOST_RUNS}")
    rng, growth = np.random.default_rng(seed), fitness or Fitness()
    counts, diary = np.tile(start, (runs, 1)), _Diary(population)
    live = np.flatnonzero((counts < population).all(axis=1))
    diary.add(counts)
    for _ in range(longest or 2 * population**2):
        if not len(live):
            break
        counts[live] = _step(counts[live], payoffs, growth, rng)
        live = live[(counts[live] < population).all(axis=1)]
        diary.add(counts)
    done = counts == population
    mean, one, steps = diary.read()
    return Fixation(done.sum(axis=0), int((~done.any(axis=1)).sum()), mean, one, steps)


class _Diary:
    """Mean shares and those of the first population: of every step, then of every second one, and so on.

    Args:
        population: N.
    """

    def __init__(self, population: int) -> None:
        self._population, self._stride, self._step = population, 1, 0
        self._kept: list[tuple[int, np.ndarray, np.ndarray]] = []

    def add(self, counts: np.ndarray) -> None:
        """The next step of all populations, shape (runs, n)."""
        if self._step % self._stride == 0:
            self._kept.append((self._step, counts.mean(axis=0), counts[0].copy()))
        self._step += 1
        if len(self._kept) > 2 * TOLD:
            self._kept, self._stride = self._kept[::2], 2 * self._stride

    def read(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean shares, those of the first population, and the steps."""
        steps, mean, one = (np.array(column) for column in zip(*self._kept, strict=True))
        return mean / self._population, one / self._population, steps


def _step(counts: np.ndarray, payoffs: np.ndarray, growth: Fitness, rng: np.random.Generator) -> np.ndarray:
    """One birth and one death in every population."""
    there = counts > 0
    earned = np.where(there, mean_payoffs(payoffs, counts), np.nan)
    lowest = np.nanmin(earned, axis=1, keepdims=True)
    weights = counts * growth(np.where(there, earned, lowest))
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, counts)  # nobody is fit: anybody is copied
    rows = np.arange(len(counts))
    born, gone = _drawn(weights, rng), _drawn(counts, rng)
    out = counts.copy()
    out[rows, born] += 1
    out[rows, gone] -= 1
    return out


def _drawn(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A type for each row, by weight."""
    sums = np.cumsum(weights, axis=1)
    return np.asarray((sums <= (rng.random(len(weights)) * sums[:, -1])[:, None]).sum(axis=1))
