"""Rest points of the replicator equation on every face of the simplex, and their local stability.

On the face of the types S a rest point has (A x)_i equal for all i in S: linear equations, solved for every S. If they
are degenerate, the face has a continuum of rest points, which is reported as such and not as single points.

Local stability follows from the linearised flow (Hofbauer and Sigmund 1998, chapter 7). Its eigenvalues are those of
the Jacobian within the face, and for every type j outside of it the rate (A x)_j - x.A x at which j invades.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from econzoo.evaluate.analyses.evolution.payoff_matrix import spread

MAX_FACES = 5000
"""Maximum number of searched faces: all of 12 types, only small ones of more types."""

ZERO_SHARE = 1e-9
"""Tolerance of zero shares, and relative tolerance of the smallest singular value of degenerate equations."""

ZERO_EIGENVALUE = 1e-8
"""Tolerance of zero real parts of eigenvalues, in units of `spread`."""

STABLE, UNSTABLE, SADDLE, CENTRE, UNDECIDED = "stable", "unstable", "saddle", "centre", "undecided"
KINDS = {
    STABLE: "all eigenvalues have negative real parts: attracts what starts near it",
    SADDLE: "positive and negative real parts: attracts on one side, repels on another",
    UNSTABLE: "a positive real part and no negative one: repels",
    CENTRE: "all eigenvalues are imaginary: linearised orbits circle around it, which decides nothing about true ones",
    UNDECIDED: "a real part is 0 and none is positive: the linearisation decides nothing",
}
"""Kinds of rest points and their meanings."""


class RestPoint(NamedTuple):
    """An isolated rest point in the interior of its face.

    Attributes:
        shares: Shape (n,).
        eigenvalues: Eigenvalues of the linearised flow on the simplex, shape (n - 1,), largest real part first.
        nash: Whether no type would earn more, so that (x, x) is a symmetric Nash equilibrium.
    """

    support: tuple[int, ...]
    shares: np.ndarray
    payoff: float
    eigenvalues: np.ndarray
    kind: str
    nash: bool


class Continuum(NamedTuple):
    """A continuum of rest points in the interior of a face.

    Attributes:
        dimension: Dimension of the set, >= 1.
        shares: The point of the set farthest from the face's boundary, shape (n,).
        ends: Its two ends if the dimension is 1, each of shape (n,); else empty.
    """

    support: tuple[int, ...]
    dimension: int
    shares: np.ndarray
    ends: tuple[np.ndarray, ...]


class RestPoints(NamedTuple):
    """All rest points of a matrix.

    Attributes:
        points: Isolated rest points, Nash equilibria first, stable ones first among these.
        searched_size: Maximum number of types of searched faces; None: all.
    """

    points: list[RestPoint]
    continua: list[Continuum]
    searched_size: int | None


def rest_points(payoffs: np.ndarray) -> RestPoints:
    """Find all rest points of payoffs of shape (n, n)."""
    types = len(payoffs)
    most = largest_face(types)
    points: list[RestPoint] = []
    continua: list[Continuum] = []
    for support in faces(types, most):
        found = face_rest_point(payoffs, support)
        if isinstance(found, Continuum):
            continua.append(found)
        elif found is not None:
            points.append(rest_point(payoffs, support, found))
    order = [STABLE, CENTRE, UNDECIDED, SADDLE, UNSTABLE]
    points.sort(key=lambda one: (not one.nash, order.index(one.kind), len(one.support)))
    return RestPoints(points, continua, None if most == types else most)


def largest_face(types: int) -> int:
    """Return the number of types of the largest searched faces."""
    total = 0
    for size in range(1, types + 1):
        total += comb(types, size)
        if total > MAX_FACES:
            return size - 1
    return types


def faces(types: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield supports of up to `most` types, small ones first."""
    for size in range(1, most + 1):
        yield from combinations(range(types), size)


def equations(payoffs: np.ndarray, support: tuple[int, ...]) -> np.ndarray:
    """Return the bordered matrix of a face, shape (..., k + 1, k + 1): (A x)_i - v = 0 for i in S, and the sum of x.

    Args:
        payoffs: A, shape (..., n, n), of one game or of many.
    """
    size = len(support)
    inner = payoffs[..., list(support), :][..., list(support)]
    out = np.zeros((*payoffs.shape[:-2], size + 1, size + 1))
    out[..., :size, :size] = inner
    out[..., :size, size] = -1.0
    out[..., size, :size] = 1.0
    return out


def rescale_payoffs(payoffs: np.ndarray) -> np.ndarray:
    """Rescale payoffs to [0, 1] by column shifts and a common factor, which only changes the flow's time scale."""
    return np.asarray((payoffs - payoffs.min(axis=-2, keepdims=True)) / spread(payoffs))


