"""Markets: named settings of a game's parameters, and how they are written on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.scenarios import check_split_name
from econzoo.envs.core.contract.streams import setting_parameters
from econzoo.envs.core.contract.validation import clean, load_package_toml, parse_json, short_repr, unknown_name
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_text
from econzoo.envs.core.record.values import to_plain

__all__ = ["Setting", "find_settings", "read_settings", "validation_settings"]

DEFAULT = "default"
ALL, VALIDATION, TEST = "all", "validation", "test"
"""Collections: all named markets of a game, and those kept away from training: to choose by, and for the last test."""

FIRST_SEED = 1_000_000
"""Where the seeds of evaluations begin: far from those that people train and try things with."""

_WORDS: dict[str, Any] = {"none": None, "null": None, "true": True, "yes": True, "false": False, "no": False}


class Setting(NamedTuple):
    """One setting.

    Attributes:
        name: Unique in a tournament.
        params: The parameters that are given; the game's defaults fill in the rest.
    """

    name: str
    params: dict[str, Any]


SUITES = "econzoo.evaluate.suites"
"""Where the files of published sets lie, a file for each."""


@cache
def read_suite(name: str) -> Mapping[str, Any]:
    """A published set as its file says: game or games, settings, opponents or pool, number of seeds."""
    return load_package_toml(SUITES, f"{name}.toml")


def game_settings(game: Game) -> dict[str, dict[str, Any]]:
    """The game's own named markets, always with ``default``."""
    named = _scenarios(game, "MARKETS")
    return {DEFAULT: {}, **({name: dict(params) for name, params in named.items()} if named else {})}


def settings_collection(game: Game, name: str) -> list[Setting]:
    """A whole collection of the game's scenarios, such as ``validation`` or ``glee``; empty if it has none so named."""
    if name == ALL:
        return [Setting(*item) for item in game_settings(game).items()]
    found = _scenarios(game, name.upper().replace("-", "_"))
    if isinstance(found, Mapping):
        return [Setting(key, dict(params)) for key, params in found.items() if isinstance(params, Mapping)]
    if isinstance(found, list | tuple) and all(isinstance(params, Mapping) for params in found):
        return [Setting(label_setting(game, params), dict(params)) for params in found]
    return []


def validation_settings(game: Game) -> list[Setting]:
    """The markets that training must not see, to choose by; the game's default if it keeps none."""
    return settings_collection(game, VALIDATION) or [Setting(DEFAULT, {})]


def pool_settings(game: Game, pool: str) -> list[Setting]:
    """The markets in which a pool is met: those of the last test for its pool, else those of the validation."""
    return (settings_collection(game, TEST) if pool == TEST else []) or validation_settings(game)


def _scenarios(game: Game, attribute: str) -> Any:
    """A part of the game's scenarios, None if it is not there."""
    try:
        return getattr(game.scenarios, attribute, None)
    except ModuleNotFoundError:
        return None


def find_settings(game: Game, names: Iterable[str]) -> list[Setting]:
    """The markets with these names; ``all``, ``validation``, ``test`` and other collections stand for several.

    Raises:
        ValueError: Unknown name; the message lists the known ones.
    """
    known = game_settings(game)
    out: dict[str, dict[str, Any]] = {}
    for name in names:
        found = [Setting(name, known[name])] if name in known else settings_collection(game, name)
        if not found:
            raise ValueError(
                f"{game.name}: {unknown_name('setting', check_split_name(name), [*known, ALL, VALIDATION, TEST])}"
            )
        out.update(found)
    return [Setting(name, params) for name, params in out.items()]


def read_settings(game: Game, path: str | Path) -> list[Setting]:
    """The markets of a JSON file: an object of name to parameters, or a list of parameters.

    Raises:
        ValueError: The file is not of that form; the message names it.
        FileNotFoundError: No such file.
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"no such file: {path}")
    text = read_text(path, LARGE_FILE_BYTES)
    try:
        given = parse_json(text)
    except ValueError as error:
        raise ValueError(f"{path}: not JSON ({error})") from None
    settings = list(given.values()) if isinstance(given, dict) else given
    if not isinstance(settings, list) or not settings or not all(isinstance(one, dict) for one in settings):
        raise ValueError(f"{path}: allowed: an object of name to parameters, or a list of parameters")
    if isinstance(given, dict):
        for name in given:
            if clean(name) != name:
                raise ValueError(
                    f"{path}: the name {short_repr(name)} is not allowed; allowed: characters that can be seen"
                )
        return [Setting(name, params) for name, params in given.items()]
    return [Setting(label_setting(game, params), params) for params in given]


def resolve_settings(game: Game, given: Iterable[str | Mapping[str, Any] | Setting]) -> list[Setting]:
    """Markets from names, parameters or markets, mixed as one likes."""
    out: list[Setting] = []
    for one in given:
        if isinstance(one, Setting):
            out.append(one)
        elif isinstance(one, Mapping):
            out.append(Setting(label_setting(game, one), dict(one)))
        else:
            out.extend(find_settings(game, [one]))
    return out


def label_setting(game: Game, params: Mapping[str, Any]) -> str:
    """A name for parameters: those that differ from the defaults, e.g. ``"delta=0.9,0.8 horizon=none"``."""
    return (
        " ".join(f"{name}={format_value(value)}" for name, value in _non_default_params(game, params).items())
        or DEFAULT
    )


def _non_default_params(game: Game, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from the game's defaults."""
    return {k: v for k, v in to_plain(params).items() if k not in game.defaults or v != to_plain(game.defaults[k])}


def name_setting(game: Game, params: Mapping[str, Any]) -> str:
    """A setting that no design names: as the game's own market with these public parameters, or `label`."""
    own = setting_parameters(game.parameters, params)
    wanted = _non_default_params(game, own)
    return next(
        (name for name, given in game_settings(game).items() if _non_default_params(game, given) == wanted),
        label_setting(game, own),
    )


def format_value(value: Any) -> str:
    """A value as `parse_value` reads it."""
    if isinstance(value, list | tuple):
        nested = any(isinstance(part, list | tuple) for part in value)
        return json.dumps(to_plain(value)) if nested else ",".join(map(format_value, value))
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def parse_params(given: Sequence[str]) -> dict[str, Any]:
    """Parameters from ``name=value`` texts, e.g. ``delta=0.9,0.8`` or ``horizon=none``.

    Raises:
        ValueError: A text has no equals sign or no name, or a name stands twice.
    """
    out: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise ValueError(
                f"--param {text!r} is not allowed; allowed: NAME=VALUE, as in delta=0.9,0.8 or horizon=none"
            )
        if name in out:
            raise ValueError(f"--param {name} is given twice")
        out[name] = parse_value(value)
    return out


def parse_value(text: str) -> Any:
    """A value: none, true, false, a number, several of these with commas between, or else the text itself.

    Lists of lists are written as JSON: ``[["Ann", 8, 70], ["Ben", 9, 75]]``.

    Raises:
        ValueError: It begins like a list of lists and is no JSON.
    """
    text = text.strip()
    if re.match(r"\[\s*[\[{]", text):
        try:
            return parse_json(text)
        except ValueError as error:
            raise ValueError(f"{text[:60]!r} is no JSON ({error}); allowed: [[...], [...]]") from None
    inner = text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text
    if "," in inner:
        return tuple(parse_value(part) for part in inner.split(",") if part.strip())
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
