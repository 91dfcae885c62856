"""From payoffs to fitness: how strongly what one earns decides how often one is copied; generations that grow by it.

Axelrod's ecosystem (Axelrod 1984, chapter 2) is a discrete map by which shares grow by their fitness:

    x_i(t + 1) = x_i(t) f_i / sum_j x_j(t) f_j,  f = fitness((A + noise) x)

The Axelrod library draws every entry of A anew in each generation, from a normal distribution with the standard
deviation of the matches; here that is a choice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LINEAR, EXPONENTIAL = "linear", "exponential"
MAPS = (LINEAR, EXPONENTIAL)


class Fitness(NamedTuple):
    """A map from payoffs to fitness.

    Attributes:
        form: ``"linear"``: 1 - w + w * payoff (Nowak, Sasaki, Taylor and Fudenberg 2004), which with w = 1 is the
            payoff itself, as in Axelrod's library. ``"exponential"``: exp(w * payoff) (Traulsen, Shoresh and Nowak
            2008), which allows payoffs below 0.
        intensity: w, of selection, >= 0; up to 1 where linear. 0 is neutral.
    """

    form: str = LINEAR
    intensity: float = 1.0

    def logs(self, payoffs: np.ndarray) -> np.ndarray:
        """Logarithm of the fitness of payoffs, any shape; minus infinity where the fitness is 0.

        Raises:
            ValueError: A fitness would be negative.
        """
        if self.form == EXPONENTIAL:
            return np.asarray(self.intensity * payoffs)
        values = 1.0 - self.intensity + self.intensity * payoffs
        if (values < -1e-12).any():
            raise ValueError(
                f"a payoff of {payoffs.min():g} gives the negative fitness {values.min():g}; allowed: a smaller "
                f"intensity than {self.intensity:g}, or the exponential map"
            )
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(values, 0.0)))

    def __call__(self, payoffs: np.ndarray) -> np.ndarray:
        """Fitness of payoffs along the last axis, up to a common factor."""
        logs = self.logs(payoffs)
        top = logs.max(axis=-1, keepdims=True)
        return np.exp(logs - np.where(np.isfinite(top), top, 0.0))

    def describe(self) -> str:
        """In words."""
        w = f"{self.intensity:g}"
        if self.form == EXPONENTIAL:
            return f"exp({w} x payoff)"
        return "the payoff itself" if self.intensity == 1 else f"1 - {w} + {w} x payoff"


def fitness_map(form: str | None, intensity: float, payoffs: np.ndarray) -> Fitness:
    """A checked map.

    Args:
        form: One of `MAPS`; None: linear where no payoff is negative, else exponential.
        intensity: See `Fitness`.
        payoffs: What it will be used for.

    Raises:
        ValueError: Something is not allowed.
    """
    if form is not None and form not in MAPS:
        raise ValueError(f"fitness={form!r} is not allowed; allowed: {', '.join(MAPS)}")
    chosen = form or (LINEAR if payoffs.min() >= 0 else EXPONENTIAL)
    most = 1.0 if chosen == LINEAR else np.inf
    if not (np.isfinite(intensity) and 0 <= intensity <= most):
        allowed = "a number from 0 to 1" if chosen == LINEAR else "a number from 0 on"
        raise ValueError(f"intensity={intensity:g} is not allowed with {chosen} fitness; allowed: {allowed}")
    made = Fitness(chosen, intensity)
    made.logs(payoffs)
    return made


# Generations


MAX_GENERATIONS = 1_000_000
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
    if not 1 <= number <= MAX_GENERATIONS:
        raise ValueError(f"generations={number} is not allowed; allowed: a whole number from 1 to {MAX_GENERATIONS}")
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
