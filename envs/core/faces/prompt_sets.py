"""Named sets of prompts: files ``prompts_NAME.toml`` beside a game's ``prompts.toml``.

A set replaces texts, and says in its table ``[answer]`` how answers are written (`econzoo.envs.core.faces.wording`). A
module ``text_NAME.py`` beside it may have functions of its own in the place of those of the game's ``text.py``, with
further fields, and `COPY`, which reads the wording from a folder of the user's: ``prompts="NAME:DIR"``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from econzoo.envs.core.contract.validation import load_package_toml, short_repr

SET_FILE_PREFIX, SET_FILE_SUFFIX = "prompts_", ".toml"

LANGUAGE = "language"
TITLE_KEYS = ("set", "name", "hash", LANGUAGE)
"""Keys of templates that are no texts: the set that the others are from, what all are called, their hash, and the
language that they are meant to be in."""


@lru_cache(maxsize=64)
def sets_of(package: str) -> tuple[str, ...]:
    """Names of the sets that a game has."""
    found = [entry.name for entry in files(package).iterdir()]
    return tuple(
        sorted(
            name[len(SET_FILE_PREFIX) : -len(SET_FILE_SUFFIX)]
            for name in found
            if name.startswith(SET_FILE_PREFIX) and name.endswith(SET_FILE_SUFFIX)
        )
    )


@lru_cache(maxsize=64)
def package_templates(package: str, file: str) -> dict[str, str]:
    """The templates of a file of a game."""
    return flatten_tables(load_package_toml(package, file))


def flatten_tables(tables: Mapping[str, Any]) -> dict[str, str]:
    """Tables of texts, and tables in them, as texts by ``"table.name"``.

    Raises:
        ValueError: A text stands outside a table.
    """
    out = {}
    for table, texts in tables.items():
        if isinstance(texts, Mapping):
            out.update(_flatten_table(table, texts))
        elif table in TITLE_KEYS:
            out[table] = texts
        else:
            raise ValueError(
                f"prompts: {short_repr(table)} stands outside a table; allowed: [table], name = text below it"
            )
    return out


def _flatten_table(table: str, texts: Mapping[str, Any]) -> dict[str, Any]:
    out = {}
    for name, text in texts.items():
        below = table == "answer" and isinstance(text, Mapping)
        out.update(_flatten_table(f"{table}.{name}", text) if below else {f"{table}.{name}": text})
    return out


def load_set(package: str, wanted: str) -> dict[str, str] | None:
    """What ``"NAME"`` or ``"NAME:DIR"`` stands for; None where there is no set of that name.

    Raises:
        ValueError: The set has nothing to read from a folder, or the folder lacks something.
    """
    name, colon, folder = wanted.partition(":")
    if name not in sets_of(package):
        return None
    if not colon:
        return {"set": name, "name": name}
    read = getattr(_module(package, name), "COPY", None)
    if read is None:
        raise ValueError(f"prompts={wanted!r} is not allowed; allowed: {name!r}, which reads no folder")
    try:
        texts: dict[str, str] = read(Path(folder))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"prompts={wanted!r} cannot be read: {error}; allowed: a copy of its repository") from None
    except ValueError as error:
        raise ValueError(f"prompts={wanted!r}: {error}") from None
    return {"set": name, "name": f"{name}:{Path(folder).resolve().name}", **texts}


def base_templates(package: str, given: Mapping[str, Any]) -> dict[str, str]:
    """The templates of the set that others are based on, if they name one.

    Raises:
        ValueError: The game has no such set.
    """
    name = given.get("set")
    if name is None:
        return {}
    if name not in sets_of(package):
        allowed = ", ".join(sets_of(package)) or "none, as the game has no sets"
        raise ValueError(f"prompts: set {short_repr(name)} is not allowed; allowed: {allowed}")
    return package_templates(package, f"{SET_FILE_PREFIX}{name}{SET_FILE_SUFFIX}")


def digest(texts: Mapping[str, str]) -> str:
    """Twelve hexadecimal digits of the texts, whatever their order and name."""
    plain = sorted((name, text) for name, text in texts.items() if name not in ("name", "hash"))
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()[:12]


def extra_fields(package: str, given: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """Fields by table that own texts, or those of a set, may have beyond those of the shipped texts."""
    return getattr(_module(package, given.get("set")), "FIELDS", {})


@lru_cache(maxsize=64)
def text_module(package: str, name: str) -> Any:
    """A game's text module, with the functions of a set in the place of some of its own."""
    return SimpleNamespace(**{**vars(import_module(f"{package}.text")), **vars(_module(package, name))})


def _module(package: str, name: str | None) -> Any:
    """The text module of a set, or the game's own (None)."""
    path = f"{package}.text" if name is None else f"{package}.text_{name}"
    return SimpleNamespace() if find_spec(path) is None else import_module(path)
