"""The product-limit estimator of survival over rounds (Kaplan and Meier 1958)."""

from __future__ import annotations

import math

import numpy as np


def survival(events: np.ndarray, at_risk: np.ndarray) -> np.ndarray:
    """Compute the product of 1 - events / at risk over the rounds so far; NaN once nobody is at risk.

    Args:
        events: Agreements in each round, shape (k, rounds).
        at_risk: Matches without a deal before each round, same shape.
    """
    hazard = np.divide(events, at_risk, out=np.full_like(events, np.nan), where=at_risk > 0)
    curve = np.cumprod(1.0 - hazard, axis=1)
    # After all matches have agreed nobody is at risk, but the share without a deal is known to be 0.
    all_agreed = np.cumsum((at_risk > 0) & (events == at_risk), axis=1) > 0
    return np.where(all_agreed, 0.0, curve)


def median_interval(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[float]:
    """Return the median round with the ends of its interval, where a band around the curve crosses one half.

    Source: Brookmeyer and Crowley (1982), A confidence interval for the median survival time.

    Args:
        value: Survival curve, shape (rounds,).
        low: Lower end of its band, NaN without one.

    Returns:
        The median and its ends, NaN beyond the last round; both ends are NaN if one is, or without a band.
    """
    found = [
        one if math.isfinite(one) else math.nan
        for one in (float(median(curve[None])[0]) for curve in (value, low, high))
    ]
    banded = np.isfinite(low).any() and not math.isnan(found[1] + found[2])
    return found if banded else [found[0], math.nan, math.nan]


def median(curve: np.ndarray) -> np.ndarray:
    """Return the first round after which at most half survive; infinite if there is none."""
    # A product of hazards may be just above one half by rounding.
    reached = curve <= 0.5 + 1e-12
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, math.inf)
