"""How much of the simplex each limit of the replicator equation attracts."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.evolution.replicator import limits
from econzoo.evaluate.analyses.evolution.rest_points import SADDLE, STABLE, UNSTABLE, RestPoints
from econzoo.evaluate.stats.intervals import wilson

NEAR_DISTANCE = 0.02
"""Distance to a rest point up to which an orbit has ended there."""

MIN_SHARE = 5e-3
"""Share from which a type is there where an orbit ends that is at no known rest point."""


class Basin(NamedTuple):
    """What a limit attracts.

    Attributes:
        support: Types that are left, or of the continuum in which the orbits ended; empty: orbits that never settled
            (they cycle, or are slower than one can wait for).
        point: Place of the rest point among those found; None: none of them, as in a continuum.
        shares: Mean of where the orbits ended, shape (n,).
        start_share: Part of the starts whose orbits ended here.
        low: Lower end of its 95% interval (Wilson).
        high: Upper end.
    """

    support: tuple[int, ...]
    point: int | None
    shares: np.ndarray
    start_share: float
    low: float
    high: float


def random_starts(types: int, number: int, seed: int) -> np.ndarray:
    """Starts drawn evenly from the simplex (Dirichlet with all parameters 1), shape (number, n)."""
    return np.random.default_rng(seed).dirichlet(np.ones(types), number)


def grid_starts(types: int, steps: int) -> np.ndarray:
    """An even grid inside the simplex, shape (m, n): shares (k_i + 1/n) / steps with whole k_i of sum steps - 1."""
    picks = combinations_with_replacement(range(types), steps - 1)
    counts = np.array([np.bincount(np.array(pick, int), minlength=types) for pick in picks])
    return np.asarray((counts + 1.0 / types) / steps)


def basins(payoffs: np.ndarray, found: RestPoints, starts: np.ndarray) -> list[Basin]:
    """The basins, the largest first.

    Args:
        payoffs: A, shape (n, n).
        found: Its rest points.
        starts: Shape (m, n), all shares positive; intervals take them for a random sample.

    Raises:
        ValueError: There are no starts, or one is not inside the simplex.
    """
    if not len(starts) or (starts <= 0).any():
        raise ValueError("starts of basins: allowed: at least one, all shares above 0")
    ends, settled = limits(payoffs, starts)
    names = [_name(end, found) if calm else ((), None) for end, calm in zip(ends, settled, strict=True)]
    out = []
    for name in sorted(set(names), key=str):
        own = np.array([one == name for one in names])
        part = wilson(int(own.sum()), len(names))
        out.append(Basin(*name, ends[own].mean(axis=0), part.mean, part.low, part.high))
    return sorted(out, key=lambda one: -one.start_share)


def _name(end: np.ndarray, found: RestPoints) -> tuple[tuple[int, ...], int | None]:
    """Support and place of the rest point where an orbit has ended, or the types of the continuum, or those left."""
    nash = [at for at, one in enumerate(found.points) if one.nash]
    near = [at for at in nash if np.abs(found.points[at].shares - end).max() < NEAR_DISTANCE]
    left = set(np.flatnonzero(end > MIN_SHARE).tolist())
    continua = [one.support for one in found.continua if left <= set(one.support)]
    stable = [at for at in near if found.points[at].kind == STABLE]
    if stable or (near and not continua):
        at = min(stable or near, key=lambda one: float(np.abs(found.points[one].shares - end).max()))
        lingers = found.points[at].kind in (SADDLE, UNSTABLE)  # it passes by, very slowly
        return ((), None) if lingers else (found.points[at].support, at)
    return (continua[0] if continua else tuple(sorted(left))), None