def face_rest_point(payoffs: np.ndarray, support: tuple[int, ...]) -> np.ndarray | Continuum | None:
    """Find the interior rest point of a face, shape (n,), or its continuum; None if there is neither."""
    size = len(support)
    bordered = equations(rescale_payoffs(payoffs), support)
    singular = np.linalg.svd(bordered, compute_uv=False)
    if singular[-1] <= ZERO_SHARE * singular[0]:
        return _continuum(len(payoffs), bordered, support)
    inner = np.linalg.solve(bordered, np.eye(size + 1)[size])[:size]
    return _expand_shares(inner, support, len(payoffs)) if inner.min() > ZERO_SHARE else None


def _expand_shares(inner: np.ndarray, support: tuple[int, ...], types: int) -> np.ndarray:
    shares = np.zeros(types)
    shares[list(support)] = inner
    return shares


def _continuum(types: int, bordered: np.ndarray, support: tuple[int, ...]) -> Continuum | None:
    """The continuum of a face with degenerate equations, if it has an interior point (maximin share > 0)."""
    size = len(support)
    # Maximises the smallest share; the variables are the shares, the common payoff and that smallest share.
    goal = np.append(np.zeros(size + 1), -1.0)
    above = np.hstack([-np.eye(size), np.zeros((size, 1)), np.ones((size, 1))])
    equal = np.hstack([bordered, np.zeros((size + 1, 1))])
    free = [(None, None)] * (size + 2)
    found = linprog(goal, above, np.zeros(size), equal, np.eye(size + 1)[size], free)
    if found.status != 0 or -found.fun <= 1e-7:  # the tolerance of the solver (HiGHS)
        return None
    _, singular, right = np.linalg.svd(bordered)
    empty = right[singular <= ZERO_SHARE * singular[0]][:, :size]
    inner = found.x[:size]
    ends = _ends(inner, empty[0]) if len(empty) == 1 else ()
    expanded = tuple(_expand_shares(end, support, types) for end in ends)
    return Continuum(support, len(empty), _expand_shares(inner, support, types), expanded)


def _ends(inner: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, ...]:
    """The two points where a line through a point leaves the simplex."""
    steps = [-share / part for share, part in zip(inner, direction, strict=True) if abs(part) > ZERO_SHARE]
    reach = max(s for s in steps if s < 0), min(s for s in steps if s > 0)
    return tuple(np.maximum(inner + step * direction, 0.0) for step in reach)


def rest_point(payoffs: np.ndarray, support: tuple[int, ...], shares: np.ndarray) -> RestPoint:
    """Classify a rest point by the linearised flow."""
    unit, fitness = spread(payoffs), payoffs @ shares
    payoff = float(shares @ fitness)
    values = eigenvalues(payoffs, support, shares)
    outside = np.delete(fitness, support)
    nash = bool((outside <= payoff + ZERO_EIGENVALUE * unit).all())
    return RestPoint(support, shares, payoff, values, kind_of(values / unit), nash)


def eigenvalues(payoffs: np.ndarray, support: tuple[int, ...], shares: np.ndarray) -> np.ndarray:
    """Compute eigenvalues of the linearised flow on the simplex, shape (..., n - 1), largest real part first.

    Args:
        payoffs: A, shape (..., n, n), of one game or of many.
        shares: The rest point of each game, shape (..., n).
    """
    there = list(support)
    fitness = np.einsum("...ij,...j->...i", payoffs, shares)
    mean = np.einsum("...i,...i->...", shares, fitness)
    invading = np.delete(fitness - mean[..., None], there, axis=-1)
    inner, x = payoffs[..., there, :][..., there], shares[..., there]
    pulled = np.einsum("...i,...ij->...j", x, inner)
    # The Jacobian also has the terms -x_i (A x)_j, but (A x)_j is the same for the whole support, so they vanish on the
    # tangent space.
    jacobian = x[..., :, None] * (inner - pulled[..., None, :])
    basis = tangent(len(there))
    values = np.linalg.eigvals(basis.T @ jacobian @ basis) if len(there) > 1 else np.zeros((*mean.shape, 0))
    together = np.concatenate([values, invading], axis=-1).astype(complex)
    return np.take_along_axis(together, np.argsort(-together.real, axis=-1, kind="stable"), axis=-1)


def tangent(size: int) -> np.ndarray:
    """Return an orthonormal basis of the tangent space of the simplex of `size` shares, shape (size, size - 1)."""
    basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, : size - 1]]))[0]
    return np.asarray(basis[:, 1:])


def kind_of(values: np.ndarray) -> str:
    """Return one of `KINDS`, by eigenvalues in units of `spread`."""
    up, down = values.real > ZERO_EIGENVALUE, values.real < -ZERO_EIGENVALUE
    if up.any():
        return SADDLE if down.any() else UNSTABLE
    if down.all():
        return STABLE
    return CENTRE if not down.any() and (np.abs(values.imag) > ZERO_EIGENVALUE).all() else UNDECIDED
