"""How long games of alternating offers last, and who is told; whose turn it is in them is in `protocol`.

The rules' parameters have the true ``horizon``; a view has UNKNOWN in its place where the seat is not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from econzoo.envs.core.game import UNKNOWN
from econzoo.envs.core.parameters import MAX_ROUNDS, Described, OrNone, Parameter, Real, Whole
from econzoo.envs.core.valid import checked, market_of

MONEY, HORIZON = Real(0.0, above=True), Whole(1)


def lasting(rounds: int, doc: str) -> tuple[Parameter, Parameter]:
    """The public parameters ``horizon`` and ``max_rounds``.

    Args:
        rounds: The default horizon.
        doc: What the horizon is, in one sentence.
    """
    last = Whole(1, MAX_ROUNDS)
    horizon = OrNone(last, "unknown to the players, ends after max_rounds")
    ends = "Where a game of unknown horizon ends; the players are not told."
    return Parameter("horizon", rounds, horizon, doc), Parameter("max_rounds", 99, last, ends)


def true_horizon(public: Mapping[str, Any]) -> int:
    """The last round, whether the players are told or not."""
    return int(public["max_rounds"] if public["horizon"] is None else public["horizon"])


def horizon_text(view: Any) -> str:
    """Name of the text of the rules brief that tells the horizon."""
    if view.horizon == UNKNOWN:
        return "no_horizon"
    return "last_chance" if view.horizon == 1 else "horizon"


def market(params: Any, kind: type) -> Any:
    """The same market, if it is one with money above 0 and a last round.

    Raises:
        ValueError: It is none; the message names the parameter.
    """
    market_of(params, kind)
    checked("money", params.money, MONEY)
    checked("horizon", params.horizon, HORIZON)
    return params


def round_within(round: Any, horizon: int) -> int:
    """A round of the game.

    Raises:
        ValueError: The round is outside the game.
    """
    return checked("round", round, Described(Whole(1, horizon), f"a whole number from 1 to the horizon {horizon}"))
