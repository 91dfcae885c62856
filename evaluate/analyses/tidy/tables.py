"""Records as three tables: one row per match, per seat and per answer, joined by ``match`` and ``seat``.

Also the meanings of columns: those of every game, and those of a game's parameters and moves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Choice, Count, Domain, Flag, Game, Integer, Kind, Message, Number, Objective
from econzoo.envs.core.contract import OneOf, OrNone, Parameter, Real, TupleOf, load_package_toml, to_plain
from econzoo.envs.core.record import Record, Served, Software, Turn
from econzoo.evaluate.analyses import OBJECTIVES, VIOLATION_PREFIX, places, roles_of, seat_rows
from econzoo.evaluate.analyses.tidy.column import CHOICE, FLAG, INTEGER, LONG_TEXT, NUMBER, Column, Meaning, plain_names
from econzoo.evaluate.analyses.tidy.spool import Part, Spool, to_columns


@dataclass(frozen=True)
class Table:
    name: str
    key: tuple[str, ...]
    columns: list[Column]

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def __getitem__(self, name: str) -> Column:
        return next(one for one in self.columns if one.name == name)


KEYS = {"matches": ("match",), "seats": ("match", "seat"), "turns": ("match", "turn")}
"""Table to its key."""


def tables(
    records: Iterable[Record], setting_name: Callable[[Record], str] = lambda record: "", texts: bool = False
) -> list[Table]:
    """Return the three tables of `KEYS`.

    Args:
        setting_name: Returns the name of a record's setting; empty: derived from its parameters.
        texts: Whether to include the rules that seats read, and prompts.
    """
    makers = {"matches": _match_part, "seats": _seats_part, "turns": _turns_part}
    spools = {name: Spool(key) for name, key in KEYS.items()}
    for record in records:
        named = setting_name(record)
        for name, spool in spools.items():
            spool.add(record.game, makers[name](record, named, texts))
    return [
        Table(name, KEYS[name], spool.columns(plain_names(spool.names), partial(_meaning, name)))
        for name, spool in spools.items()
    ]


def _meaning(table: str, name: str, game: str) -> Meaning:
    return meaning(table, name, find_game(game))


# Rows, with internal column names


def _match_part(record: Record, setting: str, texts: bool) -> Part:
    place = places(record, setting)[0]
    row = {
        **{name: place[name] for name in ("match", "game", "setting", "seed", "cluster")},
        **{"status": record.status, "forfeit_seat": record.forfeit, "seats": len(record.players)},
        "rounds": record.rounds,
        "turns": record.left_out["turns"] if record.left_out else len(record.turns),
        **{name: record.metrics[name] if record.has_result else None for name in ("agreed", "efficiency", "fairness")},
        "tokens": sum(sum(turn.tokens) for turn in record.stored_turns),
        "cost": sum((turn.cost for turn in record.stored_turns), 0.0),
        "seconds": record.seconds,
        "chance": json.dumps(record.chance),
        **{"origin": (record.source or {}).get("id"), "source": record.source},
        **{f"version_{part}": number for part, number in record.versions.items()},
        **_software_columns(record),
        **_flatten(PARAMETER, record.params),
        **{OPTION + name: _json(value) for name, value in record.options.items()},
    }
    return to_columns([row])


_GOALS = {spec: Objective(spec) for spec in OBJECTIVES}


def _seats_part(record: Record, setting: str, texts: bool) -> Part:
    part: dict[str, Sequence[Any]] = {**to_columns(seat_rows(record, setting, _GOALS))}
    nothing = [None] * len(record.players)
    if record.position_payoffs:
        part["position_payoff"] = record.position_payoffs
    part |= {"face": record.faces, "persona": record.personas or nothing}
    return part | {"rules": record.rules or nothing} if texts else part


def _turns_part(record: Record, setting: str, texts: bool) -> Part:
    roles, game, turns = roles_of(record), find_game(record.game), record.turns
    messages, seats, errors = (
        sorted(message_fields(game)),
        [turn.seat for turn in turns],
        [turn.error for turn in turns],
    )
    return {
        "match": [record.id] * len(turns),
        "turn": range(1, len(turns) + 1),
        "game": [record.game] * len(turns),
        "seat": seats,
        "role": [roles[seat] for seat in seats],
        "player": [record.labels[seat] for seat in seats],
        "round": [turn.round for turn in turns],
        "legal": [error is None for error in errors],
        "default_action": [turn.default for turn in turns],
        "error_code": [error and error[0] for error in errors],
        "error_text": [error and error[1] for error in errors],
        **({"prompt": [turn.prompt for turn in turns]} if texts else {}),
        "reply": [_json(turn.reply) for turn in turns],
        "finish": [turn.finish for turn in turns],
        "limit": [turn.limit or None for turn in turns],
        "closed_by_grammar": [turn.closed_by_grammar for turn in turns],
        "dropped_turns": [turn.dropped_turns for turn in turns],
        "calls": [len(turn.calls) for turn in turns],
        "reasoning": [turn.reasoning for turn in turns],
        "prompt_tokens": [turn.tokens[0] for turn in turns],
        "completion_tokens": [turn.tokens[1] for turn in turns],
        "cached_tokens": [turn.cached_tokens for turn in turns],
        "unsupported": [", ".join(turn.unsupported) for turn in turns],
        **_served_columns(turns),
        "seconds": [turn.seconds for turn in turns],
        "cost": [turn.cost for turn in turns],
        **to_columns([_move_columns(turn, messages, game.actions.names[0]) for turn in turns]),
    }


def _software_columns(record: Record) -> dict[str, Any]:
    """The software of a match, as far as recorded."""
    software = Software(**record.software) if record.software else None
    if software is None:
        return {}
    libraries = ", ".join(f"{name} {number}" for name, number in software.libraries.items())
    known = {"version": software.version, "commit": software.commit, "libraries": libraries}
    return {f"software_{name}": value for name, value in known.items() if value}


def _served_columns(turns: Sequence[Turn]) -> dict[str, Sequence[Any]]:
    """What served the replies of a match, where told."""
    names = [name for name in Served.__annotations__ if any(name in turn.served for turn in turns)]
    return {f"served_{name}": [turn.served.get(name) for turn in turns] for name in names}


def _move_columns(turn: Turn, message_names: Sequence[str], default_kind: str) -> dict[str, Any]:
    """The move of a turn: kind, message and other fields."""
    action = dict(turn.action or {})
    kind = action.pop("kind", default_kind) if turn.action is not None else None
    messages = [action.pop(name) for name in message_names if name in action]
    return {"move": kind, "message": " ".join(messages), **_flatten(MOVE, action)}


def _flatten(prefix: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten values by name; items of lists count from 1."""
    flat: dict[str, Any] = {}
    for name, value in given.items():
        flat |= {prefix + name: value} if value.__class__ in _SIMPLE else _leaves(prefix + name, to_plain(value))
    return flat


