"""How long games of alternating offers last, and who is told; whose turn it is in them is in `protocol`.

The rules' parameters have the true ``horizon``; a view has UNKNOWN in its place where the seat is not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from econzoo.envs.core.contract.arguments import check_argument, check_setting
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.core.contract.parameters import MAX_ROUNDS, CustomDomain, Domain, Integer, OrNone, Parameter, Real

P = TypeVar("P")

MONEY, HORIZON = Real(0.0, is_low_excluded=True), Integer(1)

FAR_HORIZON = 99
"""Rounds that stand for no last one, as in GLEE's later matches: where a match ends whose end nobody is told, unless it
is said otherwise, and what is reckoned with by somebody who is not told."""


def horizon_parameters(rounds: int, doc: str, name: str = "horizon") -> tuple[Parameter, Parameter]:
    """The public parameters ``horizon`` and ``max_rounds``.

    Args:
        rounds: The default horizon.
        doc: What the horizon is, in one sentence.
        name: What the horizon is called.
    """
    last = Integer(1, MAX_ROUNDS)
    horizon = OrNone(last, "unknown to the players, ends after max_rounds")
    ends = "Where a game of unknown horizon ends; the players are not told."
    return Parameter(name, rounds, horizon, doc), Parameter("max_rounds", FAR_HORIZON, last, ends)


def resolve_horizon(public: Mapping[str, Any], name: str = "horizon") -> dict[str, Any]:
    """The rules' ``horizon``, whether the players are told or not, and ``horizon_known``; by the name that it has."""
    known = public[name] is not None
    return {name: public[name if known else "max_rounds"], f"{name}_known": known}


def mask_unknown_horizon(params: Any, round: int = 1) -> Any:
    """The market as far as seats are told of its end: where they are not, with `FAR_HORIZON` rounds in any case.

    Args:
        params: The market.
        round: One that has been reached: they know that there are as many.
    """
    return params if getattr(params, "horizon_known", True) else params._replace(horizon=max(FAR_HORIZON, round))


def horizon_text(view: Any) -> str:
    """Name of the text of the rules brief that tells the horizon."""
    if view.horizon == UNKNOWN:
        return "no_horizon"
    return "last_chance" if view.horizon == 1 else "horizon"


def horizon_suffix(view: Any) -> str:
    """Name of the text behind the number of a round: how many there are, or that it is the last; empty if unknown."""
    if view.horizon == UNKNOWN:
        return ""
    return "of" if view.round < view.horizon else "last"


def validate_setting(kind: type[P], domains: Mapping[str, Domain[Any]], params: Any) -> P:
    """The same market, if it is one with money above 0, a last round, and what else must be.

    Args:
        kind: The ``Params`` of the game.
        domains: What its other parameters must be, by name.
        params: What was given.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    if params is _LAST_VALID[0]:
        return params  # type: ignore[no-any-return]
    found: P = check_setting(params, kind)
    needed: dict[str, Domain[Any]] = {"money": MONEY, "horizon": HORIZON, **domains}
    for name, domain in needed.items():
        check_argument(name, getattr(params, name), domain)
    _LAST_VALID[0] = found
    return found


_LAST_VALID: list[Any] = [None]
"""The market that was found to be one last: theory asks for the same one again with every move of a match."""


def check_round(round: Any, horizon: int) -> int:
    """A round of the game.

    Raises:
        ValueError: The round is outside the game.
    """
    if type(round) is int and 1 <= round <= horizon:
        return round
    return check_argument(
        "round", round, CustomDomain(Integer(1, horizon), f"a whole number from 1 to the horizon {horizon}")
    )
