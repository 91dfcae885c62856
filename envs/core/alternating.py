"""How long games of alternating offers last, and who is told; whose turn it is in them is in `turns`.

The rules' parameters have the true ``horizon``; a view has UNKNOWN in its place where the seat is not told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from econzoo.envs.core.game import UNKNOWN
from econzoo.envs.core.parameters import MAX_ROUNDS, Parameter, real, whole
from econzoo.envs.core.valid import checked, market_of


def lasting(rounds: int, doc: str) -> tuple[Parameter, Parameter]:
    """The public parameters ``horizon`` and ``max_rounds``.

    Args:
        rounds: The default horizon.
        doc: What the horizon is, in one sentence.
    """
    horizon = Parameter(
        "horizon",
        rounds,
        f"a whole number from 1 to {MAX_ROUNDS}, or None (unknown to the players, ends after max_rounds)",
        lambda value: None if value is None else whole(value, 1, MAX_ROUNDS),
        doc,
    )
    end = Parameter(
        "max_rounds",
        99,
        f"a whole number from 1 to {MAX_ROUNDS}",
        partial(whole, low=1, high=MAX_ROUNDS),
        "Where a game of unknown horizon ends; the players are not told.",
    )
    return horizon, end


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
    checked("money", params.money, partial(real, low=0.0, above=True), "finite and above 0")
    checked("horizon", params.horizon, partial(whole, low=1, high=math.inf), "a whole number, at least 1")
    return params


def round_within(round: Any, horizon: int) -> int:
    """A round of the game.

    Raises:
        ValueError: The round is outside the game.
    """
    within = partial(whole, low=1, high=horizon)
    return checked("round", round, within, f"a whole number from 1 to the horizon {horizon}")
