"""Convert a seat's information to JSON and back: the ``game_params`` of HTTP players."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import check_arguments, to_plain
from econzoo.envs.core.faces import InformationState, StructuredFace, Teller, load_templates
from econzoo.envs.core.faces import parse_structured_observation
from econzoo.wrappers import SeatInfo

__all__ = ["seat_info_of", "seat_json", "information_state_of"]


@check_arguments
def seat_json(info: SeatInfo, seat: int, seen: InformationState) -> dict[str, Any]:
    """Return a seat's information as JSON values.

    GLEE's ``public_name`` (the role), ``player_id`` (from 1) and ``rules``; ``game``, its ``version``, ``seat`` (from
    0), ``seats``, ``roles``, ``words`` (whether it may send messages; from 2 on, one of ``symbols``), ``unit``,
    ``features`` (of the numeric face), and ``observation``: that of the structured face, None for unknown or
    unbounded values.

    Args:
        info: Information at the start.
        seat: Seat of the player.
        seen: Current information state.
    """
    fields = {
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
    return {name: _without_infinities(value) for name, value in to_plain(fields).items()}


@check_arguments
def seat_info_of(data: Mapping[str, Any]) -> SeatInfo:
    """Rebuild the initial information from `seat_json`, with the current view."""
    game, words, role, rules = find_game(data["game"]), data["words"], data["public_name"], data["rules"]
    teller = Teller(game, load_templates(game.package), words, tuple(data["roles"]), None, data["seat"])
    view, features = information_state_of(data).view, tuple(data["features"])
    return SeatInfo(
        game, data["seats"], view, words, rules, role, teller, features, data["unit"], data.get("symbols", 0)
    )


@check_arguments
def information_state_of(data: Mapping[str, Any]) -> InformationState:
    """Rebuild the information state from `seat_json`."""
    shown = {name: _tuples(value) for name, value in data["observation"].items()}
    for name in ("bounds", "span", "grid"):
        ends = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in shown[name]]
        shown[name] = tuple(ends)
    return parse_structured_observation(find_game(data["game"]), shown, data["words"])


def _without_infinities(value: Any) -> Any:
    """Replace infinities and NaN, which JSON lacks, by None."""
    if isinstance(value, dict):
        return {name: _without_infinities(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_without_infinities(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tuples(value: Any) -> Any:
    # Views are tuples, which compare equal and have a hash.
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return {name: _tuples(one) for name, one in value.items()} if isinstance(value, dict) else value
