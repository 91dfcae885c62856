"""Payoffs of types against each other per round of the base game, with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.evaluate.stats import CONFIDENCE, difference_ends, payoff_ends

if TYPE_CHECKING:
    from econzoo.evaluate.analyses import PlayedGame
    from econzoo.evaluate.analyses.dilemmas import RoundRobin

__all__ = ["PayoffMatrix", "matrix_from_payoffs", "matrix_from_round_robin"]

MAX_TYPES = 100

MAX_PAYOFF = 1e9
"""Maximum absolute value of payoffs and their errors."""


ARRAYS = ("mean", "error", "matches", "clusters", "failed", "defaults", "failed_rounds")
"""Attributes of a matrix with a number for every pair."""

Pairs = tuple[Sequence[int], Sequence[int]]
"""Row types, and the column type that each meets."""


@dataclass(frozen=True)
class PayoffMatrix:
    """Payoffs of a symmetric game between types.

    Attributes:
        types: Unique names, 2 to `MAX_TYPES`.
        mean: Payoff of the row type against the column type per round of the base game, shape (n, n), in the game's
            own unit, from -`MAX_PAYOFF` to `MAX_PAYOFF`. Seats of the base game have equal weight.
        error: Standard error of `mean`, shape (n, n), 0 to `MAX_PAYOFF`; 0 if the payoff is exact, NaN with a single
            cluster of matches.
        matches: Matches per entry, shape (n, n); 0 if the payoffs were given.
        clusters: Independent clusters per entry, shape (n, n): both seat orders of a seed are one cluster.
        failed: Unfinished matches (forfeited, abandoned, truncated), shape (n, n); excluded from `mean`.
        defaults: Matches of `mean` with a default action after an invalid answer, or with a turn forfeited by a
            submitted program, shape (n, n).
        failed_rounds: Meta-rounds in which the row type's program left a turn unanswered, shape (n, n).
        notes: Notes on the origin of the numbers, one sentence each.
        played_games: Settings and players; empty if the payoffs were given.
        skewness: Skewness of the estimates `mean`, shape (n, n); 0 for all if unknown.

    Raises:
        ValueError: Shapes do not match, a name is blank or not unique, or a number is invalid.
    """

    types: tuple[str, ...]
    mean: np.ndarray
    error: np.ndarray
    matches: np.ndarray
    clusters: np.ndarray
    failed: np.ndarray
    defaults: np.ndarray
    failed_rounds: np.ndarray
    notes: tuple[str, ...] = field(kw_only=True, default=())
    played_games: Sequence[PlayedGame] = field(kw_only=True, repr=False, default=())
    skewness: np.ndarray = field(kw_only=True, repr=False, default_factory=lambda: np.zeros(()))

    def __post_init__(self) -> None:
        _check_names(self.types)
        shape = len(self.types), len(self.types)
        for name in ARRAYS:
            own = getattr(self, name).shape
            if own != shape:
                raise ValueError(f"invalid shape {own} of {name}: expected {shape}, a row and a column for each type")
        if (self.error < 0).any() or (self.error > MAX_PAYOFF).any():
            raise ValueError(f"invalid standard error: expected a number from 0 to {MAX_PAYOFF:g}, or NaN")
        for at in np.argwhere(np.isnan(self.mean)):
            raise ValueError(f"no payoff of {self._pair(at)}: expected a number for every pair")
        for at in np.argwhere(np.abs(self.mean) > MAX_PAYOFF):
            invalid = f"invalid payoff {self.mean[tuple(at)]:g} of {self._pair(at)}"
            raise ValueError(f"{invalid}: expected {-MAX_PAYOFF:g} to {MAX_PAYOFF:g}")

    def _pair(self, at: np.ndarray) -> str:
        return " against ".join(repr(self.types[i]) for i in at)

    def __len__(self) -> int:
        return len(self.types)

    @property
    def spread(self) -> float:
        """The largest payoff difference between types against one opponent, the unit of rates; 1 if it is 0."""
        return spread(self.mean)

    @property
    def known_error(self) -> np.ndarray:
        """Standard errors, with 0 for unknown ones."""
        return np.nan_to_num(self.error)

    @property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the 95% intervals of `mean`, two arrays of shape (n, n).

        NaN if the payoff is exact or has too few clusters; normal intervals for given errors without clusters.
        """
        return payoff_ends(self.mean, self.known_error, self.skewness, self.clusters)

    def gaps(self, own: Pairs, others: Pairs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute differences between payoffs with simultaneous 95% intervals (Bonferroni).

        Coverage is higher if payoffs share random numbers. Ends are NaN if an error is unknown or there are too few
        clusters.

        Args:
            own: Rows and columns of k payoffs.
            others: Rows and columns of the subtracted payoffs.

        Returns:
            Three arrays of shape (k,).
        """
        confidence = 1 - (1 - CONFIDENCE) / max(len(own[0]), 1)
        low, high = payoff_ends(self.mean, self.error, self.skewness, self.clusters, confidence)
        # Exact payoffs have no interval; here they are points, so that differences from them have one.
        exact = self.error == 0
        bounds = np.stack([self.mean, np.where(exact, self.mean, low), np.where(exact, self.mean, high)])
        first, second = (bounds[:, list(rows), list(columns)] for rows, columns in (own, others))
        return (first[0] - second[0], *difference_ends(first, second))

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviation of the mean payoff of one cluster of matches, shape (n, n); 0 if unknown."""
        return self.known_error * np.sqrt(self.clusters)

    def select_types(self, types: Sequence[str]) -> PayoffMatrix:
        """Return the matrix of some types, in this order.

        Raises:
            ValueError: A type is unknown.
        """
        unknown = [name for name in types if name not in self.types]
        if unknown:
            raise ValueError(f"unknown type {unknown[0]!r}: expected one of {', '.join(self.types)}")
        at = np.ix_(*[[self.types.index(name) for name in types]] * 2)
        skewness = np.broadcast_to(self.skewness, self.mean.shape)[at]
        parts: dict[str, Any] = {name: getattr(self, name)[at] for name in ARRAYS}
        return replace(self, types=tuple(types), skewness=skewness, **parts)


def matrix_from_payoffs(types: Sequence[str], mean: np.ndarray, error: np.ndarray | None = None) -> PayoffMatrix:
    """Build a matrix from given payoffs.

    Args:
        types: Names.
        mean: Payoffs of the row type against the column type per round, shape (n, n).
        error: Standard errors; None: the payoffs are exact.

    Raises:
        ValueError: See `PayoffMatrix`.
    """
    mean = np.asarray(mean, float)
    none = np.zeros(mean.shape, int)
    errors = np.zeros(mean.shape) if error is None else np.asarray(error, float)
    return PayoffMatrix(tuple(types), mean, errors, none, none, none, none, none)


def matrix_from_round_robin(found: RoundRobin) -> PayoffMatrix:
    """Build the matrix of a fast round robin of classic strategies.

    Args:
        found: See `econzoo.evaluate.analyses.dilemmas.round_robin.round_robin`.

    Raises:
        ValueError: See `PayoffMatrix`.
    """
    none = np.zeros(found.payoff.shape, int)
    counts = found.match_counts, found.match_counts, none, none, none
    return PayoffMatrix(found.names, found.payoff, found.error, *counts, skewness=found.skewness)


def spread(payoffs: np.ndarray) -> float:
    """Return the largest difference between two payoffs against the same type; 1 if it is 0."""
    return float(np.ptp(payoffs, axis=0).max()) or 1.0


def _check_names(types: Sequence[str]) -> None:
    if not 2 <= len(types) <= MAX_TYPES:
        raise ValueError(f"{len(types)} types: expected 2 to {MAX_TYPES}")
    for at, name in enumerate(types):
        if not name.strip():
            raise ValueError(f"type {at + 1} has no name: expected a text that is not blank")
        if name in types[:at]:
            raise ValueError(f"duplicate type {name!r}")
