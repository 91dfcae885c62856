"""One line on who a player is, from what players say about themselves; nothing is loaded or asked for it."""

from __future__ import annotations

import re
from functools import partial
from inspect import getdoc
from urllib.parse import parse_qsl

from econzoo.baselines.factory import PREFIXES, maker_of, player
from econzoo.baselines.presets import OPTION, presets
from econzoo.envs.core.record.spec import identity, split_name

KINDS = {
    "hf": "the language model {}",
    "openai": "the language model {}, behind a server",
    "mock": "canned replies in place of a language model",
    "http": "an agent behind an address, {}",
    "ppo": "a policy trained with PPO, {}",
    "program": "the program in {}",
    "glee-human": "a person of GLEE's published matches, from {}",
    "axelrod": "the strategy {} of the Axelrod library",
}
"""What ``PREFIX:TARGET`` is."""


def description(spec: str, game_name: str) -> str:
    """One line on the player of a spec, without address, price and folders; empty where nothing is known.

    Args:
        spec: As it stands in a record; names from elsewhere are none.
        game_name: That it played.
    """
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
    """``the language model gpt-5, behind a server: temperature=0.7``."""
    target, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    told = KINDS[prefix].format(_last_part(target))
    preset = presets().get(options.pop(OPTION, ""))
    if preset is not None:
        told += f"; {preset.gives}"
        options = {name: value for name, value in options.items() if preset.options.get(name) != value}
    return f"{told}: {', '.join(f'{name}={value}' for name, value in options.items())}" if options else told


def _last_part(target: str) -> str:
    """A file or folder of this machine by its last part, anything else as it is."""
    return target.rstrip("/").rpartition("/")[2] if target.startswith((".", "/", "~")) else target


def _self_description(maker: object, spec: str, game_name: str) -> str:
    """What a player says about itself that its arguments tell; empty if it says nothing, or they are drawn or wrong."""
    if not hasattr(maker, "describe"):
        return ""
    try:
        described = getattr(player(spec, game_name), "describe", str)
    except ValueError:
        return ""
    return str(described())


def _first_sentence(maker: object) -> str:
    """The first sentence of what a player says about itself, without its references."""
    text = getdoc(maker.func if isinstance(maker, partial) else maker) or ""
    line = " ".join(text.split("\n\n")[0].split())
    return re.sub(r" ?\(see `[^)]*\)|`", "", line)
