"""Tests for Nash equilibria and evolutionarily stable strategies, and their robustness to errors of payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.evolution.payoff_matrix import PayoffMatrix, spread
from econzoo.evaluate.analyses.evolution.rest_points import ZERO_EIGENVALUE, ZERO_SHARE, RestPoint, RestPoints
from econzoo.evaluate.analyses.evolution.rest_points import eigenvalues, equations, kind_of, rescale_payoffs

TIE_TOLERANCE = 1e-9
"""Tolerance of equal payoffs, in units of `spread`."""

MAX_CHECKED = 60
"""Maximum number of rest points that are tested on resampled matrices."""

VERDICTS = ("nash", "strict", "ess")


class PureVerdict(NamedTuple):
    """Nash and stability tests of a population of one type.

    Attributes:
        type: Index of the type.
        ess: Whether every other type earns less against it, or as much and less against itself than this type does
            (Maynard Smith and Price 1973).
        certainty: For each of `VERDICTS`, whether it holds for all payoff differences within their intervals (see
            `PayoffMatrix.gaps`); None if a relevant interval is unknown.
    """

    type: int
    nash: bool
    strict: bool
    ess: bool
    invaders: tuple[int, ...]
    certainty: dict[str, bool | None]


class MixedVerdict(NamedTuple):
    """Stability test of a rest point and its robustness.

    Attributes:
        ess: Whether it is evolutionarily stable (Haigh 1975); None if too many types tie.
        existence_rate: Share of resampled matrices with a rest point of the same types; NaN if not tested.
        same_kind: Share of all resampled matrices with such a rest point of the same kind.
        same_nash: Share of all resampled matrices with such a rest point and the same Nash property.
        deviation: Standard deviations of its shares over the resamples with the rest point, shape (n,).
    """

    point: RestPoint
    ess: bool | None
    existence_rate: float
    same_kind: float
    same_nash: float
    deviation: np.ndarray


def pure_verdicts(found: PayoffMatrix) -> list[PureVerdict]:
    """Run the Nash, strict Nash and ESS tests of every type."""
    return [_pure(found, at) for at in range(len(found))]


def _pure(found: PayoffMatrix, at: int) -> PureVerdict:
    tie = TIE_TOLERANCE * found.spread
    others = [j for j in range(len(found)) if j != at]
    alone = [at] * len(others)
    # What the type earns against itself less what others earn against it; and, for ties, what it earns against others
    # less what they earn against themselves.
    first, second = found.gaps((alone, alone), (others, alone)), found.gaps((alone, others), (others, others))
    verdicts = _verdicts(first[0], second[0], tie)
    certain = {name: _is_certain(name, verdict, first, second, tie) for name, verdict in verdicts.items()}
    invaders = tuple(j for j, gain in zip(others, first[0], strict=True) if gain < -tie)
    return PureVerdict(at, **verdicts, invaders=invaders, certainty=certain)


def _verdicts(first: np.ndarray, second: np.ndarray, tie: float) -> dict[str, bool]:
    equal = np.abs(first) <= tie
    return {
        "nash": bool((first >= -tie).all()),
        "strict": bool((first > tie).all()),
        "ess": bool(((first > tie) | (equal & (second > tie))).all()),
    }


def _is_certain(
    name: str, verdict: bool, first: Sequence[np.ndarray], second: Sequence[np.ndarray], tie: float
) -> bool | None:
    """Whether a verdict is the same at the least favourable ends of all intervals."""
    # Lower ends of the gaps are worst for a verdict that holds, upper ends for one that does not.
    worst = 1 if verdict else 2
    if np.isnan(first[worst]).any():
        return None
    unknown = -np.inf if verdict else np.inf  # of the second test, which matters only where the first is a tie
    return _verdicts(first[worst], np.nan_to_num(second[worst], nan=unknown), tie)[name] == verdict


def is_ess(payoffs: np.ndarray, point: RestPoint) -> bool | None:
    """Whether a rest point is an evolutionarily stable strategy, by Haigh's criterion (1975; Abakuks 1980).

    With S the support, B all best responses, and m in S: the form with entries a_mj + a_im - a_ij - a_mm for i, j in B
    without m must be positive for all changes that are not negative for types outside of S.

    Args:
        payoffs: A, shape (n, n).

    Returns:
        The result; None if more than `MAX_SIGNED` types outside of S tie.
    """
    if not point.nash:
        return False
    unit = spread(payoffs)
    fitness = payoffs @ point.shares
    best = [j for j in range(len(payoffs)) if fitness[j] >= point.payoff - ZERO_EIGENVALUE * unit]
    # Any type of the support will do.
    pivot = point.support[0]
    rest = [j for j in best if j != pivot]
    if not rest:
        return True
    a = payoffs / unit  # as `ZERO_DETERMINANT` is for entries of order 1
    form = a[pivot, rest][None, :] + a[rest, pivot][:, None] - a[np.ix_(rest, rest)] - a[pivot, pivot]
    return is_positive_on_cone((form + form.T) / 2, [at for at, j in enumerate(rest) if j not in point.support])


def mixed_verdicts(found: PayoffMatrix, rest: RestPoints, resamples: int = 400, seed: int = 0) -> list[MixedVerdict]:
    """Test every rest point for evolutionary stability and for robustness to payoffs resampled from normal errors."""
    errors, n = found.known_error, len(found)
    resampled = np.zeros((0, n, n))
    if resamples and errors.any():
        resampled = np.random.default_rng(seed).normal(found.mean, errors, (resamples, n, n))
    return [
        MixedVerdict(
            point,
            is_ess(found.mean, point),
            *_resample_verdicts(resampled if at < MAX_CHECKED else resampled[:0], point, errors),
        )
        for at, point in enumerate(rest.points)
    ]


def _resample_verdicts(
    drawn: np.ndarray, point: RestPoint, errors: np.ndarray
) -> tuple[float, float, float, np.ndarray]:
    """Shares of resampled matrices with the rest point, its kind, and its Nash property; deviation of its shares."""
    n = len(errors)
    if not len(drawn):
        # Exact payoffs would be the same in every resample.
        known = 1.0 if not errors.any() else np.nan
        return known, known, known, np.full(n, 0.0 if known == 1.0 else np.nan)
    shares, there = _solve_face(drawn, point.support)
    if not there.any():
        return 0.0, 0.0, 0.0, np.full(n, np.nan)
    some, games = shares[there], drawn[there]
    units = np.array([spread(game) for game in games])
    values = eigenvalues(games, point.support, some) / units[:, None]
    kinds = np.array([kind_of(one) == point.kind for one in values])
    fitness = np.einsum("rij,rj->ri", games, some)
    means = np.einsum("ri,ri->r", some, fitness)
    nash = np.delete(fitness - means[:, None], point.support, axis=1)
    same = (nash <= ZERO_EIGENVALUE * units[:, None]).all(axis=1) == point.nash
    return float(there.mean()), kinds.sum() / len(drawn), same.sum() / len(drawn), some.std(axis=0)


def _solve_face(drawn: np.ndarray, support: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The rest point of each game on a face, shape (r, n), and whether it lies inside of it."""
    size = len(support)
    shares = np.zeros(drawn.shape[:2])
    bordered = np.array([equations(rescale_payoffs(game), support) for game in drawn])
    singular = np.linalg.svd(bordered, compute_uv=False)
    # `solve` fails for all games if one has singular equations.
    regular = singular[:, -1] > ZERO_SHARE * singular[:, 0]
    goal = np.zeros((int(regular.sum()), size + 1, 1))
    goal[:, size] = 1.0
    shares[np.flatnonzero(regular)[:, None], list(support)] = np.linalg.solve(bordered[regular], goal)[:, :size, 0]
    return shares, regular & (shares[:, list(support)] > ZERO_SHARE).all(axis=1)


