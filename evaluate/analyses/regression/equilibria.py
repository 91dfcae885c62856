"""Nash equilibria of two-player normal-form games."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import combinations, takewhile
from math import comb
from typing import NamedTuple

import nashpy
import numpy as np

MAX_FULL_SEARCH = 14
"""Maximum rows plus columns for a search for all equilibria; larger games take seconds or more."""

MAX_SUPPORT_PAIRS = 100_000
"""Maximum pairs of supports per size in larger games."""

TOLERANCE = 1e-9
"""Gains that differ by less are equal; far below the resolution of a metric."""

ZERO_PROBABILITY = 1e-7
"""Probabilities below this are 0."""


class Profile(NamedTuple):
    """Mixed strategies of both sides.

    Attributes:
        first: Probabilities of the rows, shape (m,).
        second: Probabilities of the columns, shape (n,).
    """

    first: np.ndarray
    second: np.ndarray

    @property
    def is_pure(self) -> bool:
        """Whether both sides play a pure strategy."""
        return bool(self.first.max() > 1 - ZERO_PROBABILITY and self.second.max() > 1 - ZERO_PROBABILITY)

    @property
    def support(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Strategies with positive probability, per side."""
        first, second = (tuple(np.flatnonzero(side > ZERO_PROBABILITY).tolist()) for side in self)
        return first, second


class Equilibria(NamedTuple):
    """Result of a search for equilibria.

    Attributes:
        profiles: Equilibria, pure ones first; of a continuum, its vertices.
        searched_size: Maximum support size searched, with equal sizes on both sides; None: the search is exhaustive.
        is_degenerate: Whether a side has more best responses to an equilibrium than the other mixes over, so there may
            be a continuum of equilibria.
    """

    profiles: list[Profile]
    searched_size: int | None
    is_degenerate: bool


