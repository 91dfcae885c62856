"""Import of GLEE's prompts (arXiv:2410.05254) from a user's copy of its public repository.

Its placeholders in double braces, ``{{rival_name}}``, become fields of our templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from econzoo.envs.core import read_text
from econzoo.envs.core.contract import parse_json

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def key_of(name: str) -> str:
    """Player name as a key of answers: lower case, ``_`` for spaces."""
    return name.lower().replace(" ", "_")


def read_texts(path: Path, *names: str) -> list[str]:
    """Read templates by name from a JSON object."""
    templates: Any = parse_json(read_text(path))
    for name in names:
        if not isinstance(templates, dict) or not isinstance(templates.get(name), str):
            raise ValueError(f"{path.name}: missing text {name!r}: expected an object with {', '.join(names)}")
    return [templates[name].strip() for name in names]


def convert_template(text: str, fields: Mapping[str, str], file: str, texts: Mapping[str, str] | None = None) -> str:
    """Convert a GLEE template to one of ours.

    Args:
        fields: Our field for each placeholder.
        file: Name of its file, for errors.
        texts: GLEE's own text for each placeholder that it fills in its program; they may contain our fields.
    """
    pieces = PLACEHOLDER.split(text)
    # Single braces are plain text in GLEE, but fields in our templates.
    out = [pieces[0].replace("{", "{{").replace("}", "}}")]
    for place, after in zip(pieces[1::2], pieces[2::2], strict=True):
        if place not in fields and place not in (texts or {}):
            allowed = ", ".join([*fields, *(texts or {})])
            raise ValueError(f"{file}: unknown placeholder {{{{{place}}}}}: expected one of {allowed}")
        out.append((texts or {}).get(place, "") if place not in fields else f"{{{fields[place]}}}")
        out.append(after.replace("{", "{{").replace("}", "}}"))
    return "".join(out)
