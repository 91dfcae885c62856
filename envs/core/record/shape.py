"""Validation of the shape of records: types of fields and lengths of lists.

Every valid record either replays or fails with a clear message.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Mapping
from typing import Any

from econzoo.envs.core.contract import Versions
from econzoo.envs.core.faces import FINISHES, NO_REPLY_REASONS
from econzoo.envs.core.record.provenance import is_software
from econzoo.envs.core.record.turn import OPTIONAL_TURN_FIELDS, Probabilities, Served

STATUSES = ("finished", "truncated", "forfeited", "abandoned", "paused", "failed")

MAX_FLOAT = sys.float_info.max
"""Largest float: JSON integers can be larger."""

Test = Callable[[Any], bool]

REPLY_ENDS = (*FINISHES, *NO_REPLY_REASONS)
"""Finish reasons of incomplete or missing replies."""

FORMAT = 1
"""Version of the format of records."""


class ShapeError(ValueError):
    """The first invalid field of a record.

    Attributes:
        turn: Number of the turn, from 1, or None.
        found: Value; None if missing.
    """

    def __init__(self, turn: int | None, field: str, allowed: str, found: Any) -> None:
        where = "" if turn is None else f"turn {turn}, "
        super().__init__(f"{where}{field} is not {allowed}")
        self.turn, self.field, self.allowed, self.found = turn, field, allowed, found


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    # The comparison also refuses NaN and infinities.
    if type(value) is float:
        return abs(value) <= MAX_FLOAT
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_FLOAT


def _is_amount(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is_instance(kind: type) -> Test:
    return lambda value: isinstance(value, kind)


_is_text, _is_flag, _is_table = _is_instance(str), _is_instance(bool), _is_instance(dict)


def _is_none_or(test: Test) -> Test:
    return lambda value: value is None or test(value)


def _is_list_of(test: Test, length: int | None = None) -> Test:
    def is_list(value: Any) -> bool:
        return isinstance(value, list) and length in (None, len(value)) and all(map(test, value))

    return is_list


def _is_move(value: Any) -> bool:
    """Whether a value is a kind and at least one number."""
    return isinstance(value, list) and len(value) > 1 and type(value[0]) is int and all(map(_is_number, value))


def _is_left_out(value: Any) -> bool:
    """Whether a value is `Record.left_out`."""
    if not isinstance(value, dict) or value.keys() != {"turns", "rounds", "hash"}:
        return False
    return _is_id(value["hash"]) and _is_count(value["turns"]) and _is_count(value["rounds"])


def _is_options(value: Any) -> bool:
    """Whether a value is valid options; paths of prompt files are not, because they are local and would be read."""
    return isinstance(value, dict) and isinstance(value.get("prompts", {}), dict)


def _is_seed(value: Any) -> bool:
    return _is_count(value) and value < 2**63


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{16}", value) is not None


def _is_versions(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {*Versions._fields} and all(map(_is_count, value.values()))


_MATCH_FIELDS: dict[str, tuple[Test, str]] = {
    "game": (_is_text, "text"),
    "params": (_is_table, "an object"),
    "options": (_is_options, "an object, with full texts of custom prompts"),
    "seed": (_is_seed, "an integer from 0 to 2**63 - 1"),
    "chance": (_is_list_of(_is_number), "a list of numbers"),
    "status": (lambda value: value in STATUSES, f"one of {', '.join(STATUSES)}"),
    "seconds": (_is_amount, "a number >= 0"),
    "id": (_is_id, "16 hexadecimal digits"),
    "versions": (_is_versions, f"an object of {', '.join(Versions._fields)}, each an integer >= 0"),
}

_PER_SEAT: dict[str, tuple[Test, str]] = {
    "faces": (_is_text, "text"),
    "rules": (_is_none_or(_is_text), "text or null"),
    "payoffs": (_is_number, "a number"),
    "errors": (_is_count, "an integer"),
    "defaults": (_is_count, "an integer"),
}


def _is_served(value: Any) -> bool:
    """Whether a value is `econzoo.envs.core.record.turn.Served`."""
    known = isinstance(value, dict) and value.keys() <= Served.__annotations__.keys()
    return known and all(map(_is_text, value.values()))


def _are_probabilities(value: Any) -> bool:
    """Whether a value is `econzoo.envs.core.record.turn.Probabilities`."""
    known = isinstance(value, dict) and (not value or value.keys() == Probabilities.__annotations__.keys())
    parts = value.values() if known else ()
    return known and all(
        _is_table(part) and all(_is_amount(one) and one <= 1 for one in part.values()) for part in parts
    )


_OPTIONAL: dict[str, tuple[Test, str]] = {
    "source": (_is_table, "an object"),
    "reason": (_is_text, "text"),
    "left_out": (_is_left_out, "an object of turns and rounds, integers, and hash"),
    "software": (is_software, "an object of version, commit and libraries, as texts"),
}

_OPTIONAL_PER_SEAT: dict[str, tuple[Test, str]] = {
    "position_payoffs": (_is_number, "a number"),
    "personas": (_is_none_or(_is_text), "text or null"),
    "sampled_players": (_is_none_or(_is_text), "text or null"),
}

OPTIONAL_FIELDS = (*_OPTIONAL, *_OPTIONAL_PER_SEAT, "rulings", "replacements")
"""Fields of a record that are written only if they are not None."""

_RULING: dict[str, tuple[Test, str]] = {
    "moves": (_is_list_of(_is_move), "a list of moves, each a list of an integer and numbers"),
    "results": (_is_list_of(_is_table), "a list of objects"),
}

_REPLACEMENT: dict[str, tuple[Test, str]] = {
    "turn": (_is_count, "an integer"),
    "player": (_is_text, "text"),
    "reason": (lambda value: value in NO_REPLY_REASONS, f"one of {', '.join(NO_REPLY_REASONS)}"),
}

_METRICS: dict[str, tuple[Test, str]] = {
    "efficiency": (_is_none_or(_is_number), "a number or null"),
    "fairness": (_is_none_or(_is_number), "a number or null"),
    "agreed": (_is_flag, "true or false"),
}

_TURN: dict[str, tuple[Test, str]] = {
    "round": (_is_count, "an integer"),
    "action": (_is_none_or(_is_table), "an object or null"),
    "prompt": (_is_none_or(_is_text), "text or null"),
    "error": (_is_none_or(_is_list_of(_is_text, 2)), "a code and a text, or null"),
    "default": (_is_flag, "true or false"),
    "tokens": (_is_list_of(_is_count, 2), "two integers"),
    "seconds": (_is_amount, "a number >= 0"),
    "cost": (_is_amount, "a number >= 0"),
    "dropped_turns": (_is_count, "an integer"),
    "closed_by_grammar": (_is_flag, "true or false"),
    "calls": (_is_list_of(_is_table), "a list of objects"),
    "finish": (lambda value: value == "" or value in REPLY_ENDS, f"one of {', '.join(REPLY_ENDS)}"),
    "limit": (_is_count, "an integer"),
    "reasoning": (_is_text, "text"),
    "cached_tokens": (_is_count, "an integer"),
    "unsupported": (_is_list_of(_is_text), "a list of texts"),
    "served": (_is_served, f"an object of {', '.join(Served.__annotations__)}, each text"),
    "probabilities": (_are_probabilities, "an object of kinds and raw, each an object of numbers from 0 to 1"),
}

CALL_FIELDS: dict[str, tuple[Test, str]] = {
    "purpose": (_is_text, "text"),
    "about_seat": (_is_none_or(_is_count), "a seat or null"),
    "prompt": (_is_text, "text"),
    "reply": (_is_text, "text"),
    "tokens": (_is_list_of(_is_count, 2), "two integers"),
    "seconds": (_is_amount, "a number >= 0"),
    "cost": (_is_amount, "a number >= 0"),
    "problem": (_is_text, "text"),
    **{name: _TURN[name] for name in ("finish", "reasoning", "cached_tokens", "unsupported", "served")},
    "echo": (_is_text, "text"),
}

OPTIONAL_CALL_FIELDS = ("problem", "finish", "reasoning", "cached_tokens", "unsupported", "served", "echo")
"""Fields of a call that are written only if they are not empty."""


def check_shape(given: Mapping[str, Any]) -> None:
    """Raise `ShapeError` for the first missing or invalid field of a record's dictionary."""
    _check(given, _MATCH_FIELDS, None)
    players = given.get("players")
    if not (_is_list_of(_is_text)(players) and players):
        raise ShapeError(None, "players", "a list of texts, at least one", players)
    seats = len(players)  # type: ignore[arg-type]
    _check_per_seat(given, _PER_SEAT, seats)
    optional = {name: given[name] for name in OPTIONAL_FIELDS if given.get(name) is not None}
    _check(optional, _OPTIONAL, None, optional=_OPTIONAL)
    _check_per_seat(
        optional, {name: _OPTIONAL_PER_SEAT[name] for name in _OPTIONAL_PER_SEAT if name in optional}, seats
    )
    if not _is_none_or(lambda value: _is_seat(value, seats))(given.get("forfeit")):
        raise ShapeError(None, "forfeit", f"null or a seat from 0 to {seats - 1}", given["forfeit"])
    _check_rulings(optional.get("rulings", []), seats)
    _check_replacements(optional.get("replacements", []), seats)
    _check_metrics(given.get("metrics"), seats)
    _check_turns(given.get("turns"), seats)


