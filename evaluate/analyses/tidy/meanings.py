"""What the columns of exported tables mean: those that every game has, and those of a game's parameters and moves."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from econzoo.envs.core.contract.forms import Kind
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.marks import Choice, Count, Message, Number
from econzoo.envs.core.contract.parameters import Domain, Flag, OneOf, OrNone, Parameter, Real, Several, Whole
from econzoo.evaluate.analyses.frame import VIOLATION
from econzoo.evaluate.analyses.tidy.column import CHOICE, FLAG, LONG_TEXT, NUMBER, WHOLE, Meaning

PARAMETER, OPTION, MOVE = "param.", "option.", "move."
"""What the columns of parameters, options of the environment and fields of moves begin with."""


@cache
def fixed() -> dict[str, dict[str, Meaning]]:
    """Table to column to what it means, of the columns that every game has."""
    given = tomllib.loads((files(__package__) / "columns.toml").read_text(encoding="utf-8"))
    made = {table: {name: _told(**one) for name, one in columns.items()} for table, columns in given.items()}
    shared = made.pop("all")
    return {table: {**shared, **columns} for table, columns in made.items()}


def _told(levels: tuple[str, ...] = (), **given: str) -> Meaning:
    return Meaning(**{"source": "record", **given}, levels=tuple(levels))


def meaning(table: str, name: str, game: Game) -> Meaning:
    """What a column means in a game.

    Args:
        table: Name of the table.
        name: Of the column as it is inside: ``param.delta.1`` is the first value of the parameter delta.
        game: In which.

    Raises:
        KeyError: Nobody says what it is.
    """
    if (table, name) == ("turns", "move"):
        return fixed()[table][name]._replace(levels=game.actions.names, source=f"kinds of move of {game.name}")
    if name in fixed()[table]:
        return fixed()[table][name]
    if name == game.facts.agreement_column:
        told = f"rounds with {game.facts.an_agreement}, of all rounds of the market"
        return Meaning(told, NUMBER, "share", "0 to 1", source="record: metrics")
    for prefix, found in ((PARAMETER, _parameter), (MOVE, _field), (OPTION, _option), (VIOLATION, _violation)):
        if name.startswith(prefix):
            own, *places = name.removeprefix(prefix).split(".")
            return found(game, own, places)
    raise KeyError(f"the column {name!r} of {table} has no meaning in evaluate/analyses/tidy/columns.toml")


def _parameter(game: Game, name: str, places: list[str]) -> Meaning:
    declared = next((one for one in game.parameters if one.name == name), None)
    source = f"parameter {name} of {game.name}"
    if declared is None:
        return Meaning(f"parameter {name}", source=source)
    kind, allowed, levels = _leaf(declared.domain, len(places))
    unit = "see meaning" if kind in (WHOLE, NUMBER) else ""
    return Meaning(_placed(declared.doc, places), kind, unit, allowed, _absent(declared), source, levels)


def _leaf(domain: Domain, deep: int) -> tuple[str, str, tuple[str, ...]]:
    """(kind, what is allowed, levels) of the values so deep in the lists of a domain."""
    if isinstance(domain, OrNone):
        return _leaf(domain.domain, deep)
    if isinstance(domain, Several) and deep:
        return _leaf(domain.each, deep - 1)
    kinds = ((Flag, FLAG), (Whole, WHOLE), (Real, NUMBER), (OneOf, CHOICE))
    kind = "" if deep else next((kind for one, kind in kinds if isinstance(domain, one)), "")
    return kind, domain.allowed, domain.words if isinstance(domain, OneOf) else ()


def _absent(declared: Parameter) -> str:
    """When a parameter has no value in its game."""
    _, none, meant = declared.allowed.partition(", or None")
    if none:
        return f"None{meant}"
    return "where the list is shorter" if _may_be_shorter(declared.domain) else "never in this game"


def _may_be_shorter(domain: Domain) -> bool:
    """Whether lists of this domain, or those in them, can have different lengths."""
    if not isinstance(domain, Several):
        return False
    return domain.least < domain.length or _may_be_shorter(domain.each)


def _field(game: Game, name: str, places: list[str]) -> Meaning:
    """A field of the moves of a game, as the kinds of move say that have it."""
    kinds = [kind for kind in game.actions.kinds if name in kind.marks]
    source = f"field {name} of {' and '.join(kind.name for kind in kinds)} in {game.name}"
    told = "; ".join(dict.fromkeys(_doc(kind, name, places) for kind in kinds))
    mark = kinds[0].marks[name] if kinds else None
    numeric = isinstance(mark, Number)
    levels = mark.options if isinstance(mark, Choice) else ()
    kind = CHOICE if levels else (WHOLE if mark.whole else NUMBER) if isinstance(mark, Number) else LONG_TEXT
    missing = "in moves of another kind, and where none was played"
    return Meaning(told, kind, "see meaning" if numeric else "", _range(mark), missing, source, levels)


def _doc(kind: Kind, name: str, places: list[str]) -> str:
    mark = kind.marks[name]
    if places and isinstance(mark, Number) and mark.each:
        return mark.told(int(places[0]) - 1)
    return _placed(mark.doc, places)


def _range(mark: object) -> str:
    if isinstance(mark, Count):
        return f"a whole number from {mark.low} to {mark.high}"
    return "as the rules allow at that moment" if isinstance(mark, Number) else ""


def _placed(doc: str, places: list[str]) -> str:
    """A sentence about a list, for the value in one of its places, which count from 1."""
    return f"{doc.rstrip('.')}: value {', '.join(places)} of the list" if places else doc.rstrip(".")


def _option(game: Game, name: str, places: list[str]) -> Meaning:
    missing = "the environment's default"
    return Meaning(f"option {name} of the environment", missing=missing, source="record: options")


def _violation(game: Game, name: str, places: list[str]) -> Meaning:
    told = f"moves of the seat, counted to judge individual rationality: {name.replace('_', ' ')}"
    where = "where the game counts no such moves"
    return Meaning(told, WHOLE, "moves", ">= 0", where, f"solution of {game.name}")


def spoken(game: Game) -> frozenset[str]:
    """The fields of moves that carry words."""
    return frozenset(name for kind in game.actions.kinds for name, mark in kind.marks.items() if type(mark) is Message)
