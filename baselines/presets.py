"""Agents of published studies as options of a spec: ``agent=alympics``.

A preset is a bundle of options (`presets.toml`, with the source of every number). `expand_preset` adds them to a spec,
so that records have both the preset and its options.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

from econzoo.envs.core.contract import load_package_toml
from econzoo.envs.core.record import SERVER_PREFIXES, split_name

OPTION = "agent"

SAMPLING = ("temperature", "top_p", "max_tokens")
"""Sampling options of models, whose names depend on the kind of model."""

NAMES: Mapping[str, Mapping[str, str]] = {
    **{prefix: {name: name for name in SAMPLING} for prefix in SERVER_PREFIXES},
    "hf": {"temperature": "temperature", "max_tokens": "max_new_tokens"},
    "mock": {},
}
"""Names of these options by prefix of a spec; unsupported options are omitted."""


class Preset(NamedTuple):
    """A published agent; `gives` describes one turn, `differs` what the publication has otherwise or leaves open."""

    gives: str
    source: str
    differs: str
    options: Mapping[str, str]


@cache
def presets() -> Mapping[str, Preset]:
    found: dict[str, Preset] = {}
    for name, one in load_package_toml(__package__, "presets.toml").items():
        like = found.get(one.get("like", ""), Preset("", "", "", {}))
        options = {**like.options, **one["options"]}
        found[name] = Preset(one["gives"], one.get("source", like.source), one.get("differs", like.differs), options)
    return found


def preset_options(name: str, prefix: str) -> dict[str, str]:
    """Return the options of a preset for a kind of model."""
    if name not in presets():
        raise ValueError(f"invalid {OPTION}={name!r}: expected {', '.join(presets())}")
    here = NAMES[prefix]
    options = presets()[name].options.items()
    return {here.get(key, key): value for key, value in options if key not in SAMPLING or key in here}


def expand_preset(spec: str) -> str:
    """Append the options of a spec's preset; other specs are unchanged.

    Explicit options of the spec take precedence. The function is idempotent.
    """
    given = dict(parse_qsl(spec.partition("?")[2], keep_blank_values=True))
    prefix = split_name(spec).spec.partition(":")[0] if OPTION in given else ""
    if prefix not in NAMES:
        return spec
    added = [f"{key}={value}" for key, value in preset_options(given[OPTION], prefix).items() if key not in given]
    return "&".join([spec, *added])
