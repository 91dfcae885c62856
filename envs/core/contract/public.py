"""Public parameter that bounds amounts in moves."""

from __future__ import annotations

from econzoo.envs.core.contract.parameters import LaterParameter, OrNone, Real

__all__ = ["bound_parameter"]


def bound_parameter(default: float, doc: str) -> LaterParameter:
    """Return the parameter that bounds amounts in moves, in multiples of the stake; earlier matches have none.

    Args:
        default: Default multiple.
        doc: Description of the bounded amount and the stake, without a full stop.
    """
    return LaterParameter(
        "bound", default, OrNone(Real(2.0, 1000.0)), f"{doc}; None: no bound.", legacy_value=None, changes_seed=False
    )
