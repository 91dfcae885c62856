"""One-line descriptions of players, from their docstrings; no model is loaded."""

from __future__ import annotations

import re
from functools import partial
from inspect import getdoc
from urllib.parse import parse_qsl

from econzoo.baselines.factory import PREFIXES, maker_of, player
from econzoo.baselines.presets import OPTION, presets
from econzoo.envs.core.record import SERVER_PREFIXES, identity, split_name

KINDS = {
    "hf": "the language model {}",
    "gguf": "the language model {}, by llama.cpp",
    **dict.fromkeys(SERVER_PREFIXES, "the language model {}, served over an API"),
    "mock": "canned replies instead of a language model",
    "http": "an HTTP agent at {}",
    "ppo": "a policy trained with PPO, {}",
    "program": "the program in {}",
    "glee-human": "replay of a person in GLEE's published matches, from {}",
    "axelrod": "the strategy {} of the Axelrod library",
}
"""Descriptions of ``PREFIX:TARGET`` specs."""


def description(spec: str, game_name: str) -> str:
    """Describe the player of a spec in one line, without address, price and folders; empty if unknown."""
    try:
        bare = split_name(identity(spec)).spec
    except ValueError:
        return ""
    prefix, colon, rest = bare.partition(":")
    if colon and prefix in PREFIXES:
        return _describe_kind(prefix, rest)
    maker = maker_of(bare, game_name)
    return "" if maker is None else _self_description(maker, bare, game_name) or _first_sentence(maker)


def _describe_kind(prefix: str, rest: str) -> str:
    """Such as ``the language model gpt-5, served over an API: temperature=0.7``."""
    target, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    line = KINDS[prefix].format(_last_part(target))
    preset = presets().get(options.pop(OPTION, ""))
    if preset is not None:
        line += f"; {preset.gives}"
        options = {name: value for name, value in options.items() if preset.options.get(name) != value}
    return f"{line}: {', '.join(f'{name}={value}' for name, value in options.items())}" if options else line


def _last_part(target: str) -> str:
    """Return the last part of a local path, and any other target unchanged."""
    return target.rstrip("/").rpartition("/")[2] if target.startswith((".", "/", "~")) else target


def _self_description(maker: object, spec: str, game_name: str) -> str:
    """Return `describe()` of a player; empty if it has none or its arguments are sampled or invalid."""
    if not hasattr(maker, "describe"):
        return ""
    try:
        # `str()` is empty: with sampled arguments the player only stands for the one that has `describe`.
        described = getattr(player(spec, game_name), "describe", str)
    except ValueError:
        return ""
    return str(described())


def _first_sentence(maker: object) -> str:
    """Return the first paragraph of a docstring, without references."""
    text = getdoc(maker.func if isinstance(maker, partial) else maker) or ""
    line = " ".join(text.split("\n\n")[0].split())
    return re.sub(r" ?\(see `[^)]*\)|`", "", line)
