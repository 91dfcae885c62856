"""From GLEE's configs to the parameters of our games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from econzoo.envs.core.contract.validation import short
from econzoo.evaluate.formats.glee.exporting import TOLD_UP_TO
from econzoo.evaluate.formats.glee.folders import OTREE_MODEL, OWN_TYPE, PEOPLE, Published, table
from econzoo.evaluate.run.importing import UnusableError

REWRITTEN = 99, 25
"""The limit that later rewrites of finished games wrote over the one in force when they were played."""

LIMITS = (25, 30, 99)
"""Limits of unknown horizons in the published data."""

LARGEST = 1e300
"""No number in a config is larger."""

PERSON = "human"
"""Name of people in the players of a record."""


def players_of(game: Published) -> list[str]:
    """Who sat in each seat: ``human``, or the name of the model without its provider."""
    return [_player(game, seat) for seat in (1, 2)]


def _player(game: Published, number: int) -> str:
    kind = game.config.get(f"player_{number}_type")
    if kind in PEOPLE:
        return PERSON
    if kind == OTREE_MODEL[0]:
        return OTREE_MODEL[1]
    name = table(game.config, f"player_{number}_args").get("model_name")
    if not isinstance(name, str) or not name:
        raise UnusableError("config", f"model_name in player_{number}_args is {short(name)}; wanted: a text")
    return name if kind == OWN_TYPE else name.rpartition("/")[2]


def params_of(game: Published, rounds: int, agreed: bool) -> tuple[dict[str, Any], str | None]:
    """The parameters of our game in which a published one was played.

    Args:
        game: The published game.
        rounds: The last round in its table.
        agreed: Whether its last row ended it (an acceptance or somebody leaving), whatever the round.

    Returns:
        Parameters, and what was taken otherwise than the config says, or None.

    Raises:
        UnusableError: The config lacks something or contradicts itself or the table.
    """
    if game.family == "persuasion":
        return _persuasion(game.market)
    if game.family == "bargaining":
        money = {"money": _number(game.market, "money_to_divide"), "delta": _deltas(game)}
    else:
        money = {"money": _number(game.market, "product_price_order")}
        money |= {name: _number(game.market, name) for name in ("seller_value", "buyer_value")}
    flags = {
        "complete_information": _flag(game.market, "complete_information"),
        "messages": _flag(game.market, "messages_allowed"),
    }
    horizon, note = _horizon(game.market, rounds, agreed)
    return {**money, **flags, **horizon}, note


def _horizon(market: Mapping[str, Any], rounds: int, agreed: bool) -> tuple[dict[str, Any], str | None]:
    """A limit up to 20 is a horizon that the players know; a longer one is unknown, and may not be the one in force."""
    stored = _whole(market, "max_rounds")
    if stored <= TOLD_UP_TO:
        return {"horizon": stored}, None
    cut = rounds in LIMITS and (rounds > stored or (stored, rounds) == REWRITTEN)
    was = rounds if (rounds > stored if agreed else cut) else stored
    note = None if was == stored else f"max_rounds taken as {was}, where the game ended; its config says {stored}"
    return {"horizon": None, "max_rounds": was}, note


def _deltas(game: Published) -> tuple[float, float]:
    found = []
    for i in (1, 2):
        args = table(game.config, f"player_{i}_args")
        said = [_number(holder, key) for holder, key in ((args, "delta"), (game.market, f"delta_{i}")) if key in holder]
        places = f"delta in player_{i}_args and delta_{i} in game_args"
        if not said:
            raise UnusableError("config", f"player {i} has no discount factor; wanted: a number as {places}, or as one")
        if said[0] != said[-1]:
            raise UnusableError(
                "config", f"{places} are {said[0]} and {said[-1]}; wanted: the same number, or only one"
            )
        found.append(said[0])
    return found[0], found[1]


def _persuasion(market: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    high, low, note = _number(market, "v"), _number(market, "c"), None
    if not _ordered(high, low) and _ordered(low, high):  # the first release had the two names swapped
        high, low, note = low, high, "v and c taken for each other"
    message_type = market.get("seller_message_type")
    return {
        "price": _number(market, "product_price"),
        "prior": _number(market, "p"),
        "high_value": high,
        "low_value": low,
        "rounds": _whole(market, "total_rounds"),
        "seller_knows_value": _flag(market, "is_seller_know_cv"),
        "buyer_knows_prior": _flag(market, "is_buyer_know_p", True),
        "message_type": message_type,
        "buyer": "myopic" if _flag(market, "is_myopic") else "long-living",
        "buyer_messages": _flag(market, "allow_buyer_message", False),
    }, note


def _ordered(high: float, low: float) -> bool:
    return high >= 1.0 and 0.0 <= low <= 1.0


def _number(holder: Mapping[str, Any], key: str) -> float:
    value = holder.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
        raise UnusableError("config", f"{key} is {short(value)}; wanted: a number")
    return float(value)


def _whole(holder: Mapping[str, Any], key: str) -> int:
    value = _number(holder, key)
    if value != int(value):
        raise UnusableError("config", f"{key} is {value}; wanted: a whole number")
    return int(value)


def _flag(holder: Mapping[str, Any], key: str, default: bool | None = None) -> bool:
    value = holder.get(key, default)
    if not isinstance(value, bool):
        raise UnusableError("config", f"{key} is {short(value)}; wanted: true or false")
    return value