_SIMPLE = (str, bool, float, type(None))
"""Types of plain scalars; other numbers may be numpy's."""


def parameters(record: Record) -> dict[str, Any]:
    """Return the parameters of a match by column name."""
    given = _flatten(PARAMETER, record.params)
    return dict(zip(plain_names(given).values(), given.values(), strict=True))


def _leaves(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(f"{name}.{key}", inner)]
    if isinstance(value, list):
        return [leaf for place, inner in enumerate(value, start=1) for leaf in _leaves(f"{name}.{place}", inner)]
    return [(name, value)]


def _json(value: Any) -> Any:
    return _json_text(value) if isinstance(value, dict | list | tuple) else value


_json_text = json.JSONEncoder(ensure_ascii=False, default=to_plain).encode


# Meanings of columns


PARAMETER, OPTION, MOVE = "param.", "option.", "move."
"""Prefixes of columns of parameters, options of the environment and fields of moves."""


@cache
def common_columns() -> dict[str, dict[str, Meaning]]:
    """Return table to column to meaning, for columns of every game."""
    given = load_package_toml(str(__package__), "columns.toml")
    meanings = {table: {name: _new_meaning(**one) for name, one in columns.items()} for table, columns in given.items()}
    shared = meanings.pop("all")
    return {table: {**shared, **columns} for table, columns in meanings.items()}


def _new_meaning(levels: tuple[str, ...] = (), **given: str) -> Meaning:
    return Meaning(**{"source": "record", **given}, levels=tuple(levels))


