"""What a seat may know, as JSON and back: the ``game_params`` of a player elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from econzoo.baselines.player import SeatInfo
from econzoo.envs.core.faces.prompts import load_templates
from econzoo.envs.core.faces.structured_face import InformationState, StructuredFace, parse_structured_observation
from econzoo.envs.core.faces.text_face import Teller
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game

__all__ = ["seat_info_of", "seat_json", "information_state_of"]


def seat_json(info: SeatInfo, seat: int, seen: InformationState) -> dict[str, Any]:
    """All that a seat may know now, as JSON has it.

    GLEE's ``public_name`` (the role), ``player_id`` (from 1) and ``rules``; ``game``, its ``version``, ``seat`` (from
    0), ``seats``, ``roles``, ``words`` (whether they may be sent; from 2 on, one of so many ``symbols``), ``unit``,
    ``features`` (of the numeric face), and ``observation``: what the structured face shows, None in place of what is
    unknown or unbounded.

    Args:
        info: What the player was told at the start.
        seat: Where it sits.
        seen: What it may know now.
    """
    told = {
        "public_name": info.role,
        "player_id": seat + 1,
        "rules": info.rules,
        "game": info.game.name,
        "version": info.game.version,
        "seat": seat,
        "seats": info.seats,
        "roles": info.teller.roles if info.teller else info.game.roles(info.seats),
        "words": info.messages,
        "unit": info.unit,
        "features": info.features,
        "observation": StructuredFace(info.game, seen.legal).observe(seen),
        **({"symbols": info.symbols} if info.symbols else {}),
    }
    return {name: _without_infinities(value) for name, value in to_plain(told).items()}


def seat_info_of(data: Mapping[str, Any]) -> SeatInfo:
    """What `seat_json` says that stays the same; the view at the start is that of now."""
    game, words, role, rules = find_game(data["game"]), data["words"], data["public_name"], data["rules"]
    teller = Teller(game, load_templates(game.package), words, tuple(data["roles"]), None, data["seat"])
    view, features = information_state_of(data).view, tuple(data["features"])
    return SeatInfo(
        game, data["seats"], view, words, rules, role, teller, features, data["unit"], data.get("symbols", 0)
    )


def information_state_of(data: Mapping[str, Any]) -> InformationState:
    """What `seat_json` says of the position."""
    shown = {name: _tuples(value) for name, value in data["observation"].items()}
    for name in ("bounds", "span", "grid"):
        ends = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in shown[name]]
        shown[name] = tuple(ends)
    return parse_structured_observation(find_game(data["game"]), shown, data["words"])


def _without_infinities(value: Any) -> Any:
    """Plain values without the numbers that JSON has not."""
    if isinstance(value, dict):
        return {name: _without_infinities(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_without_infinities(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return {name: _tuples(one) for name, one in value.items()} if isinstance(value, dict) else value
