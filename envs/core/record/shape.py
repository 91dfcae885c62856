"""Whether a dictionary has the form of a record: each field of the right kind, each list as long as there are seats."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from econzoo.envs.core.contract.versions import Versions
from econzoo.envs.core.faces.finish import FINISHES

STATUSES = ("finished", "truncated", "forfeited", "abandoned", "paused", "failed")

LARGEST = sys.float_info.max
"""JSON has whole numbers that no float can hold."""

Test = Callable[[Any], bool]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _is_amount(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is(kind: type) -> Test:
    return lambda value: isinstance(value, kind)


_is_text, _is_flag, _is_table = _is(str), _is(bool), _is(dict)


def _or_none(test: Test) -> Test:
    return lambda value: value is None or test(value)


def _list_of(test: Test, length: int | None = None) -> Test:
    def is_list(value: Any) -> bool:
        return isinstance(value, list) and length in (None, len(value)) and all(map(test, value))

    return is_list


def _is_options(value: Any) -> bool:
    """The path of a file with prompts is no option of a record: it says nothing elsewhere, and would be read."""
    return isinstance(value, dict) and isinstance(value.get("prompts", {}), dict)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{16}", value) is not None


_PLAIN: dict[str, tuple[Test, str]] = {
    "game": (_is_text, "text"),
    "version": (_is_count, "a whole number"),
    "params": (_is_table, "an object"),
    "options": (_is_options, "an object, with own prompts word for word"),
    "seed": (_is_count, "a whole number >= 0"),
    "chance": (_list_of(_is_number), "a list of numbers"),
    "status": (lambda value: value in STATUSES, f"one of {', '.join(STATUSES)}"),
    "seconds": (_is_amount, "a number >= 0"),
    "id": (_is_id, "16 hexadecimal digits"),
}

_PER_SEAT: dict[str, tuple[Test, str]] = {
    "faces": (_is_text, "text"),
    "rules": (_or_none(_is_text), "text or null"),
    "payoffs": (_is_number, "a number"),
    "errors": (_is_count, "a whole number"),
    "defaults": (_is_count, "a whole number"),
}

_METRICS: dict[str, tuple[Test, str]] = {
    "efficiency": (_or_none(_is_number), "a number or null"),
    "fairness": (_or_none(_is_number), "a number or null"),
    "agreed": (_is_flag, "true or false"),
}

_TURN: dict[str, tuple[Test, str]] = {
    "round": (_is_count, "a whole number"),
    "action": (_or_none(_is_table), "an object or null"),
    "prompt": (_or_none(_is_text), "text or null"),
    "error": (_or_none(_list_of(_is_text, 2)), "a code and a text, or null"),
    "default": (_is_flag, "true or false"),
    "tokens": (_list_of(_is_count, 2), "two whole numbers"),
    "seconds": (_is_amount, "a number >= 0"),
    "cost": (_is_amount, "a number >= 0"),
    "dropped": (_is_count, "a whole number"),
    "closed": (_is_flag, "true or false"),
    "calls": (_list_of(_is_table), "a list of objects"),
    "finish": (lambda value: value == "" or value in FINISHES, f"one of {', '.join(FINISHES)}"),
    "limit": (_is_count, "a whole number"),
    "reasoning": (_is_text, "text"),
}

_CALL: dict[str, tuple[Test, str]] = {
    "purpose": (_is_text, "text"),
    "about": (_or_none(_is_count), "a seat or null"),
    "prompt": (_is_text, "text"),
    "reply": (_is_text, "text"),
    "tokens": (_list_of(_is_count, 2), "two whole numbers"),
    "seconds": (_is_amount, "a number >= 0"),
    "cost": (_is_amount, "a number >= 0"),
    "problem": (_is_text, "text"),
    "finish": _TURN["finish"],
    "reasoning": (_is_text, "text"),
}

_LATER: dict[str, Any] = {"closed": False, "calls": [], "finish": "", "limit": 0, "reasoning": ""}
"""What the fields of a turn mean that older records do not have."""


_OFTEN_LEFT_OUT: dict[str, Any] = {"problem": "", "finish": "", "reasoning": ""}
"""What the fields of a call mean that only some calls have."""


def check_shape(given: Mapping[str, Any]) -> None:
    """Raises `ValueError` for the first field of a record's dictionary that is missing or of the wrong kind."""
    _check(given, _PLAIN, "")
    if not (_list_of(_is_text)(given.get("players")) and given["players"]):
        raise ValueError("players is not a list of texts")
    seats = len(given["players"])
    for name, (test, kind) in _PER_SEAT.items():
        if not _list_of(test, seats)(given.get(name)):
            raise ValueError(f"{name} is not a list of {seats} values, each {kind}")
    if not _or_none(_is_table)(given.get("source")):
        raise ValueError("source is neither null nor an object")
    if not _or_none(_is_text)(given.get("reason")):
        raise ValueError("reason is neither null nor text")
    if not _or_none(_list_of(_or_none(_is_text), seats))(given.get("personas")):
        raise ValueError(f"personas is neither null nor a list of {seats} values, each text or null")
    if not _or_none(_list_of(_is_table))(given.get("rulings")):
        raise ValueError("rulings is neither null nor a list of objects")
    Versions.of(given)
    if given.get("forfeit") is not None and not _is_seat(given["forfeit"], seats):
        raise ValueError(f"forfeit is neither null nor a seat from 0 to {seats - 1}")
    _check_metrics(given.get("metrics"), seats)
    _check_turns(given.get("turns"), seats)


def _check_metrics(metrics: Any, seats: int) -> None:
    if not isinstance(metrics, dict):
        raise ValueError("metrics is not an object")
    if not _list_of(_or_none(_is_number), seats)(metrics.get("gains")):
        raise ValueError(f"metrics.gains is not a list of {seats} values, each a number or null")
    _check(metrics, _METRICS, "metrics.")


def _check_turns(turns: Any, seats: int) -> None:
    if not _list_of(_is_table)(turns):
        raise ValueError("turns is not a list of objects")
    for number, turn in enumerate(turns, start=1):
        if not _is_seat(turn.get("seat"), seats):
            raise ValueError(f"turn {number}, seat is not from 0 to {seats - 1}")
        _check({**_LATER, **turn}, _TURN, f"turn {number}, ")
        for count, call in enumerate(turn.get("calls", ()), start=1):
            _check({**_OFTEN_LEFT_OUT, **call}, _CALL, f"turn {number}, call {count}, ")


def _is_seat(value: Any, seats: int) -> bool:
    return _is_count(value) and value < seats


def _check(given: Mapping[str, Any], tests: Mapping[str, tuple[Test, str]], where: str) -> None:
    for name, (test, kind) in tests.items():
        if name not in given:
            raise ValueError(f"{where}{name} is missing")
        if not test(given[name]):
            raise ValueError(f"{where}{name} is not {kind}")
