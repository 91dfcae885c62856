"""Who sat where: the columns that tables of behaviour begin with."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.transcript import role_names
from econzoo.evaluate.markets import label

PLACE = ["match", "cluster", "market", "game", "player", "opponent", "role", "seat"]
"""Columns that all tables begin with."""


def places(record: Record) -> list[dict[str, Any]]:
    """For every seat, who sat there and where: the columns of `PLACE`."""
    game = find_game(record.game)
    market = label(game, record.params)
    return [
        {
            "match": record.id,
            "cluster": f"{market}#{record.seed}",
            "market": market,
            "game": record.game,
            "player": player,
            "opponent": " + ".join(other for i, other in enumerate(record.players) if i != seat),
            "role": game.facts.roles[seat],
            "seat": seat,
        }
        for seat, player in enumerate(record.players)
    ]


def roles_of(record: Record) -> list[str]:
    """The name of each seat of a match."""
    return role_names(find_game(record.game), len(record.players), record.params)
