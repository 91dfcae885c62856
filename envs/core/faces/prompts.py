"""Prompt templates: files beside a game, that users can replace text by text."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.amounts import dollars as dollars  # noqa: PLC0414 (games take it from here)
from econzoo.envs.core.contract.validation import from_toml, short

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema
    from econzoo.envs.core.contract.game import Event

__all__ = ["Prompts", "dollars", "number", "quoted"]

FILE = "prompts.toml"

FORMAT = {
    "format.answer": "Answer with one JSON object: {form}",
    "format.feedback": "Your answer could not be used: {problem}.",
    "format.cut": "the reply was cut off at {limit} tokens, which is all that it may have; reply again, in fewer words",
    "format.cut_thought": "the reply was cut off at {limit} tokens, which is all that it may have with its thoughts, "
    "and the answer had not begun; think less, and answer",
    "format.filtered": "the reply was withheld by a content filter; answer in other words",
    "format.refusal": "the reply was a refusal; answer with a move of the game",
}
"""How an answer is asked for, and asked for again, where a game has no words of its own for it."""

quoted = json.JSONEncoder(ensure_ascii=False).encode
"""Words as they stand in texts: quoted as JSON, so that a message cannot pretend to be a line of the game."""

Prompts = Mapping[str, str]
"""Templates by ``"table.name"``."""


@lru_cache(maxsize=256)
def number(value: float) -> str:
    """A number without a tail of rounding noise (10, 12.5)."""
    return f"{value:.10g}"


def load(game_package: str, own: Mapping[str, str] | str | Path | None = None) -> dict[str, str]:
    """The templates of a game, with the user's own in their place.

    Args:
        game_package: Import path of the game's folder.
        own: Templates by ``"table.name"``, or the path of a TOML file of the game's form, or None.

    Returns:
        Every template by ``"table.name"``.

    Raises:
        ValueError: An own template has a name that the game does not use, is no text, or has a field that the
            original has not, or one with a format; or the file cannot be read.
    """
    shipped = _shipped(game_package)
    if own is None:
        return dict(shipped)
    if not isinstance(own, Mapping | str | Path):
        raise ValueError(f"prompts={own!r} is not allowed; allowed: templates by name, or the path of a TOML file")
    given = dict(own) if isinstance(own, Mapping) else _flat(_read(Path(own)))
    allowed = _fields_by_table(shipped)
    for name, template in given.items():
        _check(name, template, shipped, allowed)
    return {**shipped, **given}


def replaced(game_package: str, own: Mapping[str, str] | str | Path) -> dict[str, str]:
    """The templates that differ from the game's own, so that a record needs no other file to be understood.

    Raises:
        ValueError: See `load`.
    """
    shipped = _shipped(game_package)
    return {name: text for name, text in load(game_package, own).items() if text != shipped[name]}


@lru_cache(maxsize=64)
def _shipped(package: str) -> Prompts:
    from importlib.resources import files

    own = _flat(from_toml(files(package).joinpath(FILE).read_text(encoding="utf-8")))
    return own | {name: text for name, text in FORMAT.items() if name not in own}


def _read(path: Path) -> dict[str, Any]:
    try:
        return from_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"prompts={str(path)!r} cannot be read: {error}; allowed: a TOML file of templates") from None


def _flat(tables: Mapping[str, Any]) -> dict[str, str]:
    out = {}
    for table, texts in tables.items():
        if not isinstance(texts, Mapping):
            raise ValueError(f"prompts: {table!r} stands outside a table; allowed: [table] and name = text below it")
        for name, text in texts.items():
            out[f"{table}.{name}"] = text
    return out


def event_text(actions: ActionSchema, view: Any, happened: Event) -> str:
    """Name of the text that tells what happened: the kind of move, with ``own_`` before and ``_words`` after it."""
    kind, message = actions.told(happened.action)
    return ("own_" if happened.seat == view.seat else "") + kind + ("_words" if message else "")


class Fields(dict[str, str]):
    """Fields of a template; one that does not exist at this point of the game reads as a dash."""

    def __missing__(self, key: str) -> str:
        return "-"


def fields_of(template: str) -> set[str]:
    """The fields in a template, with a format or conversion if they have one (``"money:,"``, ``"money!r"``)."""
    out = set()
    for _, field, spec, conversion in string.Formatter().parse(template):
        if field is not None:
            out.add(field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else ""))
    return out


def _fields_by_table(prompts: Prompts) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for name, template in prompts.items():
        out.setdefault(name.partition(".")[0], set()).update(fields_of(template))
    return {table: fields | (out["brief"] if table != "format" else set()) for table, fields in out.items()}


def _check(name: str, template: Any, shipped: Prompts, allowed: Mapping[str, set[str]]) -> None:
    if name not in shipped:
        raise ValueError(f"prompts: unknown text {name!r}; allowed: {', '.join(shipped)}")
    if not isinstance(template, str):
        raise ValueError(f"prompts: {name!r} must be text; got {type(template).__name__}")
    try:
        unknown = fields_of(template) - allowed[name.partition(".")[0]]
    except ValueError as error:
        raise ValueError(f"prompts: {name!r} is no format string: {error}") from None
    if unknown:
        known = ", ".join(sorted(allowed[name.partition(".")[0]]))
        field = short(sorted(unknown)[0])
        raise ValueError(f"prompts: {name!r} has the unknown field {field}; allowed: {known}, each plain as {{name}}")
