"""Theory of the open-source coin game.

Reference points are the expectations of the base game (`econzoo.envs.games.coin_game.solution`), for all meta-rounds
together; equilibria are described in `econzoo.envs.families.open_source.solution`.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import check_setting
from econzoo.envs.families.open_source import equilibrium_payoffs as equilibrium_payoffs  # noqa: PLC0414
from econzoo.envs.families.open_source import share_of_equilibrium as share_of_equilibrium  # noqa: PLC0414
from econzoo.envs.games.coin_game import solution as coin_game
from econzoo.envs.games.program_coin.rules import Params, base


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, each with the expected points of both seats in all meta-rounds.

    Returns:
        Those of the coin game (`econzoo.envs.games.coin_game.solution.reference`), but for its equilibrium.
    """
    rounds = check_setting(params, Params).rounds
    points = coin_game.reference(base(params))
    return {name: (rounds * one, rounds * other) for name, (one, other) in points.items() if name != "equilibrium"}


def advise(view: Any) -> dict[str, str]:
    """Theoretical advice to the author of a program, from the view alone."""
    if view.over:
        return {"advice": "the match is over"}
    return {
        "own coins": "1 point for you, and nobody loses",
        "the other's coins": "1 point for you, 2 less for the other: 1 less for both together",
        "last turn": "a step that takes any coin is best for oneself, whatever the other does",
        "programs that read each other": "can make an agreement hold: each keeps it only if the other's source does",
    }
