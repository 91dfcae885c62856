"""Horizon of alternating-offers games, known or unknown to the seats; `protocol` has the turn order.

The rules' parameters have the true ``horizon``; a view has UNKNOWN where the seat does not know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from econzoo.envs.core.contract import MAX_ROUNDS, UNKNOWN, CustomDomain, Domain, Integer, OrNone, Parameter, Real
from econzoo.envs.core.contract import check_argument, check_setting

P = TypeVar("P")

MONEY, HORIZON = Real(0.0, is_low_excluded=True), Integer(1)

FAR_HORIZON = 99
"""Rounds of a match with an unknown horizon unless ``max_rounds`` says otherwise, as in GLEE's later matches; also the
horizon that solutions assume for seats that do not know it."""


def horizon_parameters(rounds: int, doc: str, name: str = "horizon") -> tuple[Parameter, Parameter]:
    """The public parameters ``horizon`` (or `name`), with a default of `rounds`, and ``max_rounds``."""
    last = Integer(1, MAX_ROUNDS)
    horizon = OrNone(last, "unknown to the players, ends after max_rounds")
    ends = "Last round if the horizon is unknown to the players."
    return Parameter(name, rounds, horizon, doc), Parameter("max_rounds", FAR_HORIZON, last, ends)


def resolve_horizon(public: Mapping[str, Any], name: str = "horizon") -> dict[str, Any]:
    """Return the rules' ``horizon`` and ``horizon_known``, under the given name, from the public parameters."""
    known = public[name] is not None
    return {name: public[name if known else "max_rounds"], f"{name}_known": known}


def mask_unknown_horizon(params: Any, round: int = 1) -> Any:
    """Replace a horizon that the seats do not know by `FAR_HORIZON`, or by the current round if that is later."""
    return params if getattr(params, "horizon_known", True) else params._replace(horizon=max(FAR_HORIZON, round))


def horizon_text(view: Any) -> str:
    """Name of the text on the horizon in the rules brief."""
    if view.horizon == UNKNOWN:
        return "no_horizon"
    return "last_chance" if view.horizon == 1 else "horizon"


def horizon_suffix(view: Any) -> str:
    """Name of the text after a round number: the number of rounds, or that it is the last; empty if unknown."""
    if view.horizon == UNKNOWN:
        return ""
    return "of" if view.round < view.horizon else "last"


def validate_setting(kind: type[P], domains: Mapping[str, Domain[Any]], params: Any) -> P:
    """Return the setting if it is valid: money above 0, a horizon of at least 1, and the other domains."""
    # By identity: settings are immutable, and equality would take True for 1.
    if params is _LAST_VALID[0] and type(params) is kind:
        return params  # type: ignore[no-any-return]
    setting: P = check_setting(params, kind)
    checked: dict[str, Domain[Any]] = {"money": MONEY, "horizon": HORIZON, **domains}
    for name, domain in checked.items():
        check_argument(name, getattr(params, name), domain)
    _LAST_VALID[0] = setting
    return setting


_LAST_VALID: list[Any] = [None]
"""The last valid setting; a cache, since solutions validate the same setting at every move of a match."""


def check_round(round: Any, horizon: int) -> int:
    """Return the round if it is an integer from 1 to the horizon."""
    if type(round) is int and 1 <= round <= horizon:
        return round
    return check_argument(
        "round", round, CustomDomain(Integer(1, horizon), f"an integer from 1 to the horizon {horizon}")
    )