def meaning(table: str, name: str, game: Game) -> Meaning:
    """Return the meaning of a column in a game.

    Args:
        name: Internal name of the column: ``param.delta.1`` is the first value of the parameter delta.
    """
    if (table, name) == ("turns", "move"):
        return common_columns()[table][name]._replace(levels=game.actions.names, source=f"kinds of move of {game.name}")
    if name in common_columns()[table]:
        return common_columns()[table][name]
    if name == game.facts.agreement_column:
        share = f"share of rounds with {game.facts.agreement_with_article}"
        return Meaning(share, NUMBER, "share", "0 to 1", source="record: metrics")
    for prefix, found in ((PARAMETER, _parameter), (MOVE, _field), (OPTION, _option), (VIOLATION_PREFIX, _violation)):
        if name.startswith(prefix):
            own, *places = name.removeprefix(prefix).split(".")
            return found(game, own, places)
    raise KeyError(f"the column {name!r} of {table} has no meaning: add it to evaluate/analyses/tidy/columns.toml")


def _parameter(game: Game, name: str, places: list[str]) -> Meaning:
    declared = next((one for one in game.parameters if one.name == name), None)
    source = f"parameter {name} of {game.name}"
    if declared is None:
        return Meaning(f"parameter {name}", source=source)
    kind, range_, levels = _leaf(declared.domain, len(places))
    unit = "see meaning" if kind in (INTEGER, NUMBER) else ""
    return Meaning(_place_phrase(declared.doc, places), kind, unit, range_, _missing_phrase(declared), source, levels)


def _leaf(domain: Domain, depth: int) -> tuple[str, str, tuple[str, ...]]:
    """(kind, range, levels) of the values at a depth of nested lists."""
    if isinstance(domain, OrNone):
        return _leaf(domain.domain, depth)
    if isinstance(domain, TupleOf) and depth:
        return _leaf(domain.each, depth - 1)
    kinds = ((Flag, FLAG), (Integer, INTEGER), (Real, NUMBER), (OneOf, CHOICE))
    kind = "" if depth else next((kind for one, kind in kinds if isinstance(domain, one)), "")
    return kind, domain.value_range, domain.words if isinstance(domain, OneOf) else ()


def _missing_phrase(declared: Parameter) -> str:
    """When a parameter is missing."""
    _, none, note = declared.value_range.partition(", or None")
    if none:
        return f"None{note}"
    return "where the list is shorter" if _may_be_shorter(declared.domain) else "never in this game"


def _may_be_shorter(domain: Domain) -> bool:
    """Whether lists of this domain, or nested ones, vary in length."""
    if not isinstance(domain, TupleOf):
        return False
    return domain.min_length < domain.length or _may_be_shorter(domain.each)


def _field(game: Game, name: str, places: list[str]) -> Meaning:
    """The meaning of a field of moves, from all kinds of move that have it."""
    kinds = [kind for kind in game.actions.kinds if name in kind.marks]
    source = f"field {name} of {' and '.join(kind.name for kind in kinds)} in {game.name}"
    doc = "; ".join(dict.fromkeys(_doc(kind, name, places) for kind in kinds))
    mark = kinds[0].marks[name] if kinds else None
    numeric = isinstance(mark, Number)
    levels = mark.options if isinstance(mark, Choice) else ()
    kind = CHOICE if levels else (INTEGER if mark.is_integer else NUMBER) if isinstance(mark, Number) else LONG_TEXT
    missing = "moves of other kinds, or no move was played"
    return Meaning(doc, kind, "see meaning" if numeric else "", _range(mark), missing, source, levels)


def _doc(kind: Kind, name: str, places: list[str]) -> str:
    mark = kind.marks[name]
    if places and isinstance(mark, Number) and mark.item_names:
        return mark.describe_item(int(places[0]) - 1)
    return _place_phrase(mark.doc, places)


def _range(mark: object) -> str:
    if isinstance(mark, Count):
        return f"integer from {mark.low} to {mark.high}"
    return "legal values of the state" if isinstance(mark, Number) else ""


def _place_phrase(doc: str, places: list[str]) -> str:
    """The description of a list, for one of its items, counted from 1."""
    return f"{doc.rstrip('.')}: value {', '.join(places)} of the list" if places else doc.rstrip(".")


def _option(game: Game, name: str, places: list[str]) -> Meaning:
    missing = "the environment's default"
    return Meaning(f"option {name} of the environment", missing=missing, source="record: options")


def _violation(game: Game, name: str, places: list[str]) -> Meaning:
    text = f"moves of the seat, for individual rationality: {name.replace('_', ' ')}"
    missing = "the game does not count these moves"
    return Meaning(text, INTEGER, "moves", ">= 0", missing, f"solution of {game.name}")


def message_fields(game: Game) -> frozenset[str]:
    return frozenset(name for kind in game.actions.kinds for name, mark in kind.marks.items() if type(mark) is Message)
