"""Named prompt sets: files ``prompts_NAME.toml`` beside a game's ``prompts.toml``.

A set replaces texts, and its table ``[answer]`` sets the wording of answers (`econzoo.envs.core.faces.wording`). An
optional module ``text_NAME.py`` overrides functions of the game's ``text.py``, can add fields, and can define `COPY`,
which reads the texts from a user's folder: ``prompts="NAME:DIR"``.
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
"""Keys of metadata among templates: base set, name, hash and language."""


@lru_cache(maxsize=64)
def sets_of(package: str) -> tuple[str, ...]:
    """Return the names of a game's prompt sets."""
    names = [entry.name for entry in files(package).iterdir()]
    return tuple(
        sorted(
            name[len(SET_FILE_PREFIX) : -len(SET_FILE_SUFFIX)]
            for name in names
            if name.startswith(SET_FILE_PREFIX) and name.endswith(SET_FILE_SUFFIX)
        )
    )


@lru_cache(maxsize=64)
def package_templates(package: str, file: str) -> dict[str, str]:
    """Load the templates of a file of a game."""
    return flatten_tables(load_package_toml(package, file))


def flatten_tables(tables: Mapping[str, Any]) -> dict[str, str]:
    """Flatten (nested) tables of texts to texts by ``"table.name"``.

    Raises:
        ValueError: A text is outside of tables.
    """
    out = {}
    for table, texts in tables.items():
        if isinstance(texts, Mapping):
            out.update(_flatten_table(table, texts))
        elif table in TITLE_KEYS:
            out[table] = texts
        else:
            raise ValueError(
                f"prompts: {short_repr(table)} is outside of tables: expected [table] with name = text below it"
            )
    return out


def _flatten_table(table: str, texts: Mapping[str, Any]) -> dict[str, Any]:
    out = {}
    for name, text in texts.items():
        below = table == "answer" and isinstance(text, Mapping)
        out.update(_flatten_table(f"{table}.{name}", text) if below else {f"{table}.{name}": text})
    return out


def load_set(package: str, wanted: str) -> dict[str, str] | None:
    """Load the set ``"NAME"`` or ``"NAME:DIR"``; None if there is no such set.

    Raises:
        ValueError: The set does not read folders, or the folder is incomplete.
    """
    name, colon, folder = wanted.partition(":")
    if name not in sets_of(package):
        return None
    if not colon:
        return {"set": name, "name": name}
    read = getattr(_module(package, name), "COPY", None)
    if read is None:
        raise ValueError(f"invalid prompts={wanted!r}: expected {name!r}, which reads no folder")
    try:
        texts: dict[str, str] = read(Path(folder))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"prompts={wanted!r} cannot be read: {error}; expected a copy of its repository") from None
    except ValueError as error:
        raise ValueError(f"prompts={wanted!r}: {error}") from None
    return {"set": name, "name": f"{name}:{Path(folder).resolve().name}", **texts}


def base_templates(package: str, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the templates of the base set of custom templates, if they name one.

    Raises:
        ValueError: Unknown set.
    """
    name = given.get("set")
    if name is None:
        return {}
    if name not in sets_of(package):
        expected = ", ".join(sets_of(package)) or "none, as the game has no sets"
        raise ValueError(f"prompts: unknown set {short_repr(name)}: expected {expected}")
    return package_templates(package, f"{SET_FILE_PREFIX}{name}{SET_FILE_SUFFIX}")


def digest(texts: Mapping[str, str]) -> str:
    """Hash texts, independent of order and name, to 12 hexadecimal digits."""
    plain = sorted((name, text) for name, text in texts.items() if name not in ("name", "hash"))
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()[:12]


def extra_fields(package: str, given: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """Return additional fields by table that custom texts or a set may use."""
    return getattr(_module(package, given.get("set")), "FIELDS", {})


@lru_cache(maxsize=64)
def text_module(package: str, name: str) -> Any:
    """Return a game's text module, with functions overridden by a set."""
    return SimpleNamespace(**{**vars(import_module(f"{package}.text")), **vars(_module(package, name))})


def _module(package: str, name: str | None) -> Any:
    """Return the text module of a set, or the game's own (None)."""
    path = f"{package}.text" if name is None else f"{package}.text_{name}"
    return SimpleNamespace() if find_spec(path) is None else import_module(path)
