"""A published game in EconZoo's terms: setting, players, replies and payoffs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import short_repr
from econzoo.evaluate.formats.glee.exporting import BUYERS_OPT_OUT, DECISION_WORDS, LONGEST_KNOWN_HORIZON, QUALITIES
from econzoo.evaluate.formats.glee.folders import NATURE_SEAT, OTREE_MODEL, OWN_TYPE, PEOPLE, PublishedGame, gain_column
from econzoo.evaluate.formats.glee.folders import get_object, parse_number
from econzoo.evaluate.run import NotImportableError

REWRITTEN_LIMITS = 99, 25
"""(Stored, actual) round limit of finished games whose config was rewritten later."""

LIMITS = (25, 30, 99)
"""Limits of unknown horizons in the published data."""

MAX_NUMBER = 1e300
"""Upper bound of numbers in a config."""

PERSON = "human"
"""Spec of people in a record."""


def players_of(game: PublishedGame) -> list[str]:
    """Players by seat: ``human``, or the name of the model without its provider."""
    return [_player(game, seat) for seat in (1, 2)]


def _player(game: PublishedGame, number: int) -> str:
    kind = game.config.get(f"player_{number}_type")
    if kind in PEOPLE:
        return PERSON
    if kind == OTREE_MODEL[0]:
        return OTREE_MODEL[1]
    name = get_object(game.config, f"player_{number}_args").get("model_name")
    if not isinstance(name, str) or not name:
        raise NotImportableError(
            "config", f"invalid model_name={short_repr(name)} in player_{number}_args: expected text"
        )
    return name if kind == OWN_TYPE else name.rpartition("/")[2]


def params_of(game: PublishedGame, rounds: int, is_ended: bool) -> tuple[dict[str, Any], str | None]:
    """Game parameters of a published game.

    Args:
        rounds: Last round in its table.
        is_ended: Whether its last row ended it in any round (acceptance or opt-out).

    Returns:
        Parameters, and a note on deviations from the config, or None.
    """
    if game.family == "persuasion":
        return _persuasion_params(game.game_args)
    if game.family == "bargaining":
        money = {"money": _number(game.game_args, "money_to_divide"), "delta": _deltas(game)}
    else:
        money = {"money": _number(game.game_args, "product_price_order")}
        money |= {name: _number(game.game_args, name) for name in ("seller_value", "buyer_value")} | {"bound": None}
    flags = {
        "complete_information": _flag(game.game_args, "complete_information"),
        "messages": _flag(game.game_args, "messages_allowed"),
    }
    horizon, note = _horizon(game.game_args, rounds, is_ended)
    return {**money, **flags, **horizon}, note


def _horizon(config: Mapping[str, Any], rounds: int, agreed: bool) -> tuple[dict[str, Any], str | None]:
    """Horizon: limits up to 20 are known to players; longer ones are unknown, and their config may be rewritten."""
    stored = _integer(config, "max_rounds")
    if stored <= LONGEST_KNOWN_HORIZON:
        return {"horizon": stored}, None
    # A game that ends in agreement only shows that its limit is not lower; one that ends without has reached its limit.
    cut = rounds in LIMITS and (rounds > stored or (stored, rounds) == REWRITTEN_LIMITS)
    limit = rounds if (rounds > stored if agreed else cut) else stored
    note = None if limit == stored else f"max_rounds={limit}, where the game ended, instead of {stored} in its config"
    return {"horizon": None, "max_rounds": limit}, note


def _deltas(game: PublishedGame) -> tuple[float, float]:
    found = []
    for i in (1, 2):
        args = get_object(game.config, f"player_{i}_args")
        values = [
            _number(holder, key) for holder, key in ((args, "delta"), (game.game_args, f"delta_{i}")) if key in holder
        ]
        places = f"delta in player_{i}_args and delta_{i} in game_args"
        if not values:
            raise NotImportableError("config", f"missing discount factor of player {i}: expected {places}, or one")
        if values[0] != values[-1]:
            raise NotImportableError("config", f"{places} differ: {values[0]} and {values[-1]}")
        found.append(values[0])
    return found[0], found[1]


def _persuasion_params(config: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    high, low, note = _number(config, "v"), _number(config, "c"), None
    if not _is_ordered(high, low) and _is_ordered(low, high):  # the first release swapped the two names
        high, low, note = low, high, "swapped v and c"
    message_type = config.get("seller_message_type")
    return {
        "price": _number(config, "product_price"),
        "prior": _number(config, "p"),
        "high_value": high,
        "low_value": low,
        "rounds": _integer(config, "total_rounds"),
        "seller_knows_value": _flag(config, "is_seller_know_cv"),
        "buyer_knows_prior": _flag(config, "is_buyer_know_p", True),
        "message_type": message_type,
        "buyer": "myopic" if _flag(config, "is_myopic") else "long-living",
        "buyer_messages": _flag(config, "allow_buyer_message", False),
    }, note


def _is_ordered(high: float, low: float) -> bool:
    return high >= 1.0 and 0.0 <= low <= 1.0


def _number(holder: Mapping[str, Any], key: str) -> float:
    value = holder.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MAX_NUMBER:
        raise NotImportableError("config", f"invalid {key}={short_repr(value)}: expected a number")
    return float(value)


def _integer(holder: Mapping[str, Any], key: str) -> int:
    value = _number(holder, key)
    if value != int(value):
        raise NotImportableError("config", f"invalid {key}={value}: expected an integer")
    return int(value)


def _flag(holder: Mapping[str, Any], key: str, default: bool | None = None) -> bool:
    value = holder.get(key, default)
    if not isinstance(value, bool):
        raise NotImportableError("config", f"invalid {key}={short_repr(value)}: expected true or false")
    return value


KINDS: dict[str, dict[str, str]] = {
    "bargaining": {word: kind for kind, word in DECISION_WORDS["bargaining"].items()},
    "negotiation": {word: kind for kind, word in DECISION_WORDS["negotiation"].items()}
    | dict.fromkeys((BUYERS_OPT_OUT, "DealWithJhon"), "opt_out"),
}
"""Kind of move by decision, where it does not depend on the seat."""

TOLERANCE = 1e-9
"""Relative tolerance for rounding."""


class Answer(NamedTuple):
    """A reply of a player; rounds count from 1."""

    seat: int
    round: int
    reply: dict[str, Any]


def round_of(row: dict[str, str]) -> int:
    """Round of a row, 1-based."""
    value = parse_number(row.get("round", ""), "round")
    if value != int(value) or value < 1:
        raise NotImportableError("unknown word", f"invalid round={short_repr(row['round'])}: expected an integer >= 1")
    return int(value)


def has_ended(game: PublishedGame) -> bool:
    """Whether the last row is an acceptance or opt-out, which ends a game in any round."""
    return KINDS.get(game.family, {}).get(game.rows[-1].get("decision", "")) in ("accept", "opt_out")


def answers(game: PublishedGame, public: dict[str, Any]) -> tuple[list[Answer], list[float]]:
    """Replies of the players, and nature's moves."""
    read = {"bargaining": _bargaining, "negotiation": _negotiation, "persuasion": _persuasion}[game.family]
    given: list[Answer] = []
    nature: list[float] = []
    for at, row in enumerate(game.rows):
        seat, now = game.seat(row), round_of(row)
        # A round of persuasion has three rows: nature, seller, buyer.
        natures = game.family == "persuasion" and at % 3 == 0
        if (seat == NATURE_SEAT) != natures or (natures and now != at // 3 + 1):
            raise NotImportableError("inconsistent", f"row {at + 1}: unexpected turn of {row['player']} in round {now}")
        if natures:
            nature.append(_quality(row, public))
            continue
        reply = read(game, row, seat, public)
        if row.get("message") and find_game(game.family).message_mode(public, seat) and _has_message(reply):
            reply["message"] = row["message"]
        given.append(Answer(seat, now, reply))
    return given, nature


def _has_message(reply: dict[str, Any]) -> bool:
    return reply["kind"] in ("offer", "say", "buy", "decline")


def _kind(game: PublishedGame, row: dict[str, str], allowed: dict[str, str]) -> str:
    word = row.get("decision", "")
    if word not in allowed:
        raise NotImportableError("unknown word", f"invalid decision={short_repr(word)}: expected {', '.join(allowed)}")
    return allowed[word]


def _bargaining(game: PublishedGame, row: dict[str, str], seat: int, public: dict[str, Any]) -> dict[str, Any]:
    if row.get("decision"):
        return {"kind": _kind(game, row, KINDS["bargaining"])}
    gains = [parse_number(row.get(gain_column(name), ""), gain_column(name)) for name in game.names]
    return {"kind": "offer", "gain": gains[seat], "other_gain": gains[1 - seat]}


def _negotiation(game: PublishedGame, row: dict[str, str], seat: int, public: dict[str, Any]) -> dict[str, Any]:
    if row.get("decision"):
        return {"kind": _kind(game, row, KINDS["negotiation"])}
    return {"kind": "offer", "price": parse_number(row.get("product_price", ""), "product_price")}


def _persuasion(game: PublishedGame, row: dict[str, str], seat: int, public: dict[str, Any]) -> dict[str, Any]:
    if seat == 1:
        return {"kind": _kind(game, row, {"yes": "buy", "no": "decline"})}
    if public["message_type"] == "binary":
        return {"kind": _kind(game, row, {"yes": "recommend", "no": "discourage"})}
    return {"kind": "say"}


def _quality(row: dict[str, str], public: dict[str, Any]) -> float:
    """Quality drawn by nature, checked against the product's value."""
    qualities = {word: quality for quality, word in QUALITIES.items()}
    if row.get("round_quality") not in qualities:
        known = ", ".join(qualities)
        raise NotImportableError(
            "unknown word", f"invalid round_quality={short_repr(row.get('round_quality'))}: expected {known}"
        )
    quality = qualities[row["round_quality"]]
    # A good product with prior 0, or a bad one with prior 1.
    if public["prior"] == 1.0 - quality:
        raise NotImportableError(
            "inconsistent", f"impossible round_quality={row['round_quality']} with p = {public['prior']:g}"
        )
    # Redundant with the config, so that a difference shows a wrong config or row.
    worth = parse_number(row.get("product_worth", ""), "product_worth")
    expected = public["price"] * (public["high_value"] if quality else public["low_value"])
    if not math.isclose(worth, expected, rel_tol=TOLERANCE):
        raise NotImportableError("inconsistent", f"product_worth is {worth:g}: the config implies {expected:g}")
    return quality


def amount_columns(game: PublishedGame) -> list[str]:
    """Columns of offered amounts."""
    wanted = {"bargaining": map(gain_column, game.names), "negotiation": ["product_price"]}.get(game.family, ())
    return [column for column in wanted if column in game.columns]


def check_repeated_gains(game: PublishedGame) -> None:
    """Check that amounts repeated in a decision equal those of the offer."""
    for offer, decision in zip(game.rows[::2], game.rows[1::2], strict=True) if game.family != "persuasion" else ():
        for c in amount_columns(game):
            # Numbers, since the same amount is written in several ways.
            if decision[c] and parse_number(decision[c], c) != parse_number(offer[c], c):
                raise NotImportableError(
                    "inconsistent", f"{c} is {decision[c]} in the decision, {offer[c]} in the offer"
                )


def table_gains(game: PublishedGame, params: dict[str, Any]) -> tuple[float, float]:
    """Payoffs computed from the table, in dollars, by the formulas of the paper (section 2)."""
    rows = game.rows
    if game.family == "persuasion":
        bought = [drawn for drawn, buyer in zip(rows[::3], rows[2::3], strict=True) if buyer["decision"] == "yes"]
        sold = [parse_number(drawn["product_worth"], "product_worth") for drawn in bought]
        return len(sold) * params["price"], sum(sold) - len(sold) * params["price"]
    offer, last = rows[-2:]
    if KINDS[game.family][last["decision"]] != "accept":
        return 0.0, 0.0
    if game.family == "bargaining":
        passed = round_of(last) - 1
        gains = [parse_number(offer[gain_column(name)], "gain") for name in game.names]
        return gains[0] * params["delta"][0] ** passed, gains[1] * params["delta"][1] ** passed
    price = parse_number(offer["product_price"], "product_price")
    return price - params["seller_value"] * params["money"], params["buyer_value"] * params["money"] - price
