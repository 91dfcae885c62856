"""Parameters that came into a game later: what they are in matches from before, and in their ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core.parameters import LaterParameter
from econzoo.envs.core.registry import game, games


def completed(game_name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Public parameters as a record has them, with those that came into the game after it was written."""
    return {**params, **{name: value for name, value in _before(game_name).items() if name not in params}}


def telling(game_name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that ids are made from: all but later ones at the value that matches from before them had."""
    before = _before(game_name)
    return {name: value for name, value in params.items() if name not in before or value != before[name]}


def _before(game_name: str) -> dict[str, Any]:
    """Later parameters of a game and the values that matches from before them had, as JSON gives them back."""
    declared = game(game_name).parameters if game_name in games() else ()
    return {p.name: json.loads(json.dumps(p.before)) for p in declared if isinstance(p, LaterParameter)}