def equilibria(first: np.ndarray, second: np.ndarray) -> Equilibria:
    """Compute the Nash equilibria of a bimatrix game.

    Strictly dominated strategies are removed first. The rest is searched by vertex enumeration, which finds the
    vertices of all equilibrium components, also in degenerate games (Avis, Rosenberg, Savani and von Stengel 2010). In
    larger games, all pure profiles and all small supports of equal size are tried (as in Porter, Nudelman and Shoham
    2008).

    Args:
        first: Gains of the row player, of shape (m, n).
        second: Gains of the column player, same shape.
    """
    if first.shape != second.shape or first.ndim != 2 or not first.size:
        raise ValueError(f"invalid gains: expected two matrices of one shape, got {first.shape} and {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("invalid gains: expected finite numbers")
    # No equilibrium uses dominated strategies, and the search is exponential in their number.
    rows, columns = undominated_strategies(first, second)
    inner = first[np.ix_(rows, columns)], second[np.ix_(rows, columns)]
    size = _size(*inner[0].shape)
    mixed = _corners(*inner) if size is None else _small_supports(*inner, size)
    # Pure equilibria by comparison, without rounding; vertices that repeat them are dropped as duplicates.
    profiles = [_expand_profile(profile, rows, columns, first.shape) for profile in [*pure_equilibria(*inner), *mixed]]
    # Both searches yield candidates: a support says nothing of the strategies outside of it, and vertices of degenerate
    # games come with numerical errors.
    distinct = _distinct_profiles(profile for profile in profiles if regret(first, second, profile) < ZERO_PROBABILITY)
    return Equilibria(distinct, size, any(_has_ties(first, second, profile) for profile in distinct))


def _size(rows: int, columns: int) -> int | None:
    """Maximum support size in the search; None: unlimited."""
    # If a side has a single strategy, pure best responses are all vertices.
    if min(rows, columns) == 1 or rows + columns <= MAX_FULL_SEARCH:
        return None
    pairs = (comb(rows, k) * comb(columns, k) for k in range(2, min(rows, columns) + 1))
    return 1 + sum(1 for _ in takewhile(lambda number: number <= MAX_SUPPORT_PAIRS, pairs))


def pure_equilibria(first: np.ndarray, second: np.ndarray) -> list[Profile]:
    """Return all pure-strategy equilibria."""
    rows, columns = np.eye(len(first)), np.eye(first.shape[1])
    return [Profile(rows[i], columns[j]) for i, j in zip(*np.nonzero(is_equilibrium(first, second)), strict=True)]


def is_equilibrium(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return flags of pure equilibria, of shape (..., m, n), for one game or a batch."""
    rows = first >= first.max(axis=-2, keepdims=True) - TOLERANCE
    columns = second >= second.max(axis=-1, keepdims=True) - TOLERANCE
    return np.asarray(rows & columns)


def undominated_strategies(first: np.ndarray, second: np.ndarray) -> tuple[list[int], list[int]]:
    """Return the rows and columns that survive iterated strict dominance by pure strategies."""
    rows, columns = list(range(len(first))), list(range(first.shape[1]))
    while True:
        a, b = first[np.ix_(rows, columns)], second[np.ix_(rows, columns)].T
        fewer = [rows[i] for i in _undominated_rows(a)], [columns[j] for j in _undominated_rows(b)]
        if fewer == (rows, columns):
            return rows, columns
        rows, columns = fewer


def _undominated_rows(gains: np.ndarray) -> list[int]:
    # Strictly: a weakly dominated strategy may be part of an equilibrium.
    return [i for i, row in enumerate(gains) if not (gains > row + TOLERANCE).all(axis=1).any()]


def _corners(first: np.ndarray, second: np.ndarray) -> Iterator[Profile]:
    """Vertices of all equilibrium components, by vertex enumeration."""
    if min(first.shape) == 1:  # one side has a single strategy, so pure best responses are all vertices
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # degenerate games; results are checked
        for one, other in nashpy.Game(_rescale_gains(first), _rescale_gains(second)).vertex_enumeration():
            sides = [np.clip(np.nan_to_num(side), 0.0, None) for side in (one, other)]
            if all(abs(side.sum() - 1) < ZERO_PROBABILITY for side in sides):
                yield Profile(*(np.where(side > ZERO_PROBABILITY, side, 0.0) for side in sides))


def _small_supports(first: np.ndarray, second: np.ndarray, size: int) -> Iterator[Profile]:
    """Equilibria with supports of equal size, from 2 to `size`."""
    # In games without ties both sides of every equilibrium mix over equally many strategies.
    for count in range(2, size + 1):
        others = np.array(list(combinations(range(first.shape[1]), count)))
        for rows in combinations(range(len(first)), count):
            inner = np.stack([first[list(rows)][:, columns] for columns in others])
            outer = np.stack([second[list(rows)][:, columns].T for columns in others])
            weights, own = _indifference_weights(inner), _indifference_weights(outer)
            fit = (weights > ZERO_PROBABILITY).all(axis=1) & (own > ZERO_PROBABILITY).all(axis=1)
            for place in np.flatnonzero(fit):
                profile = Profile(np.zeros(len(first)), np.zeros(first.shape[1]))
                profile.first[list(rows)], profile.second[others[place]] = own[place], weights[place]
                yield profile


def _indifference_weights(gains: np.ndarray) -> np.ndarray:
    """Column weights that make all rows indifferent, of shape (games, k); NaN unless unique."""
    games, count, _ = gains.shape
    # Unknown are the weights and the gain that all rows have in common: gains @ weights - gain = 0, sum of weights = 1.
    system = np.ones((games, count + 1, count + 1))
    system[:, :count, :count], system[:, :count, count], system[:, count, count] = gains, -1.0, 0.0
    weights = np.full((games, count), np.nan)
    regular = np.abs(np.linalg.det(system)) > 1e-12  # others have no unique solution, up to rounding
    right = np.r_[np.zeros(count), 1.0][None, :, None]
    weights[regular] = np.linalg.solve(system[regular], np.broadcast_to(right, (regular.sum(), count + 1, 1)))[
        :, :count, 0
    ]
    return weights


def _rescale_gains(gains: np.ndarray) -> np.ndarray:
    """Rescale gains to [1, 2], which keeps the equilibria: vertex enumeration needs positive gains."""
    low, high = gains.min(), gains.max()
    return 1 + (gains - low) / (high - low) if high > low else np.ones_like(gains)


def _expand_profile(profile: Profile, rows: list[int], columns: list[int], shape: tuple[int, ...]) -> Profile:
    """Expand a profile to all strategies."""
    first, second = np.zeros(shape[0]), np.zeros(shape[1])
    first[rows], second[columns] = profile.first / profile.first.sum(), profile.second / profile.second.sum()
    return Profile(first, second)


def regret(first: np.ndarray, second: np.ndarray, profile: Profile) -> float:
    """Return the larger of both sides' gains from a best-response deviation."""
    one = (first @ profile.second).max() - profile.first @ first @ profile.second
    other = (profile.first @ second).max() - profile.first @ second @ profile.second
    return float(max(one, other))


def _distinct_profiles(profiles: Iterable[Profile]) -> list[Profile]:
    """Distinct profiles, pure ones first."""
    found: list[Profile] = []
    for profile in profiles:
        # Looser than rounding: vertices of one point differ by the errors of their enumeration.
        if not any(np.allclose(np.hstack(profile), np.hstack(other), atol=1e-6) for other in found):
            found.append(profile)
    return sorted(found, key=lambda profile: (not profile.is_pure, profile.support))


def _has_ties(first: np.ndarray, second: np.ndarray, profile: Profile) -> bool:
    """Whether a side has more best responses than the other side's support has strategies."""
    rows, columns = first @ profile.second, profile.first @ second
    played = [len(side) for side in profile.support]
    return bool(
        (rows > rows.max() - ZERO_PROBABILITY).sum() > played[1]
        or (columns > columns.max() - ZERO_PROBABILITY).sum() > played[0]
    )
