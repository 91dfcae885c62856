"""Settings of a study file: a grid, a list of tables, or a published design."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Integer, OneOf, Parameter, parse_toml, short_repr, to_plain, unknown_name
from econzoo.people.study.stages import Setting
from econzoo.people.study.toml_reading import TomlTable

DESIGNS = {"glee-human": "glee_human.toml"}
"""Design to file name."""


@cache
def load_design(design: str) -> dict[str, Any]:
    """Return game to its table in a design."""
    return parse_toml((files(__package__) / DESIGNS[design]).read_text(encoding="utf-8"))


def design_settings(design: str, game: str) -> list[dict[str, Any]]:
    """Return the settings of a design in a game, as in tables of a study file."""
    given = load_design(design)[game]
    return [{**setting, **seat} for setting in _design_variants(given) for seat in given["seats"]]


def _design_variants(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the main setting, its variants in one parameter, and the random settings."""
    main = dict(zip(given["names"], given["main"], strict=True))
    yield main
    for name, values in given["variants"].items():
        yield from ({**main, name: value} for value in values)
    for values in given["random"]:
        yield dict(zip(given["names"], values, strict=True))


PERSON_SEAT = "person_seat"
"""Key of a setting for the participant's seat, in arms with one participant."""

DESIGN = "design"
"""Key for the name of a published design, instead of settings."""

MAX_SETTINGS = 10_000

NO_VALUE = "none"
"""Stands for None, which TOML lacks."""


def read_settings(file: TomlTable, game: str) -> tuple[Setting, ...]:
    """Read the settings of a study file, or of one of its stages."""
    if isinstance(file.values.get("settings"), list):
        read = [_read_setting(part, game) for part in file.tables("settings", least=1)]
    else:
        read = _read_grid(file.table("settings"), game)
    if len({repr(sorted(to_plain(one.params).items(), key=str)) + str(one.person_seat) for one in read}) < len(read):
        file.raise_error("settings", "duplicate setting in settings")
    return tuple(read)


def _read_grid(part: TomlTable, game: str) -> list[Setting]:
    if DESIGN in part:
        return _read_design(part, game)
    lists = {name: _read_values(part, name, game) for name in part.values}
    count = 1
    for values in lists.values():
        count *= len(values)
    if count > MAX_SETTINGS:
        part.raise_error("", f"{count:,} settings: expected at most {MAX_SETTINGS:,}")
    part.check_unread_keys(extra_keys=lists)
    return [Setting(game, dict(zip(lists, values, strict=True))) for values in product(*lists.values())]


def _read_design(part: TomlTable, game: str) -> list[Setting]:
    """Read the settings of a published design, with the checks of a study file."""
    design = part.value(DESIGN, OneOf(*DESIGNS))
    if game not in load_design(design):
        part.raise_error(DESIGN, f"{design} has no settings of {game}: expected {', '.join(load_design(design))}")
    part.check_unread_keys()
    return [
        # With the place of the table in the file, so that an error names its line.
        _read_setting(TomlTable(part.path, part.text, table, part.place), game)
        for table in design_settings(design, game)
    ]


def _read_setting(part: TomlTable, game: str) -> Setting:
    """Read one setting; lists are values, not grids."""
    seats = find_game(game).facts.seats
    person_seat = part.value(PERSON_SEAT, Integer(0, seats - 1), None)
    params = {name: _parse_value(part, name, value, game) for name, value in part.values.items() if name != PERSON_SEAT}
    return Setting(game, params, person_seat)


def _read_values(part: TomlTable, name: str, game: str) -> list[Any]:
    """Read the values of a parameter in a grid; a list is crossed, unless it is one valid value."""
    value = part.values[name]
    if not isinstance(value, list) or _is_allowed(_find_parameter(part, name, game), value):
        return [_parse_value(part, name, value, game)]
    if not value:
        part.refuse(name, "a value, or a list of at least one")
    return [_parse_value(part, name, one, game) for one in value]


def _parameters(game: str) -> Mapping[str, Parameter]:
    return {one.name: one for one in find_game(game).parameters}


def _find_parameter(part: TomlTable, name: str, game: str) -> Parameter:
    known = _parameters(game)
    if name not in known:
        part.raise_error(name, unknown_name("parameter", name, [*known, DESIGN], f" in {game}"))
    return known[name]


def _is_allowed(parameter: Parameter, value: Any) -> bool:
    try:
        parameter.domain(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _parse_value(part: TomlTable, name: str, value: Any, game: str) -> Any:
    """Return a valid value of a parameter in plain form."""
    parameter = _find_parameter(part, name, game)
    for meant in _interpretations(value):
        if _is_allowed(parameter, meant):
            return to_plain(parameter.domain(meant))
    allowed = parameter.value_range + (f' (written "{NO_VALUE}")' if _is_allowed(parameter, None) else "")
    part.raise_error(name, f"invalid {part.key_path(name)} = {short_repr(value)}: expected {allowed}")


def _interpretations(value: Any) -> Iterator[Any]:
    yield value
    if value == NO_VALUE:
        yield None
