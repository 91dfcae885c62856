"""Players, roles and settings by seat: the first columns of tables of behaviour."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import role_names
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import name_setting

PLACE_COLUMNS = ["match", "cluster", "setting", "game", "player", "spec", "opponent", "role", "seat"]
"""First columns of all tables."""


def places(record: Record, setting: str = "") -> list[dict[str, Any]]:
    """Return by seat the columns of `PLACE_COLUMNS`, ``seed``, and ``mixed`` (whether there are several opponents).

    Args:
        setting: Name of the setting; empty: named by its parameters.
    """
    game = find_game(record.game)
    setting = setting or name_setting(game, record.params)
    roles, cluster, rows = game.roles(len(record.players), record.params), f"{setting}#{record.seed}", []
    for seat, (player, spec) in enumerate(zip(record.labels, record.players, strict=True)):
        others = sorted({other for i, other in enumerate(record.labels) if i != seat})
        row = {
            "match": record.id,
            "game": record.game,
            "setting": setting,
            "seed": record.seed,
            "cluster": cluster,
            "seat": seat,
            "role": roles[seat],
            "player": player,
            "spec": spec,
            "opponent": " + ".join(others),
            "mixed": len(others) > 1,
        }
        rows.append(row)
    return rows


def roles_of(record: Record) -> list[str]:
    """Return the role name of each seat of a match."""
    return role_names(find_game(record.game), len(record.players), record.params)
