"""Who sat where: the columns that tables of behaviour begin with."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.settings import name_setting

PLACE_COLUMNS = ["match", "cluster", "market", "game", "player", "spec", "opponent", "role", "seat"]
"""Columns that all tables begin with."""


def places(record: Record, setting: str = "") -> list[dict[str, Any]]:
    """Who played each seat and where: the columns of `PLACE_COLUMNS`, ``seed``, and ``mixed`` (several opponents).

    Args:
        record: The match.
        setting: Its name; empty: that of its parameters.
    """
    game = find_game(record.game)
    setting = setting or name_setting(game, record.params)
    roles, cluster, found = game.roles(len(record.players), record.params), f"{setting}#{record.seed}", []
    for seat, (player, spec) in enumerate(zip(record.labels, record.players, strict=True)):
        others = sorted({other for i, other in enumerate(record.labels) if i != seat})
        place = {
            "match": record.id,
            "game": record.game,
            "market": setting,
            "seed": record.seed,
            "cluster": cluster,
            "seat": seat,
            "role": roles[seat],
            "player": player,
            "spec": spec,
            "opponent": " + ".join(others),
            "mixed": len(others) > 1,
        }
        found.append(place)
    return found


def roles_of(record: Record) -> list[str]:
    """The name of each seat of a match."""
    return role_names(find_game(record.game), len(record.players), record.params)
