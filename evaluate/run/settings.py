"""Settings: named parameters of a game, and their notation on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import LARGE_FILE_BYTES, games, read_text
from econzoo.envs.core.contract import Game, check_arguments, clean, load_package_toml, parse_json, setting_parameters
from econzoo.envs.core.contract import short_repr, to_plain, unknown_name
from econzoo.envs.core.env import RECORDED_OPTIONS

__all__ = ["Setting", "find_settings", "read_settings", "validation_settings"]

DEFAULT = "default"
ALL_SETTINGS, VALIDATION, TEST = "all", "validation", "test"
"""Collections: all named settings of a game, and the held-out ones for validation and for the final test."""

FIRST_SEED = 1_000_000
"""First seed of evaluations: far from the seeds of training and experiments."""

SPECS = "spe, fair, 'boulware(0.2)', random, ..., hf:smollm2, hf:PATH, openai:MODEL@URL, ppo:FILE"
"""Example specs for the help texts; the error about an unknown spec lists all."""

PARAM = f"Game parameter or environment option NAME=VALUE (repeatable). Options: {', '.join(RECORDED_OPTIONS)}."
"""Help text of ``--param``."""

_WORDS: dict[str, Any] = {"none": None, "null": None, "true": True, "yes": True, "false": False, "no": False}


class Setting(NamedTuple):
    """One setting of a game.

    Attributes:
        name: Name, unique in a design.
        params: Parameters that differ from the game's defaults.
    """

    name: str
    params: dict[str, Any]


SUITES = "econzoo.evaluate.suites"
"""Package with one file per published suite."""


@cache
def read_suite(name: str) -> Mapping[str, Any]:
    """Read a published suite: game or games, settings, opponents or pool, number of seeds."""
    return load_package_toml(SUITES, f"{name}.toml")


def game_settings(game: Game) -> dict[str, dict[str, Any]]:
    """Return the game's named settings, ``default`` among them."""
    named = _scenarios(game, "SETTINGS")
    return {DEFAULT: {}, **({name: dict(params) for name, params in named.items()} if named else {})}


def settings_collection(game: Game, name: str) -> list[Setting]:
    """Return a collection of the game's scenarios, such as ``validation`` or ``glee``; empty if there is none."""
    if name == ALL_SETTINGS:
        return [Setting(*item) for item in game_settings(game).items()]
    found = _scenarios(game, name.upper().replace("-", "_"))
    if isinstance(found, Mapping):
        return [Setting(key, dict(params)) for key, params in found.items() if isinstance(params, Mapping)]
    if isinstance(found, list | tuple) and all(isinstance(params, Mapping) for params in found):
        return [Setting(label_setting(game, params), dict(params)) for params in found]
    return []


@check_arguments
def validation_settings(game: Game) -> list[Setting]:
    """Return the held-out validation settings; the default setting if the game has none."""
    return settings_collection(game, VALIDATION) or [Setting(DEFAULT, {})]


def pool_settings(game: Game, pool: str) -> list[Setting]:
    """Return the settings in which a pool is met: test settings for the test pool, else validation settings."""
    return (settings_collection(game, TEST) if pool == TEST else []) or validation_settings(game)


def _scenarios(game: Game, attribute: str) -> Any:
    try:
        return getattr(game.scenarios, attribute, None)
    except ModuleNotFoundError:
        # A registered game need not have scenarios.
        return None


@check_arguments
def find_settings(game: Game, names: Iterable[str]) -> list[Setting]:
    """Return the settings with these names; ``all``, ``validation``, ``test`` and other collections expand to several.

    Raises:
        ValueError: A name is unknown; the message lists the known ones.
    """
    known = game_settings(game)
    out: dict[str, dict[str, Any]] = {}
    for name in names:
        found = [Setting(name, known[name])] if name in known else settings_collection(game, name)
        if not found:
            raise ValueError(f"{game.name}: {unknown_name('setting', name, [*known, ALL_SETTINGS, VALIDATION, TEST])}")
        out.update(found)
    return [Setting(name, params) for name, params in out.items()]


@check_arguments
def read_settings(game: Game, path: str | Path) -> list[Setting]:
    """Read the settings of a JSON file: an object from names to parameters, or a list of parameters.

    Raises:
        ValueError: The file has another form; the message names it.
        FileNotFoundError: There is no such file.
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
        raise ValueError(f"invalid {path}: expected an object from names to parameters, or a list of parameters")
    if isinstance(given, dict):
        for name in given:
            if clean(name) != name:
                raise ValueError(f"{path}: invalid name {short_repr(name)}: expected printable characters")
        return [Setting(name, params) for name, params in given.items()]
    return [Setting(label_setting(game, params), params) for params in given]


def resolve_settings(game: Game, given: Iterable[str | Mapping[str, Any] | Setting]) -> list[Setting]:
    """Return settings from any mix of names, parameters and settings."""
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
    """Name parameters by those that differ from the defaults, e.g. ``"delta=0.9,0.8 horizon=none"``."""
    return (
        " ".join(f"{name}={format_value(value)}" for name, value in _non_default_params(game, params).items())
        or DEFAULT
    )


def _non_default_params(game: Game, params: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in to_plain(params).items() if k not in game.defaults or v != to_plain(game.defaults[k])}


def name_setting(game: Game, params: Mapping[str, Any]) -> str:
    """Name a setting outside of any design: the game's name for these parameters, or `label_setting`."""
    own = setting_parameters(game.parameters, params)
    wanted = _non_default_params(game, own)
    return next(
        (name for name, given in game_settings(game).items() if _non_default_params(game, given) == wanted),
        label_setting(game, own),
    )


def format_value(value: Any) -> str:
    """Format a value for `parse_value`."""
    if isinstance(value, list | tuple):
        nested = any(isinstance(part, list | tuple) for part in value)
        return json.dumps(to_plain(value)) if nested else ",".join(map(format_value, value))
    if isinstance(value, float):
        # Twelve digits, without rounding noise such as 0.30000000000000004.
        return f"{value:.12g}"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def parse_params(given: Sequence[str]) -> dict[str, Any]:
    """Parse parameters from ``name=value`` texts, e.g. ``delta=0.9,0.8`` or ``horizon=none``."""
    out: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise ValueError(f"invalid --param {text!r}: expected NAME=VALUE, as in delta=0.9,0.8 or horizon=none")
        if name in out:
            raise ValueError(f"--param {name} is repeated")
        out[name] = parse_value(value)
    return out


def parse_value(text: str) -> Any:
    """Parse none, true, false, a number, a comma-separated list of these, or else text.

    Lists of lists are JSON: ``[["Ann", 8, 70], ["Ben", 9, 75]]``.
    """
    text = text.strip()
    if re.match(r"\[\s*[\[{]", text):
        try:
            return parse_json(text)
        except ValueError as error:
            raise ValueError(f"invalid value {text[:60]!r} ({error}): expected JSON as in [[...], [...]]") from None
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


def parse_entry(text: str) -> tuple[str | None, str]:
    """Parse ``GAME=SPEC`` into (game, spec), and a spec, which may have a name in the same form, into (None, spec)."""
    game, equals, spec = text.partition("=")
    return (game.strip(), spec) if equals and game.strip() in games() else (None, text)
