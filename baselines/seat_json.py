"""What a seat may know, as JSON and back: the ``game_params`` of a player elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from econzoo.baselines.player import SeatInfo
from econzoo.envs.core.faces.prompts import load
from econzoo.envs.core.faces.structured_face import Seen, StructuredFace, seen_from_structured
from econzoo.envs.core.faces.text_face import Teller
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game

__all__ = ["info_of", "seat_json", "seen_of"]


def seat_json(info: SeatInfo, seat: int, seen: Seen) -> dict[str, Any]:
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
    return {name: _finite(value) for name, value in plain(told).items()}


def info_of(told: Mapping[str, Any]) -> SeatInfo:
    """What `seat_json` says that stays the same; the view at the start is that of now."""
    game, words, role, rules = find_game(told["game"]), told["words"], told["public_name"], told["rules"]
    teller = Teller(game, load(game.package), words, tuple(told["roles"]), None, told["seat"])
    view, features = seen_of(told).view, tuple(told["features"])
    return SeatInfo(
        game, told["seats"], view, words, rules, role, teller, features, told["unit"], told.get("symbols", 0)
    )


def seen_of(told: Mapping[str, Any]) -> Seen:
    """What `seat_json` says of the position."""
    shown = {name: _tuples(value) for name, value in told["observation"].items()}
    for name in ("bounds", "span", "grid"):
        ends = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in shown[name]]
        shown[name] = tuple(ends)
    return seen_from_structured(find_game(told["game"]), shown, told["words"])


def _finite(value: Any) -> Any:
    """Plain values without the numbers that JSON has not."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return {name: _tuples(one) for name, one in value.items()} if isinstance(value, dict) else value
