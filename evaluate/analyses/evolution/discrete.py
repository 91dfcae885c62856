"""The discrete map of Axelrod's ecosystem (Axelrod 1984, chapter 2): shares grow by their fitness.

    x_i(t + 1) = x_i(t) f_i / sum_j x_j(t) f_j,  f = fitness((A + noise) x)

The Axelrod library draws every entry of A anew in each generation, from a normal distribution with the standard
deviation of the matches; here that is a choice.
"""

from __future__ import annotations

import numpy as np

from econzoo.evaluate.analyses.evolution.fitness import Fitness

LONGEST = 1_000_000
"""Generations, at most."""


def generations(
    payoffs: np.ndarray,
    start: np.ndarray,
    number: int,
    fitness: Fitness | None = None,
    deviation: np.ndarray | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Shares of every generation, shape (number + 1, n).

    Args:
        payoffs: A, shape (n, n), per round.
        start: Shares of the first generation, shape (n,).
        number: Of steps, 1 to `LONGEST`.
        fitness: None: the payoff itself.
        deviation: Standard deviations of the entries of A, shape (n, n); None: they are always the same.
        seed: Of the draws, if there are deviations.

    Raises:
        ValueError: A number or a fitness is not allowed, or everybody's fitness is 0.
    """
    if not 1 <= number <= LONGEST:
        raise ValueError(f"generations={number} is not allowed; allowed: a whole number from 1 to {LONGEST}")
    growth, rng = fitness or Fitness(), np.random.default_rng(seed)
    out = np.empty((number + 1, len(start)))
    out[0] = start
    for at in range(number):
        drawn = payoffs if deviation is None else rng.normal(payoffs, deviation)
        grown = out[at] * growth(drawn @ out[at])
        if not grown.sum() > 0:
            raise ValueError(f"in generation {at} nobody has a fitness above 0; allowed: the exponential map")
        out[at + 1] = grown / grown.sum()
    return out