def _check_per_seat(given: Mapping[str, Any], tests: Mapping[str, tuple[Test, str]], seats: int) -> None:
    for name, (test, kind) in tests.items():
        if not _is_list_of(test, seats)(given.get(name)):
            raise ShapeError(None, name, f"a list of {seats} values, each {kind}", given.get(name))


def _check_rulings(rulings: Any, seats: int) -> None:
    if not _is_list_of(_is_table)(rulings):
        raise ShapeError(None, "rulings", "a list of objects", rulings)
    for number, ruling in enumerate(rulings, start=1):
        _check(ruling, _RULING, None, f"ruling {number}, ")
        if len(ruling["results"]) != seats:
            raise ShapeError(None, f"ruling {number}, results", f"a list of {seats} objects", ruling["results"])


def _check_replacements(replacements: Any, seats: int) -> None:
    if not _is_list_of(_is_table)(replacements):
        raise ShapeError(None, "replacements", "a list of objects", replacements)
    for number, one in enumerate(replacements, start=1):
        if not _is_seat(one.get("seat"), seats):
            raise ShapeError(None, f"replacement {number}, seat", f"from 0 to {seats - 1}", one.get("seat"))
        _check(one, _REPLACEMENT, None, f"replacement {number}, ")


def _check_metrics(metrics: Any, seats: int) -> None:
    if not isinstance(metrics, dict):
        raise ShapeError(None, "metrics", "an object", metrics)
    gains = metrics.get("gains")
    if not _is_list_of(_is_none_or(_is_number), seats)(gains):
        raise ShapeError(None, "metrics.gains", f"a list of {seats} values, each a number or null", gains)
    _check(metrics, _METRICS, None, "metrics.")