# Positivity of quadratic forms on cones, to which the ESS condition reduces


MAX_SIGNED = 12
"""Maximum number of non-negative variables, whose subsets are all tested."""

ZERO_DETERMINANT = 1e-9
"""Tolerance of zero determinants, for entries of order 1."""


def is_strictly_copositive(form: np.ndarray) -> bool:
    """Whether z.Qz > 0 for all z >= 0 but 0.

    Keller's criterion (Hadeler 1983, theorem 2): every principal submatrix for which all cofactors of the last row are
    positive has a positive determinant.

    Args:
        form: Q, symmetric, shape (k, k), k <= `MAX_SIGNED`.
    """
    return all(
        _passes_keller(form[np.ix_(chosen, chosen)])
        for size in range(1, len(form) + 1)
        for chosen in combinations(range(len(form)), size)
    )


def _passes_keller(block: np.ndarray) -> bool:
    last = len(block) - 1
    minors = [np.linalg.det(np.delete(block[:last], at, axis=1)) for at in range(last + 1)]
    cofactors = [(-1) ** (last + at) * minor for at, minor in enumerate(minors)]
    return not all(one > ZERO_DETERMINANT for one in cofactors) or float(np.linalg.det(block)) > ZERO_DETERMINANT


def is_positive_on_cone(form: np.ndarray, signed: Sequence[int]) -> bool | None:
    """Whether z.Qz > 0 for all z but 0 whose variables in `signed` are non-negative.

    Q must be positive definite in the free variables, and their Schur complement strictly copositive.

    Args:
        form: Q, symmetric, shape (k, k).
        signed: Indices of the non-negative variables.

    Returns:
        The result; None if more than `MAX_SIGNED` variables are signed.
    """
    free = [at for at in range(len(form)) if at not in signed]
    if len(signed) > MAX_SIGNED:
        return None
    inner = form[np.ix_(free, free)]
    if free and np.linalg.eigvalsh(inner).min() <= ZERO_DETERMINANT:
        return False
    cross = form[np.ix_(free, list(signed))]
    return is_strictly_copositive(form[np.ix_(list(signed), list(signed))] - cross.T @ np.linalg.solve(inner, cross))
