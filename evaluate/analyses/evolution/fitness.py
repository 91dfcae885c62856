"""Maps from payoffs to fitness, and discrete generations.

Axelrod's ecosystem (Axelrod 1984, chapter 2) is a discrete map in which shares grow by fitness:

    x_i(t + 1) = x_i(t) f_i / sum_j x_j(t) f_j,  f = fitness((A + noise) x)

The Axelrod library resamples every entry of A in each generation, from a normal distribution with the standard
deviation of the matches; here that is optional.
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
        intensity: Intensity of selection w >= 0; at most 1 if linear. 0 is neutral.
    """

    form: str = LINEAR
    intensity: float = 1.0

    def logs(self, payoffs: np.ndarray) -> np.ndarray:
        """Return the log fitness of payoffs of any shape; minus infinity for fitness 0."""
        if self.form == EXPONENTIAL:
            return np.asarray(self.intensity * payoffs)
        values = 1.0 - self.intensity + self.intensity * payoffs
        if (values < -1e-12).any():  # below the rounding of a fitness of 0
            raise ValueError(
                f"invalid fitness {values.min():g} of payoff {payoffs.min():g}: expected a smaller intensity than "
                f"{self.intensity:g}, or the exponential map"
            )
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(values, 0.0)))

    def __call__(self, payoffs: np.ndarray) -> np.ndarray:
        """Return the fitness of payoffs along the last axis, up to a common factor."""
        logs = self.logs(payoffs)
        # Relative to the largest, no exponential overflows; minus infinity, all of fitness 0, is left as it is.
        top = logs.max(axis=-1, keepdims=True)
        return np.exp(logs - np.where(np.isfinite(top), top, 0.0))

    def describe(self) -> str:
        w = f"{self.intensity:g}"
        if self.form == EXPONENTIAL:
            return f"exp({w} x payoff)"
        return "the payoff itself" if self.intensity == 1 else f"1 - {w} + {w} x payoff"


def fitness_map(form: str | None, intensity: float, payoffs: np.ndarray) -> Fitness:
    """Build and validate a map.

    Args:
        form: One of `MAPS`; None: linear if no payoff is negative, else exponential.
    """
    if form is not None and form not in MAPS:
        raise ValueError(f"invalid fitness={form!r}: expected {' or '.join(MAPS)}")
    chosen = form or (LINEAR if payoffs.min() >= 0 else EXPONENTIAL)
    most = 1.0 if chosen == LINEAR else np.inf
    if not (np.isfinite(intensity) and 0 <= intensity <= most):
        expected = "a number from 0 to 1" if chosen == LINEAR else "a number >= 0"
        raise ValueError(f"invalid intensity={intensity:g} of {chosen} fitness: expected {expected}")
    fitness = Fitness(chosen, intensity)
    fitness.logs(payoffs)
    return fitness


# Generations


MAX_GENERATIONS = 1_000_000


def generations(
    payoffs: np.ndarray,
    start: np.ndarray,
    number: int,
    fitness: Fitness | None = None,
    deviation: np.ndarray | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Simulate the shares of every generation, shape (number + 1, n).

    Args:
        payoffs: A, shape (n, n), per round.
        start: Shares of the first generation, shape (n,).
        number: Number of steps, 1 to `MAX_GENERATIONS`.
        fitness: Fitness map; None: the payoff itself.
        deviation: Standard deviations of the entries of A, shape (n, n); None: A is constant.
    """
    if not 1 <= number <= MAX_GENERATIONS:
        raise ValueError(f"invalid generations={number}: expected an integer from 1 to {MAX_GENERATIONS}")
    growth, rng = fitness or Fitness(), np.random.default_rng(seed)
    out = np.empty((number + 1, len(start)))
    out[0] = start
    for at in range(number):
        sampled = payoffs if deviation is None else rng.normal(payoffs, deviation)
        grown = out[at] * growth(sampled @ out[at])
        if not grown.sum() > 0:
            raise ValueError(f"fitness of all types is 0 in generation {at}: use the exponential map")
        out[at + 1] = grown / grown.sum()
    return out
