"""Matches in the words of the pages: moves and payoffs as a person writes them, such as "offer to keep $6,500.00"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.marks import Seat
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.missing_results import displayed_payoffs
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.people.server.site import texts
from econzoo.people.texts.points import NBSP, singularize

MOVES, SILENT = "moves", "silent"
"""Tables of the texts that tell the moves of a game, by their kinds: with what goes with them, and without words."""

SHORT_LENGTH = 90
"""Characters of a text that is no paragraph of its own: about a line."""


def format_payoff(game: Game, payoff: float) -> str:
    """A payoff with cents, and the sign of dollars where it is some: ``"-$5.00"``."""
    return format_with_unit("$" if game.facts.money else "", dollars(payoff, cents=True))


def format_with_unit(unit: str, amount: str) -> str:
    """An amount with its unit behind its sign; or with the points that dollars are called."""
    if unit and (points := texts().points):
        return singularize(f"{amount.removesuffix('.00')}{NBSP}{points}", points)
    bare = amount.removeprefix("-")
    return f"{amount[: len(amount) - len(bare)]}{unit}{bare}"


def describe_move(
    game: Game, action: Mapping[str, Any], names: Mapping[str, str] | None = None, seats: Sequence[str] = ()
) -> str:
    """A move without the words that go with it: as the texts of the page have it, else kind and fields by their names.

    Args:
        game: The game.
        action: As records have it.
        names: What the seat calls kinds and fields, by the names that the game declares.
        seats: What the seats are called; none: their numbers stand in moves that name them.
    """
    kind = game.actions.kinds[game.actions.index[str(action.get("kind", game.actions.names[0]))]]
    fields = {name: value for name, value in action.items() if name not in ("kind", kind.message)}
    told = {
        name: seats[int(value)]
        if seats and isinstance(kind.marks[name], Seat)
        else _format_field(value, kind.numbers.get(name))
        for name, value in fields.items()
    }
    silent = "" if action.get(kind.message or "") else texts().game_text(game.name, f"{SILENT}.{kind.name}", "")
    text = silent or texts().game_text(game.name, f"{MOVES}.{kind.name}", "")
    if text:
        return text.format(**told)
    called = names or {}
    own = called.get(kind.name, texts().word(kind.name).replace("_", " "))
    parts = [own] if len(game.actions.names) > 1 or not told else []
    return " ".join([*parts, *(f"{called.get(name, name)} {value}" for name, value in told.items())])


def _format_field(value: Any, number: Any) -> str:
    """What stands in a field; of a program, how long it is."""
    if isinstance(value, list | tuple):
        return ", ".join(_format_field(one, number) for one in value)
    if isinstance(value, str):
        lines = value.strip().count("\n") + 1
        return f"of {lines} lines" if lines > 1 else value
    unit = "" if number is None else number.unit
    return format_with_unit(unit, dollars(value, cents=not (number is None or number.is_integer)))


def localize_story(record: Record, told: dict[str, Any]) -> dict[str, Any]:
    """A story with its roles, its payoffs and its ending in the words of the pages."""
    word, game = texts().word, find_game(record.game)
    agreement = word(game.facts.agreement)
    ended = {True: agreement, False: texts().say("end.no", agreement=agreement)}
    agreed = record.metrics.get("agreed") if record.status == "finished" else None
    seats = [_localize_seat(record, one) for one in told["seats"]]
    turns = [{**one, "role": word(one["role"])} for one in told.get("turns", [])]
    ending = word(told["ending"]) if agreed is None else ended[bool(agreed)]
    ending = texts().say("transcripts.goes_on") if record.status == "paused" else ending
    return {**told, "seats": seats, "turns": turns, "ending": ending, "by": told["by"] and word(told["by"])}


def _localize_seat(record: Record, seat: Mapping[str, Any]) -> dict[str, Any]:
    pays = format_payoff(find_game(record.game), displayed_payoffs(record)[seat["seat"]])
    return {**seat, "role": texts().word(seat["role"]), "player": _describe_players(record, seat), "payoff": pays}


def _describe_players(record: Record, seat: Mapping[str, Any]) -> str:
    """Who has played in a seat, one after the other."""
    player = str(seat["player"])
    for one in record.replaced or ():
        if one["seat"] == seat["seat"]:
            player = texts().say("absent.then", player=player, who=sanitize_text(one["by"]))
    return player


def join_paragraphs(told: Sequence[str]) -> list[str]:
    """The parts of the rules as paragraphs; a part of a few words stays with the one before it."""
    out, points = list[str](), texts().points
    for part in [singularize(one.strip(), points) for one in told]:
        if out and min(len(out[-1]), len(part)) < SHORT_LENGTH:
            out[-1] = f"{out[-1]} {part}"
        elif part:
            out.append(part)
    return out
