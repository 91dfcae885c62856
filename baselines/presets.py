"""Agents of published studies by name, as they stand behind the question mark of a spec: ``agent=alympics``.

A preset is a bundle of options (`presets.toml`, with the source of every number). `expand_preset` writes them out, and
a record has the spec written so: it says which preset played, and what that stood for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

from econzoo.envs.core.contract.validation import load_package_toml
from econzoo.envs.core.record.spec import split_name

OPTION = "agent"

SAMPLING = ("temperature", "top_p", "max_tokens")
"""Options of a model, and no parts; each kind of model has its own names for them."""

NAMES: Mapping[str, Mapping[str, str]] = {
    "openai": {name: name for name in SAMPLING},
    "hf": {"temperature": "temperature", "max_tokens": "max_new_tokens"},
    "mock": {},
}
"""Prefix of a spec to the names of these options there; a model that lacks one plays without it."""


class Preset(NamedTuple):
    """A published agent.

    Attributes:
        gives: What one turn of it is.
        source: Where its numbers stand.
        differs: What is not as published, or not said there.
        options: As a spec has them.
    """

    gives: str
    source: str
    differs: str
    options: Mapping[str, str]


@cache
def presets() -> Mapping[str, Preset]:
    """All presets by name."""
    found: dict[str, Preset] = {}
    for name, one in load_package_toml(__package__, "presets.toml").items():
        like = found.get(one.get("like", ""), Preset("", "", "", {}))
        options = {**like.options, **one["options"]}
        found[name] = Preset(one["gives"], one.get("source", like.source), one.get("differs", like.differs), options)
    return found


def preset_options(name: str, prefix: str) -> dict[str, str]:
    """The options of a preset for one kind of model.

    Args:
        name: Of the preset.
        prefix: Of the spec, one of `NAMES`.

    Raises:
        ValueError: There is no such preset.
    """
    if name not in presets():
        raise ValueError(f"{OPTION}={name!r} is not allowed; allowed: {', '.join(presets())}")
    here = NAMES[prefix]
    options = presets()[name].options.items()
    return {here.get(key, key): value for key, value in options if key not in SAMPLING or key in here}


def expand_preset(spec: str) -> str:
    """A spec with the options that its preset stands for written out behind it; any other spec as it is.

    Options that the spec has stay as they are and where they are. What is written out already does not change.

    Raises:
        ValueError: There is no such preset, or the spec's name is not allowed.
    """
    given = dict(parse_qsl(spec.partition("?")[2], keep_blank_values=True))
    prefix = split_name(spec).spec.partition(":")[0] if OPTION in given else ""
    if prefix not in NAMES:
        return spec
    added = [f"{key}={value}" for key, value in preset_options(given[OPTION], prefix).items() if key not in given]
    return "&".join([spec, *added])
