"""Quadratic forms that are positive wherever some of their variables are not negative: what an ESS comes down to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

MOST = 12
"""Variables that must not be negative, at most: every subset of them is looked at."""

CLEAR = 1e-9
"""A determinant that is not larger, for entries of the order of 1, is 0."""


def strictly_copositive(form: np.ndarray) -> bool:
    """Whether z.Qz > 0 for all z >= 0 but 0.

    Keller's criterion (Hadeler 1983, theorem 2): every principal submatrix for which all cofactors of the last row are
    positive has a positive determinant.

    Args:
        form: Q, symmetric, shape (k, k), k <= `MOST`.
    """
    return all(
        _passes(form[np.ix_(chosen, chosen)])
        for size in range(1, len(form) + 1)
        for chosen in combinations(range(len(form)), size)
    )


def _passes(block: np.ndarray) -> bool:
    last = len(block) - 1
    minors = [np.linalg.det(np.delete(block[:last], at, axis=1)) for at in range(last + 1)]
    cofactors = [(-1) ** (last + at) * minor for at, minor in enumerate(minors)]
    return not all(one > CLEAR for one in cofactors) or float(np.linalg.det(block)) > CLEAR


def positive_where(form: np.ndarray, signed: Sequence[int]) -> bool | None:
    """Whether z.Qz > 0 for all z but 0 whose variables in `signed` are not negative; the others may be anything.

    The others must make Q positive definite by themselves; what is left when they take their best values (the Schur
    complement) must be strictly copositive.

    Args:
        form: Q, symmetric, shape (k, k).
        signed: Variables that must not be negative.

    Returns:
        None where more than `MOST` variables are signed.
    """
    free = [at for at in range(len(form)) if at not in signed]
    if len(signed) > MOST:
        return None
    inner = form[np.ix_(free, free)]
    if free and np.linalg.eigvalsh(inner).min() <= CLEAR:
        return False
    cross = form[np.ix_(free, list(signed))]
    return strictly_copositive(form[np.ix_(list(signed), list(signed))] - cross.T @ np.linalg.solve(inner, cross))
