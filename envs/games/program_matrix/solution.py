"""Theory of the open-source game of two moves.

Reference points are those of one turn of the base game, with its noise, for all turns of the match: programs that read
each other can hold up far more than its equilibrium (`econzoo.envs.families.open_source.solution`).
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import check_setting
from econzoo.envs.families.open_source import equilibrium_payoffs as equilibrium_payoffs  # noqa: PLC0414
from econzoo.envs.families.open_source import share_of_equilibrium as share_of_equilibrium  # noqa: PLC0414
from econzoo.envs.games.matrix import stage
from econzoo.envs.games.matrix.tables import Table, own_first_table
from econzoo.envs.games.program_matrix.rules import Params


def total_turns(params: Params) -> int:
    """Turns of all meta-rounds."""
    return params.rounds * params.turns


def expected_stage_table(params: Params) -> Table:
    """Expected points of one turn for what the programs mean to play, noise counted in."""
    return stage.expected_table(check_setting(params, Params).table, params.noise)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, each with the points of both seats in all turns.

    Returns:
        ``security`` (the minmax values: the least that an equilibrium between programs pays), ``utilitarian`` (the
        largest sum), ``nash`` and ``kalai_smorodinsky`` (bargaining with ``security`` if there is no agreement); and
        ``blind``, the equilibrium of a turn between programs that do not read, if all of them pay the same.
    """
    table = expected_stage_table(params)
    points = {
        "security": stage.security(table),
        "utilitarian": stage.utilitarian_point(table),
        "nash": stage.nash_point(table),
        "kalai_smorodinsky": stage.kalai_smorodinsky_point(table),
    }
    blind = stage.equilibrium_value(table)
    if blind is not None:
        points["blind"] = blind
    return {name: (total_turns(params) * one, total_turns(params) * other) for name, (one, other) in points.items()}


def advise(view: Any) -> dict[str, str]:
    """Theoretical advice to the author of a program, from the view alone."""
    if view.over:
        return {"advice": "the match is over"}
    table = stage.expected_table(own_first_table(view), view.noise)
    own, other = stage.nash_point(table)
    return {
        "move that is better in one turn whatever the other does": stage.dominant_move(table, 0, weakly=True) or "none",
        "what you can make sure of in a turn": f"{stage.minmax(table, 0)[0]:.4g} points",
        "even bargain in a turn": f"{own:.4g} and {other:.4g} points for you and the other",
        "programs that read each other": "can make an agreement hold: each keeps it only if the other's source does",
    }
