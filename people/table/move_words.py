"""Moves, payoffs and outcomes in the page's language, such as "offer to keep $6,500.00"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from econzoo.envs.core import dollars
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game, Seat
from econzoo.envs.core.record import Record
from econzoo.evaluate.show import sanitize_text
from econzoo.people.server import texts
from econzoo.people.texts.points import NBSP, singularize

MOVES, SILENT = "moves", "silent"
"""Tables of move texts by kind: in general, and for moves without a message."""

SHORT_LENGTH = 90
"""Characters below which a text joins the previous paragraph: about a line."""


def format_payoff(game: Game, payoff: float) -> str:
    """Format a payoff with cents and its unit: ``"-$5.00"``."""
    return format_with_unit("$" if game.facts.money else "", dollars(payoff, cents=True))


def format_with_unit(unit: str, amount: str) -> str:
    """Insert the unit after the minus sign, or append the name of points that replace dollars."""
    if unit and (points := texts().points):
        return singularize(f"{amount.removesuffix('.00')}{NBSP}{points}", points)
    bare = amount.removeprefix("-")
    return f"{amount[: len(amount) - len(bare)]}{unit}{bare}"


def describe_move(
    game: Game, action: Mapping[str, Any], names: Mapping[str, str] | None = None, seats: Sequence[str] = ()
) -> str:
    """Describe a move without its message, by the page's text of its kind or by kind and field names.

    Args:
        names: The seat's names of kinds and fields, by their declared names.
        seats: Names of the seats; empty: use seat numbers.
    """
    kind = game.actions.kinds[game.actions.index[str(action.get("kind", game.actions.names[0]))]]
    fields = {name: value for name, value in action.items() if name not in ("kind", kind.message)}
    values = {
        name: seats[int(value)]
        if seats and isinstance(kind.marks[name], Seat)
        else _format_field(value, kind.numbers.get(name))
        for name, value in fields.items()
    }
    silent = "" if action.get(kind.message or "") else texts().game_text(game.name, f"{SILENT}.{kind.name}", "")
    text = silent or texts().game_text(game.name, f"{MOVES}.{kind.name}", "")
    if text:
        return text.format(**values)
    names = names or {}
    label = names.get(kind.name, texts().word(kind.name).replace("_", " "))
    parts = [label] if len(game.actions.names) > 1 or not values else []
    return " ".join([*parts, *(f"{names.get(name, name)} {value}" for name, value in values.items())])


def _format_field(value: Any, number: Any) -> str:
    """Format a field; of a program, its length in lines."""
    if isinstance(value, list | tuple):
        return ", ".join(_format_field(one, number) for one in value)
    if isinstance(value, str):
        lines = value.strip().count("\n") + 1
        return f"of {lines} lines" if lines > 1 else value
    unit = "" if number is None else number.unit
    return format_with_unit(unit, dollars(value, cents=not (number is None or number.is_integer)))


def localize_story(record: Record, outline: dict[str, Any]) -> dict[str, Any]:
    """Translate roles, payoffs and ending of an outline to the page's language."""
    word, game = texts().word, find_game(record.game)
    agreement = word(game.facts.agreement)
    agreed = record.metrics.get("agreed") if record.status == "finished" else None
    seats = [_localize_seat(record, one) for one in outline["seats"]]
    turns = [{**one, "role": word(one["role"])} for one in outline.get("turns", [])]
    if record.status == "paused":
        ending = texts().say("transcripts.goes_on")
    elif agreed is None:
        ending = word(outline["ending"])
    else:
        ending = agreement if agreed else texts().say("end.no", agreement=agreement)
    return {**outline, "seats": seats, "turns": turns, "ending": ending, "by": outline["by"] and word(outline["by"])}


def _localize_seat(record: Record, seat: Mapping[str, Any]) -> dict[str, Any]:
    pays = format_payoff(find_game(record.game), record.displayed_payoffs[seat["seat"]])
    return {**seat, "role": texts().word(seat["role"]), "player": _describe_players(record, seat), "payoff": pays}


def _describe_players(record: Record, seat: Mapping[str, Any]) -> str:
    """Names of the players of a seat, in order."""
    player = str(seat["player"])
    for one in record.replacements or ():
        if one["seat"] == seat["seat"]:
            player = texts().say("absent.then", player=player, who=sanitize_text(one["player"]))
    return player


def join_paragraphs(parts: Sequence[str]) -> list[str]:
    """Join parts of the rules to paragraphs; short parts are merged with the previous one."""
    paragraphs, points = list[str](), texts().points
    for part in [singularize(one.strip(), points) for one in parts]:
        if paragraphs and min(len(paragraphs[-1]), len(part)) < SHORT_LENGTH:
            paragraphs[-1] = f"{paragraphs[-1]} {part}"
        elif part:
            paragraphs.append(part)
    return paragraphs
