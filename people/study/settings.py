"""The settings of a study's file: a grid, tables one each, or a published design."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from econzoo.envs.core.contract.parameters import OneOf, Parameter, Whole
from econzoo.envs.core.contract.validation import from_toml, short, unknown_name
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game
from econzoo.people.study.stages import Setting
from econzoo.people.study.toml_reading import Part

DESIGNS = {"glee-human": "glee_human.toml"}
"""Design to its file."""


@cache
def games_of(design: str) -> dict[str, Any]:
    """The tables of a design by game."""
    return from_toml((files(__package__) / DESIGNS[design]).read_text(encoding="utf-8"))


def tables_of(design: str, game: str) -> list[dict[str, Any]]:
    """The settings of a design in a game, as a study's file would write them one each."""
    given = games_of(design)[game]
    return [{**market, **role} for market in _markets(given) for role in given["roles"]]


def _markets(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The main market, those that differ from it in one parameter, and those that were drawn."""
    main = dict(zip(given["names"], given["main"], strict=True))
    yield main
    for name, values in given["variants"].items():
        yield from ({**main, name: value} for value in values)
    for values in given["random"]:
        yield dict(zip(given["names"], values, strict=True))


ROLE = "person"
"""Key of a setting that says in which seat a participant sits, in arms with one."""

DESIGN = "design"
"""Key that names a published design in place of settings."""

MOST_SETTINGS = 10_000

NONE = "none"
"""Stands for no value, which TOML does not have."""


def settings_of(file: Part, game: str) -> tuple[Setting, ...]:
    """The settings of a file, or of one of its stages.

    Raises:
        ValueError: A value is not allowed; the message says the line.
    """
    if isinstance(file.values.get("settings"), list):
        read = [_one(part, game) for part in file.tables("settings", least=1)]
    else:
        read = _several(file.table("settings"), game)
    if len({repr(sorted(plain(one.params).items(), key=str)) + str(one.role) for one in read}) < len(read):
        file.wrong("settings", "settings: two of them are the same; allowed: each once")
    return tuple(read)


def _several(part: Part, game: str) -> list[Setting]:
    if DESIGN in part:
        return _published(part, game)
    lists = {name: _choices(part, name, game) for name in part.values}
    count = 1
    for values in lists.values():
        count *= len(values)
    if count > MOST_SETTINGS:
        part.wrong("", f"settings: {count:,} of them are not allowed; allowed: up to {MOST_SETTINGS:,}")
    part.done(also=lists)
    return [Setting(game, dict(zip(lists, values, strict=True))) for values in product(*lists.values())]


def _published(part: Part, game: str) -> list[Setting]:
    """The settings of a published design; its values are checked as those of a file are."""
    design = part.value(DESIGN, OneOf(*DESIGNS))
    if game not in games_of(design):
        part.wrong(DESIGN, f"{design} has no settings of {game}; allowed: {', '.join(games_of(design))}")
    part.done()
    return [_one(Part(part.path, part.text, table, part.place), game) for table in tables_of(design, game)]


def _one(part: Part, game: str) -> Setting:
    """One setting, all of whose values are meant as they are."""
    seats = find_game(game).facts.seats
    role = part.value(ROLE, Whole(0, seats - 1), None)
    params = {name: _checked(part, name, value, game) for name, value in part.values.items() if name != ROLE}
    return Setting(game, params, role)


def _choices(part: Part, name: str, game: str) -> list[Any]:
    """The values of a parameter in a grid: a list is crossed, unless the parameter takes it as one value."""
    value = part.values[name]
    if not isinstance(value, list) or _fits(_parameter(part, name, game), value):
        return [_checked(part, name, value, game)]
    if not value:
        part.refuse(name, "a value, or a list of at least one")
    return [_checked(part, name, one, game) for one in value]


def _known(game: str) -> Mapping[str, Parameter]:
    return {one.name: one for one in find_game(game).parameters}


def _parameter(part: Part, name: str, game: str) -> Parameter:
    known = _known(game)
    if name not in known:
        part.wrong(name, unknown_name("parameter", name, [*known, DESIGN], f" in {game}"))
    return known[name]


def _fits(parameter: Parameter, value: Any) -> bool:
    try:
        parameter.domain(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _checked(part: Part, name: str, value: Any, game: str) -> Any:
    """A value of a parameter in its plain form."""
    parameter = _parameter(part, name, game)
    for meant in _meanings(value):
        if _fits(parameter, meant):
            return plain(parameter.domain(meant))
    allowed = parameter.allowed + (f' (written "{NONE}")' if _fits(parameter, None) else "")
    part.wrong(name, f"{part.named(name)} = {short(value)} is not allowed; allowed: {allowed}")


def _meanings(value: Any) -> Iterator[Any]:
    yield value
    if value == NONE:
        yield None
