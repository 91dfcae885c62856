"""The wording of GLEE's prompts (arXiv:2410.05254) from a user's own copy of its public repository.

Its templates have places in two braces, ``{{rival_name}}``, which become fields of ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import read_text

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def key_of(name: str) -> str:
    """How a player stands in the keys of answers: in small letters, blanks as ``_``."""
    return name.lower().replace(" ", "_")


def read_texts(path: Path, *names: str) -> list[str]:
    """Templates that stand in a JSON object under these names.

    Raises:
        ValueError: It is no such object, or a name is missing.
    """
    found: Any = parse_json(read_text(path))
    for name in names:
        if not isinstance(found, dict) or not isinstance(found.get(name), str):
            raise ValueError(f"{path.name} has no text {name!r}; allowed: an object with {', '.join(names)}")
    return [found[name].strip() for name in names]


def convert_template(text: str, fields: Mapping[str, str], file: str, texts: Mapping[str, str] | None = None) -> str:
    """A template of theirs as one of ours.

    Args:
        text: With places in two braces.
        fields: Our field for each place.
        file: Where it is from.
        texts: Templates that stand for places.

    Raises:
        ValueError: A place is unknown: it would not be filled.
    """
    pieces = PLACEHOLDER.split(text)
    out = [pieces[0].replace("{", "{{").replace("}", "}}")]
    for place, after in zip(pieces[1::2], pieces[2::2], strict=True):
        if place not in fields and place not in (texts or {}):
            allowed = ", ".join([*fields, *(texts or {})])
            raise ValueError(f"{file} has the unknown placeholder {{{{{place}}}}}; allowed: {allowed}")
        out.append((texts or {}).get(place, "") if place not in fields else f"{{{fields[place]}}}")
        out.append(after.replace("{", "{{").replace("}", "}}"))
    return "".join(out)
