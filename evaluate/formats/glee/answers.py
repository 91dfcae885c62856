"""What the rows of a published game say: who answered what and when, what nature drew, and what everybody won."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.formats.glee.exporting import BUYERS_OPT_OUT, QUALITIES, WORDS
from econzoo.evaluate.formats.glee.folders import NATURES, Published, gain_column, number
from econzoo.evaluate.run.importing import UnusableError

KINDS: dict[str, dict[str, str]] = {
    "bargaining": {word: kind for kind, word in WORDS["bargaining"].items()},
    "negotiation": {word: kind for kind, word in WORDS["negotiation"].items()}
    | dict.fromkeys((BUYERS_OPT_OUT, "DealWithJhon"), "opt_out"),
}
"""Kind of move of each decision, where it does not depend on the seat."""

WITHIN = 1e-9
"""Relative difference that is taken for rounding."""


class Answer(NamedTuple):
    """A row of a player.

    Attributes:
        seat: Who answered.
        round: When, 1-based.
        reply: The move as a plain dictionary.
    """

    seat: int
    round: int
    reply: dict[str, Any]


def round_of(row: dict[str, str]) -> int:
    """The round of a row, 1-based."""
    value = number(row.get("round", ""), "round")
    if value != int(value) or value < 1:
        raise UnusableError("unknown word", f"round is {short(row['round'])}; wanted: a whole number from 1")
    return int(value)


def ended(game: Published) -> bool:
    """Whether the last row ends a game of offers in any round."""
    return KINDS.get(game.family, {}).get(game.rows[-1].get("decision", "")) in ("accept", "opt_out")


def answers(game: Published, public: dict[str, Any]) -> tuple[list[Answer], list[float]]:
    """What the players answered and what nature drew.

    Args:
        game: The published game.
        public: Parameters of our game.

    Raises:
        UnusableError: A row cannot be read, or nature's rows are not where they should be.
    """
    read = {"bargaining": _bargaining, "negotiation": _negotiation, "persuasion": _persuasion}[game.family]
    given: list[Answer] = []
    nature: list[float] = []
    for at, row in enumerate(game.rows):
        seat, now = game.seat(row), round_of(row)
        natures = game.family == "persuasion" and at % 3 == 0
        if (seat == NATURES) != natures or (natures and now != at // 3 + 1):
            raise UnusableError("inconsistent", f"row {at + 1}: it is not the turn of {row['player']}, round {now}")
        if natures:
            nature.append(_quality(row, public))
            continue
        reply = read(game, row, seat, public)
        if row.get("message") and find_game(game.family).words(public, seat) and _carries_words(reply):
            reply["message"] = row["message"]
        given.append(Answer(seat, now, reply))
    return given, nature


def _carries_words(reply: dict[str, Any]) -> bool:
    return reply["kind"] in ("offer", "say", "buy", "decline")


def _kind(game: Published, row: dict[str, str], allowed: dict[str, str]) -> str:
    word = row.get("decision", "")
    if word not in allowed:
        raise UnusableError("unknown word", f"decision is {short(word)}; known: {', '.join(allowed)}")
    return allowed[word]


def _bargaining(game: Published, row: dict[str, str], seat: int, public: dict[str, Any]) -> dict[str, Any]:
    if row.get("decision"):
        return {"kind": _kind(game, row, KINDS["bargaining"])}
    gains = [number(row.get(gain_column(name), ""), gain_column(name)) for name in game.names]
    return {"kind": "offer", "gain": gains[seat], "other_gain": gains[1 - seat]}


def _negotiation(game: Published, row: dict[str, str], seat: int, public: dict[str, Any]) -> dict[str, Any]:
    if row.get("decision"):
        return {"kind": _kind(game, row, KINDS["negotiation"])}
    return {"kind": "offer", "price": number(row.get("product_price", ""), "product_price")}


def _persuasion(game: Published, row: dict[str, str], seat: int, public: dict[str, Any]) -> dict[str, Any]:
    if seat == 1:
        return {"kind": _kind(game, row, {"yes": "buy", "no": "decline"})}
    if public["message_type"] == "binary":
        return {"kind": _kind(game, row, {"yes": "recommend", "no": "discourage"})}
    return {"kind": "say"}


def _quality(row: dict[str, str], public: dict[str, Any]) -> float:
    """The quality that nature drew; what the product is worth must go with it."""
    qualities = {word: quality for quality, word in QUALITIES.items()}
    if row.get("round_quality") not in qualities:
        known = ", ".join(qualities)
        raise UnusableError("unknown word", f"round_quality is {short(row.get('round_quality'))}; known: {known}")
    quality = qualities[row["round_quality"]]
    if public["prior"] == 1.0 - quality:
        raise UnusableError("inconsistent", f"{row['round_quality']} cannot be drawn with p = {public['prior']:g}")
    worth = number(row.get("product_worth", ""), "product_worth")
    expected = public["price"] * (public["high_value"] if quality else public["low_value"])
    if not math.isclose(worth, expected, rel_tol=WITHIN):
        raise UnusableError("inconsistent", f"product_worth is {worth:g}; by the config it is {expected:g}")
    return quality


def amounts(game: Published) -> list[str]:
    """The columns that say what is offered."""
    wanted = {"bargaining": map(gain_column, game.names), "negotiation": ["product_price"]}.get(game.family, ())
    return [column for column in wanted if column in game.columns]


def check_repeated_gains(game: Published) -> None:
    """A decision that repeats amounts must repeat those of the offer."""
    for offer, decision in zip(game.rows[::2], game.rows[1::2], strict=True) if game.family != "persuasion" else ():
        for c in amounts(game):
            if decision[c] and number(decision[c], c) != number(offer[c], c):
                raise UnusableError("inconsistent", f"{c} is {decision[c]} in a decision about {offer[c]}")


def won(game: Published, params: dict[str, Any]) -> tuple[float, float]:
    """What the players win by the table itself, in dollars, by the formulas of the paper (section 2)."""
    rows = game.rows
    if game.family == "persuasion":
        bought = [drawn for drawn, buyer in zip(rows[::3], rows[2::3], strict=True) if buyer["decision"] == "yes"]
        sold = [number(drawn["product_worth"], "product_worth") for drawn in bought]
        return len(sold) * params["price"], sum(sold) - len(sold) * params["price"]
    offer, last = rows[-2:]
    if KINDS[game.family][last["decision"]] != "accept":
        return 0.0, 0.0
    if game.family == "bargaining":
        passed = round_of(last) - 1
        gains = [number(offer[gain_column(name)], "gain") for name in game.names]
        return gains[0] * params["delta"][0] ** passed, gains[1] * params["delta"][1] ** passed
    price = number(offer["product_price"], "product_price")
    return price - params["seller_value"] * params["money"], params["buyer_value"] * params["money"] - price