def _check_turns(turns: Any, seats: int) -> None:
    if not _is_list_of(_is_table)(turns):
        raise ShapeError(None, "turns", "a list of objects", turns)
    for number, turn in enumerate(turns, start=1):
        if not _is_seat(turn.get("seat"), seats):
            raise ShapeError(number, "seat", f"from 0 to {seats - 1}", turn.get("seat"))
        _check(turn, _TURN, number, optional=OPTIONAL_TURN_FIELDS)
        for count, call in enumerate(turn.get("calls", ()), start=1):
            _check(call, CALL_FIELDS, number, f"call {count}, ", OPTIONAL_CALL_FIELDS)


def _is_seat(value: Any, seats: int) -> bool:
    return _is_count(value) and value < seats


def _check(
    given: Mapping[str, Any],
    tests: Mapping[str, tuple[Test, str]],
    turn: int | None,
    where: str = "",
    optional: Container[str] = (),
) -> None:
    """Raise `ShapeError` for the first field that is missing (unless optional) or fails its test."""
    for name, (test, allowed) in tests.items():
        if name in given:
            if not test(value := given[name]):
                raise ShapeError(turn, f"{where}{name}", allowed, value)
        elif name not in optional:
            raise ShapeError(turn, f"{where}{name}", f"there: expected {allowed}", None)
