"""Basins of attraction of the replicator equation."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.evolution.replicator import limits
from econzoo.evaluate.analyses.evolution.rest_points import SADDLE, STABLE, UNSTABLE, RestPoints
from econzoo.evaluate.stats import wilson

NEAR_DISTANCE = 0.02
"""Maximum distance to a rest point at which an orbit counts as converged to it."""

MIN_SHARE = 5e-3
"""Minimum share of a type in the support of a limit that is not a known rest point."""


class Basin(NamedTuple):
    """The basin of attraction of a limit.

    Attributes:
        support: Types of the limit or continuum; empty: orbits that did not settle (cycles, or too slow).
        point: Index of the rest point; None if the limit is not one, as in a continuum.
        shares: Mean of the orbits' last points, shape (n,).
        start_share: Share of starts whose orbits end here.
        low: Lower end of its 95% interval (Wilson).
    """

    support: tuple[int, ...]
    point: int | None
    shares: np.ndarray
    start_share: float
    low: float
    high: float


def random_starts(types: int, number: int, seed: int) -> np.ndarray:
    """Sample starts uniformly from the simplex (Dirichlet with all parameters 1), shape (number, n)."""
    return np.random.default_rng(seed).dirichlet(np.ones(types), number)


def grid_starts(types: int, steps: int) -> np.ndarray:
    """Return a regular grid inside the simplex, shape (m, n): (k_i + 1/n) / steps, integer k_i with sum steps - 1."""
    picks = combinations_with_replacement(range(types), steps - 1)
    counts = np.array([np.bincount(np.array(pick, int), minlength=types) for pick in picks])
    return np.asarray((counts + 1.0 / types) / steps)


def basins(payoffs: np.ndarray, found: RestPoints, starts: np.ndarray) -> list[Basin]:
    """Estimate the basins, the largest first.

    Args:
        payoffs: A, shape (n, n).
        starts: Shape (m, n), all shares positive; a random sample, for the intervals.
    """
    if not len(starts) or (starts <= 0).any():
        raise ValueError("invalid starts of basins: expected at least one, all shares above 0")
    ends, settled = limits(payoffs, starts)
    names = [_name(end, found) if calm else ((), None) for end, calm in zip(ends, settled, strict=True)]
    out = []
    # As text, because the index of a rest point may be None.
    for name in sorted(set(names), key=str):
        own = np.array([one == name for one in names])
        part = wilson(int(own.sum()), len(names))
        out.append(Basin(*name, ends[own].mean(axis=0), part.mean, part.low, part.high))
    return sorted(out, key=lambda one: -one.start_share)


def _name(end: np.ndarray, found: RestPoints) -> tuple[tuple[int, ...], int | None]:
    """Support and index of the rest point where an orbit ends, or the types of the continuum or of the last point."""
    # Interior orbits converge to Nash equilibria only (see `EXCESS_TOLERANCE`).
    nash = [at for at, one in enumerate(found.points) if one.nash]
    near = [at for at in nash if np.abs(found.points[at].shares - end).max() < NEAR_DISTANCE]
    remaining = set(np.flatnonzero(end > MIN_SHARE).tolist())
    continua = [one.support for one in found.continua if remaining <= set(one.support)]
    stable = [at for at in near if found.points[at].kind == STABLE]
    # Near a continuum an orbit ends at any of its points, so only a stable rest point there is a limit of its own.
    if stable or (near and not continua):
        at = min(stable or near, key=lambda one: float(np.abs(found.points[one].shares - end).max()))
        lingers = found.points[at].kind in (SADDLE, UNSTABLE)  # the orbit passes by very slowly
        return ((), None) if lingers else (found.points[at].support, at)
    return (continua[0] if continua else tuple(sorted(remaining))), None
