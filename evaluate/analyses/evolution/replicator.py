"""The replicator equation (Taylor and Jonker 1978): types grow by their payoff above the population mean.

    dx_i/dt = x_i ((A x)_i - x.A x)

It is integrated in logarithms: with u_i = log x_i it reads du_i/dt = (A x)_i - x.A x, where x is the softmax of u. So
shares stay positive and sum to 1 exactly, absent types stay absent, and orbits can approach a face without rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from econzoo.evaluate.analyses.evolution.payoff_matrix import spread

STAGES = (50.0, 200.0, 1000.0)
"""Successive integration times until an orbit settles, in units of 1 / `spread`."""

MAX_TIME = 10_000.0
"""Time after which an orbit counts as unsettled, in units of 1 / `spread`."""

MAX_WORK = 30_000_000
"""Maximum number of shares times time; more orbits are followed for a shorter time."""

REST_SPEED = 1e-6
"""Speed below which an orbit counts as at rest, in units of `spread`."""

EXCESS_TOLERANCE = 2e-3
"""Maximum `excess` at the end of an orbit, in units of `spread`: orbits slow down near every rest point, but interior
ones converge to Nash equilibria only (Hofbauer and Sigmund 1998, theorem 7.2.1)."""


class Orbit(NamedTuple):
    """Shares over time.

    Attributes:
        times: Shape (m,), from 0, in units of 1 / payoff per round.
        shares: Shape (m, n), rows sum to 1.
    """

    times: np.ndarray
    shares: np.ndarray
    has_settled: bool


def velocity(payoffs: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Compute dx/dt, shape (..., n).

    Args:
        payoffs: A, shape (n, n).
        shares: x, shape (..., n).
    """
    fitness = shares @ payoffs.T
    return shares * (fitness - (shares * fitness).sum(-1, keepdims=True))


def excess(payoffs: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the best type's payoff above the mean, shape (...): 0 in a Nash equilibrium, else positive."""
    fitness = shares @ payoffs.T
    return np.asarray(fitness.max(-1) - (shares * fitness).sum(-1))


def is_at_rest(payoffs: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Whether interior orbits have converged, shape (...)."""
    unit = spread(payoffs)
    is_slow = np.abs(velocity(payoffs, shares)).max(-1) < REST_SPEED * unit
    return np.asarray(is_slow & (excess(payoffs, shares) < EXCESS_TOLERANCE * unit))


def start_shares(start: Sequence[float] | None, types: int) -> np.ndarray:
    """Normalise the initial shares to sum 1; None: equal shares."""
    if start is None:
        return np.full(types, 1.0 / types)
    shares = np.asarray(start, float)
    if shares.shape != (types,):
        raise ValueError(f"invalid start with {shares.size} shares: expected {types}, one for each type")
    if not np.isfinite(shares).all() or (shares < 0).any() or not shares.any():
        raise ValueError(f"invalid start={shares.tolist()}: expected numbers >= 0, not all 0")
    return np.asarray(shares / shares.sum())


def orbit(payoffs: np.ndarray, start: np.ndarray, time: float | None = None, points: int = 400) -> Orbit:
    """Integrate the orbit from a start.

    Args:
        payoffs: A, shape (n, n).
        start: Shares, shape (n,); types with share 0 stay absent.
        time: Length of the orbit; None: until it settles; `STAGES`[1] / `spread` if it has not after all `STAGES`.
    """
    if time is not None and not (np.isfinite(time) and time > 0):
        raise ValueError(f"invalid time={time!r}: expected a number above 0")
    # Absent types are left out, as a share of 0 has no logarithm.
    there = np.flatnonzero(start > 0)
    inner = payoffs[np.ix_(there, there)]
    if len(there) == 1:
        end = time or STAGES[0] / spread(payoffs)
        return Orbit(np.linspace(0, end, points), np.tile(start, (points, 1)), True)
    end = time or _settling_time(inner, start[there], spread(payoffs))
    times = np.linspace(0.0, end, points)
    found = _integrate(inner, start[None, there], times)[:, 0]
    shares = np.zeros((points, len(start)))
    shares[:, there] = found
    return Orbit(times, shares, bool(is_at_rest(inner, found[-1])))


def _settling_time(payoffs: np.ndarray, start: np.ndarray, unit: float) -> float:
    """A time slightly longer than an orbit takes to settle."""
    for stage in STAGES:
        times = np.linspace(0.0, stage / unit, 400)
        found = _integrate(payoffs, start[None], times)[:, 0]
        settled = np.flatnonzero(is_at_rest(payoffs, found))
        if len(settled):
            return float(1.2 * times[max(1, settled[0])])  # above 0 also for a start at rest
    return STAGES[1] / unit


def limits(payoffs: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Integrate orbits to their limits.

    Args:
        payoffs: A, shape (n, n).
        starts: Shares inside the simplex, shape (m, n), all positive.

    Returns:
        The last shares, shape (m, n), and whether each orbit settled within `MAX_TIME`, shape (m,).
    """
    unit, last, reached = spread(payoffs), np.log(starts), 0.0
    moving = np.arange(len(starts))
    ends = np.array(starts, float)
    # Most orbits settle early, so only the slow ones are followed further, from where they are. Only their limit
    # matters, so the tolerance is coarser than that of `_integrate`.
    for stage in (*STAGES, max(2 * STAGES[-1], min(MAX_TIME, MAX_WORK / starts.size))):
        logs = _solve(payoffs, last[moving], np.array([reached, stage / unit]), 1e-6)[-1]
        last[moving], ends[moving] = logs, softmax(logs)
        moving = moving[~is_at_rest(payoffs, ends[moving])]
        reached = stage / unit
        if not len(moving):
            break
    settled = np.ones(len(starts), bool)
    settled[moving] = False
    return ends, settled


def softmax(logs: np.ndarray) -> np.ndarray:
    """Return shares from logarithms, which may have a common offset."""
    raised = np.exp(logs - logs.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def _integrate(payoffs: np.ndarray, starts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Shares at times, shape (times, m, n)."""
    return softmax(_solve(payoffs, np.log(starts), times, 1e-9))


def _solve(payoffs: np.ndarray, logs: np.ndarray, times: np.ndarray, rtol: float) -> np.ndarray:
    """Logarithms of shares at times, shape (times, m, n)."""
    shape = logs.shape

    def growth(_: float, flat: np.ndarray) -> np.ndarray:
        shares = softmax(flat.reshape(shape))
        fitness = shares @ payoffs.T
        return np.asarray((fitness - (shares * fitness).sum(-1, keepdims=True)).ravel())

    found = solve_ivp(growth, (times[0], times[-1]), logs.ravel(), "RK45", t_eval=times, rtol=rtol, atol=1e-8)
    return np.asarray(found.y.T.reshape(len(times), *shape))
